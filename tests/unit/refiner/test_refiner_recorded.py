"""Recorded answers of a real small model that invents: nothing it invents becomes a memory."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from benchmarks.refiner import HERE, Recorded, matches, read, run
from mcp_memory_server.memory.model import Said
from mcp_memory_server.memory.perceive.outline import outline
from mcp_memory_server.memory.refining.check import check
from mcp_memory_server.memory.refining.port import choices_of
from mcp_memory_server.policy import load_policy
from mcp_memory_server.refiner.answer import proposals_of
from tests.fakes import HashEmbedder
from tests.unit.service.conftest import Desk

LINES = read(HERE / "recorded.jsonl")
ITEMS = {item["said"]: item for name in ("items", "items_aside") for item in read(HERE / f"{name}.jsonl")}


def test_the_file_says_where_it_comes_from_and_fits_the_items() -> None:
    assert {"model", "runner", "recorded"} <= set(LINES[0])
    assert len(LINES) > 20
    assert {line["said"] for line in LINES[1:]} <= set(ITEMS)
    languages = [ITEMS[line["said"]]["lang"] for line in LINES[1:]]
    assert min(languages.count("en"), languages.count("zh")) >= 10


def test_the_model_keeps_the_schema_and_invents() -> None:
    choices = choices_of(load_policy().vocabulary)
    proposed = invented = 0
    for line in LINES[1:]:
        body: dict[str, Any] = {"choices": [{"message": {"content": line["content"]}}]}
        for one in proposals_of(json.dumps(body).encode(), choices):
            proposed += 1
            gold = ITEMS[line["said"]]["facts"]
            invented += not any(matches(g, one.subject, one.predicate, one.polarity, one.value) for g in gold)
    assert proposed > 15
    assert invented / proposed > 0.8


@pytest.mark.parametrize("line", LINES[1:], ids=lambda line: ITEMS[line["said"]]["id"])
def test_nothing_invented_becomes_a_memory(line: dict[str, Any]) -> None:
    desk = Desk(refiner=Recorded(HERE / "recorded.jsonl"), embedder=HashEmbedder(), refiner_share=1.0)
    alone = Desk(embedder=HashEmbedder())
    given = {"occurred_at": "2026-11-30T10:00:00Z", "session": "a"}
    answer, without = desk.say(line["said"], **given), alone.say(line["said"], **given)
    gold = ITEMS[line["said"]]["facts"]
    for result in answer["results"]:
        memory = result["memory"]
        if memory["source"] != "refiner":
            continue
        assert any(
            matches(g, memory["subject"], memory["predicate"], memory["polarity"], memory["object"]["value"])
            for g in gold
        ), memory
    kept = [one for one in desk.list(status="any", kind="any") if one["source"] != "refiner"]
    assert len(kept) == len(alone.list(status="any", kind="any"))
    assert answer["utterance"]
    assert without["degraded"] == []


def test_nor_does_it_when_said_of_other_words_or_with_a_fitting_type() -> None:
    vocabulary = load_policy().vocabulary
    choices = choices_of(vocabulary)
    types = {one.name: one.object_types for one in choices.predicates}
    proposals = []
    for line in LINES[1:]:
        body: dict[str, Any] = {"choices": [{"message": {"content": line["content"]}}]}
        for one in proposals_of(json.dumps(body).encode(), choices):
            words = {one.value, one.quote, *one.quote.split()}
            proposals += [
                replace(one, value_type=kind, value=word) for kind in types[one.predicate] for word in sorted(words)
            ]
    assert len(proposals) > 50
    for item in ITEMS.values():
        said = Said(item["said"], datetime.fromisoformat(item["occurred_at"]), item["time_zone"])
        units = outline(said.text, said.said_at, said.time_zone, vocabulary)
        found = check([*proposals, *(replace(p, quote=said.text) for p in proposals)], said, units, (), vocabulary)
        assert found.facts == ()


def test_the_table_of_the_benchmark_says_so_too() -> None:
    recorded = Recorded(HERE / "recorded.jsonl")
    items = [item for item in ITEMS.values() if item["said"] in recorded.answers]
    row = run("recorded", items, recorded, 0.3)
    assert row.asked > 12  # the rules read the other sentences to the end
    assert row.invented_kept == 0
    assert row.invented_dropped > 10
