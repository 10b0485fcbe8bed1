"""What of a refiner's proposals stands: one test for each reason to drop, in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from mcp_memory_server.memory.model import CandidateFact, Polarity, Said, Span, ValueType
from mcp_memory_server.memory.perceive import perceive
from mcp_memory_server.memory.perceive.outline import outline
from mcp_memory_server.memory.refining.check import Checked, Drop, check
from mcp_memory_server.memory.refining.coverage import coverage
from mcp_memory_server.memory.refining.port import Proposal, choices_of
from mcp_memory_server.memory.vocabulary import Vocabulary
from mcp_memory_server.policy import load_policy
from tests.fakes.refiners import proposal

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENTITY, MONEY, NUMBER = ValueType.ENTITY, ValueType.MONEY, ValueType.NUMBER


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return load_policy().vocabulary


def checked(vocabulary: Vocabulary, text: str, *proposals: Proposal, rules: bool = True) -> Checked:
    said = Said(text, NOON, "Europe/London")
    known = perceive(said, vocabulary).facts if rules else ()
    return check(proposals, said, outline(text, NOON, said.time_zone, vocabulary), known, vocabulary)


def one(vocabulary: Vocabulary, text: str, predicate: str, value: str, **changes: Any) -> CandidateFact | Drop:
    """What one proposal about the whole text comes to, where the rules read nothing of it."""
    quote = changes.pop("quote", text)
    known = vocabulary.get(predicate)
    changes.setdefault("value_type", known.object_types[0] if known else ValueType.TEXT)
    found = checked(vocabulary, text, proposal(quote, predicate, value, **changes), rules=False)
    assert len(found.facts) + sum(found.dropped.values()) == 1
    return found.facts[0] if found.facts else next(iter(found.dropped))


STANDING = [
    ("I call Galway home.", "lives_in", "Galway", {"value_type": ENTITY}, "Galway"),
    ("I call galway home, and Galway suits me.", "lives_in", "Galway", {"value_type": ENTITY}, Drop.VALUE),
    ("My weakness for olive oil is well known.", "likes", "olive oil", {}, "olive oil"),
    ("My weakness for the olive oil is well known.", "likes", "the olive oil", {}, "olive oil"),
    ("Strawberries give me hives.", "allergic_to", "strawberries", {}, "Strawberries"),
    ("我家安在成都。", "lives_in", "成都", {"value_type": ENTITY}, "成都"),
    ("我把成都当家。", "lives_in", "成都", {"value_type": ENTITY}, "成都"),
    ("我对火锅情有独钟。", "likes", "火锅", {}, "火锅"),
    ("我一碰花生就起疹子。", "allergic_to", "花生", {}, "花生"),
]


@pytest.mark.parametrize(("text", "predicate", "value", "changes", "wanted"), STANDING)
def test_what_the_words_say_stands_in_the_words_used(
    vocabulary: Vocabulary, text: str, predicate: str, value: str, changes: dict[str, Any], wanted: str | Drop
) -> None:
    found = one(vocabulary, text, predicate, value, **changes)
    if isinstance(wanted, Drop):
        assert found is wanted
        return
    assert isinstance(found, CandidateFact)
    assert (found.subject, found.predicate, found.object.value) == ("user", predicate, wanted)
    assert wanted in found.span.of(text)
    assert found.polarity is Polarity.POSITIVE


DROPPED = [
    ("I call Galway home.", "lives_in", "Galway", {"quote": "I live in Galway"}, Drop.QUOTE),
    ("I call Galway home.", "lives_in", "Dublin", {}, Drop.VALUE),
    ("I call Galway home.", "lives_in", "Galway", {"value_type": NUMBER}, Drop.CHOICE),
    ("I call Galway home.", "has_name", "Galway", {"value_type": ValueType.TEXT}, Drop.CHOICE),
    ("I call Galway home.", "lives_in", "Galway", {"subject": "root"}, Drop.CHOICE),
    ("I call Galway home.", "works_at", "Galway", {"value_type": ENTITY}, Drop.PREDICATE),
    ("I call Galway home.", "lives_in", "Galway", {"polarity": Polarity.NEGATIVE}, Drop.POLARITY),
    ("I call Galway home.", "lives_in", "Galway", {"subject": "user.sister"}, Drop.PERSON),
    ("I call Galway home.", "lives_in", "Galwa", {}, Drop.VALUE),
    ("I would call Galway home if I could.", "lives_in", "Galway", {"value_type": ENTITY}, Drop.MOOD),
    ("Should I call Galway home?", "lives_in", "Galway", {"value_type": ENTITY}, Drop.MOOD),
    ("I used to call Galway home.", "lives_in", "Galway", {"value_type": ENTITY}, Drop.TENSE),
    ("She calls Galway home.", "lives_in", "Galway", {"value_type": ENTITY}, Drop.PERSON),
    ("My weakness for olive oil is well known.", "likes", "olive", {}, Drop.VALUE),
    ("My weakness for olive oil is well known.", "likes", "oil", {}, Drop.VALUE),
    ("My weakness for all of it is well known.", "likes", "it", {}, Drop.VALUE),
    ("如果可以，我就把成都当家。", "lives_in", "成都", {"value_type": ENTITY}, Drop.MOOD),
    ("我能把成都当家吗？", "lives_in", "成都", {"value_type": ENTITY}, Drop.MOOD),
    ("以前我把成都当家。", "lives_in", "成都", {"value_type": ENTITY}, Drop.TENSE),
    ("他把家安在成都。", "lives_in", "成都", {"value_type": ENTITY}, Drop.PERSON),
    ("我家安在成都。", "lives_in", "都", {"value_type": ENTITY}, Drop.VALUE),
    ("我家安在成都。", "lives_in", "成都", {"value_type": ENTITY, "polarity": Polarity.NEGATIVE}, Drop.POLARITY),
    ("我碰到过一个把成都当家的人。", "lives_in", "成都", {"value_type": ENTITY}, Drop.PREDICATE),
    ("我一碰花生就起疹子。", "likes", "花生", {}, Drop.PREDICATE),
]


@pytest.mark.parametrize(("text", "predicate", "value", "changes", "reason"), DROPPED)
def test_what_the_words_do_not_say_is_dropped_with_its_reason(
    vocabulary: Vocabulary, text: str, predicate: str, value: str, changes: dict[str, Any], reason: Drop
) -> None:
    assert one(vocabulary, text, predicate, value, **changes) is reason


def test_a_name_is_that_of_the_words(vocabulary: Vocabulary) -> None:
    found = one(
        vocabulary, "My brother Anselm calls Oslo home.", "lives_in", "Oslo", subject="user.brother", value_type=ENTITY
    )
    assert isinstance(found, CandidateFact)
    assert found.subject == "user.brother:Anselm"
    mine = one(vocabulary, "My brother Anselm calls Oslo home.", "lives_in", "Oslo", value_type=ENTITY)
    assert mine is Drop.PERSON


def test_sums_and_measures_are_read_by_our_rules(vocabulary: Vocabulary) -> None:
    text = "My nest egg comes to 14,000 euros."
    found = checked(vocabulary, text, proposal(text, "savings", "14,000 euros", value_type=MONEY), rules=False)
    assert [(fact.object.value, fact.object.unit) for fact in found.facts] == [("14000", "EUR")]
    wrong = checked(vocabulary, text, proposal(text, "savings", "14,500 euros", value_type=MONEY), rules=False)
    assert not wrong.facts
    measure = checked(vocabulary, text, proposal(text, "weight", "14,000 euros", value_type=NUMBER), rules=False)
    assert not measure.facts
    yuan = "我手头的积蓄有十四万。"
    found = checked(vocabulary, yuan, proposal(yuan, "savings", "十四万", value_type=MONEY), rules=False)
    assert [fact.object.value for fact in found.facts] == ["140000"]


def test_a_placeholder_is_no_number(vocabulary: Vocabulary) -> None:
    text = "My height is on [phone 1], call there."
    found = checked(vocabulary, text, proposal(text, "height", "1", value_type=NUMBER), rules=False)
    assert not found.facts


def test_a_sum_without_its_period_is_no_salary(vocabulary: Vocabulary) -> None:
    for text, kept in (("My salary is 3,000 euros.", 0), ("My salary is 3,000 euros a month.", 1)):
        found = checked(vocabulary, text, proposal(text, "salary", "3,000 euros", value_type=MONEY), rules=False)
        assert len(found.facts) == kept


def test_denials_beside_the_sign_count_and_those_in_it_do_not(vocabulary: Vocabulary) -> None:
    text = "I never call Galway home."
    assert one(vocabulary, text, "lives_in", "Galway", value_type=ENTITY) is Drop.POLARITY
    denied = one(vocabulary, text, "lives_in", "Galway", value_type=ENTITY, polarity=Polarity.NEGATIVE)
    assert isinstance(denied, CandidateFact)
    lilies = "I cannot bear lilies."
    found = checked(vocabulary, lilies, proposal(lilies, "dislikes", "lilies"), rules=False)
    assert [fact.polarity for fact in found.facts] == [Polarity.POSITIVE]
    assert not checked(vocabulary, lilies, proposal(lilies, "likes", "lilies"), rules=False).facts


def test_what_the_rules_read_otherwise_or_already_is_dropped(vocabulary: Vocabulary) -> None:
    text = "I live in Galway."
    rule = perceive(Said(text, NOON, "UTC"), vocabulary).facts
    assert [fact.predicate for fact in rule] == ["lives_in"]
    again = proposal(text, "lives_in", "Galway", value_type=ENTITY)
    assert checked(vocabulary, text, again).dropped == {Drop.KNOWN: 1}
    assert len(checked(vocabulary, text, again, again, rules=False).facts) == 1
    other = replace(rule[0], predicate="hometown", span=Span(0, len(text)))
    said = Said(text, NOON, "UTC")
    found = check([again], said, outline(text, NOON, "UTC", vocabulary), [other], vocabulary)
    assert found.dropped == {Drop.OTHERWISE: 1}


def test_times_are_ours(vocabulary: Vocabulary) -> None:
    text = "I came back from Bologna on 3 May 2026."
    found = checked(vocabulary, text, proposal(text, "visited", "Bologna", value_type=ENTITY), rules=False)
    assert [fact.validity.at for fact in found.facts] == ["2026-05-03"]


def test_words_of_others_are_not_the_users(vocabulary: Vocabulary) -> None:
    text = 'The poster says: "I call Galway home, we all do here".'
    assert one(vocabulary, text, "lives_in", "Galway", value_type=ENTITY) is Drop.MOOD
    assert one(vocabulary, "“我把成都当家，大家都这样。”他写道。", "lives_in", "成都", value_type=ENTITY) is Drop.MOOD


def test_coverage_counts_letters_of_what_is_stated(vocabulary: Vocabulary) -> None:
    def share(text: str, *spans: Span) -> float:
        return coverage(outline(text, NOON, "UTC", vocabulary), spans)

    assert share("I call Galway home.") == 0
    assert share("I call Galway home.", Span(0, 18)) == 1
    assert share("I call Galway home.", Span(7, 13), Span(7, 13)) == pytest.approx(6 / 15)
    assert share("Do I call Galway home?") == 1  # nothing is stated
    assert share("我把成都当家。") == 0
    assert share("我把成都当家。", Span(0, 3)) == pytest.approx(3 / 6)
    assert share("") == 1


def test_only_predicates_with_signs_are_offered_and_each_sign_belongs_to_one(vocabulary: Vocabulary) -> None:
    choices = choices_of(vocabulary)
    assert {item.name for item in choices.predicates} == set(vocabulary.signs)
    assert {"phone", "email", "has_name"}.isdisjoint(vocabulary.signs)
    assert choices.subjects[0] == "user"
    for name, signs in vocabulary.signs.items():
        for lang in ("en", "zh"):
            assert signs.words.get(lang), f"{name} has no signs in {lang}"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"nobody": {"en": ["x"]}}, "no predicate 'nobody'"),
        ({"likes": ["x"]}, "a table is expected"),
        ({"likes": {"fr": ["aime"]}}, "unknown key 'fr'"),
        ({"likes": {"units": ["kg"]}}, "words are expected"),
        ({"likes": {"en": [""]}}, "is no word"),
    ],
)
def test_signs_that_are_wrong_are_named(table: dict[str, Any], message: str) -> None:
    data = {"predicates": {"likes": {"objects": ["text"], "cardinality": "multi"}}, "signs": table}
    with pytest.raises(ValueError, match=message):
        Vocabulary.parse(data)


def test_a_user_may_add_signs(vocabulary: Vocabulary, tmp_path: Any) -> None:
    text = "My heart belongs to slow trains."
    assert one(vocabulary, text, "likes", "slow trains") is Drop.PREDICATE
    file = tmp_path / "policy.toml"
    file.write_text('[vocabulary.signs.likes]\nen = ["heart belongs to _"]\n', encoding="utf-8")
    found = one(load_policy(file).vocabulary, text, "likes", "slow trains")
    assert isinstance(found, CandidateFact)
