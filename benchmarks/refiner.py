"""What a refiner adds to the rules, and what of its inventions gets in: `python -m benchmarks.refiner`.

Without `--endpoint` the answers recorded of a small real model are played again (`tests/data/refiner/`); with
`--endpoint URL --model NAME` that endpoint is asked (`--record FILE` keeps what it said). `--data FILE...` takes other
labelled items, one JSON object a line: `id`, `lang`, `said`, `occurred_at`, `time_zone`, `facts`.

Two rows need no model: `labels` proposes exactly the labelled facts (the most that any model could add), `forged`
proposes each of them with one part changed (another predicate, person, polarity, or value).
Every item goes through the real `remember` of a user of its own.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp_memory_server import limits
from mcp_memory_server.bootstrap import Overrides, build
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.model import Polarity, ValueType
from mcp_memory_server.memory.refining.port import Cause, Choices, Proposal, Refiner, RefinerError
from mcp_memory_server.memory.service import RememberRequest
from mcp_memory_server.refiner.answer import proposals_of, request
from mcp_memory_server.settings import Settings

HERE = Path(__file__).resolve().parent.parent / "tests" / "data" / "refiner"
Item = dict[str, Any]


def read(path: Path) -> list[Item]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def fold(text: str) -> str:
    bare = unicodedata.normalize("NFKC", str(text)).casefold().strip()
    for article in ("the ", "a ", "an ", "my ", "our "):
        bare = bare.removeprefix(article)
    return "".join(char for char in bare if char.isalnum() or char in ".+#-")


def matches(gold: Item, subject: str, predicate: str, polarity: str, value: str) -> bool:
    """The same person (a name may be left out), predicate, polarity and value."""
    whole, _, name = gold["subject"].partition(":")
    mine, _, other = subject.partition(":")
    wanted = {fold(gold["object"]["value"]), *map(fold, gold.get("accepts") or gold["object"].get("accepts", ()))}
    return (whole, gold["predicate"], gold["polarity"]) == (mine, predicate, polarity) and (
        fold(value) in wanted and (not other or not name or other == name)
    )


class Recorded:
    """A refiner that says again what a model said."""

    def __init__(self, path: Path) -> None:
        lines = read(path)
        self.model = lines[0]["model"]
        self.answers = {line["said"]: line for line in lines[1:]}
        self.seconds: list[float] = []

    def propose(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        if text not in self.answers:
            raise RefinerError(Cause.UNREACHABLE, "no answer was recorded for this text")
        line = self.answers[text]
        self.seconds.append(line["ms"] / 1000)
        body = {"choices": [{"message": {"role": "assistant", "content": line["content"]}}]}
        return proposals_of(json.dumps(body).encode(), choices)


class Live:
    """The endpoint itself; keeps what it said."""

    def __init__(self, endpoint: str, model: str, key: str | None, seconds: float, facts: int) -> None:
        self.model, self.url, self.key, self.limit = model, endpoint.rstrip("/") + "/chat/completions", key, seconds
        self.facts = facts
        self.seconds: list[float] = []
        self.said: list[Item] = []

    def propose(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        import httpx2

        begun = time.monotonic()
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        body = request(self.model, text, choices)
        body["response_format"]["json_schema"]["schema"]["properties"]["facts"]["maxItems"] = self.facts
        try:
            answer = httpx2.post(self.url, json=body, headers=headers, timeout=self.limit)
            answer.raise_for_status()
        except httpx2.HTTPError as error:
            raise RefinerError(Cause.UNREACHABLE, type(error).__name__) from error
        self.seconds.append(time.monotonic() - begun)
        content = answer.json()["choices"][0]["message"]["content"]
        self.said.append({"said": text, "content": content, "ms": round(1000 * self.seconds[-1])})
        return proposals_of(answer.content, choices)


class Scripted:
    """A refiner without a model: `make` says what it proposes about a text."""

    model = "scripted"

    def __init__(self, make: Callable[[str], list[Proposal]]) -> None:
        self._make = make
        self.seconds: list[float] = []

    def propose(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        self.seconds.append(0.0)
        return tuple(self._make(text))


def as_said(item: Item, fact: Item) -> Proposal:
    """A labelled fact as a model would propose it: the words of a number are those of the text."""
    value = str(fact["object"]["value"])
    options = [value, *(fact.get("accepts") or fact["object"].get("accepts", ()))]
    found = next((one for one in options if one.casefold() in item["said"].casefold()), value)
    kind = fact["object"]["type"]
    if kind in ("number", "money") and found not in item["said"]:
        found = next(iter(_number_words(item)), value)
    subject = fact["subject"].partition(":")[0]
    return Proposal(item["said"], subject, fact["predicate"], ValueType(kind), found, Polarity(fact["polarity"]))


def _number_words(item: Item) -> Iterator[str]:
    from mcp_memory_server.memory.perceive import quantity

    for one in quantity.find(item["said"], item["lang"]):
        yield item["said"][one.start : one.end].strip()


def forged(item: Item, choices: Sequence[str]) -> list[Proposal]:
    """Each labelled fact with one part changed; none of them is true."""
    out = []
    for fact in item["facts"]:
        true = as_said(item, fact)
        others = [name for name in choices if name != true.predicate]
        place = sum(map(ord, item["id"])) % len(others)
        words = [word for word in item["said"].replace("。", " ").replace(".", " ").split() if word not in true.value]
        flipped = Polarity.POSITIVE if true.polarity is Polarity.NEGATIVE else Polarity.NEGATIVE
        person = "user.sister" if true.subject != "user.sister" else "user"
        for change in (
            {"predicate": others[place]},
            {"subject": person},
            {"polarity": flipped},
            {"value": words[0] if words else "x"},
            {"value": f"{true.value} Plus"},
            {"quote": f"I said that {true.value} is it"},
        ):
            made = {name: getattr(true, name) for name in Proposal.__dataclass_fields__} | change
            out.append(Proposal(**made))
    return out


@dataclass
class Row:
    """What one run came to."""

    name: str
    model: str = "-"
    hit: int = 0
    wrong: int = 0
    missed: int = 0
    asked: int = 0
    invented_kept: int = 0
    invented_dropped: int = 0
    true_kept: int = 0
    true_dropped: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    wrongly: list[str] = field(default_factory=list)


class Watching:
    """Passes questions on and keeps the proposals of the last one."""

    def __init__(self, inner: Refiner) -> None:
        self.inner, self.model, self.last = inner, inner.model, ()

    def propose(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        self.last: tuple[Proposal, ...] = ()
        self.last = self.inner.propose(text, choices)
        return self.last


def run(name: str, items: Sequence[Item], refiner: Any, share: float) -> Row:
    row = Row(name, refiner.model if refiner else "-")
    watched = Watching(refiner) if refiner else None
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), language="en", time_zone="UTC").model_copy(
            update={"refiner": Settings(data_dir=Path(folder)).refiner.model_copy(update={"share": share})}
        )
        app = build(settings, Overrides(embedder=None, refiner=watched))
        try:
            for item in items:
                if watched:
                    watched.last = ()
                asked = RememberRequest(
                    said=item["said"], occurred_at=item.get("occurred_at"), time_zone=item.get("time_zone")
                )
                answer = app.service.remember(Principal(item["id"], "benchmark", "benchmark"), asked)
                _count(row, item, answer, watched.last if watched else ())
        finally:
            app.close()
    row.seconds = refiner.seconds if refiner else []
    return row


def _count(row: Row, item: Item, answer: dict[str, Any], proposals: Sequence[Proposal]) -> None:
    left = list(item["facts"])
    stored = [one["memory"] for one in answer["results"] if one["outcome"] == "stored"]
    for memory in stored:
        slots = (memory["subject"], memory["predicate"], memory["polarity"], memory["object"]["value"])
        gold = next((one for one in left if matches(one, *slots)), None)
        if gold is not None:
            left.remove(gold)
            row.hit += 1
        else:
            row.wrong += 1
        if memory["source"] == "refiner":
            row.true_kept += gold is not None
            row.invented_kept += gold is None
            if gold is None:
                row.wrongly.append(f"{item['id']} {item['said']} -> {' '.join(slots)}")
    row.missed += len(left)
    told = answer.get("refiner")
    if told is None:
        return
    row.asked += 1
    if "failed" in told:
        row.failed[told["failed"]] += 1
        return
    for one in told["dropped"]:
        row.reasons[one["reason"]] += one["count"]
    golds = [as_said(item, fact) for fact in item["facts"]]
    true = sum(any(_alike(one, gold, item) for gold in golds) for one in proposals)
    mine = [memory for memory in stored if memory["source"] == "refiner"]
    kept_true = sum(
        any(matches(gold, m["subject"], m["predicate"], m["polarity"], m["object"]["value"]) for gold in item["facts"])
        for m in mine
    )
    row.true_dropped += max(0, true - kept_true)
    row.invented_dropped += len(proposals) - true - (len(mine) - kept_true)


def _alike(one: Proposal, gold: Proposal, item: Item) -> bool:
    same = (one.subject, one.predicate, one.polarity) == (gold.subject, gold.predicate, gold.polarity)
    return same and fold(one.value) == fold(gold.value) and fold(one.quote) in fold(item["said"])


def table(rows: Sequence[Row]) -> str:
    lines = [
        "| run | precision | recall | asked | true kept | dropped | invented kept | dropped | ms (median) |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        precision = row.hit / (row.hit + row.wrong) if row.hit + row.wrong else 1.0
        recall = row.hit / (row.hit + row.missed) if row.hit + row.missed else 1.0
        times = sorted(row.seconds)
        median = f"{1000 * times[len(times) // 2]:.0f}" if times and times[-1] else "-"
        counts = [row.asked, row.true_kept, row.true_dropped, row.invented_kept, row.invented_dropped]
        cells = [row.name, f"{precision:.3f}", f"{recall:.3f}", *map(str, counts), median]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", default=[HERE / "items.jsonl", HERE / "items_aside.jsonl"])
    parser.add_argument("--endpoint", help="the part before /chat/completions; without it recorded answers are used")
    parser.add_argument("--model", default="model", help="the model's name at the endpoint")
    parser.add_argument("--key-file", type=Path, help="a file with the key of the endpoint")
    parser.add_argument("--seconds", type=float, default=120, help="how long one answer is waited for")
    parser.add_argument("--facts", type=int, default=limits.REFINER_FACTS, help="at most so many facts in one answer")
    parser.add_argument("--share", type=float, default=0.3, help="ask where rules cover less than this")
    parser.add_argument("--answers", type=Path, default=HERE / "recorded.jsonl", help="recorded answers")
    parser.add_argument("--record", type=Path, help="keep what the endpoint said in this file")
    parser.add_argument("--lang", choices=("en", "zh"), help="only the items of one language")
    options = parser.parse_args()
    found = [one for path in options.data for one in read(path)]
    items = [one for one in found if not options.lang or one["lang"] == options.lang]
    items = [one for one in items if one.get("speaker", "user") == "user"]
    by_text = {one["said"]: one for one in items}
    from mcp_memory_server.memory.refining.port import choices_of
    from mcp_memory_server.policy import load_policy

    names = [one.name for one in choices_of(load_policy().vocabulary).predicates]
    model: Recorded | Live
    if options.endpoint:
        key = options.key_file.read_text(encoding="utf-8").strip() if options.key_file else None
        model = Live(options.endpoint, options.model, key, options.seconds, options.facts)
    else:
        model = Recorded(options.answers)
    rows = [
        run("rules alone", items, None, options.share),
        run("with labels", items, Scripted(lambda text: _labels(by_text, text)), options.share),
        run("with forged", items, Scripted(lambda text: _forged(by_text, text, names)), options.share),
    ]
    if isinstance(model, Recorded):
        # What the model was not asked about says nothing about it.
        items = [one for one in items if one["said"] in model.answers]
        rows.append(run(f"rules alone, on {len(items)} recorded", items, None, options.share))
    rows.append(run(f"with {model.model}", items, model, options.share))
    count = sum(len(one["facts"]) for one in by_text.values())
    print(f"{len(by_text)} items, {count} facts; asked below {options.share:g}\n")
    print(table(rows))
    for row in [one for one in rows if one.model != "-"]:
        print(f"\n{row.name}: dropped for {dict(row.reasons)}; failed {dict(row.failed)}")
        for line in row.wrongly:
            print(f"  kept, not labelled: {line}")
    if options.record and isinstance(model, Live):
        head = {"model": options.model, "recorded": time.strftime("%Y-%m-%d")}
        lines = [head, *model.said]
        options.record.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), "utf-8")


def _labels(by_text: dict[str, Item], text: str) -> list[Proposal]:
    item = by_text.get(text)
    return [as_said(item, fact) for fact in item["facts"]] if item else []


def _forged(by_text: dict[str, Item], text: str, names: Sequence[str]) -> list[Proposal]:
    item = by_text.get(text)
    return forged(item, names) if item else []


if __name__ == "__main__":
    main()
