"""Keeping a result within the characters that its reader can take."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mcp_memory_server.memory.view import JsonObject

_CUT = 80  # characters of a statement that the last resort leaves


def size(value: object) -> int:
    """Characters of a value as compact JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def fit(answer: JsonObject, max_chars: int, lists: Sequence[str]) -> JsonObject:
    """Shorten the lists named, from their ends and in this order, until `answer` fits; says `truncated`.

    The first memory stays: when it alone is too long, its texts are cut.
    """
    total = size(answer)
    for name in lists:
        items = answer[name]
        keep = 1 if name == "memories" else 0
        while total > max_chars and len(items) > keep:
            total -= size(items.pop()) + bool(items)  # with its comma, where others stay
            answer["truncated"] = True
    if total > max_chars and answer.get("memories") and (excess := size(answer) - max_chars) > 0:
        answer["truncated"] = True
        _shorten(answer["memories"][0], excess)
    return answer


def _shorten(memory: JsonObject, excess: int) -> None:
    """Cut the texts of one memory by about `excess` characters."""
    memory["truncated"] = True
    evidence = memory.get("evidence")
    memory.pop("citation", None)
    if evidence:
        excess -= max(0, len(evidence["quote"]) - _CUT)
        evidence["quote"] = _cut(evidence["quote"], _CUT)
    if excess > 0:
        memory["statement"] = _cut(memory["statement"], max(_CUT, len(memory["statement"]) - excess))


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
