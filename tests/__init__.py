"""The tests. A package, so that fakes and helpers have one import path: `tests.fakes`, `tests.support`."""
