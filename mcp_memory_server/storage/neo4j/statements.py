"""Every statement that reads or writes a user's part of the graph, in one table.

    (:User)-[:HOLDS]->(:Fact)-[:SUBJECT|OBJECT|MENTION]->(:Entity)

Each node carries the name of its user, and each pattern of a statement asks for it: relationships never join two
users, and should one ever do so, no statement would follow it. Names of labels and types stand in this module only;
whatever comes from outside is a parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

HUB: Final = 16  # an entity that so many memories name says nothing about how two of them belong together
NEAR: Final = 1_000  # memories of one entity from which the second hop starts; a bound on the work of one question

# The closed table of how a memory names an entity; a role that is not in it is a mention.
RELATIONS: Final[Mapping[str, str]] = {"subject": "SUBJECT", "object": "OBJECT", "mention": "MENTION"}
OTHER_ROLE: Final = "mention"

_NAMES = "|".join(RELATIONS.values())
_MENTIONS = f"COUNT {{ (b)<-[:{_NAMES}]-() }}"  # Neo4j keeps this number with each node: no relationship is read

# What stands of these memories goes, and entities that nothing names any more go with it. Every writer sets a
# property of the user's node first: it holds the node's lock then, and writers of one user come one after another,
# so that none adds a mention to an entity which another one removes.
_CLEAR = f"""
    SET u.writes = coalesce(u.writes, 0) + 1
    WITH u UNWIND $ids AS id
    OPTIONAL MATCH (f:Fact {{user: $user, id: id}})
    OPTIONAL MATCH (f)-[:{_NAMES}]->(e:Entity {{user: $user}})
    WITH u, collect(DISTINCT f) AS facts, collect(DISTINCT e) AS entities
    FOREACH (f IN facts | DETACH DELETE f)
    WITH u, [e IN entities WHERE NOT EXISTS {{ (e)<-[:{_NAMES}]-() }}] AS bare
    FOREACH (e IN bare | DELETE e)"""

STATEMENTS: dict[str, str] = {
    "clear": f"MERGE (u:User {{user: $user}}) {_CLEAR}",
    "add": """
    MATCH (u:User {user: $user})
    UNWIND $facts AS fact
    CREATE (u)-[h:HOLDS]->(:Fact {user: $user, id: fact.id, predicate: fact.predicate, digest: fact.digest})
    SET h = fact.life""",
    # With the last memory goes the user: nothing of an erased one is left.
    "remove": f"""
    MATCH (u:User {{user: $user}}) {_CLEAR}
    WITH u WHERE NOT EXISTS {{ (u)-[:HOLDS]->() }}
    DELETE u""",
    "first": f"""
    UNWIND $entities AS wanted
    MATCH (s:Entity {{user: $user, id: wanted}})<-[:{_NAMES}]-(f:Fact {{user: $user}})
    RETURN f.id AS id, min(s.key) AS via, count(DISTINCT s) AS shared
    ORDER BY shared DESC, id DESC LIMIT $limit""",
    "second": f"""
    UNWIND $entities AS wanted
    MATCH (s:Entity {{user: $user, id: wanted}})
    CALL (s) {{ MATCH (s)<-[:{_NAMES}]-(near:Fact {{user: $user}}) RETURN near LIMIT {NEAR} }}
    MATCH (near)-[:{_NAMES}]->(b:Entity {{user: $user}}) WHERE b <> s
    WITH DISTINCT s, b ORDER BY s.key, b.key LIMIT $limit
    WITH s, b WHERE {_MENTIONS} < {HUB}
    MATCH (b)<-[:{_NAMES}]-(far:Fact {{user: $user}})
    RETURN far.id AS id, min([s.key, b.key]) AS via, count(*) AS shared
    ORDER BY shared DESC, id DESC LIMIT $limit""",
    "linked": f"""
    UNWIND $ids AS wanted
    MATCH (:Fact {{user: $user, id: wanted}})-[:{_NAMES}]->(b:Entity {{user: $user}})
    WITH DISTINCT b WHERE {_MENTIONS} < {HUB}
    MATCH (b)<-[:{_NAMES}]-(far:Fact {{user: $user}}) WHERE NOT far.id IN $ids
    RETURN far.id AS id, count(DISTINCT b) AS shared
    ORDER BY shared DESC, id DESC LIMIT $limit""",
    # A page in one row: rows cost the driver more than what is in them.
    "digests": """
    MATCH (f:Fact {user: $user}) WHERE f.id > $after
    WITH f ORDER BY f.id LIMIT $limit
    RETURN collect([f.id, f.digest]) AS pairs""",
}

for _role, _type in RELATIONS.items():
    STATEMENTS[_role] = f"""
    UNWIND $mentions AS mention
    MATCH (f:Fact {{user: $user, id: mention.fact}})
    MERGE (e:Entity {{user: $user, id: mention.entity}}) ON CREATE SET e.key = mention.key
    MERGE (f)-[:{_type}]->(e)"""
