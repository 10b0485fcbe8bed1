"""A pattern taken apart at its outermost bars: most of its alternatives can be passed over for most texts."""

from __future__ import annotations

import re

_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\)|.", re.DOTALL)
_FLAGS = re.compile(r"\(\?([aimsux]+)\)")


def alternatives(pattern: str) -> list[str]:
    """The alternatives of a pattern without groups, each with the flags that stand at its beginning.

    The pattern alone where it has groups: what is found says which of them took part, so they must stay together.
    """
    if re.compile(pattern).groups:
        return [pattern]
    head = _FLAGS.match(pattern)
    flags, body = (head[0], pattern[head.end() :]) if head else ("", pattern)
    found, depth = [flags], 0
    for piece in _PIECE.findall(body):
        if piece == "|" and not depth:
            found.append(flags)
            continue
        depth += (piece == "(") - (piece == ")")
        found[-1] += piece
    return found
