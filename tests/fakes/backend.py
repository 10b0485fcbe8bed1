"""A back end in memory: the ports by the book, as short as they can be said."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from mcp_memory_server.errors import InvalidArgumentError, UnavailableError
from mcp_memory_server.memory.ports import Erasure, OutboxRow, Tenancy, Token
from mcp_memory_server.memory.records import SET_ASIDE_AT
from mcp_memory_server.memory.signals import Recalled
from tests.fakes.indexes import MemoryGraphIndex, MemoryTextIndex, MemoryVectorIndex
from tests.fakes.state import State
from tests.fakes.unit import MemoryUnit

_WAIT_SECONDS = 10.0
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class MemorySystemUnit:
    """Bookkeeping over a copy of the state."""

    def __init__(self, state: State) -> None:
        self._state = state

    def users(self) -> list[str]:
        return sorted(self._state.users)

    def meta(self, name: str) -> str | None:
        return self._state.meta.get(name)

    def set_meta(self, name: str, value: str) -> None:
        self._state.meta[name] = value

    def _rows(self) -> list[tuple[OutboxRow, datetime]]:
        found = [
            (OutboxRow(row.seq, user, one, projection, row.attempts, row.error), row.next_at or _LONG_AGO)
            for user, mine in self._state.users.items()
            for (one, projection), row in mine.outbox.items()
        ]
        return sorted(found, key=lambda pair: pair[0].seq)

    def due(self, projection: str, now: datetime, limit: int) -> list[OutboxRow]:
        return [row for row, at in self._rows() if row.projection == projection and at <= now][:limit]

    def take(self, projection: str, now: datetime, limit: int, until: datetime) -> list[OutboxRow]:
        taken = self.due(projection, now, limit)
        seqs = {row.seq for row in taken}
        for mine in self._state.users.values():
            for row in mine.outbox.values():
                if row.seq in seqs:
                    row.next_at = until
        return taken

    def backlog(self) -> dict[str, int]:
        out: dict[str, int] = {}
        for row, _ in self._rows():
            out[row.projection] = out.get(row.projection, 0) + 1
        return out

    def done(self, seqs: Sequence[int]) -> None:
        for mine in self._state.users.values():
            mine.outbox = {key: row for key, row in mine.outbox.items() if row.seq not in seqs}

    def retry(self, seq: int, next_at: datetime, error: str) -> None:
        for mine in self._state.users.values():
            for row in mine.outbox.values():
                if row.seq == seq:
                    row.attempts, row.next_at, row.error = row.attempts + 1, next_at, error

    def postpone(self, seqs: Sequence[int], next_at: datetime, error: str) -> None:
        for mine in self._state.users.values():
            for row in mine.outbox.values():
                if row.seq in seqs:
                    row.next_at, row.error = next_at, error

    def set_aside(self) -> list[OutboxRow]:
        return [row for row, at in self._rows() if at >= SET_ASIDE_AT]

    def claim(self, projection: str, now: datetime, until: datetime, limit: int) -> list[OutboxRow]:
        rows = self.due(projection, now, limit)
        for mine in self._state.users.values():
            for row in mine.outbox.values():
                if row.seq in {one.seq for one in rows}:
                    row.next_at = until
        return rows

    def save_recalls(self, recalls: Sequence[Recalled], since: datetime, most: int) -> None:
        for one in recalls:
            self._state.of(one.user).recalls.setdefault(one.id, one)
        for mine in self._state.users.values():
            newest = sorted(mine.recalls.values(), key=lambda one: (one.at, one.id), reverse=True)
            mine.recalls = {one.id: one for one in newest[:most] if one.at >= since}

    def save_erasure(self, erasure: Erasure) -> None:
        self._state.erasures[erasure.id] = erasure

    def erasures(self, *, finished: bool) -> list[Erasure]:
        found = [e for e in self._state.erasures.values() if (e.finished_at is not None) == finished]
        return sorted(found, key=lambda erasure: (erasure.requested_at, erasure.id))

    def add_backup(self, path: str, made_at: datetime) -> None:
        self._state.backups[path] = made_at

    def backups(self) -> list[str]:
        return sorted(self._state.backups, key=lambda path: self._state.backups[path])

    def drop_backup(self, path: str) -> None:
        self._state.backups.pop(path, None)

    def save_confirmation(self, digest: str, user: str, memory_ids: Sequence[str], expires_at: datetime) -> None:
        self._state.confirmations[digest] = (user, tuple(memory_ids), expires_at)

    def take_confirmation(self, digest: str, user: str, now: datetime) -> tuple[str, ...] | None:
        found = self._state.confirmations.get(digest)
        if found is None or found[0] != user or found[2] <= now:
            return None
        del self._state.confirmations[digest]
        return found[1]

    def save_token(self, token: Token) -> None:
        self._state.tokens[token.id] = token

    def tokens(self) -> list[Token]:
        return sorted(self._state.tokens.values(), key=lambda token: (token.created_at, token.id))


class MemoryStore:
    """The Store port; one writer at a time, readers see what was committed."""

    def __init__(self, state: State | None = None) -> None:
        self.state = state or State()
        self._lock = threading.Lock()
        self._copies: dict[str, State] = {}
        self._names: set[str] = set()

    @contextmanager
    def _changing(self) -> Iterator[State]:
        if not self._lock.acquire(timeout=_WAIT_SECONDS):
            raise UnavailableError("the store is busy")
        try:
            draft = self.state.copied()
            yield draft
            self.state = draft
        finally:
            self._lock.release()

    @contextmanager
    def read(self, tenancy: Tenancy) -> Iterator[MemoryUnit]:
        yield MemoryUnit(self.state.copied(), tenancy.user)

    @contextmanager
    def write(self, tenancy: Tenancy) -> Iterator[MemoryUnit]:
        with self._changing() as draft:
            unit = MemoryUnit(draft, tenancy.user)
            yield unit
            unit.touch()

    @contextmanager
    def system(self, *, write: bool = False) -> Iterator[MemorySystemUnit]:
        if not write:
            yield MemorySystemUnit(self.state.copied())
            return
        with self._changing() as draft:
            yield MemorySystemUnit(draft)

    def about(self) -> Mapping[str, str]:
        return {"engine": "memory", "schema": "-"}

    def scrub(self) -> bool:
        return True

    def shred(self, tenancy: Tenancy) -> bool:
        return False

    @contextmanager
    def alone(self, name: str) -> Iterator[bool]:
        free = name not in self._names
        if free:
            self._names.add(name)
        try:
            yield free
        finally:
            if free:
                self._names.discard(name)

    def backup(self, path: str) -> None:
        target = Path(path)
        if not target.parent.is_dir() or target.exists():
            raise InvalidArgumentError(f"{target} cannot be made")
        target.touch(mode=0o600)
        self._copies[path] = self.state.copied()

    @contextmanager
    def copy(self, path: str) -> Iterator[MemoryBackend]:
        if path not in self._copies or not Path(path).is_file():
            raise UnavailableError(f"{path} is not there")
        copy = MemoryBackend(self._copies[path])
        yield copy
        self._copies[path] = copy.store.state

    def check(self) -> list[str]:
        return []

    def close(self) -> None:
        return None


class MemoryBackend:
    """The store with its projections."""

    def __init__(self, state: State | None = None) -> None:
        self._store = MemoryStore(state)
        self._text = MemoryTextIndex(self._store)
        self._vectors = MemoryVectorIndex(self._store)
        self._graph = MemoryGraphIndex(self._store)

    @property
    def store(self) -> MemoryStore:
        return self._store

    @property
    def text_index(self) -> MemoryTextIndex:
        return self._text

    @property
    def vector_index(self) -> MemoryVectorIndex:
        return self._vectors

    @property
    def graph_index(self) -> MemoryGraphIndex:
        return self._graph
