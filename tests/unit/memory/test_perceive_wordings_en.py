"""English constructions beyond verb and object: who, where and when beside the verb, denials, papers and routes."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest

from tests.unit.memory.understanding import facts, read, times

CONSTRUCTIONS = [
    # whose it is
    ("My wife's name is Solveig.", ["user.wife has_name Solveig"]),
    ("Mum's birthday is 9 April.", ["user.mother birthday --04-09"]),
    ("My husband's salary is 30,000 pounds a year.", ["user.husband salary 30000 GBP/year"]),
    ("I was born on the second of October 1990.", ["user birthday 1990-10-02"]),
    # beside the verb
    ("At 63, I'm the oldest person on the course.", ["user age 63 year"]),
    ("Halifax is where I live now.", ["user lives_in Halifax"]),
    ("My niece Petra, who is eleven, plays chess.", ["user.niece:Petra age 11 year"]),
    ("I have a sister who lives in Perth.", ["user family_member sister", "user.sister lives_in Perth"]),
    ("I'm 52, divorced and a vegetarian.",
     ["user age 52 year", "user relationship_status divorced", "user follows_diet vegetarian"]),
    ("My sister and her husband have three kids.", ["user.sister children_count 3"]),
    ("My partner and I bought a house.", ["user bought house"]),
    ("I just found out I'm pregnant.", ["user has_condition pregnant"]),
    ("Our clinic in Truro has twenty-two staff.", ["user.company headcount 22 person", "user.company located_in Truro"]),
    ("The firm I run grossed £95k last quarter.", ["user.company revenue 95000 GBP"]),
    ("After nine years in nursing, I know a lot.", ["user years_of_experience 9 year (nursing)"]),
    # denials and ends
    ("Neither of my parents speaks English.", ["user.parents -speaks English"]),
    ("I don't have asthma, only hay fever.", ["user -has_condition asthma", "user has_condition hay fever"]),
    ("I moved out of London last year.", ["user -lives_in London"]),
    ("I won't be going to Rome.", ["user -travels_to Rome"]),
    ("I haven't smoked since 2019.", ["user -has_habit smoke"]),
    ("I don't play the piano any more.", ["user -uses_tool piano"]),
    # the thing before the feeling
    ("Crowds are not my thing.", ["user dislikes Crowds"]),
    ("The move makes me anxious.", ["user feels anxious (move)"]),
    ("Nothing beats a good thunderstorm.", ["user likes good thunderstorm"]),
    # money
    ("For the gift, nothing less than €30.", ["user budget_min 30 EUR (gift)"]),
    ("My spending limit is now $750.", ["user spending_limit 750 USD"]),
    ("My overdraft is at £600.", ["user owes 600 GBP (overdraft)"]),
    ("My investment style is aggressive.", ["user risk_preference aggressive"]),
    # papers, routes, levels
    ("Reach me at ling.w@example.com.", []),  # the guard masks first; see below
    ("I got my AWS Solutions Architect certificate in June.", ["user holds_certificate AWS Solutions Architect"]),
    ("I'm self-employed.", ["user employment_kind self-employed"]),
    ("The invoice hasn't been paid yet.", ["user payment_status unpaid (invoice)"]),
    ("I saved the invoice as inv_0042.pdf.", ["user file_name inv_0042.pdf (invoice)"]),
    ("plan.docx was created on 3 March 2025.", ["user file_date 2025-03-03 (plan.docx)"]),
    ("My level in statistics is basic.", ["user mastery_level basic (statistics)"]),
    ("My mastery of vectors is at 35%.", ["user mastery_level 0.35 (vectors)"]),
    ("Book me a train from Leeds to Aberdeen, first class.",
     ["user departs_from Leeds (train)", "user arrives_at Aberdeen (train)", "user seat_class first class (train)"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CONSTRUCTIONS)
def test_a_construction_gives_its_facts(text: str, expected: list[str]) -> None:
    assert sorted(facts(text)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Reach me at [email 1].", ["user email [email]"]),
        ("Dad's phone is [phone 2].", ["user.father phone [phone]"]),
        ("My number isn't [phone 1], it's [phone 2].", ["user phone [phone]"]),
        ("Call the plumber on [phone 1].", []),
    ],
)
def test_a_masked_number_is_known_by_its_placeholder(text: str, expected: list[str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "In my novel, I'm a detective who lives in Havana and drives a Buick.",
        "I was about to buy a drone but changed my mind.",
        "I nearly moved to Canada once.",
        "I was going to study law.",
        "Does anyone in my family have allergies?",
        "Pretend that I have three children.",
    ],
)
def test_fiction_near_misses_and_questions_state_nothing(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Please forget my old address.", "forget_request"),
        ("Delete what you know about my ex.", "forget_request"),
        ("Never mind about the flight.", "retract"),
        ("You've got my job wrong: I'm a librarian.", "correct"),
        ("The meeting is at four, not three, tomorrow.", "correct"),
        ("I'd appreciate some advice on mortgages.", "ask"),
        ("Remind me, what was the name of that restaurant?", "ask"),
        ("Can you remind me to call mum on Sunday?", "plan"),
        ("I'm on call this weekend.", "plan"),
        ("You keep giving me the wrong address!", "complain"),
        ("They lost my suitcase again, unbelievable.", "complain"),
        ("Fingers crossed.", "small_talk"),
        ("Well, that was quick.", "small_talk"),
        ("My niece Petra, who is eleven, plays chess.", "assert"),
    ],
)
def test_an_english_utterance_has_its_act(text: str, act: str) -> None:
    assert read(text).speech_act == act


def test_a_stretch_of_years_bounds_a_state() -> None:
    assert times("Between 2011 and 2016 I lived in Santiago.", "lives_in")[:2] == ("2011", "2016")


def test_dinner_is_in_the_evening() -> None:
    at = times("I've made a dinner reservation for tomorrow at 7.", "booked")[2]
    assert at is not None
    assert "T19:00" in at
