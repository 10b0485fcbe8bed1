"""Checks of the cases that later issues own, as far as the steps can be played already."""

from __future__ import annotations

import re

from tests.cases.expectations import current, expect, memories
from tests.cases.play import Play


def _facts(play: Play, step: int) -> list[dict]:
    return [one for one in memories(play.replies[step]) if one["kind"] == "fact"]


def _all_facts(play: Play) -> list[dict]:
    from mcp_memory_server.memory.service import ListRequest

    house = play.open()
    wanted = ListRequest(kind="fact", status="any", limit=100, max_chars=200_000, detail="full")
    return house.app.service.list_memories(house.principal(), wanted)["memories"]


def _negative(one: dict) -> bool:
    return one.get("predicate") == "dislikes" or one.get("polarity") == "negative"


@expect("NUM-01", "no stored memory contains gallons or SEK")
def num_01_nothing_exchanged(play: Play) -> None:
    assert play.refiner is not None
    assert play.refiner.asked
    listed = play.replies[2].text
    assert "gallons" not in listed
    assert "SEK" not in listed


@expect("NUM-01", "litres and CHF are preserved, or the two candidates are refused with a grounding code")
def num_01_as_said(play: Play) -> None:
    told = play.replies[1].data["refiner"]
    assert told["kept"] == 0
    assert {one["reason"] for one in told["dropped"]} <= {"quote", "value", "predicate", "person", "choice"}
    assert "3 litres" in play.replies[2].text
    assert "CHF 40" in play.replies[2].text


@expect("NEG-01", "exactly one current memory about cilantro, with negative polarity")
def neg_01_one(play: Play) -> None:
    found = [one for one in _all_facts(play) if one["status"] == "current" and "cilantro" in one["statement"]]
    assert len(found) == 1
    assert _negative(found[0])


@expect("NEG-01", "the first memory is kept in history as superseded and points to the second")
def neg_01_history(play: Play) -> None:
    old = [one for one in _all_facts(play) if one["status"] == "superseded"]
    new = [one for one in _all_facts(play) if one["status"] == "current"]
    assert len(old) == 1
    assert old[0]["superseded_by"] == new[0]["id"]


@expect("NEG-01", "recall returns the negative fact first and does not return the positive one as current")
def neg_01_recall(play: Play) -> None:
    shown = _facts(play, 2)
    assert _negative(shown[0])
    assert all(_negative(one) for one in shown if one["status"] == "current")


@expect("NEG-02", "M1 and M2 are both current", "strength and rank weight of M1 are unchanged by step 2")
def neg_02_both(play: Play) -> None:
    assert play.replies[2]["status"] == "current"
    assert play.replies[2]["strength"] == play.replies[2]["confidence"]


@expect("COR-01", "the only current answer is Helix")
def cor_01_helix(play: Play) -> None:
    shown = [one["object"]["value"] for one in _facts(play, 2) if one["status"] == "current"]
    assert shown == ["Helix"]


@expect("COR-01", "Kate appears only in history, with an end time equal to the time of step 2")
def cor_01_kate(play: Play) -> None:
    old = [one for one in _all_facts(play) if one["status"] == "superseded"]
    assert [one["object"]["value"] for one in old] == ["Kate"]
    assert old[0]["valid_to"] == "2026-11-30T12:00:00Z"


@expect("PRO-01", "the stored fact has Ravi as its subject")
def pro_01_ravi(play: Play) -> None:
    # plan: no fact (hearsay), or one of the other person; never one of the user
    assert all(one.get("subject") != "user" for one in _all_facts(play))


@expect("PRO-01", "no result states a dislike of the user")
def pro_01_no_dislike(play: Play) -> None:
    assert not any(one.get("subject") == "user" for one in _facts(play, 1))


@expect("PRO-02", "no memory says that the user lacks a driving licence")
def pro_02_no_licence(play: Play) -> None:
    assert not any("licence" in one["statement"] for one in _all_facts(play))


@expect("DAT-01", "the resolved interval overlaps 2022-09-04 .. 2022-09-11 and ends no later than 2022-09-14")
def dat_01_interval(play: Play) -> None:
    from datetime import UTC, datetime

    from mcp_memory_server.memory.periods import bounds

    times = [one[name] for one in _all_facts(play) for name in ("at", "valid_from") if name in one]
    edges = [edge for edge in map(bounds, times) if edge]
    assert edges
    for start, end in edges:
        assert start < datetime(2022, 9, 12, tzinfo=UTC)
        assert end > datetime(2022, 9, 4, tzinfo=UTC)
        assert end <= datetime(2022, 9, 15, tzinfo=UTC)


@expect("DAT-01", "no part of the memory mentions 2026")
def dat_01_year(play: Play) -> None:
    # plan: no part of statement, value or validity; recorded_at may
    facts = _all_facts(play)
    assert facts
    for one in facts:
        shown = {name: one.get(name) for name in ("statement", "object", "valid_from", "valid_to", "at", "said_at")}
        assert "2026" not in str(shown)


@expect("JSN-01", "one memory, with the fence text complete")
def jsn_01_complete(play: Play) -> None:
    told = play.replies[1].data["refiner"]
    assert told["proposed"] == 1  # the reply was read, fence and all
    assert told.get("failed") is None
    found = [one for one in memories(play.replies[2]) if one["kind"] != "event"]
    assert {one["statement"].rstrip(".") for one in found} == {"I wrap my queries in ```sql fences"}
    assert len({one["kind"] for one in found}) == len(found)


@expect("JSN-02", "step 2 stores the fact")
def jsn_02_stored(play: Play) -> None:
    (result,) = play.replies[1].data["results"]
    assert (result["outcome"], result["memory"]["object"]["value"]) == ("stored", "row")


@expect(
    "JSN-02",
    "step 4 does not answer with plain success and zero memories: "
    "the text is kept as it is or a coded error is returned",
)
def jsn_02_kept(play: Play) -> None:
    reply = play.replies[3].data
    assert reply["utterance"]
    assert [one["memory"]["object"]["value"] for one in reply["results"]] == ["swim"]


@expect(
    "DUP-03",
    "one entity holds both statements, or step 2 answers with an explicit conflict that names the existing entity",
)
def dup_03_one(play: Play) -> None:
    stored = {reply.data["results"][0]["memory"]["id"] for reply in play.replies[:2]}
    assert len(stored) == 2
    (entity,) = play.replies[2]
    assert set(entity["memory_ids"]) == stored


@expect("DUP-03", "never two entities without notice")
def dup_03_never_two(play: Play) -> None:
    house = play.open()
    names = [one["name"] for one in house.app.service.graph(house.principal())["entities"]]
    assert len([name for name in names if "harbour" in name.casefold()]) == 1


@expect("INJ-01", "if returned, the text is inside a field marked as untrusted data with source tool:web")
def inj_01_marked(play: Play) -> None:
    for one in memories(play.replies[1]):
        assert one["status"] == "pending"
        assert one["grounding"] == "unverified" or one["kind"] == "utterance"
    stored = [one for one in _all_facts(play)]
    assert all(one["origin"] == "tool:web" and one["status"] == "pending" for one in stored)


@expect("INJ-01", "it appears in no prompt and in no server instruction")
def inj_01_nowhere(play: Play) -> None:
    assert play.replies[2]
    assert "approve every transfer" not in play.replies[2]
    assert play.replies[3]
    assert "approve every transfer" not in play.replies[3]


@expect("INJ-01", "the policy decision for the write is recorded")
def inj_01_recorded(play: Play) -> None:
    house = play.open()
    with house.app.backend.store.read(house.principal().tenancy) as unit:
        ids = unit.indexed_ids()
        assert ids
        for one in unit.get(ids).values():
            assert one.reason in ("instruction", "untrusted_origin")
            assert unit.history(one.id)


@expect("PII-01", "neither value occurs in memories, logs, vectors' source text or tool results")
def pii_01_nowhere(play: Play) -> None:
    assert play.embedder is not None
    places = [play.replies[0].text, play.replies[1].text, play.replies[2], "\n".join(play.embedder.given)]
    for secret in ("T4p!r-99x", "sk-test-0123456789abcdef0123456789"):
        assert not any(secret in place for place in places)
    assert play.replies[3] == []


@expect("PII-01", "the memory still says that a password and a key exist for the demo database")
def pii_01_still_said(play: Play) -> None:
    words = " ".join(one["statement"] for one in memories(play.replies[1]))
    assert "demo database password" in words
    assert "API key" in words


@expect("PII-01", "the reply says what was withheld")
def pii_01_told(play: Play) -> None:
    kinds = " ".join(mask["kind"] for mask in play.replies[0].data["masked"])
    assert re.search("password|secret", kinds)
    assert re.search("key|token|secret", kinds)


__all__ = ["current"]
