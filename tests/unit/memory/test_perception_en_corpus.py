"""Perception of English over a corpus of our own: shares, not sentences.

`tests/data/perception_en.jsonl` was written before the rules that read it. A third of it, chosen by a
hash of the id, was kept aside while the rules were written; both parts have their floors.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.model import CandidateFact, Said, Speaker
from mcp_memory_server.memory.perceive import perceive
from tests.unit.memory.understanding import vocabulary

CORPUS = Path(__file__).resolve().parents[2] / "data" / "perception_en.jsonl"
Item = dict[str, Any]


@cache
def items() -> tuple[Item, ...]:
    return tuple(json.loads(line) for line in CORPUS.read_text("utf-8").splitlines())


def kept_aside(item: Item) -> bool:
    return int(hashlib.sha256(item["id"].encode()).hexdigest(), 16) % 3 == 0


def fold(text: object) -> str:
    plain = re.sub(r"\b(?:a|an|the)\b(?!['’])", " ", unicodedata.normalize("NFKC", str(text)).casefold())
    return re.sub(r"[^\w+#]", "", plain)


def values(gold: Item) -> set[str]:
    value = gold["object"]["value"]
    if gold["object"]["type"] in ("number", "money"):
        return {f"{float(value):g} {gold['object'].get('unit', '').partition('/')[0]}".strip()}
    return {fold(str(v).lower() if isinstance(v, bool) else v) for v in (value, *gold.get("accepts", ()))}


def value(fact: CandidateFact) -> str:
    if fact.object.type in ("number", "money"):
        return f"{float(fact.object.value):g} {(fact.object.unit or '').partition('/')[0]}".strip()
    return fold(fact.object.value)


def fits(gold: Item, fact: CandidateFact) -> bool:
    for other in ({}, *gold.get("alternatives", ())):
        wanted = gold | other
        accepted = values(wanted if "object" in other else gold)
        if (wanted["subject"], wanted["predicate"], wanted["polarity"]) == (
            fact.subject,
            fact.predicate,
            str(fact.polarity),
        ) and value(fact) in accepted:
            return True
    return False


@cache
def measured(aside: bool) -> dict[str, float]:
    """Precision, recall, mean accuracy over the acts, and how often nothing was stored where nothing was said."""
    count: Counter[str] = Counter()
    acts: dict[str, list[bool]] = {}
    for item in items():
        if kept_aside(item) is not aside:
            continue
        text = guard(item["said"]).text
        said = Said(text, datetime.fromisoformat(item["occurred_at"]), item["time_zone"], Speaker.USER)
        perceived = perceive(said, vocabulary())
        left = list(item["facts"])
        for fact in perceived.facts:
            gold = next((g for g in left if fits(g, fact)), None)
            if gold is None:
                count["wrong"] += 1
            else:
                left.remove(gold)
                count["found"] += not gold.get("optional")
        count["missed"] += sum(not gold.get("optional") for gold in left)
        if not item["facts"]:
            count["silent"] += 1
            count["kept silent"] += not perceived.facts
        act = {"forget_request": "retract"}.get(str(perceived.speech_act), str(perceived.speech_act))
        right = act in (item["speech_act"], *item.get("speech_act_accepts", ()))
        acts.setdefault(item["speech_act"], []).append(right)
    return {
        "precision": count["found"] / (count["found"] + count["wrong"]),
        "recall": count["found"] / (count["found"] + count["missed"]),
        "nothing stored": count["kept silent"] / count["silent"],
        "acts": sum(sum(right) / len(right) for right in acts.values()) / len(acts),
    }


@pytest.mark.parametrize(
    ("aside", "share", "floor"),
    [
        (False, "precision", 0.97),
        (False, "recall", 0.90),
        (False, "nothing stored", 0.97),
        (False, "acts", 0.90),
        (True, "precision", 0.88),
        (True, "recall", 0.68),
        (True, "nothing stored", 0.95),
        (True, "acts", 0.82),
    ],
)
def test_perception_of_english_stays_as_good_as_it_was(aside: bool, share: str, floor: float) -> None:
    assert measured(aside)[share] >= floor


def test_every_predicate_is_in_the_corpus() -> None:
    said = Counter(gold["predicate"] for item in items() for gold in item["facts"])
    assert {name: said[name] for name in vocabulary().predicates if said[name] < 6} == {}


def test_no_sentence_stands_twice() -> None:
    assert len({item["said"] for item in items()}) == len(items())
