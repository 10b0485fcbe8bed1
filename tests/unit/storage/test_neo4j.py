"""What can be said of the graph on Neo4j without a server: its statements, its settings, its errors."""

from __future__ import annotations

import importlib.util
import re
import socket
from pathlib import Path

import pytest
from pydantic import SecretStr

from mcp_memory_server.bootstrap import backend_of, neo4j_graph
from mcp_memory_server.errors import InvalidArgumentError, UnavailableError, UnsupportedError
from mcp_memory_server.memory.ports import GraphDocument, Tenancy
from mcp_memory_server.settings import Neo4jSettings, StoreSettings, load
from mcp_memory_server.storage.neo4j.statements import RELATIONS, STATEMENTS
from tests.harness import settings_for

ANN = Tenancy("ann")
_NODE = re.compile(r"\((?:\w*):(\w+)([^()]*)\)")
_RELATION = re.compile(r"\[\w*:([A-Z_|]+)\]")


def neo4j(url: str, password: str | None = "hunter2", **more: object) -> Neo4jSettings:
    return Neo4jSettings.model_validate({"url": url, "password": password and SecretStr(password), **more})


@pytest.mark.parametrize("name", STATEMENTS)
def test_each_node_that_a_statement_names_is_asked_for_by_its_user(name: str) -> None:
    nodes = _NODE.findall(STATEMENTS[name])
    assert nodes
    for label, properties in nodes:
        assert label in ("User", "Fact", "Entity")
        assert "user: $user" in properties


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_holds_no_value_and_no_name_from_outside_the_tables(name: str) -> None:
    text = STATEMENTS[name]
    assert not re.search("['\"`]", text), "values are parameters"
    types = {one for found in _RELATION.findall(text) for one in found.split("|")}
    assert types <= {"HOLDS", *RELATIONS.values()}


@pytest.mark.parametrize(
    "url",
    [
        "",
        "no address with hunter2",
        "http://127.0.0.1:7687",
        "bolt://neo4j:hunter2@127.0.0.1:7687",
        "bolt+ssc://127.0.0.1:7687",
        "bolt://hunter2:many",
        "bolt://",
    ],
)
def test_an_address_that_is_none_is_refused_without_quoting_it(url: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"store\.neo4j\.url") as refused:
        neo4j_graph(neo4j(url))
    assert "hunter2" not in str(refused.value)


def test_an_authority_of_ones_own_goes_with_an_address_that_trusts_no_other(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError):
        neo4j_graph(neo4j("bolt+s://127.0.0.1:7687", ca=tmp_path / "ca.pem"))


def test_a_server_is_not_asked_without_a_password() -> None:
    with pytest.raises(InvalidArgumentError, match=r"store\.neo4j\.password"):
        neo4j_graph(neo4j("bolt://127.0.0.1:7687", None))


def test_a_server_that_is_not_there_is_unavailable_and_is_not_named() -> None:
    with socket.socket() as taken:  # bound and not listening: nothing answers there
        taken.bind(("127.0.0.1", 0))
        graph = neo4j_graph(neo4j(f"bolt://127.0.0.1:{taken.getsockname()[1]}"))
        document = GraphDocument("m_1", "mentions", (("nora", "mention"),), "digest")
        for ask in (
            lambda: graph.upsert(ANN, [document]),
            lambda: graph.delete(ANN, ["m_1"]),
            lambda: graph.neighbours(ANN, ["nora"], 2, 5),
            lambda: graph.linked(ANN, ["m_1"], 5),
            lambda: graph.digests(ANN),
            graph.about,
        ):
            with pytest.raises(UnavailableError) as refused:
                ask()
            for word in ("hunter2", "127.0.0.1", "ann", "nora", "MATCH"):
                assert word not in str(refused.value)
        assert graph.neighbours(ANN, [], 2, 5) == ()
        assert graph.linked(ANN, [], 5) == ()
        graph.close()


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "neo4j" else real(name))
    with pytest.raises(UnsupportedError, match="neo4j") as refused:
        neo4j_graph(neo4j("bolt://127.0.0.1:7687"))
    assert "pip install" in refused.value.next_step


def test_a_graph_on_a_server_wants_a_ledger_whose_keys_hide_the_names(tmp_path: Path) -> None:
    chosen = StoreSettings(graph="neo4j", neo4j=neo4j("bolt://127.0.0.1:7687"))
    with pytest.raises(InvalidArgumentError, match=r"store\.graph"):
        backend_of(settings_for(tmp_path / "data", store=chosen))


def test_the_password_may_lie_in_a_file_and_paths_count_from_the_configuration(tmp_path: Path) -> None:
    file, word = tmp_path / "server.toml", tmp_path / "word"
    file.write_text('data_dir = "data"\n[store]\ngraph = "neo4j"\n[store.neo4j]\nca = "own/ca.pem"\n', encoding="utf-8")
    word.write_text("hunter2\n", encoding="utf-8")
    found = load({}, {"MEMORY_STORE__NEO4J__PASSWORD_FILE": str(word)}, file).store.neo4j
    assert found.ca == tmp_path / "own" / "ca.pem"
    assert found.password is not None
    assert found.password.get_secret_value() == "hunter2"
    assert "hunter2" not in repr(found)
