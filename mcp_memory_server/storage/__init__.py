"""Adapters of the storage ports."""
