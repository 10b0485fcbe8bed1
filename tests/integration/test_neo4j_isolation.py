"""Nothing of one user reaches another through the graph, and every statement's user filter is needed for that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.memory.ports import GraphDocument, GraphIndex, Tenancy
from mcp_memory_server.storage.neo4j.statements import RELATIONS, STATEMENTS
from tests import services
from tests.fakes import MemoryBackend
from tests.integration.neo4j_support import rows

USERS = ("ann", "ann2", "安")
IDS = tuple(f"m_{n}" for n in range(4))  # the same for all users, as are the names: whoever looks past the user errs
NAMES = ("nora", "emil", "porto", "茶")
_FILTER = re.compile(r"user: \$user(?:, )?")


@dataclass(frozen=True)
class Put:
    """A user's memory names some things."""

    user: str
    memory: str
    mentions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Drop:
    """A user forgets."""

    user: str
    memories: tuple[str, ...]


_users, _ids = st.sampled_from(USERS), st.sampled_from(IDS)
_mentions = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([*RELATIONS, "another role"]), max_size=3)
_put = st.builds(lambda user, one, named: Put(user, one, tuple(named.items())), _users, _ids, _mentions)
_drop = st.builds(Drop, _users, st.lists(_ids, min_size=1, max_size=3, unique=True).map(tuple))
operations = st.lists(st.one_of(_put, _put, _drop), min_size=3, max_size=14)


def seen(graph: GraphIndex, user: str) -> dict[str, object]:
    """Everything that a user can get out of a graph."""
    tenancy, out = Tenancy(user), dict[str, object]()
    out["digests"] = dict(graph.digests(tenancy))
    for hops in (1, 2):
        for name in NAMES:
            hits = graph.neighbours(tenancy, [name], hops, 50)
            out[f"{name} {hops}"] = {hit.memory_id: hit.hops for hit in hits}
    for one in IDS:
        out[one] = graph.linked(tenancy, [one], 50)
    return out


def check(done: Sequence[Put | Drop]) -> None:
    """Each user sees what they would see if they were alone, in a graph in memory that knows nobody else."""
    alone = {user: MemoryBackend().graph_index for user in USERS}
    with services.emptied_graph() as shared:
        for turn, step in enumerate(done):
            for graph in (shared, alone[step.user]):
                if isinstance(step, Put):
                    made = GraphDocument(step.memory, "mentions", step.mentions, f"{turn} of {step.user}")
                    graph.upsert(Tenancy(step.user), [made])
                else:
                    graph.delete(Tenancy(step.user), step.memories)
        for user in USERS:
            assert seen(shared, user) == seen(alone[user], user), user


# In which every statement matters: each user names the same things by memories that some of the others have too.
TELLING: Sequence[Put | Drop] = (
    Put("ann", "m_0", (("nora", "subject"), ("emil", "object"))),
    Put("ann2", "m_0", (("nora", "object"), ("porto", "mention"))),
    Put("ann2", "m_1", (("porto", "subject"), ("emil", "mention"))),
    Put("安", "m_2", (("nora", "mention"), ("茶", "another role"))),
    Put("安", "m_3", (("茶", "subject"), ("emil", "object"))),
    Put("ann", "m_2", (("茶", "mention"), ("porto", "subject"))),
    Put("ann2", "m_1", (("porto", "object"),)),
    Drop("ann", ("m_1", "m_2")),
    Put("安", "m_2", (("nora", "subject"),)),
)


@given(operations)
@example(list(TELLING))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.timeout(300)
def test_each_user_is_alone(done: list[Put | Drop]) -> None:
    check(done)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_without_its_user_filter_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same check fails as soon as one statement looks past the user."""
    with services.emptied_graph() as graph:
        graph.digests(Tenancy("ann"))  # prepared with the statements as they are
    open_to_all = _FILTER.sub("", STATEMENTS[name])
    assert open_to_all != STATEMENTS[name]
    asked = {"ids": [], "entities": [], "facts": [], "mentions": [], "after": "", "limit": 5}
    rows(services.neo4j_settings(), f"EXPLAIN {open_to_all}", **asked)  # it runs: what fails is what it answers
    monkeypatch.setitem(STATEMENTS, name, open_to_all)
    with pytest.raises((AssertionError, MemoryServerError)):
        check(TELLING)
