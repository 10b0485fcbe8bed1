"""Schemas of what only the HTTP API has; everything else is the tools' own (`tools.schemas`)."""

from __future__ import annotations

from mcp_memory_server import limits
from mcp_memory_server.tools import schemas as tools
from mcp_memory_server.tools.schemas import INPUTS, MEMORY, OUTPUTS, Schema
from mcp_memory_server.web.answers import STATUS

_TEXT: Schema = {"type": "string"}
_TIME: Schema = {"type": "string", "format": "date-time"}
_COUNT: Schema = {"type": "integer"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}


def closed(properties: dict[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    """An object that takes these properties only."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def open_object(properties: dict[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    """An object that may get more properties later."""
    return {"type": "object", "properties": properties, "required": list(required)}


def without(tool: str, *names: str, required: tuple[str, ...] = ()) -> Schema:
    """The input of a tool without what a path says instead."""
    kept = {name: spec for name, spec in INPUTS[tool]["properties"].items() if name not in names}
    return closed(kept, required or tuple(INPUTS[tool].get("required", ())))


QUESTION: Schema = OUTPUTS["recall"]["properties"]["open_questions"]["items"]
RECEIPT: Schema = OUTPUTS["forget"]["properties"]["receipt"]
FIRING: Schema = OUTPUTS["remember"]["properties"]["triggers"]["items"]
RESULT: Schema = OUTPUTS["correct_memory"]
PREVIEW: Schema = OUTPUTS["forget"]["properties"]["preview"]

ERROR = open_object(
    {
        "error": open_object(
            {"code": {"type": "string", "enum": list(STATUS)}, "message": _TEXT, "next": _TEXT},
            ("code", "message", "next"),
        )
    },
    ("error",),
)
# Components of the OpenAPI document: where one of these stands in a schema, a reference takes its place.
NAMED: dict[str, Schema] = {
    "Memory": MEMORY,
    "Question": QUESTION,
    "Receipt": RECEIPT,
    "Firing": FIRING,
    "Result": RESULT,
    "Error": ERROR,
}

HISTORY_ENTRY = open_object(
    {"at": _TIME, "action": _TEXT, "actor": _TEXT, "other": _TEXT, "details": {"type": "object"}},
    ("at", "action", "actor"),
)
MEMORY_IN_FULL: Schema = {
    **MEMORY,
    "properties": {
        **MEMORY["properties"],
        "links": {"type": "array", "items": open_object({"id": _TEXT, "link": _TEXT}, ("id", "link"))},
        "summary": _TEXT,
        "history": {"type": "array", "items": HISTORY_ENTRY},
    },
    "required": [*MEMORY["required"], "links", "history"],
}
QUESTIONS = open_object({"questions": {"type": "array", "items": QUESTION}}, ("questions",))
WORKING = open_object(
    {
        "version": _COUNT,
        "items": {
            "type": "array",
            "items": open_object(
                {
                    "id": _TEXT,
                    "kind": {"type": "string", "enum": list(tools.KINDS[1:])},
                    "said_by": _TEXT,
                    "statement": _TEXT,
                    "reference": _TEXT,
                    "characters": _COUNT,
                },
                ("id", "kind", "said_by"),
            ),
        },
        "versions": {
            "type": "array",
            "items": open_object({"version": _COUNT, "at": _TIME, "action": _TEXT}, ("version", "at", "action")),
        },
    },
    ("version", "items", "versions"),
)
SESSION = open_object(
    {"session": _TEXT, "utterances": {"type": "array", "items": MEMORY}, "working": WORKING},
    ("session", "utterances", "working"),
)
AUDIT = open_object(
    {
        "entries": {
            "type": "array",
            "items": open_object(
                {
                    "at": _TIME,
                    "action": _TEXT,
                    "agent": {"type": "string", "description": "the program; of a forgetting, the id of its receipt"},
                    "memory_ids": _TEXTS,
                    "previous": {"type": "string", "description": "hash of the line before, empty for the first"},
                    "hash": {"type": "string", "description": "SHA-256 over the line and `previous`"},
                },
                ("at", "action", "agent", "memory_ids", "previous", "hash"),
            ),
        },
        "next_cursor": _TEXT,
    },
    ("entries",),
)
ERASED = open_object(
    {
        "state": {"type": "string", "enum": ["needs_confirmation", "forgotten", "pending", "kept"]},
        "preview": PREVIEW,
        "matches": {"type": "integer", "description": f"how many there are, counted up to {limits.FORGET_MAX}"},
        "confirm": _TEXT,
        "receipts": {"type": "array", "items": RECEIPT},
    },
    ("state", "preview", "receipts"),
)

PAGE = {name: INPUTS["list_memories"]["properties"][name] for name in ("cursor", "limit", "max_chars")}
MEMORY_ID: Schema = {"type": "string", "minLength": 1, "description": "Id of a memory"}
QUESTION_ID: Schema = {"type": "string", "minLength": 1, "description": "Id of an open question"}
SESSION_ID: Schema = {"type": "string", "minLength": 1, "description": "Conversation id"}
FIRING_ID: Schema = {"type": "string", "minLength": 1, "description": "Id of a firing, as the delivery named it"}
VERSION: Schema = {"type": "integer", "minimum": 1, "maximum": 2**53, "description": "One that the session lists"}
TRIGGER_RESULT: Schema = {"type": "string", "minLength": 1, "maxLength": limits.RESULT_CHARS}
CONFIRM: Schema = {"type": "string", "description": "From the needs_confirmation answer, after the user's yes"}
FEEDBACK: Schema = {"type": "boolean", "description": "Also what give_feedback said of memories"}
