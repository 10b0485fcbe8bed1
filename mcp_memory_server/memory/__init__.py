"""The domain: pure functions and values, no I/O. Read it in the order of `docs/map.md`."""
