"""Reading through many objects of a tenant, and naming many in one request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from weaviate.collections import Collection

from mcp_memory_server.storage.weaviate.layout import DIGEST, MEMORY, Range
from mcp_memory_server.storage.weaviate.server import WeaviateServer

_PAGE = 5_000  # objects of one page of a walk
_NAMED = 500  # ids in one filter


def in_batches(ids: Sequence[str]) -> Iterator[list[str]]:
    """Ids, as many at a time as one filter may name."""
    known = list(dict.fromkeys(ids))
    for start in range(0, len(known), _NAMED):
        yield known[start : start + _NAMED]


def digests_of(server: WeaviateServer, tenant: str | None, ids: Range) -> dict[str, str]:
    """Memory id to digest of a range of a tenant, page by page. Raises UnavailableError."""
    found: dict[str, str] = {}
    after = ids.start
    while True:

        def page(collection: Collection[Any, Any], after: Any = after) -> list[Any]:
            answer = collection.query.fetch_objects(limit=_PAGE, after=after, return_properties=[MEMORY, DIGEST])
            return list(answer.objects)

        nothing: list[Any] = []
        objects = server.ask(tenant, page, nothing)
        mine = [one for one in objects if ids.holds(one.uuid)]
        found.update({str(one.properties[MEMORY]): str(one.properties[DIGEST]) for one in mine})
        if len(mine) < _PAGE:
            return found
        after = objects[-1].uuid
