"""One simulated year of a user whose tastes, home and job change.

`python -m benchmarks.simulated_year [--seed S] [--days N] [--only RUN]`

The real application in process, on a throw-away store, with an injected clock. Each day the user says a few
things (what holds now, moods, greetings, questions) and asks for two that it has told. Half of all changes are said
("I no longer like sencha tea"), the other half only show in what is said from then on. The same year is
played with and without supersession (a new statement ends an old one) and decay (`maintain` each night).

*outdated*: answers whose first memory about the matter names what held before. *asked again*: archived
memories that would have been the only answer to a later question. *hot*: memories in the indexes at the end.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.clock import FixedClock
from mcp_memory_server.embedding.bundled import bundled
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.decay import HalfLives
from mcp_memory_server.memory.ids import Ids
from mcp_memory_server.memory.model import Status
from mcp_memory_server.memory.ports import MemoryFilter, Tenancy, Vector
from mcp_memory_server.memory.reconcile import STORED, Decision, Outcome
from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.memory.service import remember as remember_module
from mcp_memory_server.memory.upkeep import Rules
from mcp_memory_server.settings import Settings

BEGIN = datetime(2025, 1, 1, 8, tzinfo=UTC)
ME = Principal("me", "simulation")
TENANCY = Tenancy("me")
SAID_A_DAY, ASKED_A_DAY = 3, 2
CHANGES_A_YEAR = 3  # of each matter
SAID_CHANGE = 0.5  # share of changes that are said to be one


# What is at work in a run: supersession, decay.
RUNS = {"neither": (False, False), "both": (True, True), "supersession": (True, False), "decay": (False, True)}


@dataclass(frozen=True)
class Matter:
    """Something that has one value at a time for this user: how it is said, changed and asked about."""

    values: tuple[str, ...]
    says: tuple[str, ...]
    changes: tuple[str, ...]
    asks: tuple[str, ...]


def _taste(kind: str, *values: str) -> Matter:
    named = tuple(f"{value} {kind}" for value in values)
    return Matter(
        named,
        ("I like {new}.", "I really like {new}."),
        ("I don't like {old} any more. I like {new}.", "I switched from {old} to {new}."),
        (f"Which {kind} do I like?", f"What {kind} should you get me?"),
    )


def _zh_taste(verb: str, kind: str, *values: str) -> Matter:
    named = tuple(f"{value}{kind}" for value in values)
    return Matter(
        named,
        (f"我喜欢{verb}{{new}}。", f"我很喜欢{verb}{{new}}。"),
        (f"我不再喜欢{verb}{{old}}了，我喜欢{verb}{{new}}。",),
        (f"我喜欢{verb}什么{kind}？",),
    )


MATTERS = (
    Matter(
        ("Porto", "Lyon", "Graz", "Bergen"),
        ("I live in {new}.",),
        ("I moved to {new}.", "I moved from {old} to {new}."),
        ("Where do I live?", "Which city do I live in?"),
    ),
    Matter(
        ("Brightline", "Corvel", "Nordhafen", "Tessera"),
        ("I work at {new}.",),
        ("I now work at {new}.", "I left {old}. I work at {new} now."),
        ("Where do I work?", "Which company do I work for?"),
    ),
    Matter(("杭州", "成都", "厦门", "昆明"), ("我老家在{new}。",), ("更正一下，我老家在{new}。",), ("我老家在哪里？",)),
    _taste("tea", "sencha", "oolong", "mint", "rooibos"),
    _taste("music", "jazz", "folk", "baroque", "reggae"),
    _taste("cheese", "goat", "blue", "smoked", "swiss"),
    _taste("novels", "crime", "historical", "fantasy", "travel"),
    _taste("bread", "rye", "corn", "walnut", "flat"),
    _taste("sports", "water", "winter", "team", "racket"),
    _taste("films", "French", "silent", "documentary", "western"),
    _zh_taste("喝", "咖啡", "黑", "冰", "摩卡", "美式"),
    _zh_taste("吃", "面", "拉", "凉", "担担", "刀削"),
    _zh_taste("看", "电影", "动作", "科幻", "爱情", "纪录"),
    _zh_taste("听", "音乐", "古典", "摇滚", "民族", "电子"),
    _zh_taste("吃", "火锅", "麻辣", "番茄", "菌菇", "潮汕"),
)
CHATTER = (
    "Good morning!",
    "I feel tired today.",
    "I am so happy today!",
    "What is the weather like?",
    "How do I export a report?",
    "Why does the printer not answer?",
    "Thanks, that helped.",
    "早上好！",
    "我今天有点难过。",
    "明天会下雨吗？",
    "怎么导出表格？",
    "谢谢你。",
)


@dataclass
class Life:
    """What happens in the year, day by day: the same for every run of a seed."""

    said: list[list[str]] = field(default_factory=list)
    asked: list[list[tuple[str, str, tuple[str, ...]]]] = field(
        default_factory=list
    )  # question, right value, former ones

    @classmethod
    def of(cls, seed: int, days: int) -> Life:
        pick = random.Random(seed)
        life = cls()
        now = [pick.randrange(len(matter.values)) for matter in MATTERS]
        former: list[list[int]] = [[] for _ in MATTERS]
        told: set[int] = set()
        for _ in range(days):
            said = []
            for number, matter in enumerate(MATTERS):
                if pick.random() < CHANGES_A_YEAR / 365:
                    old, new = now[number], pick.choice([i for i in range(len(matter.values)) if i != now[number]])
                    now[number] = new
                    told.add(number)
                    former[number] = [i for i in {*former[number], old} if i != new]
                    form = pick.choice(matter.changes if pick.random() < SAID_CHANGE else matter.says)
                    said.append(form.format(old=matter.values[old], new=matter.values[new]))
            while len(said) < SAID_A_DAY:
                number = pick.randrange(2 * len(MATTERS))
                if number < len(MATTERS):
                    matter = MATTERS[number]
                    told.add(number)
                    said.append(pick.choice(matter.says).format(new=matter.values[now[number]]))
                else:
                    said.append(pick.choice(CHATTER))
            asked = []
            for number in pick.sample(sorted(told), min(len(told), ASKED_A_DAY)):
                matter = MATTERS[number]
                asked.append(
                    (
                        pick.choice(matter.asks),
                        matter.values[now[number]],
                        tuple(matter.values[i] for i in former[number]),
                    )
                )
            life.said.append(said)
            life.asked.append(asked)
        return life


class Remembering:
    """The bundled model, which embeds each text of the four runs once."""

    def __init__(self) -> None:
        self._model = bundled()
        self._model.load()
        self.model, self.dimension = self._model.model, self._model.dimension
        self._known: dict[tuple[str, ...], Vector] = {}

    def ready(self) -> bool:
        return True

    def load(self) -> None:
        return None

    def documents(self, texts: Sequence[str], langs: Sequence[str]) -> Vector:
        for text, lang in zip(texts, langs, strict=True):
            if (text, lang) not in self._known:
                self._known[text, lang] = self._model.documents([text], [lang])[0]
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._known[pair] for pair in zip(texts, langs, strict=True)])

    def query(self, text: str, lang: str, document_lang: str) -> Vector:
        key = ("?", text, lang, document_lang)
        if key not in self._known:
            self._known[key] = self._model.query(text, lang, document_lang)
        return self._known[key]

    def standard(self, lang: str) -> tuple[float, float]:
        return self._model.standard(lang)


@dataclass
class Score:
    """What one run of the year came to."""

    answers: int = 0
    right: int = 0
    outdated: int = 0
    archived: set[str] = field(default_factory=set)
    wanted_again: set[str] = field(default_factory=set)
    hot: int = 0
    facts: int = 0
    questions: int = 0


def _only_adds(*args: Any, **kwargs: Any) -> Decision:
    """Reconciling without supersession: the same is restated, all else is added."""
    found = _RECONCILE(*args, **kwargs)
    return found if found.outcome is Outcome.RESTATED else STORED


_RECONCILE = remember_module.reconcile


@contextmanager
def application(embedder: Remembering, clock: FixedClock, *, supersede: bool, decay: bool) -> Iterator[Application]:
    """The application on a store of its own, with what the run leaves out taken away."""
    source = random.Random(1)
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(remember_module, "reconcile", _RECONCILE if supersede else _only_adds),
    ):
        settings = Settings(data_dir=Path(folder), user="me", language="en", time_zone="UTC", upkeep=False)
        app = build(settings, Overrides(clock=clock, embedder=embedder, ids=Ids(source.getrandbits)))
        if not decay:
            app.context.half_lives = HalfLives({}, None)
            app.context.rules = Rules(app.context.half_lives, app.context.rules.single)
        try:
            yield app
        finally:
            app.close()


def play(life: Life, embedder: Remembering, *, supersede: bool, decay: bool) -> Score:
    """One run of the year."""
    clock, score = FixedClock(BEGIN), Score()
    with application(embedder, clock, supersede=supersede, decay=decay) as app:
        for day, (said, asked) in enumerate(zip(life.said, life.asked, strict=True)):
            clock.set(BEGIN + timedelta(days=day))
            for words in said:
                app.service.remember(ME, RememberRequest(said=words, session=f"day {day}"))
                clock.advance(timedelta(minutes=7))
            app.projector.drain()
            for question, right, former in asked:
                _ask(app, score, question, right, former)
            app.flush_reads()
            if decay:
                clock.set(BEGIN.replace(hour=2) + timedelta(days=day + 1))
                app.service.keep_up(TENANCY)
        with app.backend.store.read(TENANCY) as unit:
            score.hot = len(unit.indexed_ids())
            current = unit.get(unit.ids(MemoryFilter(statuses=(Status.CURRENT,)), 100_000)).values()
            score.facts = sum(memory.kind == "fact" for memory in current)
            score.questions = len(unit.questions())
            score.archived |= set(unit.ids(MemoryFilter(statuses=(Status.ARCHIVED,)), 100_000))
    return score


def _ask(app: Application, score: Score, question: str, right: str, former: tuple[str, ...]) -> None:
    score.answers += 1
    found = app.service.recall(ME, RecallRequest(question, limit=8))["memories"]
    for memory in found:
        # What denies the former value ("I don't like it any more") is no outdated answer.
        if memory.get("polarity") == "negative":
            continue
        if right in memory["statement"]:
            score.right += 1
            return
        if any(value in memory["statement"] for value in former):
            score.outdated += 1
            return
    with app.backend.store.read(TENANCY) as unit:
        gone = unit.get(unit.ids(MemoryFilter(statuses=(Status.ARCHIVED,)), 100_000)).values()
    score.wanted_again |= {memory.id for memory in gone if right in memory.statement}
    score.archived |= {memory.id for memory in gone}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--only", choices=list(RUNS), help="one of the four runs")
    given = parser.parse_args()
    life, embedder = Life.of(given.seed, given.days), Remembering()
    print(
        f"seed {given.seed}, {given.days} days, "
        f"{sum(map(len, life.said))} utterances, {sum(map(len, life.asked))} questions\n"
    )
    print(
        "| supersession | decay | right | outdated | no answer | archived | of these never asked again "
        "| hot store | current facts |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for supersede, decay in [RUNS[given.only]] if given.only else RUNS.values():
        score = play(life, embedder, supersede=supersede, decay=decay)
        none = score.answers - score.right - score.outdated
        never = f"{1 - len(score.wanted_again) / len(score.archived):.1%}" if score.archived else "–"
        shares = [f"{count / score.answers:.1%}" for count in (score.right, score.outdated, none)]
        words = [("yes" if on else "no") for on in (supersede, decay)]
        print(
            "| "
            + " | ".join([*words, *shares, str(len(score.archived)), never, str(score.hot), str(score.facts)])
            + " |",
            flush=True,
        )


if __name__ == "__main__":
    main()
