"""The lines of a native file: a header, one record a line, and an end that shows it is complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from credentials.encoding import check_depth
from credentials.errors import LimitError
from mcp_memory_server.errors import InvalidArgumentError, UnsupportedError

FORMAT = "consented-memory"
VERSION = 1
LINE_BYTES = 1_000_000  # bytes of one line, line break included; a longer one is passed over
DEPTH = 32  # objects and arrays inside one another; our own records have at most 6


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file: its number from 1, and either a record or what is wrong with it."""

    number: int
    record: dict[str, Any] | None
    fault: str = ""


def encoded(record: dict[str, Any]) -> bytes:
    """A record as one line."""
    # Escaped beyond ASCII: lone surrogates and line separators come back as they were, in any editor.
    return json.dumps(record, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def header(exported_at: str) -> dict[str, Any]:
    """The first line of a file."""
    return {"type": "header", "format": FORMAT, "version": VERSION, "exported_at": exported_at}


def read_header(file: BinaryIO) -> dict[str, Any]:
    """The first line. Raises InvalidArgumentError, UnsupportedError for a newer version."""
    line = _parsed(1, file.readline(LINE_BYTES))
    record = line.record or {}
    if record.get("type") != "header" or record.get("format") != FORMAT:
        raise InvalidArgumentError(
            "line 1: not a native export of this program", next_step="Make one with `mcp-memory-server export FILE`"
        )
    version = record.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidArgumentError("line 1: version: must be a number from 1")
    if version > VERSION:
        raise UnsupportedError(
            f"the file has format version {version}, this program knows {VERSION}",
            next_step="Update consented-memory",
        )
    return record


def read_lines(file: BinaryIO) -> Iterator[Line]:
    """The lines behind the header, one at a time; empty ones are passed over."""
    number = 1
    while raw := file.readline(LINE_BYTES):
        number += 1
        if not raw.endswith(b"\n") and len(raw) == LINE_BYTES:
            while (rest := file.readline(LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield Line(number, None, f"too_large: longer than {LINE_BYTES} bytes")
        elif raw.strip():
            yield _parsed(number, raw)


def _parsed(number: int, raw: bytes) -> Line:
    try:
        text = raw.decode("utf-8-sig")  # some editors put a byte order mark at the front
        check_depth(text, DEPTH)
        record = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except LimitError:
        return Line(number, None, f"too_large: more than {DEPTH} objects and arrays inside one another")
    except ValueError as error:
        return Line(number, None, f"invalid_argument: no JSON ({type(error).__name__})")
    if not isinstance(record, dict):
        return Line(number, None, "invalid_argument: no JSON object")
    return Line(number, record)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers disagree about names given twice, so such an object is refused."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(name)
