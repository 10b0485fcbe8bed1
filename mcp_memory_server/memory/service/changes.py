"""Writing memories inside one unit of work: ledger, history, projections and audit in step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.indexing import entities_of, graph_life
from mcp_memory_server.memory.model import Memory, Status, Validity
from mcp_memory_server.memory.ports import HistoryEntry, LedgerUnit
from mcp_memory_server.memory.projecting import Embedded, project
from mcp_memory_server.memory.service.context import Context
from mcp_memory_server.memory.view import iso_local

REFINED = "refined"


@dataclass(slots=True)
class Changes:
    """What one call adds and changes. `fresh` is projected by `finish`; `touched` goes into the audit log."""

    context: Context
    principal: Principal
    unit: LedgerUnit
    fresh: dict[str, Memory] = field(default_factory=dict)
    touched: dict[str, None] = field(default_factory=dict)
    returned: dict[str, Memory] = field(default_factory=dict)  # back from the archive, to be projected again
    aged: dict[str, None] = field(default_factory=dict)  # what a graph tells of their life has changed
    late: bool = False  # something waits in the outbox

    def add(self, memory: Memory) -> Memory:
        """Insert a memory."""
        self.unit.add(memory)
        details = {"to": memory.status.value, "confidence": memory.confidence}
        self.unit.record(HistoryEntry(memory.id, memory.recorded_at, "stored", self.principal.agent, None, details))
        self.fresh[memory.id] = memory
        self.touched[memory.id] = None
        return memory

    def change(self, before: Memory, after: Memory, action: str, other: str | None = None) -> Memory:
        """Replace a memory by a new version of itself, with an entry in its history."""
        self.unit.update(after)
        details = {"from": before.status.value, "to": after.status.value, "confidence": after.confidence}
        now = self.context.clock.now()
        self.unit.record(HistoryEntry(after.id, now, action, self.principal.agent, other, details))
        self.touched[after.id] = None
        changed = replace(after, version=after.version + 1)
        if graph_life(after) != graph_life(before):
            self.aged[after.id] = None
        leaves_archive = before.status is Status.ARCHIVED and after.status is not Status.ARCHIVED
        if Status.ARCHIVED in (before.status, after.status) and self.context.archive is not None:
            self.unit.defer([after.id], self.context.archive.name)
        if leaves_archive or after.id in self.returned:
            self.returned[after.id] = changed
        if after.id in self.fresh or (after.statement != before.statement and after.id not in self.returned):
            self.fresh[after.id] = changed
        return changed

    def supersede(self, old: Memory, by: Memory | None, action: str) -> Memory:
        """Keep a memory in history only, with the time it ended and the time we learned it.

        One that was refined never stopped being true. Questions about it are settled.
        """
        now = self.context.clock.now()
        validity = old.validity
        if action != REFINED and validity.valid_to is None and by is not None:
            ends = by.validity.valid_from or iso_local(by.said_at, by.said_offset)
            validity = Validity(validity.valid_from, ends, validity.at)
        after = replace(
            old,
            status=Status.SUPERSEDED,
            superseded_at=now,
            superseded_by=by.id if by is not None else None,
            validity=validity,
        )
        self.settle(old.id, action)
        # Settling a dispute with another that is replaced too has made a new version of this one.
        stored = self.unit.get([old.id]).get(old.id, old)
        after, old = replace(after, version=stored.version), stored
        return self.change(old, after, action, by.id if by is not None else None)

    def settle(self, memory_id: str, answer: str) -> None:
        """Close the open questions about a memory; what no other question holds is current again."""
        for question in self.unit.questions([memory_id]):
            self.unit.answer(question.id, answer, self.context.clock.now())
            others = self.unit.get([one for one in question.memory_ids if one != memory_id])
            for other in others.values():
                if other.status is Status.DISPUTED and not self.unit.questions([other.id]):
                    self.change(other, replace(other, status=Status.CURRENT), "settled", memory_id)

    def finish(self, vectors: Mapping[str, Embedded], action: str, also: Iterable[str] = ()) -> None:
        """Project what is fresh and write the audit entry."""
        mentions: dict[str, list[tuple[str, str]]] = {}
        for memory in self.fresh.values():
            named = entities_of(memory)
            if named:
                self.unit.mention(memory.id, named)
                mentions[memory.id] = [(key, role) for key, _, role in named]
        # What comes back from the archive names its entities already.
        back = {one: memory for one, memory in self.returned.items() if one not in self.fresh}
        mentions |= {one: list(named) for one, named in self.unit.mentions(list(back)).items()}
        fresh = [*self.fresh.values(), *back.values()]
        self.late = project(self.context.backend, self.unit, self.context.model, fresh, mentions, vectors)
        graph = self.context.backend.graph_index
        if self.aged and not graph.transactional:  # people read a graph on a server; nobody reads the embedded one
            self.unit.defer(list(self.aged), graph.name)
            self.late = True
        ids = list(dict.fromkeys([*self.touched, *also]))
        self.unit.audit(self.context.clock.now(), action, self.principal.agent, ids)
