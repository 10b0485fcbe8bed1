"""What each projection is given of a memory, so that write path, verify and rebuild agree."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import timedelta

from mcp_memory_server.limits import EMBED_PART_CHARS, EMBED_PART_OVERLAP
from mcp_memory_server.memory.model import Kind, Memory, Speaker, Status
from mcp_memory_server.memory.names import entity_key, names
from mcp_memory_server.memory.ports import GraphDocument, GraphLife, TextDocument
from mcp_memory_server.memory.text import index_tokens, key, parts

SELF = "user"  # the subject that stands for the person; too common to connect memories by
_INDEXED = frozenset(Status) - {Status.ARCHIVED}


def is_indexed(memory: Memory) -> bool:
    """Whether the projections hold the memory: all but archived ones."""
    return memory.status in _INDEXED


def index_text(memory: Memory) -> str:
    """The text under which a memory is found; an utterance comes with its day and speaker."""
    if memory.kind is not Kind.UTTERANCE:
        return memory.statement
    local = memory.said_at + timedelta(minutes=memory.said_offset)
    speaker = memory.speaker_name or ("Assistant" if memory.speaker is Speaker.ASSISTANT else "")
    return f"[{local:%Y-%m-%d}] {speaker}: {memory.statement}" if speaker else f"[{local:%Y-%m-%d}] {memory.statement}"


def digest(*made_from: object) -> str:
    """A short fingerprint of what a projection row was made from."""
    return hashlib.blake2b("\x1f".join(map(str, made_from)).encode(), digest_size=8).hexdigest()


def equality_key(text: str) -> str:
    """A fingerprint that equal texts share (see `text.key`); it gives no text away."""
    return hashlib.blake2b(key(text).encode(), digest_size=16).hexdigest()


def text_document(memory: Memory) -> TextDocument:
    """The memory for the text index."""
    source = index_text(memory)
    if memory.predicate:
        # "No, I mean 1.4": a clause that leans on another does not say what it is about, its predicate does.
        source = f"{source} {memory.predicate.replace('_', ' ')}"
    return TextDocument(memory.id, tuple(index_tokens(source)), digest("text", source))


def embedding_parts(memory: Memory) -> tuple[list[str], str]:
    """The texts to embed (long ones in parts, each with day and speaker) and their digest."""
    source = index_text(memory)
    ranges = parts(source, EMBED_PART_CHARS, EMBED_PART_OVERLAP)
    if len(ranges) == 1:
        return [source], digest("vector", source)
    head = source[: len(source) - len(memory.statement)]
    texts = [(head if start else "") + source[start:end] for start, end in ranges]
    return texts, digest("vector", source)


def graph_document(memory: Memory, mentions: Sequence[tuple[str, str]]) -> GraphDocument:
    """The memory for the graph; `mentions` are (entity key, role)."""
    predicate = memory.predicate or "mentions"
    made_from = digest("graph", predicate, *sorted(mentions))
    return GraphDocument(memory.id, predicate, tuple(mentions), made_from, graph_life(memory))


def graph_life(memory: Memory) -> GraphLife:
    """What a graph tells of a memory beside what it names."""
    validity = memory.validity
    return GraphLife(memory.confidence, memory.source.value, validity.valid_from, validity.valid_to)


def entities_of(memory: Memory) -> list[tuple[str, str, str]]:
    """(key, name, role) of what a fact names: its subject, its object, and names in its words.

    Utterances and events name nothing in the graph: their facts do.
    """
    if memory.kind is not Kind.FACT:
        return []
    found: dict[str, tuple[str, str]] = {}
    if memory.subject and memory.subject != SELF and memory.subject != "other":
        name = memory.subject.rsplit(":", 1)[-1].removeprefix(f"{SELF}.")
        found[entity_key(name)] = (name, "subject")
    value = memory.object
    if value and value.type.value in ("entity", "text") and len(value.value) <= 80:
        found.setdefault(entity_key(value.value), (value.value, "object"))
    for index, name in enumerate(names(memory.statement)):
        role = "subject" if index == 0 and memory.subject is None else "mention"
        found.setdefault(entity_key(name), (name, role))
    return [(folded, name, role) for folded, (name, role) in found.items() if folded]
