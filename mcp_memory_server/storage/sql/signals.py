"""Recalls, votes and firings of one user in SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, RowMapping, bindparam, delete, exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from mcp_memory_server.errors import NotFoundError
from mcp_memory_server.memory.micros import from_micros, to_micros
from mcp_memory_server.memory.signals import Delivery, Firing, Recalled, Tally, Task, Verdict, Vote
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.idlist import among, id_list
from mcp_memory_server.storage.sql.reading import SqlReading

_r, _v, _f, _o = t.recall.c, t.feedback.c, t.firing.c, t.outbox.c
_user: BindParameter[str] = bindparam("user")
_ALL = 2**31 - 1  # rows

_RECALL = select(t.recall).where(_r.user == _user, _r.id == bindparam("id"))
_RECALLS = select(t.recall).where(_r.user == _user).order_by(_r.at.desc(), _r.id.desc()).limit(bindparam("limit"))
_VOTE = select(t.feedback).where(
    _v.user == _user, _v.recall_id == bindparam("recall_id"), _v.memory_id == bindparam("memory_id")
)
_TALLIES = (
    select(_v.memory_id, _v.verdict, func.count())
    .where(_v.user == _user, among(_v.memory_id))
    .group_by(_v.memory_id, _v.verdict)
)
_FIRING = select(t.firing).where(_f.user == _user, _f.id == bindparam("id"))
_WAITING = (
    select(t.firing)
    .where(_f.user == _user, _f.shown_at.is_(None), _f.result_at.is_not(None))
    .order_by(_f.result_at, _f.seq)
)
_FIRINGS_ON = select(_f.id).where(_f.user == _user, among(_f.memory_id))
_DROP_VOTES = delete(t.feedback).where(_v.user == _user, among(_v.memory_id))
_DROP_FIRINGS = delete(t.firing).where(_f.user == _user, among(_f.id))
_DROP_DELIVERIES = delete(t.outbox).where(_o.user == _user, among(_o.memory_id))


def _dangling(column: Any) -> Any:
    """Distinct ids in a column of the user's rows that name no memory."""
    there = exists().where(t.memory.c.user == _user, t.memory.c.id == column)
    return select(column).where(column.table.c.user == _user, ~there).distinct().order_by(column)


_DANGLING = {"feedback": _dangling(_v.memory_id), "triggers": _dangling(_f.memory_id)}


class SqlSignals(SqlReading):
    """The signals' part of one user's open transaction."""

    def recalled(self, recall_id: str) -> Recalled | None:
        """A recall that is still known."""
        row = self._run(_RECALL, id=recall_id).mappings().one_or_none()
        return _recalled(row) if row is not None else None

    def recalls(self, limit: int) -> list[Recalled]:
        """The newest recalls first."""
        return [_recalled(row) for row in self._run(_RECALLS, limit=limit).mappings()]

    def end_recall(self, recall_id: str, task: Task) -> None:
        """Keep how the task of a recall ended."""
        self.connection.execute(
            update(t.recall).where(_r.user == self._user, _r.id == recall_id).values(task=task.value)
        )

    def vote(self, vote: Vote) -> bool:
        """Keep a verdict in the place of an earlier one of the same recall; False when it says the same."""
        known = self._run(_VOTE, recall_id=vote.recall_id, memory_id=vote.memory_id).mappings().one_or_none()
        if known is not None and _vote(known) == replace(vote, at=from_micros(known["at"]), agent=known["agent"]):
            return False
        if known is not None:
            self.connection.execute(delete(t.feedback).where(_v.seq == known["seq"]))
        row: dict[str, Any] = {"user": self._user, "memory_id": vote.memory_id, "recall_id": vote.recall_id}
        row |= {"verdict": vote.verdict.value, "agent": vote.agent, "spoken": vote.spoken}
        self.connection.execute(insert(t.feedback), row | {"at": to_micros(vote.at)})
        return True

    def votes(self, recall_id: str | None = None) -> list[Vote]:
        """Verdicts, oldest first."""
        query = select(t.feedback).where(_v.user == self._user)
        if recall_id is not None:
            query = query.where(_v.recall_id == recall_id)
        return [_vote(row) for row in self.connection.execute(query.order_by(_v.seq)).mappings()]

    def tallies(self, memory_ids: Sequence[str]) -> dict[str, Tally]:
        """How often each verdict was given."""
        out: dict[str, Tally] = {}
        if not memory_ids:
            return out
        for memory_id, verdict, count in self._run(_TALLIES, ids=id_list(memory_ids)).all():
            out[memory_id] = out.get(memory_id, Tally())._replace(**{verdict: count})
        return out

    def fire(self, firing: Firing) -> bool:
        """Keep a firing; False when its trigger has fired for the same key already."""
        key = self._rest.compared("firing", "key", firing.key)
        once = (_f.user == self._user, _f.trigger == firing.trigger, _f.key == key)
        if self.connection.execute(select(_f.id).where(*once)).first() is not None:
            return False
        row = self._rest.stored("firing", _firing_row(firing)) | {"user": self._user}
        self.connection.exec_driver_sql("SAVEPOINT firing")  # on PostgreSQL a refused row ends the transaction
        try:
            self.connection.execute(insert(t.firing), row)
        except IntegrityError:
            self.connection.exec_driver_sql("ROLLBACK TO firing")
            return False  # an id of another user: nothing of theirs is told
        finally:
            self.connection.exec_driver_sql("RELEASE firing")
        return True

    def _firing(self, row: RowMapping) -> Firing:
        return _firing(self._rest.read("firing", dict(row)))

    def firing(self, firing_id: str) -> Firing | None:
        """A firing by its id."""
        row = self._run(_FIRING, id=firing_id).mappings().one_or_none()
        return self._firing(row) if row is not None else None

    def firings(self, limit: int) -> list[Firing]:
        """The newest firings first."""
        query = select(t.firing).where(_f.user == self._user).order_by(_f.seq.desc()).limit(limit)
        return [self._firing(row) for row in self.connection.execute(query).mappings()]

    def change_firing(self, firing: Firing) -> None:
        """Replace a firing."""
        mine, row = (_f.user == self._user, _f.id == firing.id), self._rest.stored("firing", _firing_row(firing))
        if self.connection.execute(update(t.firing).where(*mine).values(**row)).rowcount != 1:
            raise NotFoundError(f"no firing {firing.id}")

    def results_waiting(self) -> bool:
        """Whether a result has come in that no profile has shown."""
        return self._run(_WAITING.limit(1)).first() is not None

    def take_results(self, at: datetime) -> list[Firing]:
        """The firings whose results no profile has shown; from now on they count as shown."""
        found = [self._firing(row) for row in self._run(_WAITING).mappings()]
        taken = [replace(one, shown_at=at) for one in found]
        for one in taken:
            self.change_firing(one)
        return taken

    def dangling(self) -> dict[str, tuple[str, ...]]:
        """Ids of memories that votes and firings name and that are not there."""
        return {name: tuple(self._run(query).scalars()) for name, query in _DANGLING.items()}

    def drop_dangling(self) -> int:
        """Remove such votes and firings; answers how many memories they named."""
        found = self.dangling()
        gone = {one for ids in found.values() for one in ids}
        self.drop_signals(gone)
        return len(gone)

    def drop_signals(self, gone: set[str]) -> None:
        """Votes on memories go with them, and firings with what waits to be delivered of them."""
        ids = id_list(sorted(gone))
        self._run(_DROP_VOTES, ids=ids)
        fired = id_list(self._run(_FIRINGS_ON, ids=ids).scalars().all())
        self._run(_DROP_FIRINGS, ids=fired)
        self._run(_DROP_DELIVERIES, ids=fired)
        for row in self._run(_RECALLS, limit=_ALL).mappings().all():
            shown = json.loads(row["memory_ids"])
            left = [one for one in shown if one not in gone]
            mine = (_r.user == self._user, _r.id == row["id"])
            if not left:
                self.connection.execute(delete(t.recall).where(*mine))
            elif len(left) < len(shown):
                self.connection.execute(update(t.recall).where(*mine).values(memory_ids=json.dumps(left)))


def _optional(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _recalled(row: RowMapping) -> Recalled:
    ids = tuple(json.loads(row["memory_ids"]))
    return Recalled(
        row["id"], row["user"], from_micros(row["at"]), ids, row["agent"], row["session"], Task(row["task"])
    )


def recall_row(recalled: Recalled) -> dict[str, Any]:
    """The columns of a recall."""
    return {
        "id": recalled.id,
        "user": recalled.user,
        "at": to_micros(recalled.at),
        "memory_ids": json.dumps(recalled.memory_ids),
        "agent": recalled.agent,
        "session": recalled.session,
        "task": recalled.task.value,
    }


def _vote(row: RowMapping) -> Vote:
    verdict = Verdict(row["verdict"])
    return Vote(row["memory_id"], row["recall_id"], verdict, from_micros(row["at"]), row["agent"], bool(row["spoken"]))


def _firing(row: Mapping[str, Any]) -> Firing:
    return Firing(
        id=row["id"],
        trigger=row["trigger"],
        key=row["key"],
        memory_id=row["memory_id"],
        count=row["count"],
        at=from_micros(row["at"]),
        state=Delivery(row["state"]),
        result=row["result"],
        result_at=_optional(row["result_at"]),
        shown_at=_optional(row["shown_at"]),
    )


def _firing_row(firing: Firing) -> dict[str, Any]:
    return {
        "id": firing.id,
        "trigger": firing.trigger,
        "key": firing.key,
        "memory_id": firing.memory_id,
        "count": firing.count,
        "at": to_micros(firing.at),
        "state": firing.state.value,
        "result": firing.result,
        "result_at": None if firing.result_at is None else to_micros(firing.result_at),
        "shown_at": None if firing.shown_at is None else to_micros(firing.shown_at),
    }
