"""An MCP memory server: remember, recall, forget, over one ledger and its projections."""

__version__ = "0.1.0"
