"""The demo itself: six steps, each of which checks that it did what it says."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mcp_memory_server.cli.demo.agents import Agent, DemoError, World, agent
from mcp_memory_server.cli.demo.script import FIRST_AGENT, SECOND_AGENT, Script, script
from mcp_memory_server.cli.output import Output


class Stage:
    """Plays the conversation and prints it as it goes."""

    def __init__(self, out: Output, world: World) -> None:
        self.out = out
        self.world = world
        self.words: Script = script(world.lang)
        self.done: list[str] = []
        self._step = ""
        world.on_question = self._answer_yes

    # -- what is printed -------------------------------------------------------------------------

    def step(self, name: str) -> None:
        """Begin a step: its title and what it shows."""
        self._step = name
        self.out.line()
        self.out.line(self.words.titles[name], "bold")
        self.out.line(self.words.explains[name], "dim")

    def enter(self, who: Agent) -> None:
        """An agent joins."""
        self.out.line(f"  [{self.words.agent.format(name=who.name, number=who.number)}]", "cyan")

    def user(self, text: str) -> None:
        """The user speaks."""
        self.out.line(f"  {self.words.user}: {text}")

    def says(self, what: str, **values: object) -> None:
        """What the memory answered."""
        self.out.line(f"    {self.words.memory}: {self.words.says[what].format(**values)}", "green")

    def check(self, condition: bool, what: str) -> None:
        """Raises DemoError, naming the step, unless the condition holds."""
        if not condition:
            raise DemoError(f"{self.words.failed} ({self.words.titles[self._step]}): {what}")

    def end(self) -> None:
        """The step has done what it says."""
        self.done.append(self._step)

    def _answer_yes(self, question: str) -> bool:
        self.says("asks", text=" ".join(question.split()))
        self.user(self.words.says["yes"])
        return True

    # -- the steps -------------------------------------------------------------------------------

    async def play(self) -> None:
        """All steps in order. Raises DemoError at the first that fails."""
        async with agent(self.world, FIRST_AGENT) as travel:
            await self._remember(travel)
            await self._guess(travel)
        async with agent(self.world, FIRST_AGENT) as travel:
            await self._recall(travel)
            async with agent(self.world, SECOND_AGENT) as cooking:
                await self._share(cooking)
                await self._contradict(cooking)
            await self._forget(travel)
        self._search_bytes()

    async def _remember(self, who: Agent) -> None:
        self.step("remember")
        self.enter(who)
        profile = await who.call("get_profile")
        self.check(profile["sections"] == [], "a new store is not empty")
        self.says("empty")
        said = ((self.words.allergy_said, self.words.allergy), (self.words.home_said, self.words.home))
        for number, (words, fact) in enumerate(said):
            self.user(words)
            answer = await who.call("remember", said=words, statements=[fact], session="demo-1")
            stored = first(answer["results"], "stored")
            self.check(stored is not None, f"statement {number} was not stored")
            memory = (stored or {})["memory"]
            self.check(memory["grounding"] == "grounded", f"statement {number} is not grounded")
            self.check(memory["evidence"]["quote"] in words, f"statement {number} has other evidence")
            self.says("stored", text=memory["statement"])
        self.end()

    async def _guess(self, who: Agent) -> None:
        self.step("guess")
        answer = await who.call(
            "remember", said=self.words.allergy_said, statements=[self.words.guess], session="demo-1"
        )
        held = first(answer["results"], "pending")
        self.check(held is not None, "a guess was taken for a fact")
        held = held or {}
        self.says("pending", text=held["memory"]["statement"], reason=held["reason"])
        await who.call("correct_memory", memory_id=held["memory"]["id"], verdict="wrong")
        self.end()

    async def _recall(self, who: Agent) -> None:
        self.step("recall")
        self.enter(who)
        self.user(self.words.question)
        found = await who.recall(self.words.question)
        best = found["memories"][:3]
        hit = containing(best, self.words.private)
        self.check(hit is not None, "the answer is not among the first three")
        self.says("found", text=(hit or {})["citation"])
        self.end()

    async def _share(self, who: Agent) -> None:
        self.step("share")
        self.enter(who)
        profile = await who.call("get_profile")
        known = [memory for section in profile["sections"] for memory in section["memories"]]
        hit = containing(known, self.words.private)
        self.check(hit is not None, "the second agent does not know it")
        self.says("profile", text=(hit or {})["statement"])
        self.end()

    async def _contradict(self, who: Agent) -> None:
        self.step("contradict")
        self.user(self.words.new_home_said)
        answer = await who.call(
            "remember", said=self.words.new_home_said, statements=[self.words.new_home], session="demo-2"
        )
        disputed = first(answer["results"], "disputed")
        self.check(disputed is not None and "question" in disputed, "no question was asked")
        question = (disputed or {})["question"]
        self.says("disputed", text=question["text"])
        self.user(self.words.answer_said)
        settled = await who.call(
            "correct_memory", question_id=question["id"], verdict="keep_second", said=self.words.answer_said
        )
        self.check(settled["outcome"] == "superseded", "the answer did not settle it")
        found = await who.recall(self.words.where)
        current = [one for one in found["memories"] if one["kind"] == "fact" and one["status"] == "current"]
        self.check(bool(current) and current[0]["id"] == settled["memory"]["id"], "recall does not know the answer")
        self.check(not containing(current, self.words.home), "the old statement is still current")
        self.says("settled", text=current[0]["statement"], old=self.words.home)
        self.end()

    async def _forget(self, who: Agent) -> None:
        self.step("forget")
        self.enter(who)
        answer = await who.call("forget", query=self.words.private)
        self.check(answer["state"] == "forgotten", f"the state is {answer['state']}")
        receipt = answer["receipt"]
        self.says("forgotten", id=receipt["id"], places=", ".join(receipt["places"]))
        found = await who.recall(self.words.question)
        self.check(containing(found["memories"], self.words.private) is None, "recall still finds it")
        self.says("gone")

    def _search_bytes(self) -> None:
        files = [path for path in self.world.folder.rglob("*") if path.is_file()]
        for path in files:
            self.check(self.words.private.encode() not in path.read_bytes(), f"the word is still in {path.name}")
        self.says("bytes", files=len(files))
        self.end()


def first(results: Iterable[dict[str, Any]], outcome: str) -> dict[str, Any] | None:
    """The first result with an outcome."""
    return next((result for result in results if result["outcome"] == outcome), None)


def containing(memories: Iterable[dict[str, Any]], words: str) -> dict[str, Any] | None:
    """The first memory whose text has some words."""
    return next((memory for memory in memories if words in memory["statement"]), None)


async def play(out: Output, folder: Path, config: Path | None, errors: Any) -> dict[str, Any]:
    """Play the demo in a folder; answers what was done. Raises DemoError."""
    began = time.monotonic()
    world = World(folder, config, out.lang, errors, lambda _question: False)
    stage = Stage(out, world)
    out.line(stage.words.intro)
    await stage.play()
    return {
        "ok": True,
        "steps": stage.done,
        "calls": world.calls,
        "processes": world.processes,
        "seconds": round(time.monotonic() - began, 1),
    }
