"""What goes with a forgotten memory, and how what stays reads afterwards (design 9)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from mcp_memory_server.errors import ConflictError, NotFoundError, UnavailableError
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.service import ForgetRequest
from tests.unit.service.conftest import Desk

TWO = "I live in Graz. I am allergic to peanuts."


def fact(desk: Desk, predicate: str, **given: Any) -> dict[str, Any]:
    found = [
        one for one in desk.list(kind="fact", status="any", detail="full", **given) if one.get("predicate") == predicate
    ]
    assert len(found) == 1, found
    return found[0]


def utterances(desk: Desk) -> list[str]:
    return [one["statement"] for one in desk.list(kind="utterance", status="any", detail="full")]


def test_the_span_of_a_fact_goes_from_its_utterance_and_the_rest_stays(desk: Desk) -> None:
    desk.say(TWO)
    answer = desk.forget(fact(desk, "allergic_to")["id"])
    assert answer["state"] == "forgotten"
    (left,) = utterances(desk)
    assert "peanuts" not in left
    assert "[forgotten]" in left
    assert "I live in Graz" in left
    home = fact(desk, "lives_in")
    assert home["evidence"]["quote"] in left
    assert "Graz" in home["evidence"]["quote"]
    assert desk.recall("peanuts")["memories"] == []
    assert desk.recall("Graz")["memories"]


def test_an_utterance_with_nothing_else_goes_whole(desk: Desk) -> None:
    desk.say("I am allergic to peanuts.")
    desk.forget(fact(desk, "allergic_to")["id"])
    assert desk.list(kind="any", status="any") == []


def test_forgetting_an_utterance_takes_what_rests_on_it_alone(desk: Desk) -> None:
    first = desk.say("I live in Graz.", session="a", occurred_at="2026-11-01T10:00:00Z")
    desk.say("I live in Graz, as you know.", session="b", occurred_at="2026-11-02T10:00:00Z")
    assert fact(desk, "lives_in")["confirmations"] == 2
    desk.forget(first["utterance"])
    home = fact(desk, "lives_in")  # it still rests on the second
    assert home["evidence"]["said_at"].startswith("2026-11-02")
    second = next(one for one in desk.list(kind="utterance"))
    desk.forget(second["id"])
    assert desk.list(kind="any", status="any") == []


def test_the_chain_of_what_was_superseded_goes_too(desk: Desk) -> None:
    desk.say("I live in Graz.", occurred_at="2026-10-01T10:00:00Z")
    desk.say("I moved to Lyon.", occurred_at="2026-10-02T10:00:00Z")
    desk.say("I moved to Oslo.", occurred_at="2026-10-03T10:00:00Z")
    assert [one["object"]["value"] for one in desk.list(kind="fact")] == ["Oslo"]
    answer = desk.forget(fact(desk, "lives_in", since="2026-10-03")["id"])
    assert desk.list(kind="any", status="any") == []
    assert len(answer["forgotten"]) == 6


def test_other_utterances_that_hold_the_same_words_lose_them(desk: Desk) -> None:
    desk.remember("The spare key is under the third flowerpot.")
    desk.say("As I said: The spare key is under the third flowerpot. And the van is red.", session="b")
    desk.forget(desk.list(kind="fact")[0]["id"])
    (left,) = utterances(desk)
    assert "flowerpot" not in left
    assert "the van is red" in left.casefold()


def test_a_question_and_its_facts_go_together_and_the_other_side_is_current_again(desk: Desk) -> None:
    desk.say("I live in Graz.", occurred_at="2026-10-01T10:00:00Z", session="a")
    desk.say("I live in Lyon.", occurred_at="2026-10-02T10:00:00Z", session="b")
    assert len(desk.service.questions(desk.me)) == 1
    lyon = next(one for one in desk.list(kind="fact", status="disputed") if one["object"]["value"] == "Lyon")
    desk.forget(lyon["id"])
    assert desk.service.questions(desk.me) == []
    assert "Lyon" not in str(desk.list(kind="any", status="any"))


def test_entities_stay_while_something_names_them(desk: Desk) -> None:
    desk.remember("Nora works with Emil.", "Nora sings well in the choir.")
    ids = {one["statement"]: one["id"] for one in desk.list(kind="fact")}
    before = {entity["name"] for entity in desk.service.graph(desk.me)["entities"]}
    assert {"Nora", "Emil"} <= before
    desk.forget(ids["Nora works with Emil."])
    after = {entity["name"] for entity in desk.service.graph(desk.me)["entities"]}
    assert "Emil" not in after
    assert "Nora" in after


def test_a_repeated_event_rests_on_what_is_left(desk: Desk) -> None:
    first = desk.say("How do I get a refund?", session="a", occurred_at="2026-10-01T10:00:00Z")
    desk.say("How can I get a refund?", session="b", occurred_at="2026-10-02T10:00:00Z")
    (event,) = desk.list(kind="event", status="any")
    assert event["count"] == 2
    desk.forget(first["utterance"])
    (left,) = desk.list(kind="event", status="any")
    assert left["id"] == event["id"]
    assert left["statement"] == "How can I get a refund?"
    assert utterances(desk) == ["How can I get a refund?"]


def test_the_same_words_said_twice_go_twice(desk: Desk) -> None:
    first = desk.say("How do I get a refund?", session="a", occurred_at="2026-10-01T10:00:00Z")
    desk.say("How do I get a refund?", session="b", occurred_at="2026-10-02T10:00:00Z")
    desk.forget(first["utterance"])
    assert desk.list(kind="any", status="any") == []


def test_forgetting_everything_of_a_user_leaves_the_others(desk: Desk) -> None:
    from mcp_memory_server.identity.principal import Principal
    from mcp_memory_server.memory.service import RememberRequest

    desk.say(TWO)
    other = Principal("ben", "tests", "tests")
    desk.service.remember(other, RememberRequest(said=TWO))
    receipts = desk.service.erase_user(desk.me)
    assert [one["state"] for one in receipts] == ["done"]
    assert desk.list(kind="any", status="any") == []
    with desk.backend.store.read(Tenancy("ben")) as unit:
        assert len(unit.indexed_ids()) >= 1
    assert desk.service.erase_user(desk.me) == []


def test_an_unfinished_forgetting_can_be_finished_later(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp_memory_server.memory.service.erase import finish

    one = desk.say(TWO)["utterance"]

    def busy() -> bool:
        raise UnavailableError("busy")

    monkeypatch.setattr(desk.backend.store, "scrub", busy)
    answer = desk.forget(one)
    assert answer["state"] == "pending"
    assert answer["receipt"]["pending"]
    assert "finished_at" not in answer["receipt"]
    monkeypatch.undo()
    with desk.backend.store.system() as system:
        (waiting,) = system.erasures(finished=False)
    done = finish(desk.context, waiting)
    assert done.finished_at == desk.clock.now()
    assert done.pending == ()


def test_a_copy_that_is_gone_is_named(desk: Desk, tmp_path: Any) -> None:
    one = desk.say(TWO)["utterance"]
    path = str(tmp_path / "copy")
    with desk.backend.store.system(write=True) as system:
        system.add_backup(path, desk.clock.now())
    answer = desk.forget(one)
    assert answer["receipt"]["pending"] == [f"backup: {path}"]


def test_a_copy_that_is_there_forgets_too(desk: Desk, tmp_path: Any) -> None:
    one = desk.say(TWO)["utterance"]
    path = str(tmp_path / "copy")
    with desk.backend.store.system(write=True) as system:
        system.add_backup(path, desk.clock.now())
    desk.backend.store.backup(path)
    assert desk.forget(one)["state"] == "forgotten"
    with desk.backend.store.copy(path) as copy, copy.store.read(Tenancy("ann")) as unit:
        assert unit.indexed_ids() == []


def test_a_plan_names_what_filters_reach(desk: Desk) -> None:
    desk.remember("Omar prefers tea.", "Nora prefers coffee.")
    plan = desk.service.plan_forget(desk.me, ForgetRequest(query="tea"))
    assert [line["statement"] for line in plan.preview] == ["Omar prefers tea."]
    assert not plan.immediate
    everything = desk.service.plan_everything(desk.me)
    assert len(everything.ids) == 2
    channel = desk.service.plan_forget(desk.me, ForgetRequest(channel="tests", until="2026-12-01"))
    assert len(channel.ids) == 2
    assert desk.service.plan_forget(desk.me, ForgetRequest(channel="other")).ids == ()


def test_a_confirmation_ends(desk: Desk) -> None:
    desk.remember("Omar prefers tea.")
    plan = desk.service.plan_forget(desk.me, ForgetRequest(query="tea"))
    value = desk.service.forget_later(desk.me, plan)["confirm"]
    desk.clock.advance(timedelta(minutes=10))
    with pytest.raises(ConflictError):
        desk.service.plan_forget(desk.me, ForgetRequest(confirm=value))


def test_what_is_not_there_cannot_be_forgotten_by_id(desk: Desk) -> None:
    with pytest.raises(NotFoundError):
        desk.service.plan_forget(desk.me, ForgetRequest(memory_id="m_none"))


def test_without_vectors_forgetting_by_words_works_by_text(desk_with: Callable[..., Desk]) -> None:
    plain = desk_with(embedder=None)
    plain.remember("Omar prefers tea.", "Nora prefers coffee.")
    plan = plain.service.plan_forget(plain.me, ForgetRequest(query="tea"))
    assert [line["statement"] for line in plan.preview] == ["Omar prefers tea."]
