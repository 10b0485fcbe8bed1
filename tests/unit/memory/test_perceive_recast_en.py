"""English in an unusual order, in notes without a verb, and with things told in passing."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest

from mcp_memory_server.memory.ground import ground
from tests.unit.memory.understanding import facts, said, times, vocabulary

ORDERS = [
    # the object, the place or the complement first
    ("German I don't speak.", ["user -speaks German"]),
    ("Coffee I can't live without.", ["user likes Coffee"]),
    ("The piano I play badly.", ["user uses_tool piano"]),
    ("It's shellfish I'm allergic to, not nuts.", ["user allergic_to shellfish"]),
    ("It was in Porto that I grew up.", ["user hometown Porto"]),
    ("Cardiff is where I was brought up.", ["user hometown Cardiff"]),
    ("What I drive is an old Volvo.", ["user owns old Volvo"]),
    ("What I really love is baroque music.", ["user likes baroque music"]),
    ("You can tell that Hull is where I was raised.", ["user hometown Hull"]),
    ("It's no secret that I hate cilantro.", ["user dislikes cilantro"]),
    # the subject last
    ("She's a lawyer, my sister.", ["user.sister job_title lawyer"]),
    ("He lives in Hull, my brother.", ["user.brother lives_in Hull"]),
    ("She hates mushrooms, my wife.", ["user.wife dislikes mushrooms"]),
    ("He's forty, my husband.", ["user.husband age 40 year"]),
    # of mine
    ("There's a cousin of mine in Leeds.", ["user family_member cousin"]),
    ("A friend of mine works at Oxfam.", ["user.friend works_at Oxfam"]),
    ("An uncle of mine lives in Perth.", ["user.uncle lives_in Perth"]),
    # what others did to the user
    ("They've made me head of sales.", ["user job_title head of sales"]),
    ("The board appointed me treasurer in March.", ["user job_title treasurer"]),
    ("My boss has promoted me to team lead.", ["user job_title team lead"]),
    ("The optician can see me on Thursday at 2.", ["user meets optician"]),
    ("They're operating on me on 12 July.", ["user has_event surgery"]),
    ("Saw the doctor, she's put me on ramipril.", ["user takes_medication ramipril"]),
    # set phrases
    ("My last day at Barclays was 3 May.", ["user -works_at Barclays"]),
    ("Forty quid a week goes on petrol.", ["user regular_cost 40 GBP/week (petrol)"]),
    ("Having a go at learning the ukulele, sorry neighbours.", ["user studies ukulele"]),
    ("Techno does nothing but get on my nerves.", ["user dislikes Techno"]),
    ("Olives? My wife won't touch them.", ["user.wife dislikes Olives"]),
    ("We won't be buying the boat.", ["user -plans_to buy the boat"]),
    ("The Rome trip's off.", ["user -travels_to Rome"]),
    ("My tooth extraction's been moved to 8 July.", ["user has_event tooth extraction"]),
    ("Not a day goes by without me running.", ["user has_habit run"]),
    ("Two years sober last week.", ["user -has_habit drink"]),
    ("I'm back at my mum's place in Naas.", ["user lives_in Naas"]),
]  # fmt: skip
NOTES = [
    ("Mother of three, based in Leeds.", ["user children_count 3"]),
    ("Freelance illustrator, 34, based in Ghent.", ["user job_title freelance illustrator", "user age 34 year"]),
    ("Retired teacher, 68, living in Bath with two cats and a bad hip.",
     ["user job_title retired teacher", "user age 68 year", "user lives_in Bath", "user has_pet cats", "user has_condition bad hip"]),
    ("Electrician by trade, fifteen years in the business.",
     ["user job_title electrician", "user years_of_experience 15 year (electrician)"]),
    ("Sixty-one years young and still working.", ["user age 61 year"]),
    ("Maths test: 45 out of 60.", ["user exam_score 45 (Maths test)"]),
    ("Class of 2012, Exeter University.", ["user graduated_from Exeter University"]),
    ("Gym membership of £35 a month.", ["user regular_cost 35 GBP/month (Gym membership)"]),
    ("Off to Crete next Monday.", ["user travels_to Crete"]),
    ("Born 12 March 1990 in Lyon.", ["user birthday 1990-03-12", "user hometown Lyon"]),
    ("Metric units only, please.", ["user prefers_format metric units"]),
    ("Keep peanuts away from me, serious allergy.", ["user allergic_to peanuts"]),
    ("Hold the nuts, my son's allergic.", ["user.son allergic_to nuts"]),
    ("An hour in a queue at the post office again.", ["user complains_about post office"]),
    ("Can't stretch past 350 quid for a pram.", ["user budget_max 350 GBP (pram)"]),
    ("Show me garden chairs please, nothing under $60, and stop at $100.",
     ["user budget_min 60 USD (garden chairs)", "user budget_max 100 USD (garden chairs)"]),
    ("I spelled my wife's name wrong, it should be Katarzyna.", ["user.wife has_name Katarzyna"]),
    ("Booked it in my husband Pavel's name.", ["user.husband has_name Pavel"]),
    ("I borrowed £300 from my brother and still have to pay it back.", ["user owes 300 GBP (brother)"]),
    ("Q2 ended at $400k for our agency.", ["user.company revenue 400000 USD"]),
    ("The scales read eleven stone four.", ["user weight 158 lb"]),
    ("Salary is 12 lakh per year.", ["user salary 1200000 GBP/year"]),
    ("Newly single, as of last week.", ["user relationship_status single"]),
    ("Five foot nine in my socks.", ["user height 69 in"]),
    ("Essay's due Monday at noon.", ["user deadline 2025-06-09T12:00:00+01:00 (essay)"]),
    ("Thirty years a nurse.", ["user years_of_experience 30 year (nurse)"]),
    ("Turnover was 400k last year.", ["user.company revenue 400000 GBP"]),
    ("Home's Glasgow these days.", ["user lives_in Glasgow"]),
    ("My eldest is at Durham University doing physics.", ["user.child studies_at Durham University"]),
    ("Sick to death of the roadworks.", ["user complains_about roadworks"]),
    ("Anything but techno, please.", ["user dislikes techno"]),
    ("No driving licence yet.", ["user -has_driving_license true"]),
    ("Delighted that my sister Ana got into Vale College.",
     ["user feels delighted", "user.sister:Ana studies_at Vale College"]),
]  # fmt: skip
NOTHING = [
    "Is Cardiff where I was brought up?",
    "A plumber by trade would know.",
    "What I want is a rest.",
    "They made me laugh.",
    "They made me wait.",
    "They made me partner material, ha.",
    "Anything but that.",
    "The dentist is on Main Street.",
    "The people I love live in Rome.",
    "My sister says it was in Porto that she grew up.",
    "Class of problems, nothing more.",
    "Keep the dog away from me.",
    "No allergies, no worries.",
    "Maybe German I'd learn.",
    "Not a day goes by.",
    "I borrowed 20 euros from my sister and paid it back.",
    "Two years without a holiday.",
    "Translate: German I don't speak.",
]


@pytest.mark.parametrize(("text", "expected"), ORDERS + NOTES)
def test_what_is_said_in_another_order_or_without_a_verb_is_read(text: str, expected: list[str]) -> None:
    found = facts(text)
    assert [fact for fact in expected if fact not in found] == []


@pytest.mark.parametrize("text", NOTHING)
def test_what_only_looks_so_states_nothing(text: str) -> None:
    assert facts(text) == []


DATES = [
    ("Born in '79, me.", "birthday", "1979"),
    ("My birthday falls on the 29th of February.", "birthday", "--02-29"),
]


@pytest.mark.parametrize(("text", "predicate", "value"), DATES)
def test_short_years_and_leap_days_are_dates(text: str, predicate: str, value: str) -> None:
    assert f"user {predicate} {value}" in facts(text)


def test_times_stand_beside_what_they_tell() -> None:
    assert (
        times("The vet has been moved, it's Monday at 4 in the afternoon now.", "has_event")[2]
        == "2025-06-09T16:00:00+01:00"
    )
    assert times("They've made me shift supervisor, starting Monday.", "job_title")[0] == "2025-06-09"
    assert times("The third quarter closed at 2 million dollars for our company.", "revenue")[2] == "2024-07/2024-09"
    assert times("The surgery's on 9/7, remember?", "has_event")[2] == "2025-07-09"
    assert times("Electrician by trade, fifteen years in the business.", "job_title") == (None, None, None)


GROUNDED = [
    ("I sold the Vespa and bought a bike.", "The user no longer has the Vespa.", True),
    ("I sold the Vespa and bought a bike.", "The user no longer has the bike.", False),
    ("I gave up pottery last spring.", "The user no longer does pottery.", True),
    ("Aunt Rosa might retire at Easter.", "It is possible that the user's aunt Rosa will retire at Easter.", True),
    ("My cousin Bea breeds terriers.", "Bea, a cousin of the user, breeds terriers.", True),
    ("My twins were born in March.", "The user has twins born in March.", True),
    ("I work for a firm that supplies Airbus.", "The user works for Airbus.", False),
    ("I work for a firm that supplies Airbus.", "The user works for a firm that supplies Airbus.", True),
    ("I know somebody at a shop which sells Fender guitars.", "The user sells Fender guitars.", False),
    ("I used to be scared of dogs.", "The user is scared of dogs.", False),
    ("I used to be scared of dogs.", "The user used to be scared of dogs.", True),
    ("I'm used to early mornings.", "The user is used to early mornings.", True),
    ("We nearly hit nine thousand readers.", "The user has more than nine thousand readers.", False),
    ("The hall holds three hundred people.", "The hall holds more than three hundred people.", False),
    ("The hall holds over three hundred people.", "The hall holds more than three hundred people.", True),
]  # fmt: skip


@pytest.mark.parametrize(("words", "statement", "expected"), GROUNDED)
def test_ends_bounds_and_inner_clauses_decide_grounding(words: str, statement: str, expected: bool) -> None:
    assert ground(statement, said(words), vocabulary()).grounded is expected
