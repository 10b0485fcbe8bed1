"""How remember and recall grow with the store, on the embedded profile and on servers, in one run.

    python -m benchmarks.scale [--one 100000] [--users 100] [--each 1000] [--server FILE]

First one user's store grows to `--one` memories; at each tenfold size recall and remember of single memories are timed.
Then `--users` users get `--each` memories each, and recall is timed over all of them. `--server` names a
configuration file of a server profile (see configs/server.toml; its secrets come from the environment as usual):
the same is then played there, and set beside. Its databases must be empty, and are empty again afterwards.

Vectors are recorded: the bundled model embeds each piece of a text once at the start, and the vector of a text is put
together from those of its pieces. So what is measured is the store, and *embed* is told apart: the cost of one real
embedding, which a user pays once for each recall. Times are of this process's clock; CPU stands beside.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.embedding.bundled import bundled
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.limits import STATEMENTS
from mcp_memory_server.memory.ports import Backend, Vector
from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.settings import Settings, load
from mcp_memory_server.storage.composed import Composed

SEED = 20261130
FIRST_SIZE = 1_000  # memories of the smallest store that is timed, after the empty one
TIMED = 100  # calls of each kind at each size
NOISE = 0.25  # share of a vector that no other text has

FAMILIES = (
    "Lindqvist Okafor Brandt Moreau Tanaka Silva Novak Haddad Byrne Costa Petrov Weiss Kaur Ferrari Olsen Dubois Marin "
    "Varga Jansen Rossi Keller Nagy Sato Popescu Lang Meyer Aydin Ivanov Horvat Berg Quinn Roche Duarte Fiala Kowal"
)
NAMES = (
    "Marta Ruben Ingrid Pavel Aiko Tomas Leila Bruno Sanna Yusuf Clara Devi Otto Noor Emil Rosa Kwame Ines Lars Mina"
)
PLACES = "Porto Ghent Turku Leith Graz Malmo Nantes Tartu Bergen Lodz Sibiu Cork Varna Trieste Aarhus Kosice"
THINGS = (
    "oak chairs|linen curtains|a copper kettle|walnut shelves|wool blankets|a brass lamp|clay tiles|a cello bow|"
    "silk scarves|a road bike|olive oil|paper lanterns|a stone basin|garden benches|cherry jam|a felt hat"
)
DEEDS = "ordered|returned|repaired|sold|collected|painted|shipped|weighed|praised|exchanged|stored|measured"
WHEN = "in January|in March|in May|in July|in September|in November|on a Monday|on a Friday|before Easter|after lunch"


class Recorded:
    """The vectors of the pieces of our texts, put together: no model runs while stores are timed."""

    model, dimension = "recorded", 384

    def __init__(self) -> None:
        real = bundled()
        real.load()
        self._pieces = [
            *NAMES.split(),
            *PLACES.split(),
            *(p for table in (THINGS, DEEDS, WHEN) for p in table.split("|")),
        ]
        self._vectors = real.documents(self._pieces, ["en"] * len(self._pieces))
        begun = time.perf_counter()
        for name in NAMES.split():
            real.query(f"What did {name} order?", "en", "en")
        self.embed_ms = 1000 * (time.perf_counter() - begun) / len(NAMES.split())
        self._standard = real.standard("en")

    def ready(self) -> bool:
        return True

    def load(self) -> None:
        return None

    def documents(self, texts: Sequence[str], langs: Sequence[str]) -> Vector:
        return np.stack([self._of(text) for text in texts]) if texts else np.zeros((0, self.dimension), np.float32)

    def query(self, text: str, lang: str, document_lang: str) -> Vector:
        return self._of(text)

    def standard(self, lang: str) -> tuple[float, float]:
        return self._standard

    def _of(self, text: str) -> Vector:
        own = np.random.default_rng(abs(hash(text))).standard_normal(self.dimension).astype(np.float32)
        total = NOISE * own / np.linalg.norm(own)
        for piece, vector in zip(self._pieces, self._vectors, strict=True):
            if piece in text:
                total = total + vector
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


class Timed:
    """An index whose calls are timed."""

    def __init__(self, inner: Any, part: str, spent: dict[str, float]) -> None:
        self._inner, self._part, self._spent = inner, part, spent

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if not callable(value):
            return value

        def call(*args: Any, **kwargs: Any) -> Any:
            begun = time.perf_counter()
            try:
                return value(*args, **kwargs)
            finally:
                self._spent[self._part] += time.perf_counter() - begun

        return call


@dataclass
class Row:
    """What one size of one profile came to, times in ms."""

    size: int
    fill: float = 0.0  # memories a second while filling
    remember: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    cpu: float = 0.0  # of one recall
    parts: dict[str, float] = field(default_factory=dict)  # of one recall
    drained: float = 0.0  # seconds until projections had caught up with what was filled
    found: float = 0.0  # share of recalls whose first three hold the memory asked for


class Story:
    """Memories that differ, and a question for each."""

    def __init__(self, seed: int) -> None:
        self._pick = random.Random(seed)
        self.told: list[tuple[str, str]] = []

    def more(self, count: int) -> list[str]:
        """New memories; the question for each is kept."""
        pick, made = self._pick, []
        for _ in range(count):
            name = f"{pick.choice(NAMES.split())} {pick.choice(FAMILIES.split())}"
            place = pick.choice(PLACES.split())
            thing, deed, when = (pick.choice(table.split("|")) for table in (THINGS, DEEDS, WHEN))
            number = f"{pick.randrange(10**7):07d}"
            made.append(f"{name} of {place} {deed} {thing} {when}, receipt {number}.")
            self.told.append((f"What did {name} of {place} have with {thing} {when}, receipt {number}?", number))
        return made

    def question(self) -> tuple[str, str]:
        return self._pick.choice(self.told)


@contextmanager
def application(settings: Settings, embedder: Recorded) -> Iterator[tuple[Application, dict[str, float]]]:
    """The application with timed indexes; erased of its users at the end."""
    spent: dict[str, float] = defaultdict(float)

    def timed(backend: Backend) -> Backend:
        named = (("text", backend.text_index), ("vector", backend.vector_index), ("graph", backend.graph_index))
        parts: list[Any] = [Timed(index, part, spent) for part, index in named]
        return Composed(backend.store, *parts)

    app = build(settings, Overrides(embedder=embedder, backend=timed))
    try:
        yield app, spent
    finally:
        with app.backend.store.system() as system:
            users = system.users()
        for user in users:
            app.service.erase_user(Principal(user, "benchmark"))
        app.close()


def fill(app: Application, me: Principal, story: Story, count: int) -> tuple[float, float]:
    """Store so many memories; answers memories a second, and the seconds until projections had caught up."""
    begun = time.perf_counter()
    while count > 0:
        statements = story.more(min(count, STATEMENTS))
        app.service.remember(me, RememberRequest(statements=tuple(statements)))
        count -= len(statements)
    stored = time.perf_counter()
    app.projector.drain()
    total = len(story.told) or 1
    return total / (stored - begun), time.perf_counter() - stored


def measure(app: Application, spent: dict[str, float], row: Row, who: Sequence[tuple[Principal, Story]]) -> None:
    """Time recalls and single memories for the users in turn."""
    warm = who[0]
    for _ in range(3):
        app.service.recall(warm[0], RecallRequest("What did Marta of Porto have?"))
    spent.clear()
    cpu, right = time.process_time(), 0
    for turn in range(TIMED):
        me, story = who[turn % len(who)]
        question, wanted = story.question() if story.told else ("What did Marta of Porto have?", "")
        begun = time.perf_counter()
        found = app.service.recall(me, RecallRequest(question))
        row.recall.append(1000 * (time.perf_counter() - begun))
        right += any(wanted in memory["statement"] for memory in found["memories"][:3]) if wanted else 0
    row.cpu, row.found = 1000 * (time.process_time() - cpu) / TIMED, right / TIMED
    row.parts = {part: 1000 * seconds / TIMED for part, seconds in spent.items()}
    for turn in range(TIMED):
        me, story = who[turn % len(who)]
        statement = story.more(1)[0]
        begun = time.perf_counter()
        app.service.remember(me, RememberRequest(statements=(statement,)))
        row.remember.append(1000 * (time.perf_counter() - begun))
    app.projector.drain()


def grow(settings: Settings, embedder: Recorded, most: int, report: Callable[[Row], None]) -> None:
    """One user's store, timed empty and at each tenfold size."""
    with application(settings, embedder) as (app, spent):
        me, story = Principal("scale-one", "benchmark"), Story(SEED)
        row = Row(0)
        measure(app, spent, row, [(me, story)])
        report(row)
        size = min(FIRST_SIZE, most)
        while True:
            row = Row(size)
            before = len(story.told)
            rate, row.drained = fill(app, me, story, size - before)
            row.fill = rate * (size - before) / max(1, len(story.told))
            measure(app, spent, row, [(me, story)])
            report(row)
            if size >= most:
                return
            size = min(size * 10, most)


def crowd(settings: Settings, embedder: Recorded, users: int, each: int, report: Callable[[Row], None]) -> None:
    """Many users, timed in turn."""
    with application(settings, embedder) as (app, spent):
        who = [(Principal(f"scale-{number}", "benchmark"), Story(SEED + number)) for number in range(users)]
        row = Row(users * each)
        begun = time.perf_counter()
        for me, story in who:
            _, late = fill(app, me, story, each)
            row.drained += late
        row.fill = users * each / (time.perf_counter() - begun - row.drained)
        measure(app, spent, row, who)
        report(row)


def quantile(times: Sequence[float], part: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def folder_size(folder: Path) -> float:
    """Megabytes of the files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


HEAD = (
    f"{'profile':9}{'users':>6}{'memories':>10}{'fill/s':>8}{'drain s':>9}{'remember p50':>14}{'p95':>7}"
    f"{'recall p50':>12}{'p95':>7}{'CPU':>7}{'text':>7}{'vector':>8}{'graph':>7}{'rest':>7}{'found':>7}"
    f"{'MB':>8}{'RSS MB':>8}"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", type=int, default=100_000, help="memories of the one user")
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--each", type=int, default=1_000, help="memories of each of the users")
    parser.add_argument("--server", type=Path, help="configuration file of a server profile")
    given = parser.parse_args()
    embedder = Recorded()
    print(f"one real embedding: {embedder.embed_ms:.1f} ms. Times in ms.\n{HEAD}", flush=True)
    recalls: dict[str, dict[int, float]] = defaultdict(dict)
    for profile in ("embedded", *(["server"] if given.server else [])):
        folder = Path(tempfile.mkdtemp())
        try:
            chosen = given.server if profile == "server" else None
            settings = load({"data_dir": folder, "upkeep": False, "time_zone": "UTC"}, config=chosen)

            def report(row: Row, users: int = 1, profile: str = profile, folder: Path = folder) -> None:
                parts = [row.parts.get(part, 0.0) for part in ("text", "vector", "graph")]
                recall = quantile(row.recall, 0.5)
                if users == 1:
                    recalls[profile][row.size] = recall
                print(
                    f"{profile:9}{users:6}{row.size:10}{row.fill:8.0f}{row.drained:9.1f}"
                    f"{quantile(row.remember, 0.5):14.1f}{quantile(row.remember, 0.95):7.1f}{recall:12.1f}"
                    f"{quantile(row.recall, 0.95):7.1f}{row.cpu:7.1f}{parts[0]:7.1f}{parts[1]:8.1f}{parts[2]:7.1f}"
                    f"{sum(row.recall) / TIMED - sum(parts):7.1f}{row.found:7.2f}{folder_size(folder):8.1f}"
                    f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:8.0f}",
                    flush=True,
                )

            grow(settings, embedder, given.one, report)
            crowd(settings, embedder, given.users, given.each, lambda row, go=report: go(row, given.users))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    for profile, by_size in recalls.items():
        sizes = sorted(size for size in by_size if size)
        small, large = sizes[0], sizes[-1]
        cost = {size: by_size[size] + embedder.embed_ms for size in (small, large)}
        print(
            f"{profile}: recall at {large} is {by_size[large] / by_size[0]:.1f} x that of an empty store; with one "
            f"embedding it grows {cost[large] / cost[small]:.2f} x from {small} to {large} "
            f"(square root of the growth: {(large / small) ** 0.5:.1f})"
        )


if __name__ == "__main__":
    sys.exit(main())
