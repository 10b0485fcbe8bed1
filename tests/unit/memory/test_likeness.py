"""Two statements compared by their words alone."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_memory_server.memory.likeness import relate
from mcp_memory_server.memory.senses import senses_in
from mcp_memory_server.memory.wording import lookup_tokens, read
from tests.unit.memory.understanding import said, vocabulary


def likeness(known: str, new: str) -> str:
    found = relate(read(said(known), vocabulary()), read(said(new), vocabulary()), vocabulary())
    assert (found.likeness is None) == (found.reason == "")
    return str(found.likeness) if found.likeness else "other"


@pytest.mark.parametrize(
    ("known", "new", "expected"),
    [
        ("The ladder is behind the shed.", "Behind the shed is the ladder.", "restated"), ("梯子在车库后面。", "车库后面有梯子。", "restated"),
        ("The bassoon lessons cost 40 euros.", "Bassoon lessons are 40 euros each.", "restated"), ("We water the ferns on Tuesdays.", "The ferns are watered.", "restated"),
        ("The tent leaks.", "The tent leaks at the left seam since June.", "refined"), ("水管漏水。", "厨房的水管漏水。", "refined"), ("我会一种乐器。", "I play the violin.", "refined"),
        ("The archive holds about 500 boxes.", "The archive holds 512 boxes.", "refined"), ("The lecture is in March.", "The lecture is on 12 March.", "refined"),
        ("I'm subscribed to the Harbour Post.", "I cancelled my subscription to the Harbour Post.", "superseded"), ("我订了海港晚报。", "海港晚报我已经退订了。", "superseded"),
        ("The printer is on the second floor.", "We moved the printer to the basement.", "superseded"), ("The gate code word is heron.", "Sorry, I got it wrong: the gate code word is kestrel, not heron.", "superseded"),
        ("The barn is heated with wood.", "The barn is heated with oil.", "disputed"), ("The ferry leaves at 7:15.", "The ferry leaves at 8:40.", "disputed"), ("仓库的管理员是老周。", "仓库的管理员是老孙。", "disputed"),
        ("The shed has a window.", "The shed doesn't have a window.", "disputed"), ("The parcel weighs 3 kg.", "The parcel weighs 5 kg.", "disputed"), ("我属龙。", "我属蛇。", "disputed"),
        ("I water the ferns on Tuesdays.", "I call my cousin on Tuesdays.", "other"), ("I own a ladder.", "I own a wheelbarrow.", "other"), ("I like ginger beer.", "I don't like ginger biscuits.", "other"),
        ("My sister plays the harp.", "My brother plays the harp.", "other"), ("The red button does not work.", "The red button opens the door.", "other"), ("我喜欢吃西瓜。", "我不喜欢吃西瓜子。", "other"),
        ("Crane 2 put crate 5 in row 7.", "Crane 2 put crate 6 in row 9.", "other"), ("3号柜放了2箱红酒。", "5号柜放了7箱红酒。", "other"), ("Crate 5 is in row 7.", "Crate 5 is in row 9.", "disputed"),
        ("I ran 10 kilometres.", "I ran 12 kilometres.", "other"), ("I have a kayak.", "I have another kayak too.", "other"), ("机票三千。", "酒店三千。", "other"),
    ],
)  # fmt: skip
def test_words_alone_tell_what_a_statement_does(known: str, new: str, expected: str) -> None:
    assert likeness(known, new) == expected


@pytest.mark.parametrize(
    "text", ["The ladder is behind the shed.", "水管漏水。", "I ran 10 km on Tuesday.", "我妹妹是护士，住在苏州。"]
)
def test_a_statement_restates_itself(text: str) -> None:
    assert likeness(text, text) == "restated"


def test_a_repetition_that_adds_a_name_says_so() -> None:
    known, new = (
        read(said(text), vocabulary()) for text in ("My neighbour has a goat.", "My neighbour has a goat called Pim.")
    )
    assert relate(known, new, vocabulary()).literal


def test_the_other_language_is_looked_up_too() -> None:
    tokens = lookup_tokens("My rent went up.", vocabulary())
    assert "房租" in tokens
    assert len(lookup_tokens("rent work home buy study doctor teacher office key salary " * 9, vocabulary())) <= 80
    assert "s:rent" in senses_in("我的房租涨了", "zh", vocabulary())


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_compare(known: str, new: str) -> None:
    relate(read(said(known), vocabulary()), read(said(new), vocabulary()), vocabulary())
    lookup_tokens(known, vocabulary())
