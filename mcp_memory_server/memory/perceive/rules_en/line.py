"""English rules: a line about oneself in parts, "Marisol, 44, midwife from Gijón, vegan, two dogs"."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.rules_en.person import PEOPLE
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, draft, is_proper

_OLDEST = 110  # years
_OPENING = (
    r"(?P<n>[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?), (?P<a>\d{2})"
    r"(?:, (?:an? )?(?P<j>[A-Za-z][\w\- ]{2,30}?))?(?=,|$|[.!]| (?:from|in|living|based|at)\b)"
)
_MARKED = r"(?i)^(?:my )?(?:name|me|about me|bio|profile|intro)\s*:"
_PRESENTED = r"(?i)\b(?:introduc\w+|intro|about me|hi|hello|hey)\b"
_FROM = r"\bfrom (?P<o>[A-Z][\w\-]+(?: [A-Z][\w\-]+)?)(?=,|$|[.!])"


def profile_line(frame: Frame, context: Context) -> Iterator[Draft]:
    """How people put themselves in a line; what a part means, a table of words says."""
    text = frame.clause.text
    match = patterns.match(_OPENING, text)
    if not match or PEOPLE.search(match["n"]) or int(match["a"]) > _OLDEST:
        return
    marked = patterns.match(_MARKED, context.sentence) is not None
    if not (frame.clause.first or marked or patterns.search(_PRESENTED, context.sentence)):
        return
    yield _of_user(frame, "has_name", text_value(match["n"]))
    yield _of_user(frame, "age", Value(ValueType.NUMBER, match["a"], "year"))
    if match["j"] and (context.has("occupations", match["j"]) or context.has("occupations", match["j"].split()[-1])):
        yield _of_user(frame, "job_title", text_value(match["j"]))
    if marked:
        yield from _parts(frame, context, context.sentence.partition(match[0])[2])  # it may be cut into clauses


def _parts(frame: Frame, context: Context, text: str) -> Iterator[Draft]:
    origin = patterns.search(_FROM, text)
    if origin and is_proper(origin["o"]):
        yield _of_user(frame, "hometown", text_value(origin["o"], entity=True))
    for part in text.split(","):
        words = part.strip(" .!").casefold()
        if context.has("diets", words):
            yield _of_user(frame, "follows_diet", text_value(words))
        kept = patterns.fullmatch(rf"(?:an?|one|two|three|four|\d) (?:\w+ )?(?:{context.words('animals')})", words)
        if kept:
            yield _of_user(frame, "has_pet", text_value(words.rsplit(" ", 1)[-1]))


def _of_user(frame: Frame, predicate: str, value: Value) -> Draft:
    return draft(frame, predicate, value, subject=USER, negative=False, timeless=True)


RULES = (profile_line,)
