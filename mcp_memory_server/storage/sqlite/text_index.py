"""Full text in the ledger's file: FTS5 over our own tokens.

Tokens carry a number for their user (`7:coffee`), so that a query touches one user's postings only
and how often others use a word has no part in a score. Deletes are physical (`secure-delete`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, text

from mcp_memory_server.memory.ports import Hit, Tenancy, TextDocument, Unit
from mcp_memory_server.storage.sqlite.units import UnitSource

_QUERY_TOKENS = 64  # tokens of one query that are looked up
_POSTINGS = 5_000  # documents that are scored for one query: in a larger store its rarest tokens decide
_GROWN = 1.25  # by so much the store may have grown since a frequency was counted
_FREQUENCIES = 4_096  # tokens of which it is kept how frequent they are
_SEPARATOR = "\u00b7"  # a middle dot: never part of a token, part of the tokenizer's alphabet

SCHEMA = (
    """CREATE TABLE text_owner (number INTEGER PRIMARY KEY, user TEXT NOT NULL UNIQUE)""",
    """CREATE TABLE text_document (
         number INTEGER PRIMARY KEY, user TEXT NOT NULL, memory_id TEXT NOT NULL, digest TEXT NOT NULL,
         UNIQUE (user, memory_id))""",
    """CREATE VIRTUAL TABLE text_posting USING fts5(
         tokens, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn'")""",
    """INSERT INTO text_posting (text_posting, rank) VALUES ('secure-delete', 1)""",
)


_FIND_OWNER = text("SELECT number FROM text_owner WHERE user = :user")
_ADD_OWNER = text("INSERT INTO text_owner (user) VALUES (:user)")
_ADD_DOCUMENT = text(
    "INSERT INTO text_document (user, memory_id, digest) VALUES (:user, :memory_id, :digest) RETURNING number"
)
_ADD_POSTING = text("INSERT INTO text_posting (rowid, tokens) VALUES (:number, :tokens)")
_DROP_DOCUMENT = text("DELETE FROM text_document WHERE user = :user AND memory_id = :id RETURNING number")
_DROP_POSTING = text("DELETE FROM text_posting WHERE rowid = :number")
_SEARCH = text(
    "SELECT d.memory_id, -bm25(text_posting) AS score FROM text_posting"
    " JOIN text_document d ON d.number = text_posting.rowid"
    " WHERE text_posting MATCH :terms AND d.user = :user"
    " ORDER BY score DESC, d.number DESC LIMIT :limit"
)
_NEWEST = text("SELECT max(number) FROM text_document")
# The table of the index's terms, which FTS5 keeps anyway; a temporary table is of one connection, and in memory.
_TERMS = text("CREATE VIRTUAL TABLE IF NOT EXISTS temp.text_term USING fts5vocab(main, text_posting, row)")
_FREQUENCY = text("SELECT doc FROM temp.text_term WHERE term = :term")
# A document whose postings are missing counts as missing itself.
_DIGESTS = text(
    "SELECT d.memory_id, d.digest FROM text_document d WHERE d.user = :user"
    " AND EXISTS (SELECT 1 FROM text_posting_docsize s WHERE s.id = d.number)"
)


class SqliteTextIndex:
    """The TextIndex port on FTS5."""

    name = "text"
    transactional = True

    def __init__(self, units: UnitSource) -> None:
        self._units = units
        self._frequencies: OrderedDict[int, tuple[int, int]] = OrderedDict()  # hash of a term: documents, then newest

    def _owner(self, connection: Connection, user: str, *, create: bool = False) -> int | None:
        number: int | None = connection.execute(_FIND_OWNER, {"user": user}).scalar_one_or_none()
        if number is None and create:
            connection.execute(_ADD_OWNER, {"user": user})
            number = connection.execute(_FIND_OWNER, {"user": user}).scalar_one()
        return number

    def upsert(self, tenancy: Tenancy, documents: Sequence[TextDocument], unit: Unit | None = None) -> None:
        """Add or replace documents by memory id."""
        if not documents:
            return
        with self._units.writing(tenancy, unit) as connection:
            owner = self._owner(connection, tenancy.user, create=True)
            self._remove(connection, tenancy.user, [document.memory_id for document in documents])
            for document in documents:
                row = {"user": tenancy.user, "memory_id": document.memory_id, "digest": document.digest}
                number = connection.execute(_ADD_DOCUMENT, row).scalar_one()
                tokens = " ".join(f"{owner}{_SEPARATOR}{token}" for token in document.tokens)
                connection.execute(_ADD_POSTING, {"number": number, "tokens": tokens})

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove documents; unknown ids are passed over."""
        with self._units.writing(tenancy, unit) as connection:
            self._remove(connection, tenancy.user, memory_ids)

    def _remove(self, connection: Connection, user: str, memory_ids: Sequence[str]) -> None:
        for memory_id in memory_ids:
            number = connection.execute(_DROP_DOCUMENT, {"user": user, "id": memory_id}).scalar_one_or_none()
            if number is not None:
                connection.execute(_DROP_POSTING, {"number": number})

    def search(self, tenancy: Tenancy, tokens: Sequence[str], limit: int, unit: Unit | None = None) -> tuple[Hit, ...]:
        """The best documents that contain any of `tokens`, by BM25, best first."""
        wanted = [token.replace('"', "").replace("\0", "") for token in tokens[:_QUERY_TOKENS]]
        if not any(wanted):
            return ()
        with self._units.reading(tenancy, unit) as connection:
            owner = self._owner(connection, tenancy.user)
            if owner is None:
                return ()
            terms = self._telling(connection, [f"{owner}{_SEPARATOR}{token}" for token in wanted if token])
            quoted = " OR ".join(f'"{term}"' for term in terms)
            values = {"terms": quoted, "user": tenancy.user, "limit": limit}
            rows = connection.execute(_SEARCH, values).all()
            return tuple(Hit(memory_id, score) for memory_id, score in rows)

    def _telling(self, connection: Connection, terms: Sequence[str]) -> Sequence[str]:
        """The terms of a query, in a large store only the rarest: BM25 scores every document that has one of them.

        A term that thousands of documents have weighs next to nothing beside a rare one.
        """
        newest: int = connection.execute(_NEWEST).scalar() or 0
        if newest <= _POSTINGS:
            return terms
        connection.execute(_TERMS)
        told: list[str] = []
        total = 0
        for frequency, term in sorted((self._frequency(connection, term, newest), term) for term in terms):
            total += frequency
            if total > _POSTINGS and told:
                break
            told.append(term)
        return told

    def _frequency(self, connection: Connection, term: str, newest: int) -> int:
        """How many documents have a term, counted anew when the store has grown. No word is kept, only its hash."""
        known = self._frequencies.get(hash(term))
        if known and known[1] <= newest <= known[1] * _GROWN:
            return known[0]
        frequency: int = connection.execute(_FREQUENCY, {"term": term}).scalar() or 0
        self._frequencies[hash(term)] = frequency, newest
        while len(self._frequencies) > _FREQUENCIES:
            self._frequencies.popitem(last=False)
        return frequency

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything indexed for the user; rows without postings do not count."""
        with self._units.reading(tenancy, unit) as connection:
            rows = connection.execute(_DIGESTS, {"user": tenancy.user})
            return {memory_id: digest for memory_id, digest in rows}
