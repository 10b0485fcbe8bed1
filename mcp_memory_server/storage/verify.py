"""Comparing projections with the ledger, and making them equal again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcp_memory_server.memory.indexing import digest, embedding_parts, graph_document, is_indexed, text_document
from mcp_memory_server.memory.model import Kind, Memory
from mcp_memory_server.memory.ports import Backend, Embedder, LedgerUnit, MemoryFilter, Tenancy
from mcp_memory_server.memory.projecting import project

PROJECTIONS = ("text", "vectors", "graph")
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

    @property
    def clean(self) -> bool:
        """True when nothing differs; rows that wait in the outbox are late, not lost."""
        return not (self.missing or self.stale or self.surplus)


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


def verify(backend: Backend, embedder: Embedder | None, progress: Callable[[], None] = lambda: None) -> list[Drift]:
    """One row for each user and projection, and one where a session's working memory names what is not there."""
    with backend.store.system() as system:
        users = system.users()
    rows: list[Drift] = []
    for user in users:
        tenancy = Tenancy(user)
        with backend.store.read(tenancy) as unit:
            memories = [memory for memory in everything(unit) if is_indexed(memory)]
            names = {
                "text": backend.text_index.name,
                "graph": backend.graph_index.name,
                "vectors": backend.vector_index.name,
            }
            waiting = {projection: set(unit.deferred(name)) for projection, name in names.items()}
            facts = [memory for memory in memories if memory.kind is Kind.FACT]
            mentions = unit.mentions([memory.id for memory in facts])
            expected = {
                "text": {m.id: text_document(m).digest for m in memories},
                "graph": {m.id: graph_document(m, mentions.get(m.id, ())).digest for m in facts},
            }
            found: dict[str, Mapping[str, str]] = {
                "text": backend.text_index.digests(tenancy, unit),
                "graph": backend.graph_index.digests(tenancy, unit),
            }
            if embedder is not None:
                expected["vectors"] = {m.id: embedding_parts(m)[1] for m in memories}
                found["vectors"] = backend.vector_index.digests(tenancy, embedder.model, unit)
            rows += [_compare(user, name, expected[name], found[name], waiting[name]) for name in expected]
            named = unit.working_ids()
            known = unit.outlines(named)
            lost = tuple(one for one in named if one not in known)
            if lost:
                rows.append(Drift(user, "working", surplus=lost))
            rows += [Drift(user, name, surplus=ids) for name, ids in sorted(unit.dangling().items()) if ids]
        progress()
    return rows


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
) -> int:
    """Make projections equal to the ledger, user by user; answers how many memories were written.

    Vectors are queued for the projector, which embeds them outside the store's lock.
    """
    with backend.store.system() as system:
        users = system.users()
    written = 0
    for user in users:
        tenancy = Tenancy(user)
        with backend.store.write(tenancy) as unit:
            memories = [memory for memory in everything(unit) if is_indexed(memory)]
            written += len(memories)
            unit.drop_dangling()
            _clear_surplus(backend, embedder, unit, tenancy, projections, {memory.id for memory in memories})
            mentions = unit.mentions([memory.id for memory in memories])
            named = unit.working_ids()
            known = unit.outlines(named)
            unit.drop_working([one for one in named if one not in known])
            if "text" in projections or "graph" in projections:
                project(backend, unit, None, memories, mentions, {})
            if "vectors" in projections and embedder is not None:
                unit.defer([memory.id for memory in memories], backend.vector_index.name)
        progress()
    return written


def _clear_surplus(
    backend: Backend,
    embedder: Embedder | None,
    unit: LedgerUnit,
    tenancy: Tenancy,
    projections: tuple[str, ...],
    wanted: set[str],
) -> None:
    found = {"text": backend.text_index.digests(tenancy, unit), "graph": backend.graph_index.digests(tenancy, unit)}
    if "text" in projections:
        backend.text_index.delete(tenancy, [one for one in found["text"] if one not in wanted], unit)
    if "graph" in projections:
        backend.graph_index.delete(tenancy, [one for one in found["graph"] if one not in wanted], unit)
    if "vectors" in projections and embedder is not None:
        held = backend.vector_index.digests(tenancy, embedder.model, unit)
        backend.vector_index.delete(tenancy, [one for one in held if one not in wanted], unit)


def fingerprint(memory: Memory) -> str:
    """One short value for a memory as it stands, for comparing copies."""
    return digest(memory.id, memory.version, memory.statement, memory.status.value)
