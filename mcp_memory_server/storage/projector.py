"""The projector: works off the outbox, so that every projection catches up with the ledger."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial

from mcp_memory_server.clock import Clock
from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.limits import OUTBOX_BATCH
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

_log = logging.getLogger(__name__)
_FIRST_RETRY = timedelta(seconds=5)
_LONGEST_RETRY = timedelta(hours=1)
_LEASE = timedelta(seconds=60)  # how long rows are one projector's; if it dies, another takes them then
_IDLE_SECONDS = 5.0  # between two looks at the outbox when nobody wakes the worker

Mentions = Mapping[str, Sequence[tuple[str, str]]]


def _is_fact(memory: Memory) -> bool:
    return memory.kind is Kind.FACT


def _version(memory: Memory | None) -> int:
    return memory.version if memory else 0


class Projector:
    """Applies outbox rows: at least once, idempotent, in order per memory."""

    def __init__(self, backend: Backend, embedder: Embedder | None, clock: Clock) -> None:
        self._backend = backend
        self._embedder = embedder
        self._clock = clock

    def drain(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Work off everything that is due; answers how many rows were done. Embeds outside the lock."""
        total = 0
        while done := self._step():
            total += done
            progress(total)
        return total

    def _step(self) -> int:
        back, embedder = self._backend, self._embedder
        done = 0
        if not back.text_index.transactional:
            done += self._taken(back.text_index.name, self._project_text)
        if not back.graph_index.transactional:
            done += self._taken(back.graph_index.name, self._project_graph)
        if embedder is not None:
            embed_rows = self._embed if back.vector_index.transactional else self._embed_outside
            done += self._taken(back.vector_index.name, partial(embed_rows, embedder))
        return done

    def _taken(self, projection: str, apply: Callable[[Tenancy, Sequence[OutboxRow]], int]) -> int:
        """Take a batch of what is due, so that no other projector works on it, and apply it user by user."""
        now = self._clock.now()
        with self._backend.store.system() as system:
            if not system.due(projection, now, 1):
                return 0
        with self._backend.store.system(write=True) as system:
            rows = system.take(projection, now, OUTBOX_BATCH, now + _LEASE)
        by_user: dict[str, list[OutboxRow]] = defaultdict(list)
        for row in rows:
            by_user[row.user].append(row)
        return sum(apply(Tenancy(user), mine) for user, mine in by_user.items())

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

    def _outside(
        self,
        index: TextIndex | GraphIndex | VectorIndex,
        tenancy: Tenancy,
        rows: Sequence[OutboxRow],
        upsert: Callable[[Sequence[Memory], Mentions], None],
    ) -> int:
        """Bring an index that has no part in the ledger's transaction up to date: no lock is held meanwhile."""
        ids = [row.memory_id for row in rows]
        with self._backend.store.read(tenancy) as unit:
            memories, mentions = unit.get(ids), unit.mentions(ids)
        wanted = [memory for memory in memories.values() if is_indexed(memory)]
        kept = {memory.id for memory in wanted}
        try:
            index.delete(tenancy, [one for one in ids if one not in kept])
            upsert(wanted, mentions)
        except MemoryServerError as error:
            self._put_off(rows, error)
            return 0
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
        try:
            vectors = embed(embedder, wanted)
            self._write(embedder.model, tenancy, wanted, rows, vectors)
        except MemoryServerError as error:
            self._put_off(rows, error)
            return 0
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

    def _put_off(self, rows: Sequence[OutboxRow], error: MemoryServerError) -> None:
        with self._backend.store.system(write=True) as system:
            for row in rows:
                wait = min(_FIRST_RETRY * 2 ** min(row.attempts, 16), _LONGEST_RETRY)
                system.retry(row.seq, self._clock.now() + wait, error.code)

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


class Worker:
    """A thread that loads the model, finishes what was left open, and keeps the outbox short."""

    def __init__(
        self,
        projector: Projector,
        embedder: Embedder | None,
        start: Callable[[], object],
        warm_up: Callable[[], object],
        chores: Callable[[], object] = lambda: None,
    ) -> None:
        self._projector = projector
        self._embedder = embedder
        self._start = start
        self._warm_up = warm_up
        self._chores = chores
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._loaded = threading.Event()  # set too when loading has failed: there is nothing to wait for
        self._thread = threading.Thread(target=self._run, name="memory-worker", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look at the outbox now."""
        self._wake.set()

    def wait_for_model(self, seconds: float) -> None:
        """Wait while the thread loads the model, at most so long."""
        if self._thread.is_alive() and self._embedder is not None:
            self._loaded.wait(seconds)

    def stop(self) -> None:
        """Stop after the step at hand."""
        self._stopping.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _run(self) -> None:
        self._guarded(self._start)
        if self._embedder is not None:
            self._guarded(self._embedder.load)
            self._loaded.set()
        self._guarded(self._warm_up)
        if self._embedder is not None:
            self._guarded(self._projector.adopt_model)
        retiring = self._embedder is not None
        while not self._stopping.is_set():
            self._guarded(self._projector.drain)
            if retiring:
                # Old models go once all memories have new vectors; then there is nothing to look for.
                self._guarded(self._projector.retire_models)
                retiring = self._projector.has_old_models()
            self._guarded(self._chores)
            self._wake.wait(_IDLE_SECONDS)
            self._wake.clear()

    @staticmethod
    def _guarded(step: Callable[[], object]) -> None:
        try:
            step()
        except MemoryServerError as error:
            _log.warning("background work put off: %s", error.code)
        except Exception:  # noqa: BLE001 - the thread must live on; the fault is in the log
            _log.exception("background work failed")
