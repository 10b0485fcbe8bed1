"""Detectors of the guard: secrets and identifiers, and text that gives orders to a model."""
