"""What it costs to read an utterance: CPU of guard and perceive for texts of 280 to 300 characters.

`python -m benchmarks.perception` reads texts of two kinds in each language: *facts*, random messages of our own
corpora (and, where its folder is there, of the part of the labelled set that may be looked at), one fact after the
other; and *talk*, what people said one after the other in real conversations (LoCoMo, MemoryBank), where their files
are in `--data`. Each is read once so that every pattern is compiled; then the best of three readings counts, in CPU
time of this process. Beside it stands the cost of cutting the same texts into words for the index: a machine that is
busy shows there too. The goal is a p95 of 5 ms.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import random
import time
import tomllib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.understanding import aside
from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.model import Said
from mcp_memory_server.memory.perceive import perceive
from mcp_memory_server.memory.text import index_tokens
from mcp_memory_server.memory.vocabulary import Vocabulary

GOAL_MS = 5.0  # p95 of one text
LEAST, MOST = 280, 300  # characters of a text
TEXTS = 300  # of each language
BEST_OF = 3
SEED = 20261130

ROOT = Path(__file__).resolve().parent.parent
ZONES = {"en": "Europe/London", "zh": "Asia/Shanghai"}
_MOMENT = datetime(2025, 6, 2, 10, tzinfo=UTC)
_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "split")


def messages(data: Path) -> dict[str, list[str]]:
    """The messages of each language."""
    found: dict[str, list[str]] = {"en": [], "zh": []}
    for path in sorted((ROOT / "tests" / "data").glob("perception_*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            item = json.loads(line)
            found[item["lang"]].append(item["said"])
    seen = data / "understanding" / "extract_dev.jsonl"
    for line in seen.read_text("utf-8").splitlines() if seen.is_file() else ():
        item = json.loads(line)
        if not aside(item["id"]):
            found[item["lang"]].append(item["said"])
    return found


def talk(data: Path) -> dict[str, list[str]]:
    """What people said in real conversations, in their order; nothing where a file is missing."""
    found: dict[str, list[str]] = {"en": [], "zh": []}
    locomo = data / "locomo10.json"
    for item in json.loads(locomo.read_text("utf-8")) if locomo.is_file() else ():
        turns = [value for name, value in item["conversation"].items() if name.startswith("session_")]
        found["en"] += [turn["text"] for value in turns if isinstance(value, list) for turn in value]
    for lang, name in (("en", "en"), ("zh", "cn")):
        bank = data / "memorybank" / f"memory_bank_{name}.json"
        for person in json.loads(bank.read_text("utf-8")).values() if bank.is_file() else ():
            found[lang] += [turn["query"] for day in person["history"].values() for turn in day if turn.get("query")]
    return found


def joined(turns: Sequence[str], lang: str, count: int) -> list[str]:
    """Texts of `LEAST` to `MOST` characters, each of turns that follow one another."""
    texts, text = [], ""
    for turn in turns:
        text = f"{text}{' ' if lang == 'en' else ''}{turn}".strip()
        if len(text) >= LEAST:
            texts.append(text[:MOST])
            text = ""
    return random.Random(SEED).sample(texts, min(count, len(texts)))


def composed(pool: Sequence[str], lang: str, count: int) -> list[str]:
    """Texts of `LEAST` to `MOST` characters, of whole messages but for the end of the last."""
    chance, texts = random.Random(SEED), []
    while len(texts) < count:
        text = ""
        while len(text) < LEAST:
            text = f"{text}{' ' if lang == 'en' else ''}{chance.choice(pool)}".strip()
        texts.append(text[:MOST])
    return texts


def cost(work: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    """Milliseconds of CPU of each text, the best of several, in order of size."""
    for text in texts:
        work(text)
    best = [float("inf")] * len(texts)
    for _ in range(BEST_OF):
        for place, text in enumerate(texts):
            begun = time.process_time()
            work(text)
            best[place] = min(best[place], 1000 * (time.process_time() - begun))
    return sorted(best)


def share(times: Sequence[float], part: float) -> float:
    """The quantile of an ordered list."""
    return times[min(len(times) - 1, int(len(times) * part))]


def asked(work: Callable[[str], object], texts: Sequence[str]) -> float:
    """How often a text is given to the engine of `re`, on average."""
    profile = cProfile.Profile()
    profile.enable()
    for text in texts:
        work(text)
    profile.disable()
    calls = pstats.Stats(profile).get_stats_profile().func_profiles
    named = [f"<method '{name}' of 're.Pattern' objects>" for name in _METHODS]
    return sum(int(calls[name].ncalls.split("/")[0]) for name in named if name in calls) / len(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--texts", type=int, default=TEXTS, help="how many of each language and kind, at most")
    options = parser.parse_args()
    with (ROOT / "mcp_memory_server" / "defaults" / "predicates.toml").open("rb") as file:
        vocabulary = Vocabulary.parse(tomllib.load(file))
    print(f"CPU ms of guard + perceive, texts of {LEAST} to {MOST} characters, best of {BEST_OF}")
    print("language kind   texts    p50    p95    max   goal   index words p50   p95   calls of re")
    sources = {
        "facts": {lang: composed(pool, lang, options.texts) for lang, pool in messages(options.data).items()},
        "talk": {lang: joined(turns, lang, options.texts) for lang, turns in talk(options.data).items()},
    }
    for kind, by_lang in sources.items():
        for lang, texts in by_lang.items():

            def read(text: str, zone: str = ZONES[lang]) -> object:
                return perceive(Said(guard(text).text, _MOMENT, zone), vocabulary)

            if not texts:
                print(f"{lang:8} {kind:6} no conversations in {options.data}")
                continue
            times, plain = cost(read, texts), cost(index_tokens, texts)
            row = [share(times, 0.5), share(times, 0.95), times[-1]]
            print(
                f"{lang:8} {kind:6} {len(texts):5} {row[0]:6.2f} {row[1]:6.2f} {row[2]:6.2f} {GOAL_MS:6.1f} "
                f"{share(plain, 0.5):17.2f} {share(plain, 0.95):5.2f} {asked(read, texts[:50]):13.0f}"
            )


if __name__ == "__main__":
    main()
