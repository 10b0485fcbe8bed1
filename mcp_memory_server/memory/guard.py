"""Before anything is kept: secrets and personal identifiers are masked, orders to a model are marked.

Detection is in `guarding`; here the spans found get numbered placeholders that stay the same for the
same value within one call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mcp_memory_server.memory.guarding import secrets
from mcp_memory_server.memory.guarding.orders import gives_orders
from mcp_memory_server.memory.guarding.spans import Found, fold
from mcp_memory_server.memory.model import Guarded, Mask
from mcp_memory_server.memory.perceive.rx import drop_texts
from mcp_memory_server.memory.text import clean

_PLACEHOLDER = re.compile(r"\[([a-z_ ]+) (\d{1,6})\]")


def guard(text: str, taken: Mapping[str, str] | None = None) -> Guarded:
    """`text` with every secret and identifier replaced by `[kind n]`, and what else there is to know.

    `taken` gives the placeholders of values that were masked before (see `value_key`): they are used
    again, and new numbers continue after them. Offsets of the masks are code points of `text`.
    """
    return _guard(text, dict(taken or {}))


def guard_all(texts: Sequence[str]) -> list[Guarded]:
    """The guard over texts that belong together: one value has one placeholder in all of them."""
    taken: dict[str, str] = {}
    return [_guard(text, taken) for text in texts]


def value_key(kind: str, value: str) -> str:
    """What two spellings of one value share: letters and digits only, but all of a password."""
    value = fold(value)
    if kind in ("password", "api_key"):
        return f"{kind}:{value}"
    bare = re.sub(r"[^0-9a-z@]", "", value.casefold())
    return f"{kind}:{bare[-10:] if kind == 'phone' else bare}"


def _guard(text: str, taken: dict[str, str]) -> Guarded:
    found = secrets.find(text)
    used = {(match[1], int(match[2])) for match in _PLACEHOLDER.finditer(text)}
    used |= {(match[1], int(match[2])) for match in map(_PLACEHOLDER.fullmatch, taken.values()) if match}
    masks = []
    for item in found:
        key = value_key(item.kind, text[item.start : item.end])
        if key not in taken:
            taken[key] = _fresh(item, used)
        masks.append(Mask(item.kind, item.start, item.end, taken[key]))
    pieces, position = [], 0
    for mask in masks:
        pieces += [text[position : mask.start], mask.placeholder]
        position = mask.end
    masked = "".join([*pieces, text[position:]])
    done = Guarded(text=masked, masks=tuple(masks), hidden=clean(text)[1], instruction=gives_orders(text))
    if masks:
        drop_texts()
    return done


def _fresh(item: Found, used: set[tuple[str, int]]) -> str:
    number = 1
    while (item.kind, number) in used:
        number += 1
    used.add((item.kind, number))
    return f"[{item.kind} {number}]"
