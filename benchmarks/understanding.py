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
import tempfile
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

from mcp_memory_server.bootstrap import Overrides, build
from mcp_memory_server.clock import FixedClock
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.model import Kind, Memory, Said, Speaker, Status
from mcp_memory_server.memory.perceive import perceive
from mcp_memory_server.memory.ports import MemoryFilter
from mcp_memory_server.memory.service import RememberRequest
from mcp_memory_server.settings import Settings

KINDS = ("extract", "pairs", "ground")
_MOMENT = datetime(2025, 6, 2, 10, tzinfo=UTC)  # where an item does not say when it was said
_FACTS = 200  # more than one message holds
# What became of a message with several facts is what weighs most.
_WEIGHT = ("superseded", "retracted", "disputed", "refined", "restated")


class Understanding:
    """The code under test: the application itself, wired as the server wires it, on a data folder of its own.

    Each item is a new user, and the clock stands at the moment at which the item was said. A message is given as
    `said`. The messages of a pair are also given as statements, as a calling model does that adds nothing of its own:
    what no rule reads is then stored as a statement without type and compared by its words. Vectors are off: nothing
    here asks for them.
    """

    def __init__(self, counted: frozenset[str]) -> None:
        self.counted = counted
        self.seconds: list[tuple[int, float]] = []
        self.folder = tempfile.TemporaryDirectory(prefix="understanding-")
        self.clock = FixedClock(_MOMENT)
        settings = Settings(data_dir=Path(self.folder.name), language="en", time_zone="UTC")
        self.app = build(settings, Overrides(clock=self.clock, embedder=None))
        self.vocabulary = self.app.context.vocabulary
        self.users = 0

    def close(self) -> None:
        self.app.close()
        self.folder.cleanup()

    def user(self) -> Principal:
        """Somebody of whom nothing is known."""
        self.users += 1
        return Principal(f"user-{self.users}", "benchmark", "benchmark")

    def remember(self, user: Principal, item: dict, session: str, *, stated: bool = False) -> dict:
        moment = datetime.fromisoformat(item["occurred_at"]) if item.get("occurred_at") else _MOMENT
        self.clock.set(moment)
        request = RememberRequest(
            statements=(item["said"],) if stated else (), said=item["said"],
            said_by=Speaker(item.get("speaker", "user")),
            occurred_at=moment.isoformat(), time_zone=item.get("time_zone"), session=session,
        )  # fmt: skip
        return self.app.service.remember(user, request)

    def facts(self, user: Principal) -> list[Memory]:
        """What is stored and current, in the order in which it was stored."""
        wanted = MemoryFilter(kinds=(Kind.FACT,), statuses=(Status.CURRENT,))
        with self.app.backend.store.read(user.tenancy) as unit:
            return list(reversed(unit.page(wanted, _FACTS).memories))

    def extract(self, item: dict) -> dict:
        user = self.user()
        begun = time.process_time()
        said = self.said(item)
        perceive(Said(guard(said.text).text, said.said_at, said.time_zone, said.speaker), self.vocabulary)
        self.seconds.append((len(said.text), time.process_time() - begun))
        answer = self.remember(user, item, "only")
        return {
            "id": item["id"],
            "facts": [fact_row(fact) for fact in self.facts(user) if fact.predicate in self.counted],
            "speech_act": "retract" if answer["speech_act"] == "forget_request" else answer["speech_act"],
            "sentiment": answer["sentiment"]["label"],
            "masked": [{"type": mask["kind"], "span": [mask["start"], mask["end"]]} for mask in answer["masked"]],
        }

    def pairs(self, item: dict) -> dict:
        user, zone = self.user(), {"time_zone": item.get("time_zone")}
        self.remember(user, item["first"] | zone, "first", stated=True)
        answer = self.remember(user, item["second"] | zone, "second", stated=True)
        outcomes = [result["outcome"] for result in answer["results"]]
        outcome = next((name for name in _WEIGHT if name in outcomes), "stored")
        return {"id": item["id"], "outcome": {"stored": "independent", "retracted": "superseded"}.get(outcome, outcome)}

    def said(self, item: dict) -> Said:
        moment = datetime.fromisoformat(item.get("occurred_at") or _MOMENT.isoformat())
        return Said(item["said"], moment, item.get("time_zone"), Speaker(item.get("speaker", "user")))

    def ground(self, item: dict) -> dict:
        return {"id": item["id"], "grounded": ground(item["statement"], self.said(item), self.vocabulary).grounded}


def fact_row(fact: Memory) -> dict:
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
    parser.add_argument(
        "--extract", type=Path, metavar="FILE", help="score only this file of messages, over every predicate"
    )
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
    if options.extract:
        subject.counted = frozenset(subject.vocabulary.predicates)
    for part in (options.part,) if options.part else ("seen", "aside", "all"):
        print(f"===== {part}")
        for kind in KINDS:
            if (options.errors and kind != options.errors) or (options.extract and kind != "extract"):
                continue
            items = [
                i
                for i in score.read(options.extract or options.data / f"{kind}_{options.split}.jsonl")
                if part == "all" or aside(i["id"]) == (part == "aside")
            ]
            predictions = {item["id"]: getattr(subject, kind)(item) for item in items}
            errors: list[dict] | None = [] if options.errors and part == "seen" else None
            print(score.table(kind, score.SCORERS[kind](items, predictions, errors)))
            for error in errors or ():
                print(json.dumps(error, ensure_ascii=False))
    subject.close()
    times = sorted(seconds for _, seconds in subject.seconds)
    if times:
        p50, p95 = (1000 * times[int(len(times) * share)] for share in (0.5, 0.95))
        print(f"guard + perceive, CPU ms: p50 {p50:.2f}, p95 {p95:.2f}")


if __name__ == "__main__":
    main()
