"""English facts: one sentence, the facts it states, and nothing else."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest

from mcp_memory_server.memory.model import Change, Speaker
from mcp_memory_server.memory.perceive import perceive
from tests.unit.memory.understanding import facts, read, said, times, vocabulary

STATED = [
    ("My gym fee went up, it is 45 euros a month now.", ["user regular_cost 45 EUR/month (gym fee)"]),
    ("Name: Ines Moor, 34, nurse from Leeds, vegan, a cat.", ["user has_name Ines Moor", "user age 34 year", "user job_title nurse", "user hometown Leeds", "user follows_diet vegan", "user has_pet cat"]),
    ("Everyone at work calls me Teo.", ["user has_name Teo"]),
    ("My full name is Margarethe Lund, but I go by Greta.", ["user has_name Margarethe Lund", "user has_name Greta"]),
    ("My name's Ilse.", ["user has_name Ilse"]),
    ("Hi, I'm Marta, nice to meet you.", ["user has_name Marta"]),
    ("I turned 40 in March.", ["user age 40 year"]),
    ("I'm a 29-year-old nurse.", ["user age 29 year", "user job_title nurse"]),
    ("My 8-year-old son has asthma.", ["user.son age 8 year", "user.son has_condition asthma"]),
    ("I was born on 12 April 1987 in Leeds.", ["user birthday 1987-04-12", "user hometown Leeds"]),
    ("Mum's birthday is on 5 May.", ["user.mother birthday --05-05"]),
    ("We moved from Hamburg to Leipzig in 2021.", ["user lives_in Leipzig"]),
    ("I used to live in Prague.", ["user -lives_in Prague"]),
    ("I'm originally from Kerala.", ["user hometown Kerala"]),
    ("My native language is Basque and I also speak decent French.", ["user speaks Basque", "user speaks French"]),
    ("I finally got my driving licence last month.", ["user has_driving_license true"]),
    ("I don't have a driver's license.", ["user -has_driving_license true"]),
    ("I've been divorced since 2019.", ["user relationship_status divorced"]),
    ("I have two older sisters and a twin brother.", ["user family_member two older sisters", "user family_member twin brother"]),
    ("I'm a single mum of two.", ["user children_count 2"]),
    ("We have three kids.", ["user children_count 3"]),
    ("Our cat died yesterday.", ["user -has_pet cat"]),
    ("I work as a paramedic at Northgate Hospital.", ["user works_at Northgate Hospital", "user job_title paramedic"]),
    ("I just started a new job at Veltrix as a data engineer.", ["user works_at Veltrix", "user job_title data engineer"]),
    ("I quit my job at Halvorsen last week.", ["user -works_at Halvorsen"]),
    ("Tessaly is still the company I work for.", ["user works_at Tessaly"]),
    ("I've worked in logistics for twelve years.", ["user years_of_experience 12 year (logistics)"]),
    ("We switched from Slack to Mattermost last year.", ["user uses_tool Mattermost", "user -uses_tool Slack"]),
    ("Our firm made 4.1 million pounds in 2023.", ["user.company revenue 4100000 GBP"]),
    ("There are 25 of us at the company.", ["user.company headcount 25 person"]),
    ("Our office is in Rotterdam.", ["user.company located_in Rotterdam"]),
    ("We're a team of six.", ["user.team headcount 6 person"]),
    ("I'm doing a master's in linguistics at Uppsala University.", ["user education_level master's", "user studies linguistics", "user studies_at Uppsala University"]),
    ("My kid just started second grade.", ["user.child education_level second grade"]),
    ("I can never get my head around pointers.", ["user struggles_with pointers"]),
    ("Statistics is really hard for me.", ["user struggles_with Statistics"]),
    ("I've finally mastered sourdough.", ["user mastered sourdough"]),
    ("I scored 87 on my biology final.", ["user exam_score 87 (biology final)"]),
    ("My son has a nut allergy.", ["user.son allergic_to nut"]),
    ("No peanuts for me, I'm allergic.", ["user allergic_to peanuts"]),
    ("I was diagnosed with type 2 diabetes in 2020.", ["user has_condition type 2 diabetes"]),
    ("I broke my left wrist two weeks ago.", ["user has_condition broken left wrist"]),
    ("I take metformin twice a day.", ["user takes_medication metformin"]),
    ("I'm 1.78 m tall and weigh 82 kilos.", ["user height 1.78 m", "user weight 82 kg"]),
    ("I'm 5'10\".", ["user height 70 in"]),
    ("My partner keeps kosher.", ["user.partner follows_diet kosher"]),
    ("I don't smoke.", ["user -has_habit smoke"]),
    ("I gave up coffee in January.", ["user -has_habit coffee"]),
    ("I walk to work.", ["user has_habit walk to work"]),
    ("I really enjoy watercolour painting and bouldering.", ["user likes watercolour painting", "user likes bouldering"]),
    ("I'm not a fan of loud restaurants.", ["user dislikes loud restaurants"]),
    ("I can't stand flying.", ["user dislikes flying"]),
    ("I don't eat pork.", ["user dislikes pork"]),
    ("I'd rather take the train than fly.", ["user prefers take the train"]),
    ("My favourite editor is now Helix.", ["user prefers Helix (editor)"]),
    ("Please always answer in German and keep it brief.", ["user prefers_format German", "user prefers_format short"]),
    ("I'm pretty cautious with my investments.", ["user risk_preference cautious"]),
    ("I'm looking for a used bike, budget around 300 to 450 pounds.", ["user budget_min 300 GBP (used bike)", "user budget_max 450 GBP (used bike)"]),
    ("I need a laptop, nothing over $1,200.", ["user budget_max 1200 USD (laptop)"]),
    ("I take home about 3,200 euros a month.", ["user salary 3200 EUR/month"]),
    ("We've saved 40k towards a house deposit.", ["user savings 40000 GBP (house deposit)"]),
    ("I still owe 6,500 on my car loan.", ["user owes 6500 GBP (car loan)"]),
    ("My Netflix subscription is 13.99 a month.", ["user regular_cost 13.99 GBP/month (Netflix subscription)"]),
    ("My landlord raised the rent to 1,100 euros a month.", ["user regular_cost 1100 EUR/month (rent)"]),
    ("I paid 250 euros for new tyres yesterday.", ["user spent 250 EUR (new tyres)"]),
    ("The new sofa set us back 1,800 dollars.", ["user spent 1800 USD (new sofa)"]),
    ("I put most of my savings into government bonds.", ["user invests_in government bonds"]),
    ("We own a small cabin in the woods.", ["user owns small cabin"]),
    ("I sold my motorbike.", ["user -owns motorbike"]),
    ("I bought a second-hand cello last spring.", ["user bought second-hand cello"]),
    ("I'm going to learn Finnish this autumn.", ["user plans_to learn Finnish"]),
    ("Remind me to call the plumber on Friday.", ["user plans_to call the plumber"]),
    ("I booked a table at Sorrel for Saturday at 8pm.", ["user booked table"]),
    ("I'm flying to Lisbon on the 14th.", ["user travels_to Lisbon"]),
    ("Last summer we went to Croatia.", ["user visited Croatia"]),
    ("I'm having lunch with Priya on Tuesday at 12:30.", ["user meets Priya"]),
    ("My job interview is on Monday at 10am.", ["user has_event job interview"]),
    ("The essay is due next Friday.", ["user deadline 2025-06-13 (essay)"]),
    ("I have to submit the tax return by 31 January.", ["user deadline 2026-01-31 (tax return)"]),
    ("I'll be on holiday from 2 to 9 August.", ["user unavailable_during 2025-08-02/2025-08-09"]),
    ("I'm so excited about the concert!", ["user feels excited (concert)"]),
    ("The delivery was two hours late and the food was cold.", ["user complains_about delivery", "user complains_about food"]),
    ("My sister Hanna lives in Oslo and works as a vet.", ["user.sister:Hanna lives_in Oslo", "user.sister:Hanna job_title vet"]),
    ("We adopted a beagle called Juno, she's two.", ["user has_pet beagle", "user.pet:Juno age 2 year"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), STATED, ids=[text for text, _ in STATED])
def test_a_statement_gives_its_facts_and_no_others(text: str, expected: list[str]) -> None:
    assert sorted(facts(text)) == sorted(expected)


NOTHING = [
    "What is the difference between a stock and a bond?",
    "Do you think I should move to Lisbon?",
    "If I had a garden, I'd grow tomatoes.",
    "I might switch jobs next year.",
    "I wish I had a dog.",
    "My friend Odile says she lives in Ghent.",
    "I heard the neighbours are getting divorced.",
    "Translate into French: I have lived in Rome since 2010.",
    "He wrote: “I am allergic to nuts and I live in Bern.”",
    "Pretend you are a pirate called Redbeard.",
    "I'm basically a vampire, lol.",
    "> assistant: I do not have a driving licence.\nThat does not matter, we can take the train.",
    "Thanks, that helps!",
    "```\nI live in Paris.\n```",
    "Could you tell me whether you are married?",
    "",
    "   \n  ",
    "42",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_asked_supposed_quoted_or_joked_gives_no_fact(text: str) -> None:
    assert facts(text) == []


def test_a_limit_in_a_question_is_a_limit() -> None:
    assert facts("Can you find me a hotel in Porto for under 120 euros a night?") == [
        "user budget_max 120 EUR/night (hotel)"
    ]


def test_the_words_of_the_assistant_give_no_facts() -> None:
    assert perceive(said("You live in Oslo and I am a vegan.", speaker=Speaker.ASSISTANT), vocabulary()).facts == ()


def test_what_another_person_says_is_about_that_person() -> None:
    named = perceive(said("I'm vegan.", speaker=Speaker.OTHER, name="Birgit"), vocabulary())
    unnamed = perceive(said("My mother is 60.", speaker=Speaker.OTHER), vocabulary())
    assert named.facts[0].subject == "Birgit"
    assert unnamed.facts[0].subject == "other.mother"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("I moved to Bruges last week.", Change.CHANGED),
        ("I no longer own the Corolla.", Change.ENDED),
        ("No, sorry, I meant my exam is on the 3rd, not the 2nd.", Change.CORRECTED),
        ("I live in Riga.", Change.NONE),
    ],
)
def test_a_stated_change_is_kept_with_the_fact(text: str, change: Change) -> None:
    assert read(text).facts[0].change is change


def test_the_span_of_a_fact_is_its_clause() -> None:
    text = "Good morning! I live in Riga, and my sister is a vet."
    spans = {fact.predicate: fact.span.of(text) for fact in read(text).facts}
    assert spans == {"lives_in": "I live in Riga", "job_title": "my sister is a vet"}


@pytest.mark.parametrize(
    ("text", "predicate", "expected"),
    [
        ("I've lived in Porto since 2019.", "lives_in", ("2019", None, None)),
        ("I've been living in Valencia for three years.", "lives_in", ("2022", None, None)),
        ("I lived in Osaka in 2015.", "lives_in", ("2015", "2015", None)),
        (
            "I'm flying to Nairobi in two weeks and staying until the 30th.",
            "travels_to",
            (None, "2025-06-30", "2025-06-18"),
        ),
        ("I have a blood test tomorrow at 8:15.", "has_event", (None, None, "2025-06-05T08:15:00+01:00")),
        ("I quit smoking three years ago.", "has_habit", ("2022", None, None)),
        ("I was in Malta in 2020.", "visited", (None, None, "2020")),
        ("My dentist appointment got moved to the 12th.", "has_event", (None, None, "2025-06-12")),
    ],
)
def test_times_bind_states_and_occurrences(text: str, predicate: str, expected: tuple[str | None, ...]) -> None:
    assert times(text, predicate) == expected
