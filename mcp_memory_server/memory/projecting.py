"""Keeping the projections in step with the ledger, inside the same unit of work where they can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_memory_server.memory.indexing import embedding_parts, graph_document, is_indexed, text_document
from mcp_memory_server.memory.model import Kind, Memory
from mcp_memory_server.memory.ports import Backend, Embedder, LedgerUnit, Tenancy, Vector, VectorDocument

INLINE_PARTS = 4  # parts of text that a call embeds itself; more wait in the outbox


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of one memory with what they were made from."""

    documents: tuple[VectorDocument, ...]


def embed(embedder: Embedder, memories: Sequence[Memory]) -> dict[str, Embedded]:
    """Vectors of memories, parts of long texts apart. Equal texts are embedded once."""
    wanted: dict[tuple[str, str], int] = {}
    plans = []
    for memory in memories:
        texts, made_from = embedding_parts(memory)
        plans.append((memory, [wanted.setdefault((text, memory.lang), len(wanted)) for text in texts], made_from))
    vectors: Vector = embedder.documents([text for text, _ in wanted], [lang for _, lang in wanted])
    return {
        memory.id: Embedded(
            tuple(
                VectorDocument(memory.id, part, memory.lang, vectors[row], made_from) for part, row in enumerate(rows)
            )
        )
        for memory, rows, made_from in plans
    }


def inline(memories: Sequence[Memory]) -> list[Memory]:
    """Which memories a call embeds before it answers: as many as fit INLINE_PARTS, given ones first."""
    chosen, used = [], 0
    for memory in memories:
        count = len(embedding_parts(memory)[0])
        if used + count <= INLINE_PARTS:
            chosen.append(memory)
            used += count
    return chosen


def project(
    backend: Backend,
    unit: LedgerUnit,
    model: str | None,
    memories: Sequence[Memory],
    mentions: Mapping[str, Sequence[tuple[str, str]]],
    vectors: Mapping[str, Embedded],
) -> bool:
    """Write memories to every projection that shares the unit; put the rest into the outbox.

    Answers whether something waits in the outbox now.
    """
    tenancy = Tenancy(unit.user)
    memories = [memory for memory in memories if is_indexed(memory)]  # archived ones are in no projection
    ids = [memory.id for memory in memories]
    if not ids:
        return False
    late = not (backend.text_index.transactional and backend.graph_index.transactional)
    if backend.text_index.transactional:
        backend.text_index.upsert(tenancy, [text_document(memory) for memory in memories], unit)
    else:
        unit.defer(ids, backend.text_index.name)
    facts = [memory for memory in memories if memory.kind is Kind.FACT]
    if facts and backend.graph_index.transactional:
        documents = [graph_document(memory, mentions.get(memory.id, ())) for memory in facts]
        backend.graph_index.upsert(tenancy, documents, unit)
    elif facts:
        unit.defer([memory.id for memory in facts], backend.graph_index.name)
    if model is None:
        return late
    ready = [one for one in ids if one in vectors and backend.vector_index.transactional]
    if ready:
        backend.vector_index.upsert(tenancy, model, [d for one in ready for d in vectors[one].documents], unit)
    waiting = [one for one in ids if one not in set(ready)]
    if waiting:
        unit.defer(waiting, backend.vector_index.name)
    return late or bool(waiting)


def unproject(backend: Backend, unit: LedgerUnit, memory_ids: Sequence[str]) -> None:
    """Remove memories from every projection; those outside the unit are cleared by the outbox."""
    tenancy = Tenancy(unit.user)
    for index in (backend.text_index, backend.vector_index, backend.graph_index):
        if index.transactional:
            index.delete(tenancy, memory_ids, unit)
        else:
            unit.defer(memory_ids, index.name)
