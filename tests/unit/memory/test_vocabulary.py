"""The vocabulary: what is in it, and what an extension may not say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_memory_server.memory.model import Category, ValueType
from mcp_memory_server.memory.vocabulary import Vocabulary
from mcp_memory_server.policy import load_policy
from tests.unit.memory.understanding import vocabulary

ROOT = Path(__file__).parents[3]
TABLE = re.compile(r'(?:\.words|\.has|\.mapping)\(\s*(?:"(?P<lang>en|zh)",\s*)?"(?P<table>[a-z_]+)"')


def test_the_shipped_file_has_the_core_and_the_extra_predicates() -> None:
    names = set(vocabulary().predicates)
    assert {
        "lives_in",
        "budget_max",
        "complains_about",
        "departs_from",
        "seat_class",
        "spending_limit",
        "mastery_level",
    } <= names
    assert len(names) >= 70


def test_a_predicate_says_how_its_values_relate() -> None:
    home, likes, height = (vocabulary().get(name) for name in ("lives_in", "likes", "height"))
    assert home is not None
    assert home.single
    assert home.category is Category.IDENTITY
    assert likes is not None
    assert not likes.single
    assert likes.counters == ("dislikes",)
    assert height is not None
    assert height.typed
    assert height.object_types == (ValueType.NUMBER,)
    assert vocabulary().get("nothing_of_the_kind") is None


def test_roles_are_one_or_many() -> None:
    assert vocabulary().many("brother")
    assert not vocabulary().many("mother")


@pytest.mark.parametrize(
    ("words", "concept"),
    [("lamb", "lamb"), ("羊肉", "lamb"), ("the dogs", "dog"), ("Front-end", "front_end"), ("前端", "front_end")],
)
def test_a_thing_is_known_by_its_names_in_both_languages(words: str, concept: str) -> None:
    assert concept in vocabulary().concepts(words)


def test_kinds_reach_over_several_steps() -> None:
    assert vocabulary().is_kind_of("beagle", "dog")
    assert vocabulary().is_kind_of("beagle", "pet")
    assert not vocabulary().is_kind_of("dog", "beagle")
    assert vocabulary().concepts("no such thing") == frozenset()


def test_a_missing_table_is_named() -> None:
    with pytest.raises(KeyError, match=r"en\.nothing"):
        vocabulary().words("en", "nothing")


GOOD = {"objects": ["text"], "cardinality": "multi", "category": "other"}


def test_a_user_may_add_a_predicate_and_words() -> None:
    extended = Vocabulary.parse(
        {
            "predicates": {"plays": GOOD | {"en": "instruments"}},
            "subjects": {"many": ["bandmate"]},
            "en": {"roles": {"bandmate": ["bandmate"]}},
        }
    )
    plays = extended.get("plays")
    assert plays is not None
    assert plays.labels == {"en": "instruments"}
    assert extended.mapping("en", "roles")["bandmate"] == "bandmate"
    assert extended.words("en", "roles") == ("bandmate",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"predicates": []}, "predicates: a table is expected"),
        ({"predicates": {"Bad Name": GOOD}}, "predicates.Bad Name: a name has small letters"),
        ({"predicates": {"x": "text"}}, "predicates.x: a table is expected"),
        ({"predicates": {"x": GOOD | {"colour": 1}}}, "predicates.x: unknown key 'colour'"),
        ({"predicates": {"x": GOOD | {"objects": ["thing"]}}}, "predicates.x.objects"),
        ({"predicates": {"x": GOOD | {"objects": []}}}, "predicates.x.objects: at least one"),
        ({"predicates": {"x": GOOD | {"objects": "text"}}}, "predicates.x.objects: a list"),
        ({"predicates": {"x": GOOD | {"cardinality": "some"}}}, "predicates.x.cardinality"),
        ({"predicates": {"x": GOOD | {"category": "fun"}}}, "predicates.x.category"),
        ({"predicates": {"x": GOOD | {"scope": 3}}}, "predicates.x.scope"),
        ({"predicates": {"x": GOOD | {"counters": ["y"]}}}, "predicates.x.counters: there is no predicate 'y'"),
        ({"subjects": {"one": ["boss"], "many": ["boss"]}}, "subjects: 'boss' is in both"),
        ({"subjects": {"one": [" "]}}, "subjects.one: ' ' is no word"),
        ({"en": {"verbs": ["x" * 5_000]}}, "en.verbs: 'xxxxxxxxxxxxxxxxxxxx'… has more than 200 characters"),
        ({"en": {"roles": {"boss": ["chief"]}}}, "en.roles: 'chief' has the unknown role 'boss'"),
        ({"en": {"irregular": {"go": ["went"], "wend": ["went"]}}}, "en.irregular: 'went' is under both"),
        ({"holidays": {"may": "first"}}, "holidays.may"),
        ({"concepts": {"tea": "green"}}, "concepts.tea: a list"),
    ],
)
def test_a_wrong_entry_is_named(data: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Vocabulary.parse(data)


def test_every_word_table_that_the_rules_name_is_in_the_shipped_vocabulary() -> None:
    shipped = load_policy().vocabulary.tables
    named = set()
    for path in (ROOT / "mcp_memory_server" / "memory").rglob("*.py"):
        for match in TABLE.finditer(path.read_text(encoding="utf-8")):
            if match["table"] in shipped:
                continue  # a language, and the table is a variable
            lang = match["lang"] or ("zh" if "zh" in path.parts[-2] + path.name else "en")
            named.add((lang, match["table"]))
    assert len(named) > 20
    missing = sorted((lang, table) for lang, table in named if table not in shipped[lang])
    assert missing == []
