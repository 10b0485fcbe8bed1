"""No adapter drifts from its port (case QRY-05)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcp_memory_server.memory import ports, signal_ports
from mcp_memory_server.memory.model import Kind
from mcp_memory_server.memory.ports import Backend, Tenancy
from mcp_memory_server.memory.signals import Firing, Recalled, Task, Verdict, Vote
from tests.fakes import NOON, HashEmbedder
from tests.support import memory

INDEXES = {"text_index": ports.TextIndex, "vector_index": ports.VectorIndex, "graph_index": ports.GraphIndex}


def methods(port: type) -> Iterator[str]:
    """Names of a port's methods, those it takes over from another port too."""
    for base in port.__mro__:
        if base.__module__ in (ports.__name__, signal_ports.__name__):
            for name, value in vars(base).items():
                if inspect.isfunction(value) and not name.startswith("_"):
                    yield name


def parameters(function: Callable[..., Any]) -> list[tuple[str, object, object, str]]:
    found = inspect.signature(inspect.unwrap(function)).parameters.values()
    return [(p.name, p.kind, p.default, str(p.annotation)) for p in found]


def parts(backend: Backend) -> Iterator[tuple[type, Any]]:
    """Every port with the object that is one."""
    yield ports.Store, backend.store
    for name, port in INDEXES.items():
        yield port, getattr(backend, name)
    with backend.store.write(Tenancy("ann")) as unit:
        yield ports.LedgerUnit, unit
    with backend.store.system() as system:
        yield ports.SystemUnit, system


def test_every_signature_equals_the_ports(backend: Backend) -> None:
    compared = 0
    for port, adapter in parts(backend):
        for name in methods(port):
            own = parameters(getattr(type(adapter), name))
            assert own == parameters(getattr(port, name)), f"{type(adapter).__name__}.{name}"
            compared += 1
    assert compared > 60


def test_embedders_have_the_ports_signatures() -> None:
    from mcp_memory_server.embedding.bundled import bundled
    from mcp_memory_server.embedding.openai_compatible import OpenAICompatibleEmbedder
    from mcp_memory_server.embedding.sentence_transformers import SentenceTransformerEmbedder

    for adapter in (type(bundled()), OpenAICompatibleEmbedder, SentenceTransformerEmbedder, HashEmbedder):
        for name in methods(ports.Embedder):
            assert parameters(getattr(adapter, name)) == parameters(getattr(ports.Embedder, name)), (
                f"{adapter.__name__}.{name}"
            )


def arguments(folder: Path) -> dict[str, Any]:
    """A value for every parameter that a method of a port has."""
    vector = np.asarray([1, 0], dtype=np.float32)
    return {
        "tenancy": Tenancy("ann"),
        "memory_ids": ["m_1"],
        "unit": None,
        "tokens": ["word"],
        "limit": 5,
        "model": "fake-a",
        "lang": "en",
        "vector": vector,
        "entities": ["nora"],
        "hops": 2,
        "key": memory("m_1").key,
        "kind": Kind.FACT,
        "subject": "user",
        "predicates": ["likes"],
        "utterance_ids": ["u_1"],
        "utterance_id": "u_1",
        "wanted": ports.MemoryFilter(),
        "cursor": None,
        "memory": memory("m_1"),
        "memory_id": "m_1",
        "keys": ["nora"],
        "session": "s",
        "entry": ports.HistoryEntry("m_1", NOON, "stored", "agent"),
        "at": NOON,
        "action": "remember",
        "agent": "agent",
        "question": ports.Question("q_1", "?", ("m_1",), ("keep_first",), NOON),
        "question_id": "q_1",
        "answer": "keep_first",
        "projection": "vectors",
        "erasure_id": "e_1",
        "words": "word",
        "write": False,
        "path": str(folder / "copy"),
        "name": "setting",
        "value": "value",
        "now": NOON,
        "until": NOON,
        "seqs": [1],
        "before": NOON,
        "version": 1,
        "made": ports.WorkingVersion("s", 1, NOON, "remember", ("m_1",)),
        "keep": 5,
        "seq": 1,
        "next_at": NOON,
        "error": "unavailable",
        "erasure": ports.Erasure("e_1", "ann", "requested", ("m_1",), NOON),
        "finished": True,
        "made_at": NOON,
        "digest": "d",
        "user": "ann",
        "expires_at": NOON,
        "recall_id": "r_1",
        "recalls": [Recalled("r_1", "ann", NOON, ("m_1",))],
        "since": NOON,
        "most": 5,
        "task": Task.DONE,
        "vote": Vote("m_1", "r_1", Verdict.USED, NOON),
        "firing": Firing("f_1", "thrice", "k", "m_1", 3, NOON),
        "firing_id": "f_1",
        "before_seq": 7,
        "token": ports.Token("t_1", "laptop", "ann", "d", NOON),
    }


DOCUMENTS = {
    "text_index": [ports.TextDocument("m_1", ("word",), "d")],
    "vector_index": [ports.VectorDocument("m_1", 0, "en", np.asarray([1, 0], dtype=np.float32), "d")],
    "graph_index": [ports.GraphDocument("m_1", "mentions", (("nora", "object"),), "d")],
}
# What has to exist before a method can do its work, in the order of the calls.
ORDER = ("add", "update", "fire", "ask", "answer", "backup", "copy")


def call(adapter: Any, name: str, given: dict[str, Any]) -> None:
    known = inspect.signature(inspect.unwrap(getattr(type(adapter), name))).parameters
    kwargs = {key: given[key] for key in known if key != "self"}
    if name == "mention":
        kwargs["entities"] = [("nora", "Nora", "object")]
    result = getattr(adapter, name)(**kwargs)
    if hasattr(result, "__enter__"):
        with result:
            pass


def ordered(port: type) -> list[str]:
    names = sorted(set(methods(port)) - {"close"})
    return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


@pytest.mark.parametrize("index", sorted(INDEXES))
def test_every_method_of_an_index_takes_the_ports_keywords(backend: Backend, tmp_path: Path, index: str) -> None:
    given = arguments(tmp_path) | {"documents": DOCUMENTS[index]}
    for name in ordered(INDEXES[index]):
        call(getattr(backend, index), name, given)


def test_every_method_of_the_ledger_takes_the_ports_keywords(backend: Backend, tmp_path: Path) -> None:
    with backend.store.write(Tenancy("ann")) as unit:
        for name in ordered(ports.LedgerUnit):
            call(unit, name, arguments(tmp_path))


def test_every_method_of_the_store_takes_the_ports_keywords(backend: Backend, tmp_path: Path) -> None:
    for name in ordered(ports.Store):
        call(backend.store, name, arguments(tmp_path))
    with backend.store.system(write=True) as system:
        for name in ordered(ports.SystemUnit):
            call(system, name, arguments(tmp_path))
