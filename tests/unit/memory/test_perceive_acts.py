"""Speech acts, sentiment, events and intents."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest

from tests.unit.memory.understanding import read


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("I live in Riga.", "assert"),
        ("I quit smoking last year.", "assert"),
        ("No, it's 2024, not 2023.", "correct"),
        ("说错了，是两千八。", "correct"),
        ("Scratch that, I never had a dog.", "retract"),
        ("刚才那句不算。", "retract"),
        ("Forget what I just said.", "forget_request"),
        ("忘了我刚才说的。", "forget_request"),
        ("How do I reset the router?", "ask"),
        ("帮我推荐一本书", "ask"),
        ("I'm flying to Oslo on Friday.", "plan"),
        ("提醒我明天交电费。", "plan"),
        ("Your app keeps crashing, this is ridiculous!", "complain"),
        ("这个快递也太慢了吧！", "complain"),
        ("Good morning!", "small_talk"),
        ("谢谢你，辛苦了。", "small_talk"),
        ("Don't forget to water the plants.", "assert"),
        ("我记岔了，是周四。", "correct"),
        ("哦不，是三点。", "correct"),
        ("我说我会德语是瞎说的。", "retract"),
        ("别把我有孩子的事记下来。", "forget_request"),
        ("把闹钟关了。", "ask"),
        ("我妈在老家帮我带孩子。", "assert"),
        ("我同事推荐我用飞书。", "assert"),
        ("驾照？我没有。", "assert"),
        ("你们客服天天让我们等！", "complain"),
        ("今年国庆不去海边了，改去草原。", "plan"),
        ("我在这行摸爬滚打了十年。", "assert"),
    ],
)
def test_an_utterance_has_its_act(text: str, act: str) -> None:
    assert read(text).speech_act == act


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I'm thrilled, we won!", "happy"),
        ("Thanks, that works well.", "satisfied"),
        ("I miss him so much 😢", "sad"),
        ("It keeps freezing, so annoying.", "frustrated"),
        ("This is outrageous, I want my money back!", "angry"),
        ("太让人生气了！又卡住了，简直受不了！", "angry"),
        ("今天特别开心", "happy"),
        ("I'm not happy with this.", "frustrated"),
        ("The train leaves at nine.", "neutral"),
    ],
)
def test_the_feeling_that_shows_is_named(text: str, label: str) -> None:
    assert read(text).sentiment.label == label


def test_strong_words_and_marks_raise_the_intensity() -> None:
    weak, strong = (
        read("This is annoying.").sentiment,
        read("This is SO annoying, I waited a whole hour!!! Absolutely unacceptable!").sentiment,
    )
    assert 0 < weak.intensity < strong.intensity <= 1
    assert read("太让人生气了！又卡住了，我等了整整一个小时，简直受不了！").sentiment.intensity >= 0.7


@pytest.mark.parametrize("text", ["怎么退款？", "请问退款怎么操作", "退款流程是什么？"])
def test_questions_in_other_words_have_one_topic(text: str) -> None:
    assert [(event.event_type, event.topic) for event in read(text).events] == [("question", "退款")]


def test_english_questions_in_other_words_have_one_topic() -> None:
    topics = {read(text).events[0].topic for text in ("How do I get a refund?", "What is the refund process?")}
    assert topics == {"refund"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Please book a table for two.", "request"), ("The upload fails again.", "failure"), ("登录页打不开", "failure"),
        ("How about we meet earlier?", "proposal"), ("That's not what I meant.", "feedback"), ("I don't understand this chapter.", "confusion"),
        ("Hello there!", "greeting"), ("I get a TypeError: x is undefined.", "debug"), ("I'm meeting Ann on Friday.", "appointment"),
        ("The courier was rude.", "complaint"),
    ],
)  # fmt: skip
def test_an_utterance_makes_its_event(text: str, kind: str) -> None:
    assert kind in [event.event_type for event in read(text).events]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Book me a flight to Oslo.", "book"), ("My budget is 300 euros.", "set_limit"), ("I like jazz.", "prefer"), ("I'm a nurse.", "introduce"),
        ("I'm allergic to nuts.", "health"), ("I struggle with calculus.", "level"), ("I'm risk-averse.", "risk"), ("That helped, thanks.", "feedback"),
        ("What did you recommend last time? I asked you before.", "ask_again"), ("I meant Tuesday, not Monday.", "correct"), ("Forget everything I told you.", "forget"),
    ],
)  # fmt: skip
def test_an_utterance_has_its_intent(text: str, name: str) -> None:
    found = {intent.name: intent for intent in read(text).intents}
    assert name in found
    assert 0 < found[name].confidence <= 1


def test_what_to_forget_is_a_slot() -> None:
    slots = {
        text: next(i.slots for i in read(text).intents if i.name == "forget")
        for text in (
            "Forget what I just said.",
            "Forget everything I told you.",
            "Forget about that trip to Oslo.",
            "忘了我刚才说的。",
        )
    }
    assert next(iter(slots.values())) == {"what": "last"}
    assert list(slots.values())[1] == {"what": "everything"}
    assert "what" in list(slots.values())[3]
