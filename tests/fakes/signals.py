"""Recalls, votes and firings over plain dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from mcp_memory_server.errors import NotFoundError
from mcp_memory_server.memory.signals import Firing, Recalled, Tally, Task, Vote
from tests.fakes.state import UserState


class MemorySignals:
    """The signals' part of a unit of work."""

    mine: UserState

    def _own(self) -> UserState:
        raise AssertionError

    def recalled(self, recall_id: str) -> Recalled | None:
        return self.mine.recalls.get(recall_id)

    def recalls(self, limit: int) -> list[Recalled]:
        return sorted(self.mine.recalls.values(), key=lambda one: (one.at, one.id), reverse=True)[:limit]

    def end_recall(self, recall_id: str, task: Task) -> None:
        if recall_id in self.mine.recalls:
            self._own().recalls[recall_id] = replace(self.mine.recalls[recall_id], task=task)

    def vote(self, vote: Vote) -> bool:
        place = (vote.recall_id, vote.memory_id)
        known = self.mine.votes.get(place)
        if known is not None and known == replace(vote, at=known.at, agent=known.agent):
            return False
        self._own().votes.pop(place, None)
        self._own().votes[place] = vote
        return True

    def votes(self, recall_id: str | None = None) -> list[Vote]:
        return [vote for vote in self.mine.votes.values() if recall_id in (None, vote.recall_id)]

    def tallies(self, memory_ids: Sequence[str]) -> dict[str, Tally]:
        out: dict[str, Tally] = {}
        for vote in self.mine.votes.values():
            if vote.memory_id in memory_ids:
                known = out.get(vote.memory_id, Tally())
                name = vote.verdict.value
                out[vote.memory_id] = known._replace(**{name: getattr(known, name) + 1})
        return out

    def fire(self, firing: Firing) -> bool:
        if any((one.trigger, one.key) == (firing.trigger, firing.key) for one in self.mine.firings.values()):
            return False
        self._own().firings[firing.id] = firing
        return True

    def firing(self, firing_id: str) -> Firing | None:
        return self.mine.firings.get(firing_id)

    def firings(self, limit: int) -> list[Firing]:
        return list(self.mine.firings.values())[::-1][:limit]

    def change_firing(self, firing: Firing) -> None:
        if firing.id not in self.mine.firings:
            raise NotFoundError(f"no firing {firing.id}")
        self._own().firings[firing.id] = firing

    def _waiting(self) -> list[Firing]:
        found = [one for one in self.mine.firings.values() if one.result_at is not None and one.shown_at is None]
        return sorted(found, key=lambda one: one.result_at or one.at)

    def results_waiting(self) -> bool:
        return bool(self._waiting())

    def take_results(self, at: datetime) -> list[Firing]:
        taken = [replace(one, shown_at=at) for one in self._waiting()]
        for one in taken:
            self._own().firings[one.id] = one
        return taken

    def dangling(self) -> dict[str, tuple[str, ...]]:
        here = self.mine.memories
        votes = {vote.memory_id for vote in self.mine.votes.values() if vote.memory_id not in here}
        fired = {one.memory_id for one in self.mine.firings.values() if one.memory_id not in here}
        return {"feedback": tuple(sorted(votes)), "triggers": tuple(sorted(fired))}

    def drop_dangling(self) -> int:
        gone = {one for ids in self.dangling().values() for one in ids}
        self.drop_signals(gone)
        return len(gone)

    def drop_signals(self, gone: set[str]) -> None:
        mine = self._own()
        mine.votes = {place: vote for place, vote in mine.votes.items() if vote.memory_id not in gone}
        fired = {one.id for one in mine.firings.values() if one.memory_id in gone}
        mine.firings = {name: one for name, one in mine.firings.items() if name not in fired}
        mine.outbox = {place: row for place, row in mine.outbox.items() if place[0] not in fired}
        for one in list(mine.recalls.values()):
            left = tuple(memory_id for memory_id in one.memory_ids if memory_id not in gone)
            mine.recalls[one.id] = replace(one, memory_ids=left)
        mine.recalls = {name: one for name, one in mine.recalls.items() if one.memory_ids}
