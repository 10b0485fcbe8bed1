"""VCDM 1.1: our own checks and the port of an engine; the didkit worker is an adapter elsewhere."""
