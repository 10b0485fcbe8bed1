"""Scores understanding on a labelled set: `python benchmarks/understanding.py --data DIR`.

DIR holds `extract_dev.jsonl`, `pairs_dev.jsonl`, `ground_dev.jsonl`, `predicates.json` and `score.py`.
A third of the items, chosen by a fixed hash of their id, was kept aside while the rules were written;
both parts are printed. `Understanding` is the one place that calls the code under test.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import sys
import time
import tomllib
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

from mcp_memory_server.memory.ellipsis import complete
from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.model import CandidateFact, Kind, Memory, Said, Source, Speaker, Status
from mcp_memory_server.memory.perceive import perceive
from mcp_memory_server.memory.reconcile import Outcome, reconcile
from mcp_memory_server.memory.vocabulary import Vocabulary

DEFAULTS = Path(__file__).resolve().parent.parent / "mcp_memory_server" / "defaults" / "predicates.toml"
KINDS = ("extract", "pairs", "ground")


class Understanding:
    """The code under test, called the way the server calls it."""

    def __init__(self, counted: frozenset[str]) -> None:
        with DEFAULTS.open("rb") as file:
            self.vocabulary = Vocabulary.parse(tomllib.load(file))
        self.counted = counted
        self.seconds: list[tuple[int, float]] = []

    def said(self, item: dict, text: str | None = None, occurred_at: str | None = None) -> Said:
        speaker = Speaker(item.get("speaker", "user"))
        moment = datetime.fromisoformat(occurred_at or item.get("occurred_at") or "2025-06-02T10:00:00+00:00")
        return Said(text or item["said"], moment, item.get("time_zone"), speaker)

    def extract(self, item: dict) -> dict:
        said = self.said(item)
        begun = time.process_time()
        guarded = guard(said.text)
        perceived = perceive(Said(guarded.text, said.said_at, said.time_zone, said.speaker), self.vocabulary)
        self.seconds.append((len(said.text), time.process_time() - begun))
        act = "retract" if perceived.speech_act == "forget_request" else str(perceived.speech_act)
        return {
            "id": item["id"],
            "facts": [fact_row(fact) for fact in perceived.facts if fact.predicate in self.counted],
            "speech_act": act,
            "sentiment": perceived.sentiment.label,
            "masked": [{"type": mask.kind, "span": [mask.start, mask.end]} for mask in guarded.masks],
        }

    def pairs(self, item: dict) -> dict:
        first, second = item["first"], item["second"]
        known = self.memories(self.said(first | {"time_zone": item.get("time_zone")}), "first")
        said = self.said(second | {"time_zone": item.get("time_zone")})
        perceived = perceive(said, self.vocabulary)
        facts = complete(perceived, said, known, self.vocabulary) or perceived.facts
        outcomes = [
            reconcile(
                fact, fact.span.of(said.text), [m for m in known if m.subject == fact.subject], self.vocabulary
            ).outcome
            for fact in facts
        ] or [reconcile(None, said.text, known, self.vocabulary).outcome]
        order = [
            Outcome.SUPERSEDED,
            Outcome.RETRACTED,
            Outcome.DISPUTED,
            Outcome.REFINED,
            Outcome.RESTATED,
            Outcome.STORED,
        ]
        outcome = min(outcomes, key=order.index)
        name = {Outcome.STORED: "independent", Outcome.RETRACTED: "superseded"}.get(outcome, str(outcome))
        return {"id": item["id"], "outcome": name}

    def memories(self, said: Said, prefix: str) -> list[Memory]:
        return [memory_of(fact, said, f"{prefix}-{n}") for n, fact in enumerate(perceive(said, self.vocabulary).facts)]

    def ground(self, item: dict) -> dict:
        return {"id": item["id"], "grounded": ground(item["statement"], self.said(item), self.vocabulary).grounded}


def memory_of(fact: CandidateFact, said: Said, name: str) -> Memory:
    return Memory(
        id=name,
        user="u",
        kind=Kind.FACT,
        statement=fact.span.of(said.text),
        category=fact.category,
        status=Status.CURRENT,
        source=Source.USER,
        said_at=said.said_at,
        recorded_at=said.said_at.astimezone(UTC),
        confidence=0.95,
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        polarity=fact.polarity,
        validity=fact.validity,
    )


def fact_row(fact: CandidateFact) -> dict:
    row = {"subject": fact.subject, "predicate": fact.predicate, "polarity": str(fact.polarity)}
    row["object"] = {key: value for key, value in asdict(fact.object).items() if value is not None and key != "scope"}
    row["object"]["type"] = str(fact.object.type)
    row |= {key: value for key, value in asdict(fact.validity).items() if value}
    if fact.object.scope:
        row["scope"] = fact.object.scope
    return row


def aside(name: str) -> bool:
    """True for the third that was not looked at while the rules were written."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0


def scorer(data: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("understanding_score", data / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(__file__).parent.parent.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=shared, help="the data folder, or its folder `understanding`")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--errors", choices=KINDS, help="show what is wrong in the part that may be looked at")
    parser.add_argument("--part", choices=("seen", "aside", "all"), help="only one part")
    options = parser.parse_args()
    if (options.data / "understanding").is_dir():
        options.data = options.data / "understanding"
    if not (options.data / "score.py").is_file():
        sys.exit(f"{options.data} holds no score.py: give the folder of the labelled set with --data")
    score = scorer(options.data)
    counted = frozenset(
        p["name"] for p in json.loads((options.data / "predicates.json").read_text("utf-8"))["predicates"]
    )
    subject = Understanding(counted)
    for part in (options.part,) if options.part else ("seen", "aside", "all"):
        print(f"===== {part}")
        for kind in KINDS:
            if options.errors and kind != options.errors:
                continue
            items = [
                i
                for i in score.read(options.data / f"{kind}_{options.split}.jsonl")
                if part == "all" or aside(i["id"]) == (part == "aside")
            ]
            predictions = {item["id"]: getattr(subject, kind)(item) for item in items}
            errors: list[dict] | None = [] if options.errors and part == "seen" else None
            print(score.table(kind, score.SCORERS[kind](items, predictions, errors)))
            for error in errors or ():
                print(json.dumps(error, ensure_ascii=False))
    times = sorted(seconds for _, seconds in subject.seconds)
    if times:
        p50, p95 = (1000 * times[int(len(times) * share)] for share in (0.5, 0.95))
        print(f"guard + perceive, CPU ms: p50 {p50:.2f}, p95 {p95:.2f}")


if __name__ == "__main__":
    main()
