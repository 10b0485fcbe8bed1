"""Models that propose facts: adapters of the port in `memory/refining/port.py`."""
