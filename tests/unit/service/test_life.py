"""What becomes of memories in time: expiry, archive, restore, questions, promotion, and the echo of a model."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mcp_memory_server import limits
from mcp_memory_server.errors import NotFoundError
from mcp_memory_server.memory.model import Status
from mcp_memory_server.memory.ports import Tenancy
from tests.unit.service.conftest import Desk

ANN = Tenancy("ann")


def later(desk: Desk, **span: float) -> Any:
    desk.clock.advance(timedelta(**span))
    return desk.service.keep_up(ANN)


def kept(desk: Desk, memory_id: str) -> Any:
    with desk.backend.store.read(ANN) as unit:
        return unit.get([memory_id])[memory_id]


def fact(desk: Desk, words: str, **given: Any) -> str:
    found: str = desk.say(words, **given)["results"][0]["memory"]["id"]
    return found


def actions(desk: Desk, memory_id: str) -> list[str]:
    return [entry["action"] for entry in desk.service.memory(desk.me, memory_id)["history"]]


# ---------------------------------------------------------------- fading


@pytest.mark.parametrize("words", ["I feel sad today.", "我今天很难过。"])
def test_a_mood_is_gone_in_days_and_a_home_never(desk: Desk, words: str) -> None:
    mood, home = fact(desk, words), fact(desk, "I live in Porto.")
    later(desk, days=2)
    assert kept(desk, mood).status is Status.CURRENT
    later(desk, days=3)
    assert kept(desk, mood).status is Status.ARCHIVED
    later(desk, days=4_000)
    assert kept(desk, home).status is Status.CURRENT
    shown = [one["id"] for section in desk.profile()["sections"] for one in section["memories"]]
    assert shown == [home]


def test_a_job_does_not_end_by_age_and_a_taste_does(desk: Desk) -> None:
    job, taste = fact(desk, "I work at Brightline."), fact(desk, "I like oolong tea.")
    later(desk, days=1_500)
    assert kept(desk, job).status is Status.CURRENT
    assert kept(desk, taste).status is Status.ARCHIVED
    assert [entry["at"][:4] for entry in desk.service.memory(desk.me, taste)["history"]] == ["2026", "2027"]


def test_words_and_events_go_to_the_archive_after_a_hundred_days(desk: Desk) -> None:
    said = desk.say("Why does the export fail again?")
    later(desk, days=97)
    assert kept(desk, said["utterance"]).status is Status.CURRENT
    assert later(desk, days=3).archived == 1 + len(said["events"])
    assert kept(desk, said["utterance"]).status is Status.ARCHIVED


def test_small_talk_goes_after_a_month_with_its_words(desk: Desk) -> None:
    said = desk.say("Good morning!")
    assert [event["event_type"] for event in said["events"]] == ["greeting"]
    assert later(desk, days=29).archived == 0
    assert later(desk, days=2).archived == 2


def test_the_profile_leaves_out_what_has_faded_before_any_maintenance(desk: Desk) -> None:
    fact(desk, "I feel sad today.")
    tea = fact(desk, "I like oolong tea.")
    desk.clock.advance(timedelta(days=80))
    shown = [one["id"] for section in desk.profile()["sections"] for one in section["memories"]]
    assert shown == [tea]


def test_of_many_events_the_newest_stay(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EVENTS_PER_USER", 3)
    made = []
    for topic in ("printer", "boiler", "passport", "garden", "violin"):
        made += [event["id"] for event in desk.say(f"How do I repair the {topic}?")["events"]]
        desk.clock.advance(timedelta(hours=1))
    assert later(desk).archived == 2
    assert [kept(desk, one).status.value for one in made] == ["archived"] * 2 + ["current"] * 3


# ---------------------------------------------------------------- what is over


@pytest.mark.parametrize(
    "words", ["I have a meeting with Dana on 2026-12-04 at 10:00.", "我2026年12月4日上午10点和丹娜开会。"]
)
def test_an_appointment_leaves_recall_of_the_current_and_not_history(desk: Desk, words: str) -> None:
    found = desk.say(words)
    ids = {result["memory"]["id"] for result in found["results"]} | {event["id"] for event in found["events"]}
    assert ids
    assert desk.recall("Dana 丹娜 meeting 开会")["memories"]
    desk.clock.advance(timedelta(days=5))
    for _ in range(2):  # before maintenance and after it
        shown = desk.recall("Dana 丹娜 meeting 开会")["memories"]
        assert [one["id"] for one in shown] == [found["utterance"]]  # what was said stays said
        past = desk.recall("Dana 丹娜 meeting 开会", include="history", kind="fact")["memories"]
        assert {one["status"] for one in past} == {"expired"}
        desk.service.keep_up(ANN)
    one = next(result["memory"]["id"] for result in found["results"])
    assert kept(desk, one).status is Status.EXPIRED
    assert kept(desk, one).validity.valid_to
    assert actions(desk, one)[-1] == "expired"


def test_what_was_told_as_past_stays_true(desk: Desk) -> None:
    past = fact(desk, "I lived in Lyon from 2010 to 2015.")
    later(desk, days=30)
    assert kept(desk, past).status is Status.CURRENT


# ---------------------------------------------------------------- asked about


def test_a_fact_long_unused_is_asked_about_once_and_stays(desk: Desk) -> None:
    tea = fact(desk, "I like oolong tea.")
    before = desk.context.strength(kept(desk, tea))
    assert later(desk, days=91).asked == 1
    assert later(desk, days=1).asked == 0
    (question,) = desk.service.questions(desk.me)
    assert question["memory_ids"] == [tea]
    assert "oolong" in question["text"]
    assert kept(desk, tea).status is Status.CURRENT
    assert desk.context.strength(kept(desk, tea)) < before / 4
    answer = desk.correct(question_id=question["id"], verdict="confirm")
    assert (answer["outcome"], answer["memory"]["id"]) == ("restated", tea)
    assert desk.service.questions(desk.me) == []
    assert later(desk, days=80).asked == 0


def test_a_chinese_fact_is_asked_about_in_chinese(desk: Desk) -> None:
    fact(desk, "我喜欢喝乌龙茶。")
    later(desk, days=91)
    assert "还对吗" in desk.service.questions(desk.me)[0]["text"]


def test_few_are_asked_at_a_time_and_a_question_goes_with_its_fact(desk: Desk) -> None:
    for number in range(limits.STALE_QUESTIONS + 2):
        fact(desk, f"I like song {number + 1}.")
    later(desk, days=91)
    assert len(desk.service.questions(desk.me)) == limits.STALE_QUESTIONS
    later(desk, days=400)
    assert desk.service.questions(desk.me) == []


def test_a_reading_keeps_a_fact_in_use(desk: Desk) -> None:
    noted: list[str] = []
    desk.context.was_read = lambda user, ids: noted.extend(ids) if user == "ann" else None
    tea = fact(desk, "I like oolong tea.")
    desk.recall("oolong tea")
    assert noted == []  # it was said a moment ago
    desk.clock.advance(timedelta(days=60))
    desk.recall("oolong tea")
    assert tea in noted
    desk.service.note_read(ANN, noted)
    noted.clear()
    desk.recall("oolong tea")
    assert noted == []
    assert later(desk, days=60).asked == 0
    assert later(desk, days=60).asked == 1


# ---------------------------------------------------------------- promotion


def test_three_mentions_and_a_confirmation_promote(desk: Desk) -> None:
    tea = fact(desk, "I like oolong tea.", session="a")
    assert kept(desk, tea).layer.value == "episodic"
    for session in ("b", "c"):
        desk.say("I like oolong tea.", session=session)
    assert (kept(desk, tea).layer.value, kept(desk, tea).confirmations) == ("episodic", 3)
    weaker = desk.context.half_lives.of("fact", "preference", "episodic")
    desk.correct(memory_id=tea, verdict="confirm")
    assert kept(desk, tea).layer.value == "semantic"
    assert weaker is not None
    assert desk.context.half_lives.of("fact", "preference", "semantic") == 2 * weaker
    assert later(desk).promoted == 0


def test_a_confirmation_then_three_mentions_promote_as_well(desk: Desk) -> None:
    tea = fact(desk, "I like oolong tea.", session="a")
    desk.correct(memory_id=tea, verdict="confirm")
    for session in ("b", "c"):
        desk.say("I like oolong tea.", session=session)
    assert kept(desk, tea).layer.value == "semantic"


# ---------------------------------------------------------------- noise


def test_three_events_alike_become_one(desk: Desk) -> None:
    words = "Why does the deployment of the billing service fail with a time-out"
    made = []
    for end in ("?", " at the customer?", " at the customer and supplier?"):
        made.append(desk.say(f"{words}{end}")["events"][0]["id"])
        desk.clock.advance(timedelta(hours=1))
    assert len(set(made)) == 3
    report = later(desk, hours=1)
    assert report.merged == 2
    first = kept(desk, made[0])
    assert (first.count, len(first.evidence), first.statement[-9:]) == (3, 3, "supplier?")
    assert [kept(desk, one).superseded_by for one in made[1:]] == [first.id, first.id]
    assert later(desk, hours=1).merged == 0


def test_questions_about_two_orders_stay_two(desk: Desk) -> None:
    for number, thing in ((4711, "printer"), (4712, "boiler"), (4713, "passport")):
        desk.say(f"Where is the parcel with the order number {number} now?")
        desk.say(f"How do I repair the {thing} that I bought?")
    assert later(desk, hours=1).merged == 0


def test_an_event_five_times_in_a_week_ranks_lower_and_counts_as_before(desk: Desk) -> None:
    for _ in range(5):
        desk.say("Why is the printer offline?")
        desk.clock.advance(timedelta(days=1))
    (noisy,) = desk.recall("printer offline", kind="event")["memories"]
    assert noisy["count"] == 5
    quiet = Desk()
    for _ in range(5):
        quiet.say("Why is the printer offline?")
        quiet.clock.advance(timedelta(days=10))
    (calm,) = quiet.recall("printer offline", kind="event")["memories"]
    assert noisy["score"] == pytest.approx((1 - limits.NOISE_WEIGHT) * calm["score"], rel=0.05)


# ---------------------------------------------------------------- archive and back


def test_the_archive_is_asked_only_when_the_past_is(desk: Desk) -> None:
    tea = fact(desk, "I like oolong tea.")
    later(desk, days=900)
    assert desk.recall("oolong tea")["memories"] == []
    for include in ("history", "all"):
        found = desk.recall("oolong tea", include=include)["memories"]
        assert {one["status"] for one in found} == {"archived"}
        assert tea in {one["id"] for one in found}
    assert tea in {one["id"] for one in desk.list(status="archived")}


def test_a_model_does_not_bring_back_what_it_only_states(desk: Desk) -> None:
    tea = fact(desk, "I like oolong tea.")
    later(desk, days=900)
    said = desk.remember("The user likes oolong tea.")["results"][0]
    assert said["memory"]["id"] != tea
    assert said["memory"]["grounding"] == "unverified"
    assert kept(desk, tea).status is Status.ARCHIVED


def test_an_event_that_happens_again_comes_back(desk: Desk) -> None:
    first = desk.say("Why is the printer offline?")["events"][0]["id"]
    later(desk, days=200)
    assert kept(desk, first).status is Status.ARCHIVED
    again = desk.say("Why is the printer offline?")["events"][0]
    assert (again["id"], again["count"]) == (first, 2)
    assert kept(desk, first).status is Status.CURRENT


def test_restore_brings_back_into_every_index_with_a_new_age(desk: Desk) -> None:
    tea = fact(desk, "I like oolong tea.")
    later(desk, days=900)
    answer = desk.service.restore(desk.me, desk.service.archived(desk.me))
    assert tea in answer["restored"]
    assert answer["kept"] == []
    assert desk.recall("oolong tea", kind="fact")["memories"][0]["id"] == tea
    assert desk.backend.store.state.users["ann"].outbox  # its vector waits to be made
    assert later(desk, days=20).archived == 0
    assert desk.service.restore(desk.me, [tea])["kept"] == [{"id": tea, "reason": "not archived: current"}]


def test_what_is_known_again_or_spoken_against_does_not_simply_come_back(desk: Desk) -> None:
    tea, rice = fact(desk, "I like oolong tea."), fact(desk, "I like brown rice.")
    later(desk, days=900)
    against = fact(desk, "I dislike oolong tea.")
    stated = desk.remember("The user likes brown rice.")["results"][0]["memory"]["id"]
    answer = desk.service.restore(desk.me, [tea, rice])
    assert [one["id"] for one in answer["disputed"]] == [tea]
    assert answer["kept"] == [{"id": rice, "reason": f"known again: {stated}"}]
    assert {kept(desk, one).status for one in (tea, against)} == {Status.DISPUTED}
    assert desk.service.questions(desk.me)[0]["id"] == answer["disputed"][0]["question"]


def test_what_was_changed_in_the_archive_is_not_restored(desk: Desk) -> None:
    tea = fact(desk, "I like oolong tea.")
    later(desk, days=900)
    mine = desk.backend.store.state.users["ann"]
    from dataclasses import replace

    mine.memories[tea] = replace(mine.memories[tea], statement="I like poison.")
    (one,) = desk.service.restore(desk.me, [tea])["kept"]
    assert one["reason"].startswith("damaged")


def test_what_was_erased_cannot_be_restored_and_forgetting_reaches_the_archive(desk: Desk) -> None:
    tea = fact(desk, "I like oolong tea.")
    later(desk, days=900)
    from mcp_memory_server.memory.service import ForgetRequest

    plan = desk.service.plan_forget(desk.me, ForgetRequest(query="oolong tea"))
    assert tea in plan.ids
    desk.forget(*plan.ids)
    with pytest.raises(NotFoundError, match="it was forgotten"):
        desk.service.restore(desk.me, [tea])
    assert "oolong" not in repr(desk.backend.store.state)


def test_an_archived_utterance_that_loses_words_stays_out_of_the_indexes(desk: Desk) -> None:
    said = desk.say("I like oolong tea. I live in Porto.")
    home = next(r["memory"]["id"] for r in said["results"] if "Porto" in r["memory"]["statement"])
    later(desk, days=900)
    assert kept(desk, said["utterance"]).status is Status.ARCHIVED
    desk.forget(home)
    assert said["utterance"] not in desk.backend.store.state.users["ann"].text
    assert said["utterance"] in desk.service.restore(desk.me, [said["utterance"]])["restored"]


# ---------------------------------------------------------------- the echo


@pytest.mark.parametrize("with_words", [False, True])
def test_a_model_that_hands_back_the_profile_changes_nothing(desk: Desk, with_words: bool) -> None:
    for words in (
        "I live in Porto.",
        "I like oolong tea.",
        "My budget for the train is 500 euros.",
        "我对花生过敏。",
        "我喜欢爬山。",
        "My sister Anna works at Brightline.",
    ):
        desk.say(words, session="first")
    desk.clock.advance(timedelta(days=10))

    def state() -> list[tuple[object, ...]]:
        found = sorted(desk.backend.store.state.users["ann"].memories.values(), key=lambda one: one.id)
        facts = [one for one in found if one.kind == "fact"]
        return [(m.id, desk.context.strength(m), m.count, m.confirmations, m.confidence, m.status) for m in facts]

    before = state()
    lines = [one["statement"] for section in desk.profile()["sections"] for one in section["memories"]]
    assert len(lines) >= 6
    for turn in range(10):
        for line in [one["statement"] for section in desk.profile()["sections"] for one in section["memories"]]:
            spoken = {"said": line, "said_by": _assistant(), "session": f"echo {turn}"} if with_words else {}
            desk.remember(line, **spoken)
    after = {row[0]: row for row in state()}
    assert [after[row[0]] for row in before] == before
    current = [one["statement"] for one in desk.list(kind="fact") if one["status"] == "current"]
    assert len(current) == len(before)
    assert desk.service.keep_up(ANN).promoted == 0


def _assistant() -> Any:
    from mcp_memory_server.memory.model import Speaker

    return Speaker.ASSISTANT
