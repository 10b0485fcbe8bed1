"""How vectors and words stand in Weaviate: names, ids, and the definition of the one collection.

An object is one part of a memory under one model, with its vector, or the words of a memory, without one. Each
model has a vector index of its own (a named vector), so that models of other dimensions fit beside each other
and their vectors never meet. Ids are made from what they stand for, so that writing twice changes nothing; they
begin with what they belong to, so that one model's objects are a range that a cursor can walk through.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from weaviate.classes.config import (
    Configure,
    DataType,
    Property,
    Tokenization,
    VectorDistances,
)

COLLECTION = "ConsentedMemory1"  # another layout gets another number, and `rebuild` fills it
TEXT, VECTORS = "text", "vectors"  # values of OF
# Properties
OF, MEMORY, DIGEST, TOKENS, MODEL, LANG, PART, SPREAD = (
    "of", "memory_id", "digest", "tokens", "model", "lang", "part", "spread",
)  # fmt: skip
SPREAD_STEPS = 2**24  # values that SPREAD takes, evenly: what is below a share of them is a sample of that share

_EF_CONSTRUCTION, _MAX_CONNECTIONS = 200, 32
_HEAD_BYTES, _TAIL_BYTES = 4, 12  # of an id: what it belongs to, and which one it is
_TEXT_HEAD = bytes(_HEAD_BYTES)
_UNUSED = "unused"  # a collection needs one vector; each model brings its own


def tenant_name(key: bytes, user: str) -> str:
    """The tenant of a user: a hash under the user's key, which says nothing without it and ends with it."""
    name = user.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(name, key=key, person=b"weaviate.tenant", digest_size=16).hexdigest()


def vector_name(model: str) -> str:
    """The named vector of a model; a model's own name has characters that Weaviate does not take."""
    return f"m_{hashlib.blake2b(model.encode(), digest_size=8).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Range:
    """The ids of what belongs together: the words, or the vectors of one model."""

    head: bytes

    @property
    def start(self) -> UUID:
        """The id before the first one."""
        return UUID(bytes=self.head + bytes(_TAIL_BYTES))

    def holds(self, uuid: UUID) -> bool:
        """Whether an id is one of these."""
        return uuid.bytes[:_HEAD_BYTES] == self.head

    def id_of(self, memory_id: str, part: int = 0) -> UUID:
        """The id of a part of a memory."""
        made_from = b"\0".join((self.head, str(part).encode(), memory_id.encode("utf-8", "surrogatepass")))
        return UUID(bytes=self.head + hashlib.blake2b(made_from, digest_size=_TAIL_BYTES).digest())


WORDS = Range(_TEXT_HEAD)


def vectors_of(model: str) -> Range:
    """The ids of one model's vectors; their first bit is set, as it is not in those of words."""
    head = bytearray(hashlib.blake2b(model.encode(), digest_size=_HEAD_BYTES).digest())
    head[0] |= 0x80
    return Range(bytes(head))


def spread_of(uuid: UUID) -> int:
    """An evenly spread number from 0 below SPREAD_STEPS, always the same for an id."""
    return int.from_bytes(uuid.bytes[-3:], "big")


def _hidden(name: str, kind: DataType) -> Property:
    """A property that is given back and never looked for."""
    return Property(name=name, data_type=kind, index_filterable=False, index_searchable=False)


def _exact(name: str) -> Property:
    """A property that is compared as a whole."""
    return Property(
        name=name, data_type=DataType.TEXT, tokenization=Tokenization.FIELD, index_filterable=True,
        index_searchable=False,
    )  # fmt: skip


def vector_config(name: str) -> Any:
    """A named vector whose values we bring."""
    index = Configure.VectorIndex.hnsw(
        distance_metric=VectorDistances.COSINE, ef_construction=_EF_CONSTRUCTION, max_connections=_MAX_CONNECTIONS
    )
    return Configure.Vectors.self_provided(name=name, vector_index_config=index)


def definition(name: str) -> dict[str, Any]:
    """What the collection is made of, as `collections.create` takes it."""
    return {
        "name": name,
        "properties": [
            _exact(OF), _exact(MEMORY), _exact(MODEL), _exact(LANG), _hidden(DIGEST, DataType.TEXT),
            # Our own tokens, one after another: nothing but spaces parts them.
            Property(
                name=TOKENS, data_type=DataType.TEXT, tokenization=Tokenization.WHITESPACE, index_filterable=False,
                index_searchable=True,
            ),
            Property(name=PART, data_type=DataType.INT, index_filterable=True),
            Property(name=SPREAD, data_type=DataType.INT, index_filterable=False, index_range_filters=True),
        ],
        "vector_config": [vector_config(_UNUSED)],
        # A tenant comes with its first object, and one that an operator put to rest wakes when it is asked.
        "multi_tenancy_config": Configure.multi_tenancy(
            enabled=True, auto_tenant_creation=True, auto_tenant_activation=True
        ),
    }  # fmt: skip
