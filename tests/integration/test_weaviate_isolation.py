"""Whatever users do in whatever order on Weaviate, each finds their own and nothing of anybody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_memory_server.bootstrap import WeaviatePart
from mcp_memory_server.keys.master_key import LocalMasterKey
from mcp_memory_server.keys.user_keys import FolderUserKeys
from mcp_memory_server.memory.ports import Tenancy, TextDocument, Vector, VectorDocument
from mcp_memory_server.storage.weaviate import layout, vector_index
from mcp_memory_server.storage.weaviate.text_index import WeaviateTextIndex
from mcp_memory_server.storage.weaviate.vector_index import WeaviateVectorIndex
from tests import services

USERS = ("ann", "ann2", "ANN", "安")
MODELS = ("fake-a", "fake-b")
LANGS = ("en", "zh")
IDS = ("m_1", "m_2", "m_3")  # the same for all users: an id alone must not lead to somebody else's
TOKENS = ("tea", "茶", "kettle")


def vector(number: int) -> Vector:
    return np.asarray(((1, 0, 0), (0, 1, 0), (0, 0, 1))[number % 3], dtype=np.float32)


@dataclass
class Known:
    """What one user is to find: words by memory, and (language, digest) by model and memory."""

    words: dict[str, tuple[set[str], str]] = field(default_factory=dict)
    vectors: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)


class House:
    """Both indexes, and what each user wrote."""

    def __init__(self, part: WeaviatePart, keys: FolderUserKeys, tenant_of: Callable[[str], str | None]) -> None:
        self.text = WeaviateTextIndex(part.server, tenant_of)
        self.vectors = WeaviateVectorIndex(part.server, tenant_of)
        self.keys = keys
        self.known = {user: Known() for user in USERS}
        for user in USERS:
            keys.make(user)

    def say(self, user: str, one: str, tokens: set[str]) -> None:
        digest = f"{user} {one} {sorted(tokens)}"
        self.text.upsert(Tenancy(user), [TextDocument(one, tuple(sorted(tokens)), digest)])
        self.known[user].words[one] = (tokens, digest)

    def embed(self, user: str, one: str, model: str, lang: str, parts: int) -> None:
        digest = f"{user} {one} {model} {lang}"
        documents = [VectorDocument(one, part, lang, vector(part), digest) for part in range(parts)]
        self.vectors.upsert(Tenancy(user), model, documents)
        self.known[user].vectors[model, one] = (lang, digest)

    def delete(self, user: str, one: str) -> None:
        self.text.delete(Tenancy(user), [one])
        self.vectors.delete(Tenancy(user), [one])
        mine = self.known[user]
        mine.words.pop(one, None)
        mine.vectors = {key: held for key, held in mine.vectors.items() if key[1] != one}

    def drop_model(self, user: str, model: str) -> None:
        self.vectors.drop_model(Tenancy(user), model)
        mine = self.known[user]
        mine.vectors = {key: held for key, held in mine.vectors.items() if key[0] != model}

    def check(self) -> None:
        """Every answer to every user is made of what that user wrote, and of all of it."""
        for user, mine in self.known.items():
            me = Tenancy(user)
            assert dict(self.text.digests(me)) == {one: digest for one, (_, digest) in mine.words.items()}
            for token in TOKENS:
                found = {hit.memory_id for hit in self.text.search(me, [token], 50)}
                assert found == {one for one, (tokens, _) in mine.words.items() if token in tokens}
            counts = {model: sum(key[0] == model for key in mine.vectors) for model in MODELS}
            assert dict(self.vectors.models(me)) == {model: count for model, count in counts.items() if count}
            for model in MODELS:
                held = {one: digest for (own, one), (_, digest) in mine.vectors.items() if own == model}
                assert dict(self.vectors.digests(me, model)) == held
                for lang in LANGS:
                    hits = self.vectors.search(me, model, lang, vector(0), 50)
                    wanted = {one for (own, one), (tongue, _) in mine.vectors.items() if (own, tongue) == (model, lang)}
                    assert {hit.memory_id for hit in hits.hits} == wanted
                    assert hits.count == len(wanted)


def steps() -> st.SearchStrategy[list[tuple[Any, ...]]]:
    user, one, model = st.sampled_from(USERS), st.sampled_from(IDS), st.sampled_from(MODELS)
    said = st.tuples(st.just("say"), user, one, st.sets(st.sampled_from(TOKENS), min_size=1))
    embedded = st.tuples(st.just("embed"), user, one, model, st.sampled_from(LANGS), st.integers(1, 3))
    gone = st.tuples(st.just("delete"), user, one)
    dropped = st.tuples(st.just("drop_model"), user, model)
    return st.lists(st.one_of(said, said, embedded, embedded, gone, dropped), min_size=1, max_size=12)


def play(house: House, wanted: list[tuple[Any, ...]]) -> None:
    for name, *values in wanted:
        getattr(house, name)(*values)
    house.check()


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WeaviatePart]:
    keys = FolderUserKeys(tmp_path_factory.mktemp("keys"), LocalMasterKey(bytes(32)))
    with services.weaviate(keys) as made:
        yield made


def fresh(part: WeaviatePart, folder: Path, *, apart: bool = True) -> House:
    """A house with nobody in it; not `apart`: the mutation in which a user's name makes no difference."""
    keys = FolderUserKeys(folder, LocalMasterKey(bytes(32)))

    def tenant_of(user: str) -> str | None:
        whose = user if apart else USERS[0]
        key = keys.of(whose)
        return None if key is None else layout.tenant_name(key, whose)

    return House(part, keys, tenant_of)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=steps())
def test_nobody_finds_anything_of_anybody_else(
    part: WeaviatePart, tmp_path_factory: pytest.TempPathFactory, wanted: list[tuple[Any, ...]]
) -> None:
    play(fresh(part, tmp_path_factory.mktemp("users")), wanted)


TWO_USERS: tuple[tuple[Any, ...], ...] = (
    ("say", "ann", "m_1", {"tea"}),
    ("embed", "ann", "m_1", "fake-a", "en", 1),
    ("say", "安", "m_2", {"茶"}),
    ("embed", "安", "m_2", "fake-a", "zh", 2),
)


@pytest.mark.parametrize("kept", [TWO_USERS[:1], TWO_USERS[1:2], TWO_USERS[2:3], TWO_USERS[3:], TWO_USERS])
def test_with_one_tenant_for_all_the_same_check_fails(
    part: WeaviatePart, tmp_path: Path, kept: tuple[tuple[Any, ...], ...]
) -> None:
    play(fresh(part, tmp_path / "apart"), list(kept))
    with pytest.raises(AssertionError):
        play(fresh(part, tmp_path / "together", apart=False), list(kept))


def test_a_search_that_names_no_language_would_be_noticed(
    part: WeaviatePart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = fresh(part, tmp_path)
    play(house, [("embed", "ann", "m_1", "fake-a", "en", 1), ("embed", "ann", "m_2", "fake-a", "zh", 1)])
    near = vector_index._near

    def without_filter(collection: Any, model: str, wanted: list[float], count: int, _where: Any) -> Any:
        return near(collection, model, wanted, count, None)

    monkeypatch.setattr(vector_index, "_near", without_filter)
    with pytest.raises(AssertionError):
        house.check()
