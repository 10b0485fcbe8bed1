"""Token Status List and Bitstring Status List from one table."""

from credentials.status.bits import StatusList
from credentials.status.table import StatusTable

__all__ = ["StatusList", "StatusTable"]
