"""Templates: the packaged ones, those of a user in their place, and what a template cannot do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.limits import RENDERED_CHARS
from mcp_memory_server.memory.model import EventType
from mcp_memory_server.policy import load_policy
from mcp_memory_server.rendering.jinja import LANGUAGES, JinjaRenderer
from tests.docs.test_docs import ROOT
from tests.harness import house

EVENT: dict[str, Any] = {"type": "question", "count": 3, "keywords": ["refund", "ticket"], "words": "A refund?"}
SESSION: dict[str, Any] = {
    "date": "2026-11-30",
    "first_date": "2026-11-29",
    "utterances": 7,
    "facts": 2,
    "events": {"question": 2, "small_talk": 1},
    "keywords": ["refund", "ticket"],
}


def test_packaged_templates_make_one_line_in_each_language() -> None:
    made = JinjaRenderer()
    assert made.render("event", "en", EVENT) == 'question (3 times): refund, ticket - "A refund?"'
    assert made.render("event", "zh", EVENT) == "提问（3 次）：refund、ticket - “A refund?”"
    assert (
        made.render("session", "en", SESSION)
        == "2026-11-30: 7 utterances, 2 facts, 2 questions, 1 small talk - refund, ticket"
    )
    assert made.render("session", "zh", SESSION) == "2026-11-30：7 句话，2 条事实，2 个提问，1 次闲聊 - refund、ticket"
    made.check()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", EventType)
def test_every_type_of_event_has_a_name(lang: str, kind: EventType) -> None:
    made = JinjaRenderer()
    slots = EVENT | {"type": kind.value, "count": 1, "keywords": []}
    assert made.render("event", lang, slots)
    for number in (1, 2):
        assert str(number) in made.render("session", lang, SESSION | {"events": {kind.value: number}})


def test_another_language_is_told_in_english() -> None:
    assert JinjaRenderer().render("event", "fr", EVENT).startswith("question")


def test_a_template_of_the_user_takes_the_place_of_the_packaged_one(tmp_path: Path) -> None:
    (tmp_path / "event_en.j2").write_text("{{ count }} x {{ words }}", encoding="utf-8")
    made = JinjaRenderer(tmp_path)
    assert made.render("event", "en", EVENT) == "3 x A refund?"
    assert made.render("event", "zh", EVENT).startswith("提问")


@pytest.mark.parametrize(
    "source",
    [
        "{{ words.__class__.__mro__ }}",
        "{{ ''.__class__.__base__.__subclasses__() }}",
        "{{ keywords.append('more') }}",
        "{{ no_such_slot }}",
        "{% for n in range(999999999) %}{% endfor %}",
        "{% include '/etc/passwd' %}",
        "{{ 1 / 0 }}",
    ],
)
def test_a_template_sees_its_slots_and_nothing_else(source: str) -> None:
    with pytest.raises(InvalidArgumentError, match="template"):
        JinjaRenderer().text(source, EVENT)


@pytest.mark.parametrize("source", ["{% if %}", "{{ no_such_slot }}", "{{ utterances / 0 }}"])
def test_a_broken_template_is_named_and_the_packaged_one_stands_in_for_it(tmp_path: Path, source: str) -> None:
    (tmp_path / "session_zh.j2").write_text(source, encoding="utf-8")
    made = JinjaRenderer(tmp_path)
    with pytest.raises(InvalidArgumentError, match="session_zh"):
        made.check()
    assert made.render("session", "zh", SESSION) == JinjaRenderer().render("session", "zh", SESSION)


def test_a_broken_template_stops_the_start_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "event_en.j2").write_text("{{ no_such_slot }}", encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="event_en"), house(tmp_path / "data", templates=tmp_path):
        pass


def test_what_is_made_is_one_line_of_limited_length() -> None:
    made = JinjaRenderer().text("{{ words }}", {"words": "a\nb " * 1_000})
    assert "\n" not in made
    assert len(made) == RENDERED_CHARS


def test_words_in_slots_are_data() -> None:
    assert JinjaRenderer().text("{{ words }}", {"words": "{{ 1 + 1 }} <b>"}) == "{{ 1 + 1 }} <b>"


def test_the_texts_of_the_packaged_suggestions_render() -> None:
    for suggestion in load_policy(ROOT / "configs" / "policy.toml").suggestions:
        for lang in LANGUAGES:
            made = JinjaRenderer().text(suggestion.texts[lang], {"thing": "hotel", "state": "", "at": "2026-12-11"})
            assert "hotel" in made
            assert "2026-12-11" in made
