"""Perception of any text: it never raises, and what it finds lies inside the text."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_memory_server.memory.model import Said, SpeechAct
from mcp_memory_server.memory.perceive import perceive, perceive_statement
from tests.unit.memory.understanding import vocabulary

WORDS = (
    "I my the user mother brother Anna live in work at as like hate don't no not never budget max $500 £1,200 two 3 kids since 2019 on Friday tomorrow at 3pm "
    "next week allergic to nuts because and but , . ? ! : ; “ ” > ``` said if might was used to will 我 我妈 我们公司 住在 北京 不 没 喜欢 讨厌 预算 五百 以内 明天 下周三 "
    "三点 对 过敏 了 的 ， 。 ？ ！ 说 如果 可能 打算 去 上海 出差 两万 年 月 号 12 3.5 % @ # 🙂 \u200b \n"
).split(" ")
TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=30).map("".join),
)
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(9998, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))
ZONES = st.sampled_from([None, "Asia/Shanghai", "America/New_York", "Not/AZone", ""])


@settings(max_examples=250, deadline=None)
@given(TEXTS, MOMENTS, ZONES)
def test_any_text_is_perceived_and_spans_lie_inside_it(text: str, moment: datetime, zone: str | None) -> None:
    found = perceive(Said(text, moment, zone), vocabulary())
    for span in [item.span for item in (*found.facts, *found.events)]:
        assert 0 <= span.start < span.end <= len(text)
    for fact in found.facts:
        assert fact.object.value
        assert fact.predicate in vocabulary().predicates
        assert fact.subject
    assert 0 <= found.sentiment.intensity <= 1
    assert found.speech_act in SpeechAct


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_any_statement_is_perceived(text: str) -> None:
    fact = perceive_statement(text, datetime.now(timezone(timedelta(hours=8))), None, vocabulary())
    assert fact is None or fact.object.value


def test_perceiving_twice_gives_the_same() -> None:
    words = Said(
        "I'm Wren, I live in Galway and I'm allergic to nuts.", datetime(2025, 6, 4, tzinfo=UTC), "Europe/Dublin"
    )
    assert perceive(words, vocabulary()) == perceive(words, vocabulary())


def test_a_statement_gives_its_main_fact() -> None:
    moment = datetime(2025, 6, 4, tzinfo=UTC)
    cases = {
        "The user lives in Porto.": ("user", "lives_in", "Porto"),
        "User prefers tea": ("user", "prefers", "tea"),
        "用户对花生过敏": ("user", "allergic_to", "花生"),
        "The user's sister Kaja lives in Bergen.": ("user.sister:Kaja", "lives_in", "Bergen"),
        "用户的母亲有高血压。": ("user.mother", "has_condition", "高血压"),
        "Omar prefers tea.": ("Omar", "prefers", "tea"),
        "林舟在远山科技上班。": ("林舟", "works_at", "远山科技"),
    }
    for text, expected in cases.items():
        fact = perceive_statement(text, moment, None, vocabulary())
        assert fact is not None, text
        assert (fact.subject, fact.predicate, fact.object.value) == expected
    assert perceive_statement("The kiln is in the shed.", moment, None, vocabulary()) is None
