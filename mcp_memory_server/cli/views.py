"""How the results of the memory commands read on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcp_memory_server.cli.output import Output
from mcp_memory_server.cli.texts import word

_GOOD = "green"
_OPEN = "yellow"
_QUIET = "dim"
_OUTCOME_STYLES = {
    "stored": _GOOD,
    "restated": _GOOD,
    "refined": _GOOD,
    "superseded": _GOOD,
    "retracted": _GOOD,
}


def memories(out: Output, found: Iterable[dict[str, Any]]) -> None:
    """Memories one below the other."""
    for memory in found:
        _memory(out, memory)


def _memory(out: Output, memory: dict[str, Any]) -> None:
    style = "" if memory["status"] == "current" else _OPEN
    out.line(f"- {memory['statement']}", style)
    if "citation" in memory:
        out.line(f"  {memory['citation']}", _QUIET)
    facts = [
        memory["id"],
        word(out.lang, memory["kind"]),
        word(out.lang, memory["category"]),
        word(out.lang, memory["status"]),
        word(out.lang, memory["grounding"]),
        memory["said_at"][:10],
    ]
    extras = ("valid_from", "valid_to", "at", "strength", "confidence")
    facts += [f"{name} {memory[name]}" for name in extras if name in memory]
    out.line("  " + " · ".join(facts), _QUIET)


def remembered(out: Output, answer: dict[str, Any]) -> None:
    """What became of each statement."""
    for result in answer["results"]:
        became(out, result)
    if not answer["results"]:
        out.say("no_fact" if "utterance" in answer else "nothing_kept")
    for mask in answer["masked"]:
        out.say("masked", _OPEN, kind=mask["kind"], placeholder=mask["placeholder"])
    if answer["degraded"]:
        out.say("degraded", _OPEN, parts=", ".join(answer["degraded"]))
    if forget := answer.get("forget"):
        out.say("asked_to_forget", _OPEN)
        preview(out, forget["preview"])
        out.say("confirm_with", confirm=forget["confirm"])


def became(out: Output, result: dict[str, Any]) -> None:
    """What became of one statement."""
    outcome = result["outcome"]
    memory = result.get("memory")
    text = memory["statement"] if memory else ", ".join(result["replaced"])
    out.line(f"{word(out.lang, outcome)}: {text}", _OUTCOME_STYLES.get(outcome, _OPEN))
    if memory:
        out.line(f"  {memory['id']}", _QUIET)
    if result.get("reason"):
        out.line(f"  {result['reason']}", _QUIET)
    if question := result.get("question"):
        _question(out, question)


def _question(out: Output, question: dict[str, Any]) -> None:
    out.line(f"? {question['text']}", _OPEN)
    out.line(f"  {question['id']}: {', '.join(question['answers'])}", _QUIET)


def questions(out: Output, found: list[dict[str, Any]]) -> None:
    """The open questions under a heading."""
    if found:
        out.say("open_questions", "bold")
        for question in found:
            _question(out, question)


def recalled(out: Output, answer: dict[str, Any]) -> None:
    """What was found, best first."""
    if not answer["memories"]:
        out.say("nothing_found")
    memories(out, answer["memories"])
    if answer["degraded"]:
        out.say("degraded", _OPEN, parts=", ".join(answer["degraded"]))
    if answer["truncated"]:
        out.say("more_matches", total=answer["total_matches"])
    questions(out, answer["open_questions"])


def listed(out: Output, answer: dict[str, Any]) -> None:
    """One page."""
    memories(out, answer["memories"])
    out.say("shown_of", shown=len(answer["memories"]), total=answer["total"])
    if cursor := answer.get("next_cursor"):
        out.say("next_page", cursor=cursor)


def preview(out: Output, lines: Iterable[dict[str, Any]]) -> None:
    """What would be forgotten."""
    for line in lines:
        out.line(f"- {line['statement']}  ({line['id']})")


def forgotten(out: Output, answer: dict[str, Any]) -> None:
    """What became of a wish to forget."""
    if answer["state"] == "kept":
        out.say("kept")
    elif answer["state"] == "needs_confirmation":
        out.say("confirm_with", confirm=answer["confirm"])
    else:
        out.say("forgotten", _GOOD, count=len(answer["forgotten"]))
        receipt(out, answer["receipt"])


def receipt(out: Output, found: dict[str, Any]) -> None:
    """A receipt: where it was erased, and what is still pending."""
    out.say("receipt", id=found["id"], places=", ".join(found["places"]), at=found["requested_at"])
    for place in found["pending"]:
        out.say("pending", _OPEN, place=place)
    if found["pending"]:
        out.say("run_maintain")


def profile(out: Output, answer: dict[str, Any]) -> None:
    """The profile by section."""
    from mcp_memory_server.memory.profile import title

    for section in answer["sections"]:
        out.line(title(section["name"], out.lang), "bold")
        memories(out, section["memories"])
    if not answer["sections"]:
        out.say("nothing_known")
    questions(out, answer["open_questions"])


def graph(out: Output, answer: dict[str, Any]) -> None:
    """Entities and relations."""
    for relation in answer["relations"]:
        out.line(f"{relation['source']} -[{relation['predicate']}]-> {relation['target']}  ({relation['memory_id']})")
    out.say("graph_size", entities=len(answer["entities"]), relations=len(answer["relations"]))
