"""The projector: works off the outbox, so that every projection catches up with the ledger."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from mcp_memory_server.clock import Clock
from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.limits import OUTBOX_ATTEMPTS, OUTBOX_BATCH
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.archiving import ARCHIVE, archived_in, fingerprint, is_archived
from mcp_memory_server.memory.indexing import graph_document, is_indexed, text_document
from mcp_memory_server.memory.model import Kind, Memory
from mcp_memory_server.memory.ports import (
    Backend,
    Embedder,
    GraphIndex,
    OutboxRow,
    Tenancy,
    TextIndex,
    VectorIndex,
)
from mcp_memory_server.memory.projecting import Embedded, embed
from mcp_memory_server.memory.records import SET_ASIDE_AT

_log = logging.getLogger(__name__)
_FIRST_RETRY = timedelta(seconds=5)
_LONGEST_RETRY = timedelta(hours=1)
_LONGEST_AWAY = timedelta(minutes=1)  # that what is away is left alone: its backlog is to drain soon after
_LEASE = timedelta(seconds=60)  # how long rows are one projector's; if it dies, another takes them then
_random = random.SystemRandom()
_PROBE = "I live by the sea."  # what the model is asked to see whether it answers; nothing of anybody's memory
_NOBODY = Tenancy("")  # no user has this name: asking for its rows shows whether an index answers, and nothing else

Mentions = Mapping[str, Sequence[tuple[str, str]]]


def _is_fact(memory: Memory) -> bool:
    return memory.kind is Kind.FACT


def _version(memory: Memory | None) -> int:
    return memory.version if memory else 0


@contextmanager
def _outside_the_ledger(name: str) -> Iterator[None]:
    """What fails here is not the ledger's fault. A fault of ours is one of the row too: it must not stop the others."""
    try:
        yield
    except MemoryServerError as error:
        raise _FailedError(error.code) from error
    except Exception as error:
        _log.warning("%s did not take a row: %s", name, type(error).__name__)
        raise _FailedError("internal") from error


class _FailedError(Exception):
    """A projection, the archive or the model did not take what it was given; the ledger has no part in it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class _AwayError(Exception):
    """It takes nothing at all: it is away, and no memory is to blame."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What is done for one projection. `ask` shows whether it answers at all."""

    name: str
    apply: Callable[[Tenancy, Sequence[OutboxRow]], int]
    ask: Callable[[], object]


class Projector:
    """Applies outbox rows: at least once, idempotent, in order per memory.

    A projection that is away is left alone for a while, and its rows lose nothing. A row that fails again and
    again while others succeed is set aside: `doctor` shows it, `rebuild` tries it again.
    """

    def __init__(
        self,
        backend: Backend,
        embedder: Embedder | None,
        clock: Clock,
        archive: Archive | None = None,
        refuses: Callable[[str], bool] = lambda _name: False,
        jitter: Callable[[], float] = _random.random,
    ) -> None:
        self._backend = backend
        self._embedder = embedder
        self._clock = clock
        self._archive = archive
        self._refuses = refuses
        self._jitter = jitter
        self._away: dict[str, tuple[int, datetime]] = {}  # how often in a row, and until when it is left alone

    def drain(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Work off everything that is due; answers how many rows of projections were done. Embeds outside the lock."""
        total = 0
        while True:
            taken = 0
            for work in self._works():
                done, had = self._taken(work)
                total += done if work.name != ARCHIVE else 0  # no index, and not what a person waits for
                taken += had
            if not taken:
                return total
            progress(total)

    def _works(self) -> Iterator[_Work]:
        back, embedder, archive = self._backend, self._embedder, self._archive
        if not back.text_index.transactional:
            yield _Work(back.text_index.name, self._project_text, lambda: back.text_index.digests(_NOBODY))
        if not back.graph_index.transactional:
            yield _Work(back.graph_index.name, self._project_graph, lambda: back.graph_index.digests(_NOBODY))
        if embedder is not None:
            inside = back.vector_index.transactional

            def ask(embedder: Embedder = embedder) -> None:
                embedder.documents([_PROBE], ["en"])
                if not inside:
                    back.vector_index.models(_NOBODY)

            yield _Work(back.vector_index.name, partial(self._embed if inside else self._embed_outside, embedder), ask)
        if archive is not None:
            yield _Work(archive.name, partial(self._put_away, archive), lambda: archive.digests(_NOBODY))

    def _taken(self, work: _Work) -> tuple[int, int]:
        """Take a batch of what is due, so that no other projector works on it, and apply it user by user.

        Answers how many rows were done and, when there may be more to do now, how many were taken.
        """
        now = self._clock.now()
        if self._refuses(work.name) or self._away.get(work.name, (0, now))[1] > now:
            return 0, 0
        with self._backend.store.system() as system:
            if not system.due(work.name, now, 1):
                return 0, 0
        with self._backend.store.system(write=True) as system:
            rows = system.take(work.name, now, OUTBOX_BATCH, now + _LEASE)
        by_user: dict[str, list[OutboxRow]] = {}
        for row in rows:
            by_user.setdefault(row.user, []).append(row)
        done, failed = 0, list[tuple[OutboxRow, str]]()
        while by_user:
            user, mine = next(iter(by_user.items()))
            try:
                done += self._applied(work, Tenancy(user), mine, failed)
            except _AwayError:
                left = [row for rest in by_user.values() for row in rest]
                self._leave_alone(work.name, [*(row for row, _ in failed if row.user != user), *left])
                return done, 0
            except MemoryServerError as error:  # the ledger does not give or take this user's rows
                self._later(mine, error.code)
            del by_user[user]
        self._away.pop(work.name, None)
        self._settle(failed, blame=done > 0)
        # Where nothing at all is taken, the rest of the backlog need not be tried now.
        return done, len(rows) if done or not failed else 0

    def _applied(
        self, work: _Work, tenancy: Tenancy, rows: Sequence[OutboxRow], failed: list[tuple[OutboxRow, str]]
    ) -> int:
        """Apply rows of one user. What fails together is tried apart, down to the rows that fail alone."""
        try:
            return work.apply(tenancy, rows)
        except _FailedError as error:
            try:
                work.ask()
            except Exception as away:  # whatever it is: it does not work
                raise _AwayError from away
            if len(rows) == 1:
                failed.append((rows[0], error.code))
                return 0
        half = len(rows) // 2
        done = self._applied(work, tenancy, rows[:half], failed)
        return done + self._applied(work, tenancy, rows[half:], failed)

    def _settle(self, failed: Sequence[tuple[OutboxRow, str]], *, blame: bool) -> None:
        """Rows are to blame where others of the batch were taken; where none was, a disk may be full."""
        for row, code in failed:
            if blame:
                self._blame(row, code)
            else:
                self._later([row], code)

    def _leave_alone(self, name: str, rows: Sequence[OutboxRow]) -> None:
        """Give rows back as they were: they are all due when the projection is tried again."""
        times, now = self._away.get(name, (0, self._clock.now()))[0], self._clock.now()
        self._away[name] = (times + 1, now + self._wait(times, _LONGEST_AWAY))
        with self._backend.store.system(write=True) as system:
            system.postpone([row.seq for row in rows], now, "unavailable")

    def _later(self, rows: Sequence[OutboxRow], code: str) -> None:
        with self._backend.store.system(write=True) as system:
            system.postpone([row.seq for row in rows], self._clock.now() + self._wait(0, _LONGEST_AWAY), code)

    def _blame(self, row: OutboxRow, code: str) -> None:
        """Count a failure of a row's own, and set it aside when there were too many."""
        at = self._clock.now() + self._wait(row.attempts, _LONGEST_RETRY)
        with self._backend.store.system(write=True) as system:
            system.retry(row.seq, at if row.attempts + 1 < OUTBOX_ATTEMPTS else SET_ASIDE_AT, code)

    def _wait(self, times: int, longest: timedelta) -> timedelta:
        """The back-off after so many failures: doubled each time, and three quarters to five quarters of it."""
        wait: timedelta = min(_FIRST_RETRY * 2 ** min(times, 16), longest)
        return wait * (0.75 + self._jitter() / 2)

    def _project_text(self, tenancy: Tenancy, rows: Sequence[OutboxRow]) -> int:
        index = self._backend.text_index
        return self._outside(index, tenancy, rows, lambda memories, _: index.upsert(
            tenancy, [text_document(memory) for memory in memories]
        ))  # fmt: skip

    def _project_graph(self, tenancy: Tenancy, rows: Sequence[OutboxRow]) -> int:
        index = self._backend.graph_index
        return self._outside(index, tenancy, rows, lambda memories, mentions: index.upsert(
            tenancy, [graph_document(memory, mentions.get(memory.id, ())) for memory in memories if _is_fact(memory)]
        ))  # fmt: skip

    def _put_away(self, archive: Archive, tenancy: Tenancy, rows: Sequence[OutboxRow]) -> int:
        return self._outside(archive, tenancy, rows, lambda memories, _: archive.put(tenancy, memories), is_archived)

    def _outside(
        self,
        index: TextIndex | GraphIndex | VectorIndex | Archive,
        tenancy: Tenancy,
        rows: Sequence[OutboxRow],
        upsert: Callable[[Sequence[Memory], Mentions], None],
        holds: Callable[[Memory], bool] = is_indexed,
    ) -> int:
        """Bring what has no part in the ledger's transaction up to date: no lock is held meanwhile."""
        ids = [row.memory_id for row in rows]
        with self._backend.store.read(tenancy) as unit:
            memories, mentions = unit.get(ids), unit.mentions(ids)
        wanted = [memory for memory in memories.values() if holds(memory)]
        kept = {memory.id for memory in wanted}
        with _outside_the_ledger(index.name):
            index.delete(tenancy, [one for one in ids if one not in kept])
            upsert(wanted, mentions)
        with self._backend.store.write(tenancy) as unit:
            # What changed meanwhile may have been written by somebody else first: it is to be done again.
            now = unit.get(ids)
            same = [one for one in ids if _version(now.get(one)) == _version(memories.get(one))]
            unit.undefer(same, index.name)
            unit.defer([one for one in ids if one not in set(same)], index.name)
        return len(rows)

    def _embed_outside(self, embedder: Embedder, tenancy: Tenancy, rows: Sequence[OutboxRow]) -> int:
        index = self._backend.vector_index

        def upsert(memories: Sequence[Memory], _mentions: Mentions) -> None:
            vectors = embed(embedder, memories)
            index.upsert(tenancy, embedder.model, [d for one in vectors.values() for d in one.documents])

        return self._outside(index, tenancy, rows, upsert)

    def _embed(self, embedder: Embedder, tenancy: Tenancy, rows: Sequence[OutboxRow]) -> int:
        with self._backend.store.read(tenancy) as unit:
            memories = unit.get([row.memory_id for row in rows])
        wanted = [memory for memory in memories.values() if is_indexed(memory)]
        with _outside_the_ledger(self._backend.vector_index.name):
            vectors = embed(embedder, wanted)
        self._write(embedder.model, tenancy, wanted, rows, vectors)
        return len(rows)

    def _write(
        self,
        model: str,
        tenancy: Tenancy,
        wanted: Sequence[Memory],
        rows: Sequence[OutboxRow],
        vectors: dict[str, Embedded],
    ) -> None:
        index = self._backend.vector_index
        with self._backend.store.write(tenancy) as unit:
            # A memory may have been forgotten or changed while its text was being embedded.
            now = unit.get([memory.id for memory in wanted])
            same = [m for m in wanted if m.id in now and now[m.id].version == m.version]
            documents = [d for m in same for d in vectors[m.id].documents]
            index.upsert(tenancy, model, documents, unit)
            settled = {m.id for m in same} | {row.memory_id for row in rows if row.memory_id not in now}
            unit.undefer([row.memory_id for row in rows if row.memory_id in settled], index.name)
            unit.defer([row.memory_id for row in rows if row.memory_id not in settled], index.name)

    def tidy_archive(self) -> int:
        """Queue every copy in the archive that is missing, old or not to be there; answers how many.

        This finds what a crash may have left: a copy written after its memory was forgotten. Raises UnavailableError.
        """
        if self._archive is None:
            return 0
        queued = 0
        with self._backend.store.system() as system:
            users = system.users()
        for user in users:
            tenancy = Tenancy(user)
            found = self._archive.digests(tenancy)
            with self._backend.store.read(tenancy) as unit:
                wanted = {one.id: fingerprint(one) for one in archived_in(unit)}
                waiting = set(unit.deferred(self._archive.name))
            differing = {one for one in {*found, *wanted} if found.get(one) != wanted.get(one)} - waiting
            if differing:
                with self._backend.store.write(tenancy) as unit:
                    unit.defer(sorted(differing), self._archive.name)
                queued += len(differing)
        return queued

    def adopt_model(self) -> int:
        """Queue every memory that has no vector of the current model yet; answers how many.

        Old vectors stay until all of a user's memories have new ones (`retire_models`).
        """
        if self._embedder is None:
            return 0
        queued = 0
        index = self._backend.vector_index
        with self._backend.store.system() as system:
            users = system.users()
        for user in users:
            tenancy = Tenancy(user)
            with self._backend.store.read(tenancy) as unit:
                have = index.digests(tenancy, self._embedder.model, unit)
                waiting = set(unit.deferred(index.name))
                missing = [one for one in unit.indexed_ids() if one not in have and one not in waiting]
            if missing:
                with self._backend.store.write(tenancy) as unit:
                    unit.defer(list(unit.get(missing)), index.name)
                queued += len(missing)
        return queued

    def has_old_models(self) -> bool:
        """Whether some user still has vectors of a model that is not the current one."""
        try:
            with self._backend.store.system() as system:
                users = system.users()
            models = {model for user in users for model in self._backend.vector_index.models(Tenancy(user))}
        except MemoryServerError:
            return True
        return bool(models - {self._embedder.model if self._embedder else ""})

    def retire_models(self) -> list[str]:
        """Drop the vectors of other models for each user whose memories all have new ones."""
        if self._embedder is None:
            return []
        index, retired = self._backend.vector_index, []
        with self._backend.store.system() as system:
            users = system.users()
        for user in users:
            tenancy = Tenancy(user)
            with self._backend.store.read(tenancy) as unit:
                models = index.models(tenancy, unit)
                have = index.digests(tenancy, self._embedder.model, unit)
                complete = all(one in have for one in unit.indexed_ids())
            for model in models if complete else ():
                if model != self._embedder.model:
                    index.drop_model(tenancy, model)
                    retired.append(model)
        return sorted(set(retired))
