"""Vectors in the ledger's file: float16 rows, exact scan of one user's matrix.

A matrix of one user, model and language is kept in memory and brought up to date by the user's epoch:
new rows are appended, a removal makes it load again. Above `PREFILTER_ROWS` rows the scan looks at
sign bits first and scores only the best of them exactly.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, text

from mcp_memory_server.memory.ports import Hit, Tenancy, Unit, Vector, VectorDocument, VectorHits
from mcp_memory_server.storage.sql.unit import SqlUnit
from mcp_memory_server.storage.sqlite.units import UnitSource

PREFILTER_ROWS = 50_000  # rows above which sign bits are compared first
_RESCORED = 400  # rows scored exactly after the comparison of sign bits
_CACHE_BYTES = 512 * 1024 * 1024  # of all matrices in memory

SCHEMA = (
    """CREATE TABLE vector (
         number INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL, model TEXT NOT NULL, lang TEXT NOT NULL,
         memory_id TEXT NOT NULL, part INTEGER NOT NULL, digest TEXT NOT NULL, data BLOB NOT NULL,
         UNIQUE (user, memory_id, model, part))""",
    """CREATE INDEX vector_by_language ON vector (user, model, lang, number)""",
)


_DROP = text("DELETE FROM vector WHERE user = :user AND memory_id = :id")
_REPLACE = text("DELETE FROM vector WHERE user = :user AND memory_id = :id AND model = :model")
_DROP_MODEL = text("DELETE FROM vector WHERE user = :user AND model = :model")
_ADD = text(
    "INSERT INTO vector (user, model, lang, memory_id, part, digest, data)"
    " VALUES (:user, :model, :lang, :memory_id, :part, :digest, :data)"
)
_SINCE = text(
    "SELECT number, memory_id, data FROM vector WHERE user = :user AND model = :model AND lang = :lang"
    " AND number > :last ORDER BY number"
)
_DIGESTS = text("SELECT DISTINCT memory_id, digest FROM vector WHERE user = :user AND model = :model")
_MODELS = text("SELECT model, COUNT(DISTINCT memory_id) FROM vector WHERE user = :user GROUP BY model")


@dataclass(slots=True)
class _Matrix:
    revision: int
    purge: int
    last: int
    ids: list[str]
    owners: np.ndarray[tuple[int], np.dtype[np.int64]]
    rows: Vector
    bits: np.ndarray[tuple[int, int], np.dtype[np.uint64]] | None = None


class SqliteVectorIndex:
    """The VectorIndex port on a table of float16 blobs."""

    name = "vectors"
    transactional = True

    def __init__(self, units: UnitSource) -> None:
        self._units = units
        self._cache: OrderedDict[tuple[str, str, str], _Matrix] = OrderedDict()
        self._lock = threading.Lock()

    def upsert(
        self, tenancy: Tenancy, model: str, documents: Sequence[VectorDocument], unit: Unit | None = None
    ) -> None:
        """Add or replace all parts of the memories that `documents` name."""
        if not documents:
            return
        _note_write(unit)
        with self._units.writing(tenancy, unit) as connection:
            replaced = 0
            for memory_id in dict.fromkeys(document.memory_id for document in documents):
                replaced += connection.execute(
                    _REPLACE, {"user": tenancy.user, "id": memory_id, "model": model}
                ).rowcount
            connection.execute(
                _ADD,
                [
                    {
                        "user": tenancy.user,
                        "model": model,
                        "lang": d.lang,
                        "memory_id": d.memory_id,
                        "part": d.part,
                        "digest": d.digest,
                        "data": np.asarray(d.vector, dtype=np.float16).tobytes(),
                    }
                    for d in documents
                ],
            )
            if replaced:
                _own(connection, tenancy, unit).touch(purged=True)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove every part of every model."""
        _note_write(unit)
        with self._units.writing(tenancy, unit) as connection:
            rows = [{"user": tenancy.user, "id": one} for one in memory_ids]
            if rows:
                connection.execute(_DROP, rows)
        self.evict(tenancy.user)

    def drop_model(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> None:
        """Remove all vectors of one model."""
        _note_write(unit)
        with self._units.writing(tenancy, unit) as connection:
            connection.execute(_DROP_MODEL, {"user": tenancy.user, "model": model})
        self.evict(tenancy.user)

    def evict(self, user: str) -> None:
        """Drop a user's matrices from memory."""
        with self._lock:
            for key in [key for key in self._cache if key[0] == user]:
                del self._cache[key]

    def search(
        self, tenancy: Tenancy, model: str, lang: str, vector: Vector, limit: int, unit: Unit | None = None
    ) -> VectorHits:
        """The memories of `lang` nearest to `vector`: one hit a memory, its best part counts."""
        with self._units.reading(tenancy, unit) as connection:
            if isinstance(unit, SqlUnit) and unit.vectors_written:
                # What is not committed yet may be taken back: it must not get into the cache.
                matrix = _extended(None, _rows(connection, tenancy.user, model, lang, 0), 0, 0)
            else:
                matrix = self._matrix(_own(connection, tenancy, unit), model, lang)
        if not len(matrix.rows):
            return VectorHits(())
        query = np.ascontiguousarray(vector, dtype=np.float32)
        if len(matrix.rows) > PREFILTER_ROWS:
            picked = _prefilter(matrix, query, max(_RESCORED, 2 * limit))
            # The best rows would bias mean and deviation; a spread of rows stands for all of them.
            spread = matrix.rows[:: max(1, len(matrix.rows) // 2000)] @ query
            scores, owners = matrix.rows[picked] @ query, matrix.owners[picked]
            mean, deviation = float(spread.mean()), float(spread.std())
        else:
            scores, owners = matrix.rows @ query, matrix.owners
            mean, deviation = float(scores.mean()), float(scores.std())
        order = np.argsort(-scores, kind="stable")
        best: dict[int, float] = {}
        for row in order:
            best.setdefault(int(owners[row]), float(scores[row]))
            if len(best) >= limit:
                break
        hits = tuple(Hit(matrix.ids[owner], score) for owner, score in best.items())
        return VectorHits(hits, mean, deviation, len(matrix.ids))

    def _matrix(self, unit: SqlUnit, model: str, lang: str) -> _Matrix:
        (revision, purge), key = unit.epoch(), (unit.user, model, lang)
        with self._lock:
            known = self._cache.get(key)
            if known is not None and known.revision == revision:
                self._cache.move_to_end(key)
                return known
        fresh = known is None or known.purge != purge or known.revision > revision
        rows = _rows(unit.connection, unit.user, model, lang, 0 if fresh or known is None else known.last)
        matrix = _extended(None if fresh else known, rows, revision, purge)
        with self._lock:
            self._cache[key] = matrix
            self._cache.move_to_end(key)
            while len(self._cache) > 1 and sum(m.rows.nbytes for m in self._cache.values()) > _CACHE_BYTES:
                self._cache.popitem(last=False)
        return matrix

    def digests(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of what is indexed for the user under `model`."""
        with self._units.reading(tenancy, unit) as connection:
            rows = connection.execute(_DIGESTS, {"user": tenancy.user, "model": model})
            return {memory_id: digest for memory_id, digest in rows}

    def models(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, int]:
        """How many memories have vectors of which model."""
        with self._units.reading(tenancy, unit) as connection:
            rows = connection.execute(_MODELS, {"user": tenancy.user})
            return {model: count for model, count in rows}


def _own(connection: Connection, tenancy: Tenancy, unit: Unit | None) -> SqlUnit:
    """The ledger's unit, which keeps the epoch that it has read, or one on the same connection."""
    return unit if isinstance(unit, SqlUnit) else SqlUnit(connection, tenancy.user)


def _note_write(unit: Unit | None) -> None:
    if isinstance(unit, SqlUnit):
        unit.vectors_written = True


def _rows(connection: Connection, user: str, model: str, lang: str, last: int) -> list[tuple[int, str, bytes]]:
    values = {"user": user, "model": model, "lang": lang, "last": last}
    return [(number, memory_id, data) for number, memory_id, data in connection.execute(_SINCE, values)]


def _extended(known: _Matrix | None, rows: Sequence[tuple[int, str, bytes]], revision: int, purge: int) -> _Matrix:
    """`known` with rows appended; a new object, since a reader may still hold the old one."""
    ids = list(known.ids) if known else []
    position = {memory_id: index for index, memory_id in enumerate(ids)}
    owners = []
    for _, memory_id, _ in rows:
        if memory_id not in position:
            position[memory_id] = len(ids)
            ids.append(memory_id)
        owners.append(position[memory_id])
    fresh = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.float16).astype(np.float32)
    fresh = fresh.reshape(len(rows), -1) if rows else np.zeros((0, 0), dtype=np.float32)
    if known is None or not len(known.rows):
        matrix, owned = fresh, np.asarray(owners, dtype=np.int64)
    elif rows:
        matrix = np.vstack((known.rows, fresh))
        owned = np.concatenate((known.owners, np.asarray(owners, dtype=np.int64)))
    else:
        matrix, owned = known.rows, known.owners
    last = rows[-1][0] if rows else (known.last if known else 0)
    return _Matrix(revision, purge, last, ids, owned, matrix, known.bits if known and not rows else None)


def _prefilter(matrix: _Matrix, query: Vector, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The rows whose sign bits differ least from the query's."""
    if matrix.bits is None:
        matrix.bits = _signs(matrix.rows)
    differing = np.bitwise_count(matrix.bits ^ _signs(query[None, :])).sum(axis=1)
    count = min(count, len(differing) - 1)
    return np.argpartition(differing, count)[:count].astype(np.int64)


def _signs(rows: Vector) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    packed = np.packbits(rows > 0, axis=1)
    padding = -packed.shape[1] % 8
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, padding)))).view(np.uint64)
