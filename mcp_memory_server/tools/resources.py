"""Resources: the profile, single memories, open questions and sessions, as Markdown or JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from mcp.types import Resource, ResourceTemplate

from mcp_memory_server.errors import InvalidArgumentError, NotFoundError
from mcp_memory_server.tools.memory_tools import session
from mcp_memory_server.tools.schemas import SECTIONS

if TYPE_CHECKING:
    from mcp_memory_server.identity.principal import Principal
    from mcp_memory_server.memory.service import MemoryService

SCHEME = "memory"
MARKDOWN = "text/markdown"
JSON = "application/json"

RESOURCES = (
    Resource(
        uri="memory://profile",
        name="profile",
        title="Profile",
        description="What is known of the user, by section",
        mime_type=MARKDOWN,
    ),
    Resource(
        uri="memory://questions",
        name="questions",
        title="Open questions",
        description="Contradictions that wait for the user",
        mime_type=MARKDOWN,
    ),
    Resource(
        uri="memory://triggers",
        name="triggers",
        title="Triggers",
        description="Patterns that were completed, and what came back for them",
        mime_type=MARKDOWN,
    ),
)
TEMPLATES = (
    ResourceTemplate(
        uri_template="memory://profile/{section}{?format}",
        name="profile_section",
        title="A section of the profile",
        description=f"One of {', '.join(SECTIONS)}; format=json for data",
        mime_type=MARKDOWN,
    ),
    ResourceTemplate(
        uri_template="memory://memories/{id}{?format}",
        name="memory",
        title="A memory",
        description="One memory in full, with evidence and history; format=json for data",
        mime_type=MARKDOWN,
    ),
    ResourceTemplate(
        uri_template="memory://sessions/{session}{?format}",
        name="session",
        title="A session",
        description="What was said in a session, its working memory and versions; format=json for data",
        mime_type=MARKDOWN,
    ),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parsed resource URI."""

    kind: str
    name: str
    as_json: bool


def parse(uri: str) -> Wanted | None:
    """The parts of one of our URIs; None when it is not ours."""
    parts = urlsplit(uri)
    if parts.scheme != SCHEME or parts.netloc not in ("profile", "questions", "triggers", "memories", "sessions"):
        return None
    name = unquote(parts.path.removeprefix("/"))
    return Wanted(parts.netloc, name, parse_qs(parts.query).get("format", ["markdown"])[0] == "json")


def read(service: MemoryService, principal: Principal, wanted: Wanted) -> dict[str, Any]:
    """The text and type of a resource. Raises NotFoundError."""
    readers = {
        "profile": _profile,
        "memories": _memory,
        "questions": _questions,
        "triggers": _triggers,
        "sessions": _session,
    }
    data, text = readers[wanted.kind](service, principal, wanted.name)
    if wanted.as_json:
        return {"text": json.dumps(data, ensure_ascii=False, indent=1), "mime_type": JSON}
    return {"text": text, "mime_type": MARKDOWN}


def _profile(service: MemoryService, principal: Principal, name: str) -> tuple[Any, str]:
    from mcp_memory_server.memory import profile
    from mcp_memory_server.memory.service import ProfileRequest

    try:
        data = service.profile(principal, ProfileRequest(section=name or "all", max_chars=100_000))
    except InvalidArgumentError as error:
        raise NotFoundError(f"no section {name}", next_step=f"One of {', '.join(SECTIONS)}") from error
    lang = service.context.language
    lines = []
    for section in data["sections"]:
        lines.append(f"## {profile.title(section['name'], lang)}")
        lines += [f"- {_line(memory)}" for memory in section["memories"]]
    if name in ("", "recent_sessions") and data["recent_sessions"]:
        lines.append(f"## {profile.title('recent_sessions', lang)}")
        for session in data["recent_sessions"]:
            lines.append(f"- {_one_line(session['session'])}: {session['summary']}")
            lines += [f"  - {_one_line(event['summary'])}" for event in session["events"]]
    return data, "\n".join(lines) or _nothing(lang)


def _memory(service: MemoryService, principal: Principal, name: str) -> tuple[Any, str]:
    data = service.memory(principal, name)
    lines = [f"# {_one_line(data['statement'])}", ""]
    lines += [f"- {key}: {data[key]}" for key in ("kind", "category", "status", "source", "grounding", "said_at")]
    if evidence := data.get("evidence"):
        lines.append(f"- evidence: “{_one_line(evidence['quote'])}” ({evidence['said_by']}, {evidence['said_at']})")
    lines += ["", "## History", *(f"- {entry['at']}: {entry['action']}" for entry in data["history"])]
    return data, "\n".join(lines)


def _questions(service: MemoryService, principal: Principal, name: str) -> tuple[Any, str]:
    if name:
        raise NotFoundError(f"no resource questions/{name}")
    data = service.questions(principal)
    text = "\n".join(f"- {_one_line(item['text'])} ({item['id']}: {', '.join(item['answers'])})" for item in data)
    return data, text or _nothing(service.context.language)


def _triggers(service: MemoryService, principal: Principal, name: str) -> tuple[Any, str]:
    if name:
        raise NotFoundError(f"no resource triggers/{name}")
    data = service.triggers(principal)
    lines = []
    for one in data:
        lines.append(f"- {one['at'][:10]} {one['trigger']} ({one['state']}, {one['id']}): {_one_line(one['summary'])}")
        if "result" in one:
            lines.append(f"  - “{_one_line(one['result'])}”")
    return data, "\n".join(lines) or _nothing(service.context.language)


def _session(service: MemoryService, principal: Principal, name: str) -> tuple[Any, str]:
    data = session(service, principal, name)
    spoken, working = data["utterances"], data["working"]
    lines = [f"- {item['said_at']} {item['evidence']['said_by']}: {_one_line(item['statement'])}" for item in spoken]
    if working["versions"]:
        held = [_one_line(item.get("statement") or item["reference"]) for item in working["items"]]
        lines += ["", f"## Working memory, version {working['version']}", *(f"- {text}" for text in held)]
        versions = [f"{one['version']} ({one['action']}, {one['at']})" for one in working["versions"]]
        lines += ["", f"Versions: {', '.join(versions)}"]
    return data, "\n".join(lines)


def _line(memory: dict[str, Any]) -> str:
    return f"{_one_line(memory['statement'])} ({memory['said_at'][:10]}, {memory['grounding']})"


def _one_line(text: str) -> str:
    """A memory's text on one line: it must not pass for Markdown structure of ours."""
    return " ".join(str(text).split())


def _nothing(lang: str) -> str:
    return "还没有内容。" if lang == "zh" else "Nothing yet."


def complete(service: MemoryService, principal: Principal, name: str, start: str) -> list[str]:
    """Values of a template's argument that begin with `start`."""
    if name == "session":
        return [found for found in service.session_names(principal) if found.startswith(start)]
    return service.ids_starting(principal, start)
