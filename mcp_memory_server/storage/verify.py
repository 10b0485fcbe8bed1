"""Comparing projections with the ledger, and making them equal again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.archiving import ARCHIVE, fingerprint, is_archived
from mcp_memory_server.memory.indexing import embedding_parts, graph_document, is_indexed, text_document
from mcp_memory_server.memory.model import Kind, Memory
from mcp_memory_server.memory.ports import Backend, Embedder, LedgerUnit, MemoryFilter, Tenancy
from mcp_memory_server.memory.projecting import project

PROJECTIONS = ("text", "vectors", "graph", "archive")
_PAGE = 500  # memories read at a time


@dataclass(frozen=True, slots=True)
class Drift:
    """How one projection of one user differs from the ledger; ids only.

    `feedback` and `triggers` are tables of the ledger itself: they have a row only where they name what is not there.
    """

    user: str
    projection: str
    missing: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    waiting: int = 0
    fault: str = ""  # the code of the error with which a projection that does not answer was asked

    @property
    def clean(self) -> bool:
        """True when nothing differs; rows that wait in the outbox are late, not lost."""
        return not (self.missing or self.stale or self.surplus or self.fault)


def everything(unit: LedgerUnit) -> list[Memory]:
    """Every memory of a user."""
    out: list[Memory] = []
    cursor = None
    while True:
        page = unit.page(MemoryFilter(), _PAGE, cursor)
        out.extend(page.memories)
        cursor = page.cursor
        if cursor is None:
            return out


def verify(
    backend: Backend,
    embedder: Embedder | None,
    progress: Callable[[], None] = lambda: None,
    archive: Archive | None = None,
) -> list[Drift]:
    """One row for each user and projection, and one where a session's working memory names what is not there.

    What is set aside in the outbox counts as missing: nothing brings it in by itself. A projection that does not
    answer is named with its fault, and the others are compared all the same.
    """
    with backend.store.system() as system:
        users = system.users()
        aside = {(row.user, row.projection, row.memory_id) for row in system.set_aside()}
    rows: list[Drift] = []
    for user in users:
        tenancy = Tenancy(user)
        with backend.store.read(tenancy) as unit:
            for projection, wanted, index, ask in _sides(backend, embedder, archive, unit, tenancy):
                late = {one for one in unit.deferred(index) if (user, index, one) not in aside}
                try:
                    rows.append(_compare(user, projection, wanted, ask(), late))
                except MemoryServerError as error:
                    rows.append(Drift(user, projection, waiting=len(late & set(wanted)), fault=error.code))
            named = unit.working_ids()
            known = unit.outlines(named)
            lost = tuple(one for one in named if one not in known)
            if lost:
                rows.append(Drift(user, "working", surplus=lost))
            rows += [Drift(user, name, surplus=ids) for name, ids in sorted(unit.dangling().items()) if ids]
        progress()
    return rows


def _sides(
    backend: Backend, embedder: Embedder | None, archive: Archive | None, unit: LedgerUnit, tenancy: Tenancy
) -> Iterator[tuple[str, dict[str, str], str, Callable[[], Mapping[str, str]]]]:
    """Of each projection: its name here, what it should hold, its name in the outbox, and how to ask what it holds."""
    everyone = everything(unit)
    memories = [memory for memory in everyone if is_indexed(memory)]
    facts = [memory for memory in memories if memory.kind is Kind.FACT]
    mentions = unit.mentions([memory.id for memory in facts])
    text, graph, vectors = backend.text_index, backend.graph_index, backend.vector_index
    yield "text", {m.id: text_document(m).digest for m in memories}, text.name, lambda: text.digests(tenancy, unit)
    named = {m.id: graph_document(m, mentions.get(m.id, ())).digest for m in facts}
    yield "graph", named, graph.name, lambda: graph.digests(tenancy, unit)
    if embedder is not None:
        parts = {m.id: embedding_parts(m)[1] for m in memories}
        yield "vectors", parts, vectors.name, lambda: vectors.digests(tenancy, embedder.model, unit)
    if archive is not None:
        copies = {m.id: fingerprint(m) for m in everyone if is_archived(m)}
        yield "archive", copies, archive.name, lambda: archive.digests(tenancy)


def _compare(user: str, name: str, expected: Mapping[str, str], found: Mapping[str, str], waiting: set[str]) -> Drift:
    missing = [one for one in expected if one not in found and one not in waiting]
    stale = [one for one in expected if one in found and found[one] != expected[one] and one not in waiting]
    surplus = [one for one in found if one not in expected and one not in waiting]
    late = len(waiting & set(expected))
    return Drift(user, name, tuple(missing), tuple(stale), tuple(surplus), late)


def rebuild(
    backend: Backend,
    embedder: Embedder | None,
    projections: tuple[str, ...],
    progress: Callable[[], None] = lambda: None,
    archive: Archive | None = None,
) -> int:
    """Make projections equal to the ledger, user by user; answers how many memories were written.

    Vectors, the archive and what is not the ledger's own are queued for the projector, which works outside the
    store's lock; rows that were set aside are tried again.
    """
    with backend.store.system() as system:
        users = system.users()
    written = 0
    for user in users:
        tenancy = Tenancy(user)
        held = _held_elsewhere(backend, embedder, archive, tenancy, projections)  # without a lock: it may take long
        with backend.store.write(tenancy) as unit:
            everyone = everything(unit)
            memories = [memory for memory in everyone if is_indexed(memory)]
            written += len(memories)
            unit.drop_dangling()
            wanted = {memory.id for memory in memories}
            _clear_surplus(backend, embedder, unit, tenancy, projections, wanted)
            for name, ids in held.items():
                unit.defer([one for one in ids if one not in wanted or name == ARCHIVE], name)
            mentions = unit.mentions([memory.id for memory in memories])
            named = unit.working_ids()
            known = unit.outlines(named)
            unit.drop_working([one for one in named if one not in known])
            if "text" in projections or "graph" in projections:
                project(backend, unit, None, memories, mentions, {})
            if "vectors" in projections and embedder is not None:
                unit.defer([memory.id for memory in memories], backend.vector_index.name)
            if "archive" in projections and archive is not None:
                unit.defer([memory.id for memory in everyone if is_archived(memory)], archive.name)
        progress()
    return written


def _held_elsewhere(
    backend: Backend, embedder: Embedder | None, archive: Archive | None, tenancy: Tenancy, projections: tuple[str, ...]
) -> dict[str, list[str]]:
    """What stands in those projections that have no part in the ledger's transaction, by their names in the outbox."""
    text, graph, vectors = backend.text_index, backend.graph_index, backend.vector_index
    found: dict[str, list[str]] = {}
    if "text" in projections and not text.transactional:
        found[text.name] = list(text.digests(tenancy))
    if "graph" in projections and not graph.transactional:
        found[graph.name] = list(graph.digests(tenancy))
    if "vectors" in projections and not vectors.transactional and embedder is not None:
        found[vectors.name] = list(vectors.digests(tenancy, embedder.model))
    if "archive" in projections and archive is not None:
        found[archive.name] = list(archive.digests(tenancy))
    return found


def _clear_surplus(
    backend: Backend,
    embedder: Embedder | None,
    unit: LedgerUnit,
    tenancy: Tenancy,
    projections: tuple[str, ...],
    wanted: set[str],
) -> None:
    """Remove at once what is too much in the projections that share the unit."""
    text, graph, vectors = backend.text_index, backend.graph_index, backend.vector_index
    if "text" in projections and text.transactional:
        text.delete(tenancy, [one for one in text.digests(tenancy, unit) if one not in wanted], unit)
    if "graph" in projections and graph.transactional:
        graph.delete(tenancy, [one for one in graph.digests(tenancy, unit) if one not in wanted], unit)
    if "vectors" in projections and vectors.transactional and embedder is not None:
        held = vectors.digests(tenancy, embedder.model, unit)
        vectors.delete(tenancy, [one for one in held if one not in wanted], unit)
