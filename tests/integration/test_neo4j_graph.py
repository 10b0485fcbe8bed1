"""The graph on a real Neo4j server, behind the real service and beside the ledger on PostgreSQL."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr

from mcp_memory_server.bootstrap import Application, neo4j_graph
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.ports import GraphDocument, Tenancy
from mcp_memory_server.memory.service import CorrectRequest, RecallRequest, RememberRequest
from mcp_memory_server.settings import Neo4jSettings
from mcp_memory_server.storage.neo4j import graph_index
from mcp_memory_server.storage.neo4j.schema import MIGRATIONS
from mcp_memory_server.storage.neo4j.statements import STATEMENTS
from mcp_memory_server.storage.verify import rebuild, verify
from tests import services
from tests.harness import contents, holds
from tests.integration.neo4j_support import application, rows
from tests.integration.support import principal
from tests.integration.test_postgres_sealing import WORDS, fill
from tests.integration.test_postgres_sharing import another_authority
from tests.services import Database

ANN, BEN = Tenancy("ann"), Tenancy("ben")
_WRITERS = 4  # more than a user ever has: a projector, an erasure


def document(name: str, *entities: str, role: str = "mention") -> GraphDocument:
    return GraphDocument(name, "mentions", tuple((entity, role) for entity in entities), f"digest of {name}")


@pytest.fixture
def chosen() -> Iterator[Neo4jSettings]:
    """The running server, with nobody in its graph."""
    with services.emptied_graph():
        yield services.neo4j_settings()


@pytest.fixture
def app(database: Database, tmp_path: Path, chosen: Neo4jSettings) -> Iterator[Application]:
    made = application(database.url, tmp_path, chosen)
    yield made
    made.close()


def drift(app: Application) -> list[object]:
    return [row for row in verify(app.backend, app.embedder) if not row.clean or row.waiting]


def nodes(chosen: Neo4jSettings, user: str) -> int:
    """How many nodes carry the name of a user."""
    return int(rows(chosen, "MATCH (n) WHERE n.user = $user RETURN count(n) AS n", user=user)[0]["n"])


def test_what_is_remembered_gets_into_the_graph_and_is_reached_through_it(
    app: Application, chosen: Neo4jSettings
) -> None:
    for said in ("Wilhelmina works at Kestrel Labs.", "Kestrel Labs is in Trondheim."):
        app.service.remember(principal(), RememberRequest(said=said))
    assert nodes(chosen, "ann") == 0, "committed, and not projected yet"
    app.projector.drain()
    assert drift(app) == []
    found = app.service.recall(principal(), RecallRequest("Where does Wilhelmina work?", detail="full"))
    assert found["degraded"] == []
    paths = [one["why"]["graph_path"] for one in found["memories"] if "graph_path" in one["why"]]
    assert ["wilhelmina"] in paths, "names are open again on their way out"
    assert app.service.recall(principal("ben"), RecallRequest("Where does Wilhelmina work?"))["memories"] == []


def test_the_server_holds_ids_predicates_and_keyed_hashes_only(
    app: Application, chosen: Neo4jSettings, tmp_path: Path
) -> None:
    fill(app)
    app.projector.drain()
    assert nodes(chosen, "ann") > 4
    held = rows(chosen, "MATCH (n) WHERE n.user = 'ann' RETURN labels(n) AS label, properties(n) AS properties")
    shapes = {(one["label"][0], tuple(sorted(one["properties"]))) for one in held}
    assert shapes == {
        ("User", ("user", "writes")),
        ("Fact", ("digest", "id", "predicate", "user")),
        ("Entity", ("id", "key", "user")),
    }
    assert rows(chosen, "MATCH ()-[r]->() WHERE size(keys(r)) > 0 RETURN r") == []
    # Neo4j packs short strings into few bits: that the bytes are not there proves less than what it answers.
    told = json.dumps(held, ensure_ascii=False)
    assert [word for word in WORDS if word in told] == []
    place = Path(services.variable("MEMORY_TEST_NEO4J_DATA"))
    assert [f"{word} in {name}" for word in WORDS for name in holds(place, word)] == []
    assert [f"{word} in {name}" for word in WORDS for name in holds(tmp_path, word)] == []


def test_an_erased_user_leaves_no_node_no_readable_byte_and_no_key(
    app: Application, chosen: Neo4jSettings, tmp_path: Path
) -> None:
    fill(app)
    fill(app, "ben")
    app.projector.drain()
    of_ben = nodes(chosen, "ben")
    keys = {path: path.read_bytes() for path in (tmp_path / "keys").glob("*.key")}
    sealed = [row["key"] for row in rows(chosen, "MATCH (e:Entity {user: 'ann'}) RETURN e.key AS key")]
    assert sealed
    receipts = app.service.erase_user(principal())
    assert [(one["state"], one["pending"]) for one in receipts] == [("done", [])]
    assert {"graph", "key"} <= set(receipts[0]["places"])
    assert nodes(chosen, "ann") == 0
    assert nodes(chosen, "ben") == of_ben
    place = Path(services.variable("MEMORY_TEST_NEO4J_DATA"))
    assert [f"{word} in {name}" for word in WORDS for name in holds(place, word)] == []
    (gone,) = [path for path in keys if not path.exists()]
    assert all(keys[gone] not in data for folder in (place, tmp_path) for _, data in contents(folder))
    app.projector.drain()
    assert drift(app) == []
    assert nodes(chosen, "ann") == 0, "nothing brings it back"


def test_forgetting_one_memory_takes_what_nothing_else_names(app: Application, chosen: Neo4jSettings) -> None:
    for said in ("Nora lives in Trondheim.", "Nora works at Kestrel Labs."):
        app.service.remember(principal(), RememberRequest(said=said))
    app.projector.drain()
    before = nodes(chosen, "ann")
    found = app.service.recall(principal(), RecallRequest("Where does Nora live?", kind="fact"))["memories"][0]
    assert app.service.forget(principal(), (found["id"],))["receipt"]["state"] == "done"
    assert nodes(chosen, "ann") < before
    app.projector.drain()
    assert drift(app) == []
    lonely = rows(chosen, "MATCH (e:Entity {user: 'ann'}) WHERE NOT (e)<--() RETURN e")
    assert lonely == []


def test_a_readable_graph_tells_names_and_the_life_of_facts(
    database: Database, chosen: Neo4jSettings, tmp_path: Path
) -> None:
    app = application(database.url, tmp_path, chosen.model_copy(update={"readable": True}))
    try:
        app.service.remember(principal(), RememberRequest(said="I live in Ushuaia."))
        app.projector.drain()
        asked = (
            "MATCH (:User {user: 'ann'})-[h:HOLDS]->(f:Fact)-[o:OBJECT]->(e:Entity) WHERE f.predicate = 'lives_in'"
            " RETURN e.key AS name, h.confidence AS confidence, h.source AS source, h.valid_to AS ended"
            " ORDER BY name DESC"
        )
        first = rows(chosen, asked)
        assert [(one["name"], one["source"], one["ended"]) for one in first] == [("ushuaia", "rule", None)]
        assert 0 < first[0]["confidence"] <= 1
        app.service.remember(principal(), RememberRequest(said="I moved to Bergen."))
        for question in app.service.questions(principal()):
            app.service.correct(principal(), CorrectRequest(question_id=question["id"], verdict="keep_second"))
        app.projector.drain()
        ends = {one["name"]: one["ended"] for one in rows(chosen, asked)}
        assert ends["ushuaia"] is not None, "the end of a fact that was replaced is told too"
        assert ends["bergen"] is None
        assert drift(app) == []
    finally:
        app.close()


def test_a_wiped_graph_is_noticed_and_made_anew_while_serving(app: Application, chosen: Neo4jSettings) -> None:
    fill(app)
    fill(app, "ben")
    app.projector.drain()
    whole = nodes(chosen, "ann")
    rows(chosen, "MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    wrong = {(row.user, row.projection): row for row in verify(app.backend, app.embedder) if not row.clean}
    assert set(wrong) == {("ann", "graph"), ("ben", "graph")}
    assert wrong["ann", "graph"].missing
    assert app.service.recall(principal(), RecallRequest("Where do I live?"))["memories"], "it serves meanwhile"
    rebuild(app.backend, app.embedder, ("graph",))
    app.projector.drain()
    assert drift(app) == []
    assert nodes(chosen, "ann") == whole


def test_what_the_ledger_does_not_know_is_named_and_removed(app: Application, chosen: Neo4jSettings) -> None:
    fill(app)
    app.projector.drain()
    app.backend.graph_index.upsert(ANN, [document("m_stray", "nora")])
    (wrong,) = [row for row in verify(app.backend, app.embedder) if not row.clean]
    assert (wrong.projection, wrong.surplus) == ("graph", ("m_stray",))
    rebuild(app.backend, app.embedder, ("graph",))
    app.projector.drain()
    assert drift(app) == []


def test_processes_that_start_at_once_make_one_schema(chosen: Neo4jSettings) -> None:
    rows(chosen, "MATCH (m:Migration) DELETE m")
    for name in rows(chosen, "SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'memory_'"):
        rows(chosen, f"DROP CONSTRAINT {name['name']}")
    graphs = [neo4j_graph(chosen) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda graph: graph.about(), graphs))
    for graph in graphs:
        graph.close()
    assert all(one.startswith("Neo4j 5.") and one.endswith(", without TLS") for one in told)
    names = rows(chosen, "SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'memory_'")
    assert {one["name"] for one in names} == {"memory_migration", "memory_user", "memory_fact", "memory_entity"}
    assert rows(chosen, "MATCH (m:Migration) RETURN m.number AS n") == [{"n": len(MIGRATIONS)}]


def test_a_graph_of_a_newer_version_is_left_alone(chosen: Neo4jSettings) -> None:
    rows(chosen, "CREATE (:Migration {number: 99})")
    graph = neo4j_graph(chosen)
    try:
        with pytest.raises(UnavailableError, match="newer"):
            graph.upsert(ANN, [document("m_1", "nora")])
    finally:
        rows(chosen, "MATCH (m:Migration {number: 99}) DELETE m")
        graph.close()
    assert nodes(chosen, "ann") == 0


def insist(work: Callable[[], None]) -> None:
    """Do what the outbox does: try again what was put off."""
    for _ in range(20):
        try:
            return work()
        except UnavailableError:
            continue
    raise AssertionError("put off for ever")


def test_writers_of_one_user_leave_nothing_half_done(chosen: Neo4jSettings) -> None:
    """Adding a mention and removing the last memory that had it: no entity is doubled, lonely or lost."""
    graph = neo4j_graph(chosen)
    start = threading.Barrier(_WRITERS)

    def work(number: int) -> None:
        start.wait()
        for turn in range(12):
            name = f"m_{number}_{turn}"
            made = [document(name, "nora", f"thing {turn % 3}"), document(f"k_{number}", "nora", "emil")]
            insist(partial(graph.upsert, ANN, made))
            insist(partial(graph.delete, ANN, [name]))

    with ThreadPoolExecutor(_WRITERS) as pool:
        list(pool.map(work, range(_WRITERS)))
    assert set(graph.digests(ANN)) == {f"k_{n}" for n in range(_WRITERS)}
    assert sorted(row["key"] for row in rows(chosen, "MATCH (e:Entity) RETURN e.key AS key")) == ["emil", "nora"]
    assert len(rows(chosen, "MATCH (u:User) RETURN u")) == 1
    graph.delete(ANN, [f"k_{n}" for n in range(_WRITERS)])
    assert nodes(chosen, "ann") == 0
    graph.close()


def test_a_step_through_what_thousands_name_is_bounded(chosen: Neo4jSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = neo4j_graph(chosen)
    graph.upsert(ANN, [document(f"m_{n:04}", "tea", f"thing {n}", f"place {n % 700}") for n in range(3_000)])
    near = graph.neighbours(ANN, ["tea"], 2, 40)
    assert [hit.memory_id for hit in near] == [f"m_{n:04}" for n in range(2_999, 2_959, -1)]
    far = graph.neighbours(ANN, ["thing 5"], 2, 40)
    assert [hit.memory_id for hit in far if hit.hops == 1] == ["m_0005"]
    assert {hit.memory_id for hit in far if hit.hops == 2} == {"m_0705", "m_1405", "m_2105", "m_2805"}
    monkeypatch.setattr(graph_index, "PAGE", 700)
    assert set(graph.digests(ANN)) == {f"m_{n:04}" for n in range(3_000)}
    assert graph.digests(BEN) == {}
    graph.delete(ANN, [f"m_{n:04}" for n in range(3_000)])
    assert nodes(chosen, "ann") == 0
    graph.close()


def test_no_plan_looks_at_more_than_it_is_asked_for(chosen: Neo4jSettings) -> None:
    graph = neo4j_graph(chosen)
    graph.upsert(ANN, [document(f"m_{n}", "nora", f"thing {n}") for n in range(50)])
    graph.close()
    asked = {"user": "ann", "ids": ["m_1"], "entities": ["e"], "limit": 5, "after": "", "facts": [], "mentions": []}
    assert chosen.password is not None
    from neo4j import GraphDatabase

    with GraphDatabase.driver(chosen.url, auth=(chosen.user, chosen.password.get_secret_value())) as driver:
        for name, statement in STATEMENTS.items():
            plan = json.dumps(driver.execute_query(f"CYPHER replan=force EXPLAIN {statement}", asked).summary.plan)  # type: ignore[arg-type]
            assert "IndexSeek" in plan, name
            for scan in ("AllNodesScan", "NodeByLabelScan", "RelationshipTypeScan", "CartesianProduct"):
                assert scan not in plan, name


def test_a_text_that_the_protocol_cannot_carry_is_refused_or_carried_otherwise(chosen: Neo4jSettings) -> None:
    graph = neo4j_graph(chosen)
    graph.upsert(ANN, [document("m_1", "a half \ud800", "nul \0", "🫖")])
    assert [hit.memory_id for hit in graph.neighbours(ANN, ["a half \ud800"], 1, 5)] == ["m_1"]
    assert graph.neighbours(ANN, ["nul \0"], 1, 5)[0].via == ("nul \0",)
    assert graph.neighbours(ANN, ["🫖"], 1, 5)[0].via == ("🫖",)
    from mcp_memory_server.errors import InvalidArgumentError

    with pytest.raises(InvalidArgumentError):
        graph.digests(Tenancy("\ud800"))
    graph.close()


def test_the_way_is_encrypted_and_only_the_right_certificate_is_taken(chosen: Neo4jSettings, tmp_path: Path) -> None:
    right = Path(services.variable("MEMORY_TEST_NEO4J_CA"))
    graph = neo4j_graph(chosen.model_copy(update={"ca": right}))
    assert graph.about().endswith(", TLS")
    graph.close()
    other = tmp_path / "other.pem"
    other.write_bytes(another_authority())
    for changes in ({"ca": other}, {"url": chosen.url.replace("bolt://", "bolt+s://")}):
        graph = neo4j_graph(chosen.model_copy(update=changes))
        with pytest.raises(UnavailableError):
            graph.digests(ANN)
        graph.close()


def test_a_wrong_password_tells_neither_password_nor_address(chosen: Neo4jSettings) -> None:
    graph = neo4j_graph(chosen.model_copy(update={"password": SecretStr("wrong word")}))
    with pytest.raises(UnavailableError) as refused:
        graph.digests(ANN)
    graph.close()
    assert "wrong word" not in str(refused.value)
    assert "127.0.0.1" not in str(refused.value)
