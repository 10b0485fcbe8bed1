"""A list of ids as one bound value: any length, one statement, one entry in the statement cache."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

# No id holds these, and not every engine reads them in a list.
_IN_NO_ID = re.compile("[\0\ud800-\udfff]")


class _Elements(FunctionElement[Any]):
    """The elements of a JSON list of texts."""

    name = "id_list"
    inherit_cache = True


@compiles(_Elements, "sqlite")
def _sqlite(element: _Elements, compiler: SQLCompiler, **more: Any) -> str:
    return f"(SELECT value FROM json_each({compiler.process(element.clauses, **more)}))"  # noqa: S608 - a bound value


@compiles(_Elements, "postgresql")
def _postgresql(element: _Elements, compiler: SQLCompiler, **more: Any) -> str:
    return f"(SELECT json_array_elements_text(CAST({compiler.process(element.clauses, **more)} AS json)))"


def among(column: ColumnElement[Any], name: str = "ids") -> ColumnElement[bool]:
    """`column IN` the list bound under `name`, which `id_list` makes."""
    return column.op("IN", is_comparison=True)(_Elements(bindparam(name)))


def id_list(ids: Iterable[str]) -> str:
    """The value to bind for `among`."""
    return json.dumps([one for one in ids if not _IN_NO_ID.search(one)], ensure_ascii=True)
