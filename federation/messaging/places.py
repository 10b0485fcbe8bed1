"""How many messages are worked on at the same time: in all, of one peer, and of strangers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from federation.errors import MessageError
from federation.limits import INBOX_AT_WORK, INBOX_AT_WORK_PEER, PAIRINGS_AT_WORK

_STRANGERS: Final = ""  # no DID


class Places:
    """Counts on one event loop. Nobody waits for a place: who finds none is told to come again."""

    def __init__(
        self, *, peers: int = INBOX_AT_WORK, one_peer: int = INBOX_AT_WORK_PEER, strangers: int = PAIRINGS_AT_WORK
    ) -> None:
        self._peers = peers
        self._one_peer = one_peer
        self._strangers = strangers
        self._taken: Counter[str] = Counter()

    @contextmanager
    def one_for(self, peer: str | None) -> Iterator[None]:
        """A place for a peer, or with None for a stranger who answers an invitation. Raises MessageError (``busy``)."""
        name = _STRANGERS if peer is None else peer
        if name == _STRANGERS:
            free = self._taken[name] < self._strangers
        else:
            in_all = self._taken.total() - self._taken[_STRANGERS]
            free = in_all < self._peers and self._taken[name] < self._one_peer
        if not free:
            raise MessageError("busy")
        self._taken[name] += 1
        try:
            yield
        finally:
            self._taken[name] -= 1
            if not self._taken[name]:
                del self._taken[name]
