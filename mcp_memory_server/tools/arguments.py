"""Arguments as a client sent them: cleaned, and refused with the contract's code when they are wrong."""

from __future__ import annotations

from typing import Any

from mcp_memory_server.errors import InvalidArgumentError, TooLargeError
from mcp_memory_server.tools.schemas import INPUTS, Schema

_SHORT = 500  # characters of every text without a limit of its own
_TYPES = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list"}


def checked(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a tool without absent ones; see `checked_by`. Raises InvalidArgumentError, TooLargeError."""
    return checked_by(INPUTS[tool], given)


def checked_by(schema: Schema, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a flat schema describes, without absent ones (`null` and `""` count as absent).

    Raises InvalidArgumentError or TooLargeError, naming the field.
    """
    known: dict[str, Schema] = schema["properties"]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidArgumentError(f"{unknown[0]}: unknown argument", next_step=f"Known are: {', '.join(known)}")
    present = {name: value for name, value in given.items() if value is not None and (value != "" or name == "query")}
    for name in schema.get("required", ()):
        if name not in present:
            raise InvalidArgumentError(f"{name}: is required")
    return {name: _value(name, value, known[name]) for name, value in present.items()}


def _value(name: str, value: Any, spec: Schema) -> Any:
    kind = spec["type"]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON has one kind of number
    if not _has_type(value, kind):
        raise InvalidArgumentError(f"{name}: must be {_TYPES[kind]}")
    if kind == "array":
        return [_value(f"{name}[{index}]", item, spec["items"]) for index, item in enumerate(value)]
    if "enum" in spec and value not in spec["enum"]:
        raise InvalidArgumentError(f"{name}: must be one of {', '.join(spec['enum'])}")
    if kind == "integer":
        _in_range(name, value, spec)
    if kind == "string" and len(value) > spec.get("maxLength", _SHORT):
        raise TooLargeError(
            f"{name}: at most {spec.get('maxLength', _SHORT)} characters", next_step="Shorten or split it"
        )
    return value


def _has_type(value: Any, kind: str) -> bool:
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, {"string": str, "boolean": bool, "array": list}[kind])


def _in_range(name: str, value: int, spec: Schema) -> None:
    low, high = spec.get("minimum"), spec.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        raise InvalidArgumentError(f"{name}: must be from {low} to {high}")
