"""Vectors and full text on Weaviate: what is found there, what it holds, and what an erasure leaves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcp_memory_server.bootstrap import Application, WeaviatePart, weaviate_part
from mcp_memory_server.clock import FixedClock
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.indexing import index_text
from mcp_memory_server.memory.model import Kind
from mcp_memory_server.memory.ports import MemoryFilter, Tenancy, TextDocument, VectorDocument
from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.settings import WeaviateSettings
from mcp_memory_server.storage.verify import rebuild, verify
from mcp_memory_server.storage.weaviate import layout
from tests import services
from tests.fakes import HashEmbedder, noon
from tests.fakes.cable import Cable, cable
from tests.harness import contents, holds
from tests.integration.support import application, principal, store_keys
from tests.services import Database

ANN = Tenancy("ann")
SAID = (
    ("I live in Valparaiso with Wilhelmina Okonkwo.", "Where does Wilhelmina Okonkwo live?", "Wilhelmina"),
    ("My budget for the train is 48271936 euros.", "What is my budget for the train?", "48271936"),
    ("我住在乌鲁木齐。", "我住在哪里？", "乌鲁木齐"),
)
WORDS = ("Valparaiso", "valparaiso", "Wilhelmina", "wilhelmina", "48271936", "乌鲁木齐", "鲁木")


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """An application's collection has one name, and a test here removes it."""
    with services.alone("MEMORY_TEST_WEAVIATE_URL"):
        yield


@pytest.fixture
def clock() -> FixedClock:
    return noon()


@pytest.fixture
def app(database: Database, tmp_path: Path, clock: FixedClock) -> Iterator[Application]:
    made = _application(database, tmp_path, clock, services.weaviate_settings())
    yield made
    made.close()


def _application(database: Database, folder: Path, clock: FixedClock, where: WeaviateSettings) -> Application:
    store: dict[str, Any] = {"vectors": "weaviate", "text": "weaviate", "weaviate": where}
    return application(database.url, folder / "keys", folder / "data", clock, **store)


@pytest.fixture
def part(app: Application, tmp_path: Path) -> Iterator[WeaviatePart]:
    """The same indexes and keys as the application's, to look at them directly."""
    made = weaviate_part(services.weaviate_settings(), store_keys(tmp_path / "keys"))
    yield made
    made.server.close()


def remember(app: Application, user: str = "ann") -> None:
    for said, _, _ in SAID:
        app.service.remember(principal(user), RememberRequest(said=said))
    app.projector.drain()


def drift(app: Application) -> list[Any]:
    return [row for row in verify(app.backend, app.embedder) if not row.clean or row.waiting]


def recall(app: Application, query: str, user: str = "ann") -> dict[str, Any]:
    return app.service.recall(principal(user), RecallRequest(query))


def tenants(part: WeaviatePart) -> set[str]:
    """The tenants that the server has; one that is not there has no vectors and no words."""
    with_client = part.server._client().collections.use(part.server._name)
    return set(with_client.tenants.get())


def tenant(part: WeaviatePart, user: str = "ann") -> str:
    name = part.text._tenant_of(user)  # type: ignore[attr-defined]
    assert isinstance(name, str)
    return name


def data() -> Path:
    return Path(services.variable("MEMORY_TEST_WEAVIATE_DATA"))


def vectors_of(app: Application, user: str = "ann") -> list[bytes]:
    """The vectors of all utterances as the server writes them."""
    with app.backend.store.read(Tenancy(user)) as unit:
        spoken = unit.get(unit.ids(MemoryFilter(kinds=(Kind.UTTERANCE,)), 100)).values()
    assert app.embedder is not None
    made = app.embedder.documents([index_text(one) for one in spoken], [one.lang for one in spoken])
    return [np.asarray(vector, dtype="<f4").tobytes() for vector in made]


def seen(needles: list[bytes]) -> list[str]:
    """The server's files that hold one of these; what it has in memory is written within moments."""
    return [name for name, held in contents(data()) if any(needle in held for needle in needles)]


def eventually(holds_true: Callable[[], object]) -> bool:
    end = time.monotonic() + 20
    while not holds_true():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


@contextmanager
def lines(where: WeaviateSettings) -> Iterator[tuple[WeaviateSettings, tuple[Cable, Cable]]]:
    """The server behind two lines that can be cut."""
    http, grpc = (int(address.rpartition(":")[2]) for address in (where.url, where.grpc))
    with cable(f"http://127.0.0.1:{http}") as first, cable(f"http://127.0.0.1:{grpc}") as second:
        behind = {"url": f"http://127.0.0.1:{first.port}", "grpc": f"127.0.0.1:{second.port}"}
        yield where.model_copy(update=behind), (first, second)


def test_what_is_said_in_either_language_is_found_and_no_word_stands_on_the_servers_disk(
    app: Application, part: WeaviatePart
) -> None:
    remember(app)
    for _, query, word in SAID:
        found = recall(app, query)
        assert any(word in one["statement"] for one in found["memories"]), query
        assert found["degraded"] == []
    assert drift(app) == []
    vectors = vectors_of(app)
    assert eventually(lambda: seen(vectors)), "the vectors stand there, so this is where words would"
    assert [word for word in WORDS if holds(data(), word)] == []
    assert {tenant(part)} <= tenants(part)
    assert app.backend.engines["vectors"]().startswith("Weaviate 1.39.0")  # type: ignore[attr-defined]


def test_what_is_forgotten_leaves_both_indexes_at_once(app: Application, part: WeaviatePart) -> None:
    remember(app)
    found = recall(app, SAID[1][1])["memories"][0]["id"]
    assert found in part.text.digests(ANN)
    receipt = app.service.forget(principal(), (found,))["receipt"]
    assert receipt["state"] == "done"
    assert found not in part.text.digests(ANN)
    assert found not in part.vectors.digests(ANN, "fake-a")
    app.projector.drain()
    assert drift(app) == []


def test_an_erased_user_leaves_no_tenant_and_no_byte_and_may_begin_anew(app: Application, part: WeaviatePart) -> None:
    remember(app)
    remember(app, "ben")
    before, mine, bens = tenant(part), vectors_of(app), tenant(part, "ben")
    # Ben said the same, so his vectors are the same: only ann's own words tell her files from his.
    app.service.remember(principal(), RememberRequest(said="I play the theremin in Ouagadougou."))
    app.projector.drain()
    own = [vector for vector in vectors_of(app) if vector not in mine]
    assert eventually(lambda: seen(own))
    receipts = app.service.erase_user(principal())
    assert [receipt["state"] for receipt in receipts] == ["done"]
    assert "key" in receipts[-1]["places"]
    assert before not in tenants(part)
    assert bens in tenants(part)
    assert seen(own) == []
    assert [path for path in data().rglob("*") if before in path.name] == []
    app.projector.drain()  # the outbox does it once more, and brings nobody back
    assert before not in tenants(part)
    assert part.text.search(ANN, ["anything"], 5) == ()
    remember(app)
    assert tenant(part) != before
    assert recall(app, SAID[0][1])["memories"]
    assert recall(app, SAID[0][1], "ben")["memories"]
    assert drift(app) == []


def test_what_is_written_after_an_erasure_by_one_who_had_read_before_does_not_stay(
    app: Application, part: WeaviatePart, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(app)
    before, write = tenant(part), part.server.insert

    def late(*values: Any, **named: Any) -> None:
        """The user is erased between the reading and the writing of another process."""
        app.service.erase_user(principal())
        assert before not in tenants(part)
        write(*values, **named)
        assert before in tenants(part), "the tenant came back, as it does in Weaviate"

    monkeypatch.setattr(part.server, "insert", late)
    part.text.upsert(ANN, [TextDocument("m_1", ("late",), "digest")])
    assert before not in tenants(part)
    monkeypatch.undo()
    part.text.upsert(ANN, [TextDocument("m_1", ("late",), "digest")])
    assert before not in tenants(part)


def test_a_key_stays_while_the_server_cannot_drop_the_tenant(
    app: Application, database: Database, tmp_path: Path, clock: FixedClock, part: WeaviatePart
) -> None:
    where = services.weaviate_settings()
    with lines(where) as (cut_off, both):
        other = _application(database, tmp_path, clock, cut_off)
        remember(other)
        mine = tenant(part)
        for one in both:
            one.cut()
        receipts = other.service.erase_user(principal())
        assert receipts[-1]["state"] != "done"
        assert "key" not in receipts[-1]["places"]
        assert tenant(part) == mine
        assert mine in tenants(part)
        for one in both:
            one.mend()
        assert eventually(lambda: other.finish_erasures() == 0)
        assert mine not in tenants(part)
        assert store_keys(tmp_path / "keys").of("ann") is None
        other.close()


def test_while_the_server_is_cut_off_nothing_is_lost_and_recall_says_what_is_missing(
    database: Database, tmp_path: Path, clock: FixedClock
) -> None:
    with lines(services.weaviate_settings()) as (where, both):
        store: dict[str, Any] = {"vectors": "weaviate", "weaviate": where}
        app = application(database.url, tmp_path / "keys", tmp_path / "data", clock, **store)
        app.service.remember(principal(), RememberRequest(said=SAID[0][0]))
        app.projector.drain()
        for one in both:
            one.cut()
        began = time.monotonic()
        for said, _, _ in SAID[1:]:
            app.service.remember(principal(), RememberRequest(said=said))
        app.projector.drain()
        found = recall(app, SAID[2][1])
        assert time.monotonic() - began < 10, "nobody waits for a server that is away"
        assert found["degraded"] == ["vectors"]
        assert any(SAID[2][2] in one["statement"] for one in found["memories"])
        with app.backend.store.system() as system:
            assert system.backlog()["vectors"] > 0
        with pytest.raises(UnavailableError) as away:
            app.backend.vector_index.models(ANN)
        assert "127.0.0.1" not in str(away.value)
        for one in both:
            one.mend()
        assert eventually(lambda: app.guards.probe() or recall(app, SAID[2][1])["degraded"] == [])
        clock.advance(timedelta(hours=2))
        app.projector.drain()
        assert drift(app) == []
        app.close()


def test_a_collection_that_was_dropped_is_made_anew(app: Application, part: WeaviatePart) -> None:
    remember(app)
    services.drop_collection(part.server._name)
    assert {row.projection for row in verify(app.backend, app.embedder) if row.missing} == {"text", "vectors"}
    assert rebuild(app.backend, app.embedder, ("text", "vectors", "graph")) > 0
    app.projector.drain()
    assert drift(app) == []
    assert any(SAID[0][2] in one["statement"] for one in recall(app, SAID[0][1])["memories"])


def test_vectors_of_another_length_are_kept_beside_the_old_ones_until_all_are_there(
    app: Application, part: WeaviatePart
) -> None:
    remember(app)
    projector = type(app.projector)(app.backend, HashEmbedder("fake-b", 96), app.clock)
    assert projector.adopt_model() > 0
    assert set(part.vectors.models(ANN)) == {"fake-a"}
    projector.drain()
    models = part.vectors.models(ANN)
    assert models["fake-a"] == models["fake-b"] > 0
    assert projector.retire_models() == ["fake-a"]
    assert set(part.vectors.models(ANN)) == {"fake-b"}


def test_the_collection_is_made_as_was_decided(app: Application, part: WeaviatePart) -> None:
    remember(app)
    made = part.server._client().collections.use(part.server._name).config.get()
    assert made.vector_config is not None
    index: Any = made.vector_config[layout.vector_name("fake-a")].vector_index_config
    assert (index.ef_construction, index.max_connections, index.distance_metric.value) == (200, 32, "cosine")
    tenancy = made.multi_tenancy_config
    assert (tenancy.enabled, tenancy.auto_tenant_creation, tenancy.auto_tenant_activation) == (True, True, True)
    properties = {one.name: one for one in made.properties}
    assert str(getattr(properties[layout.TOKENS].tokenization, "value", "")) == "whitespace"
    assert [name for name, one in properties.items() if one.index_searchable] == [layout.TOKENS]


def test_a_tenant_that_was_put_to_rest_wakes_when_it_is_asked(app: Application, part: WeaviatePart) -> None:
    from weaviate.classes.tenants import Tenant, TenantActivityStatus

    remember(app)
    collection = part.server._client().collections.use(part.server._name)
    collection.tenants.update(Tenant(name=tenant(part), activity_status=TenantActivityStatus.INACTIVE))
    assert collection.tenants.get()[tenant(part)].activity_status is TenantActivityStatus.INACTIVE
    assert any(SAID[0][2] in one["statement"] for one in recall(app, SAID[0][1])["memories"])
    app.service.remember(principal(), RememberRequest(said="I live in Lima now."))
    app.projector.drain()
    assert drift(app) == []


def test_of_many_the_nearest_are_found_and_what_all_are_like_is_estimated(tmp_path: Path) -> None:
    keys = store_keys(tmp_path / "keys")
    keys.make("ann")
    with services.weaviate(keys) as part:
        find_the_nearest(part)


def find_the_nearest(part: WeaviatePart) -> None:
    source = np.random.default_rng(5)
    count, dimension, limit = 1_200, 32, 100
    names = [f"m_{number // 12 if number < 360 else number:04}" for number in range(count)]  # 30 long texts of 12 parts
    rows = source.normal(size=(count, dimension)).astype(np.float32)
    rows[:360, 0] += 2.5  # the long ones are nearest, and would fill the answer with their parts
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    documents = [
        VectorDocument(name, number % 12 if number < 360 else 0, "en" if number % 400 else "zh", row, "digest")
        for number, (name, row) in enumerate(zip(names, rows, strict=True))
    ]
    part.vectors.upsert(ANN, "fake-many", documents)
    query = np.zeros(dimension, dtype=np.float32)
    query[0] = 1
    best: dict[str, float] = {}
    scores = []
    for one, score in zip(documents, rows @ query, strict=True):
        if one.lang == "en":
            scores.append(float(score))
            best[one.memory_id] = max(best.get(one.memory_id, -1.0), float(score))
    wanted = sorted(best, key=lambda one: -best[one])[:limit]
    found = part.vectors.search(ANN, "fake-many", "en", query, limit)
    assert [hit.memory_id for hit in found.hits] == wanted
    assert [hit.score for hit in found.hits] == pytest.approx([best[one] for one in wanted], abs=2e-3)
    assert found.mean == pytest.approx(np.mean(scores), abs=0.06)
    assert found.deviation == pytest.approx(np.std(scores), rel=0.35)
    assert found.count == pytest.approx(len(best), rel=0.5)
    assert len(part.vectors.digests(ANN, "fake-many")) == len(set(names))
    part.vectors.drop_model(ANN, "fake-many")
    assert part.vectors.models(ANN) == {}
