"""What a client may rely on: an id, where it is written, and a sentence. Every id has a test and every test an id.

`contract` is the page that fixes commands, tools and resources; `issue` the bars of the first issue;
`mcp` the protocol's revisions 2025-11-25 and 2026-07-28.
"""

from __future__ import annotations

import pytest

REQUIREMENTS: dict[str, tuple[str, str]] = {
    "tools:list": ("contract 2", "The tools are listed in a stable order with names that every client takes"),
    "tools:schemas": ("contract 2", "Schemas are flat: no references, no alternatives, every property typed"),
    "tools:budget": (
        "issue bar 6",
        "Names, descriptions and input schemas are at most 5,500 bytes for the first six, 8,000 for all",
    ),
    "tools:checked-is-advertised": ("contract 2", "Every argument that is checked is advertised, and no other"),
    "tools:annotations": ("issue", "Hints say which tools only read and that only forget destroys"),
    "tools:instructions": ("issue", "Instructions tell a model to call get_profile first and not to hand back"),
    "tools:unknown": ("mcp", "An unknown tool is a protocol error with the code for wrong parameters"),
    "results:schema": ("contract 2", "Every structured result matches the tool's output schema"),
    "results:text": ("contract 2", "Text and structure of a result say the same"),
    "results:absent": ("contract 2", "Absent fields are left out instead of null"),
    "results:lists": ("contract 2", "Lists of a result are always there, empty or not"),
    "arguments:kinds": ("issue bar 6", "Every wrong kind of argument answers an error of the contract, no traceback"),
    "arguments:items": ("issue bar 6", "Wrong items of a list are refused and named"),
    "arguments:choices": ("contract 2", "A value outside a closed list is refused and the list is named"),
    "arguments:ranges": ("contract 2", "Numbers outside their range are refused"),
    "arguments:lengths": ("contract 2", "Texts over their limit answer too_large or too_many"),
    "arguments:absent": ("contract 2", "null and the empty text count as absent"),
    "arguments:unknown": ("contract 2", "Unknown arguments are refused"),
    "arguments:verbatim": ("contract 2", "A text that looks like JSON stays the text that it is"),
    "arguments:times": ("contract 2", "A text that is no time is refused and names its field"),
    "arguments:together": ("contract 2", "Arguments that exclude each other are refused"),
    "remember:outcomes": ("contract 2", "Every statement has an outcome with its index"),
    "remember:evidence": ("contract 2", "A grounded statement shows the words that support it"),
    "remember:unverified": ("contract 2", "Without said a statement is unverified and has the assistant as its source"),
    "recall:answer": ("contract 2", "Recall answers with evidence and a citation since when and in which words"),
    "recall:truncated": ("contract 2", "A result stays within max_chars and says truncated"),
    "recall:excerpt": ("contract 2", "A long text is cut around the best match and says so"),
    "list:pages": ("contract 2", "Pages cover everything once, newest first"),
    "list:fit": ("contract 2", "A page holds what fits max_chars and its cursor continues behind it"),
    "forget:one": ("contract 2", "One memory is forgotten at once, with a receipt"),
    "forget:accept": ("contract 2", "Wider forgetting asks the user and does it after the yes"),
    "forget:refuse": ("contract 2", "A no, a decline and a cancel keep everything"),
    "forget:nothing": ("contract 2", "Nothing to forget asks nobody"),
    "forget:confirm": ("contract 2", "Without elicitation a confirm value does it in a second call, once"),
    "forget:bound": ("contract 2", "A confirm value reaches the previewed memories only"),
    "forget:expiry": ("contract 2", "A confirm value is good for ten minutes"),
    "forget:owner": ("contract 2", "A confirm value of another user is refused"),
    "forget:everything": ("contract 2", "Everything without elicitation is not allowed and tells what to do"),
    "correct:verdicts": ("contract 2", "Each verdict does what it says"),
    "profile:sections": ("contract 2", "The profile comes by section, with a prompt made of it"),
    "profile:results": ("issue 4", "What comes back for a trigger appears once in the next profile"),
    "profile:summaries": ("issue 4", "The last three sessions are summed up from slots"),
    "feedback:verdicts": ("contract 2", "Feedback on a recall says what changed, and the same again changes nothing"),
    "feedback:unknown": ("contract 2", "Feedback names a recall that is known and memories that it showed"),
    "feedback:spoken": ("issue 4", "Not what I meant, said after a recall, is feedback on it"),
    "recall:suggestions": ("design 6", "Linked facts are shown beside an answer, with a suggestion in its language"),
    "triggers:once": ("issue 4", "A pattern that is completed fires once, and the call says so"),
    "notifications:triggers": ("issue 4", "Listeners of both eras hear of a trigger that fires and of its result"),
    "resources:list": ("contract 3", "Resources and templates are listed"),
    "resources:read": ("contract 3", "Resources are Markdown, and JSON where it is asked for"),
    "resources:unknown": ("contract 3", "An unknown resource is an error of the protocol"),
    "resources:isolation": ("contract 3", "A memory of another user is not there"),
    "resources:one-line": ("mcp notes 7", "Memory text cannot pass for structure of ours"),
    "notifications:modern": ("contract 3", "A listener of 2026-07-28 hears of a change of its memory"),
    "notifications:legacy": ("contract 3", "A subscriber of 2025-11-25 hears of a change of its memory"),
    "notifications:isolation": ("contract 3", "Nobody hears of a change of another user's memory"),
    "notifications:unsubscribe": ("mcp", "After unsubscribing nothing is heard"),
    "prompts:list": ("contract 3", "The three prompts are listed and described"),
    "prompts:get": ("contract 3", "Prompts are made of what is known, and say so when nothing is"),
    "completions": ("contract 3", "Sections, categories, ids and sessions are completed"),
    "eras": ("contract 2", "Both protocol eras are spoken"),
    "errors:internal": ("contract 2", "A fault of ours answers internal and shows no detail"),
    "http:same": ("contract 4", "What a tool does, its path does: same arguments, answers and errors over HTTP"),
    "http:resources": (
        "contract 4",
        "Single memories, questions and sessions are read, corrected, rolled back and forgotten",
    ),
    "http:errors": ("contract 4", "Every error over HTTP has one JSON shape and a status that fits its code"),
    "http:tokens": ("contract 4", "From the first token on a call needs one, and sees what is its user's"),
    "http:pages": ("contract 4", "Hosts that are not ours and pages of elsewhere get nothing"),
    "http:identity": ("contract 4", "Headers that name a user, a device or a channel count for nothing"),
    "http:openapi": ("contract 4", "The OpenAPI document is served and lists what is there"),
    "http:export": ("contract 4", "An export over HTTP is the native format, whole, and can be imported"),
    "http:erase": ("contract 4", "Erasing all takes a confirmation that reaches all there is, and answers receipts"),
    "http:audit": ("contract 4", "The audit log is an unbroken chain, newest first, of the caller's own"),
    "http:health": ("contract 1", "Health, readiness and metrics answer and name each back end"),
    "http:told": ("contract 3", "Listeners over MCP hear of what is changed over HTTP"),
    "users:apart": ("design 1", "Nothing crosses from one user to another through any tool"),
}


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Mark a test as one of these requirements."""
    for one in ids:
        assert one in REQUIREMENTS, one
    return pytest.mark.requirement(*ids)
