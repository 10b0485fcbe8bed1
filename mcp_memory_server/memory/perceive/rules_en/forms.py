"""English rules: requests about the form of answers ("stick to tables", "spare me the jargon")."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft

# What an answer is made of.
_PARTS = (
    r"(?:(?:one|two|three|a single|a few) (?:short )?(?:paragraphs?|sentences?|lines?|words?)|tables?|bullet ?points?|bullets|numbered lists?|lists?|headings?|headers|subheadings|paragraphs?|full sentences|complete sentences|plain text|plain english|markdown|prose|code blocks?|code|links?|sources|citations?|references|footnotes|examples?|analog(?:y|ies)|diagrams?|charts?|"
    r"summar(?:y|ies)|emojis?|exclamation marks?|jargon|acronyms|abbreviations|buzzwords|waffle|fluff|filler|small talk|preamble|pleasantries|apologies|disclaimers|caveats|intros?|introductions?|flattery|compliments|metaphors|idioms|slang|long words|technical terms|"
    r"metric units|imperial units|the metric system|24-hour time|the 24-hour clock|capital letters|capitals|bold(?: text)?|italics|json|csv|latex|python|british spelling|american spelling|first names)"
)
_ADJ = r"(?:(?:short|brief|simple|clear|plain|concise|small|nice|clean|proper|long|lengthy|endless|technical|unnecessary|legal|fancy|more|fewer|less|all|any|those|these|your|the|some) )*"
_WANT = r"(?:stick (?:to|with)|use|give me|keep to|go (?:with|for)|prefer|want|like|need|include|add|write (?:in|with)|answer (?:in|with|using)|reply (?:in|with|using)|respond (?:in|with|using)|explain (?:in|with|using)|put (?:it|things|everything|them|your answers?) (?:in|into|as)|format (?:\w+ ){1,3}(?:as|in)|show me|send me|present (?:\w+ ){1,2}(?:as|in)|set (?:it|things) out (?:as|in))"
_AVOID = r"(?:leave out|leave off|skip|drop|avoid|ditch|spare me|cut(?: out)?|cut down on|stop (?:using|with|adding)|(?:don't|do not|never) (?:use|add|give me|include|want|need|like|send me|write)|lose|go easy on|easy on|enough (?:with|of)|less|fewer|no(?: more)?|without|omit|forget|hold|mind)"
_FORM = re.compile(rf"\b(?:(?P<no>{_AVOID})|{_WANT}) {_ADJ}(?P<o>{_PARTS})(?![\w-])", re.IGNORECASE)
_AND = re.compile(
    rf"(?:,| and| or|, and| rather than| instead of| over)\s+(?P<bare>(?:{_ADJ}))(?P<o>{_PARTS})(?![\w-])",
    re.IGNORECASE,
)
# Words by which a request is one for every answer.
_STANDING = re.compile(
    r"^(?:reply|answer|respond) (?:in|with|using|only)\b|\b(?:in future|in the future|from now on|from here on|going forward|please|always|never|every time|whenever|each time|by default|when(?:ever)? (?:you|I|answering|replying|explaining)|your (?:answers?|replies|responses|explanations|messages)|answers|replies|explanations|responses|for me|as a rule|next time|I (?:prefer|want|like|need)|I'd (?:prefer|like|rather))\b",
    re.IGNORECASE,
)
_ABOUT_ELSE = re.compile(
    r"\b(?:code|script|function|spreadsheet|document|report|essay|email|e-mail|letter|recipe|website|in my|to my|restaurant|hotel|buy|order|book|this (?:text|sentence|paragraph)|for (?:this|the) (?:task|file|project))\b",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"\b(?:(?:be|keep (?:it|things|them|your answers?|answers|replies|your replies|everything)|make (?:it|them|your answers?)|stay)(?: (?:more|a bit|a little|as|very|nice and|really))* (?P<a>short|brief|concise|simple|formal|informal|casual|friendly|blunt|direct|honest|polite|detailed|specific|neutral|light|to the point|succinct|crisp|snappy|plain)|(?P<b>shorter|longer|simpler|briefer|plainer|more detailed|more concise|more formal|less formal) (?:answers?|replies|responses|explanations|messages))\b",
    re.IGNORECASE,
)
_BASE = {"brief": "short", "concise": "short", "succinct": "short", "crisp": "short", "snappy": "short", "to the point": "short", "shorter": "short", "longer": "long", "simpler": "simple", "briefer": "short", "plainer": "plain", "more detailed": "detailed", "more concise": "short", "more formal": "formal", "less formal": "informal"}  # fmt: skip


def requested_forms(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Could you stick to tables and leave out the emojis in future?", "shorter replies from now on, please"."""
    if frame.clause.blocked not in ("", "question") or (frame.path not in ("", USER) and frame.explicit):
        return
    sentence, text = context.sentence, frame.clause.text
    if not _STANDING.search(sentence) or (frame.past and frame.path == USER):
        return
    if (manner := _MANNER.search(text)) and (manner["b"] or not _ABOUT_ELSE.search(sentence)):
        said = (manner["a"] or manner["b"]).lower()
        word = _BASE.get(said, said)
        yield draft(frame, "prefers_format", text_value(word), subject=USER, negative=False, timeless=True)
    for match in _FORM.finditer(text):
        if _ABOUT_ELSE.search(sentence[: frame.clause.start - frame.clause.sentence_start + match.start()]):
            return
        yield _form(frame, match["o"], match["no"])
        if more := _AND.match(text, match.end()):
            instead = patterns.match(r"\s*(?:rather than|instead of|over)", more[0].strip(" ,"))
            if not instead:
                yield _form(frame, more["o"], match["no"])


# "Metric units throughout, please", "in French, please", "give it to me in Hindi".
_VERBLESS = re.compile(
    rf"(?:and |also |only |just |always )*{_ADJ}(?P<o>{_PARTS})(?: only| throughout| everywhere| always| please| from (?:now|here) on| by default| in future| every time| at all times| as always|,? if (?:possible|you (?:can|could|don't mind)|you'd be so kind|you would)|,)+\s*$",
    re.IGNORECASE,
)
_TONGUE = r"(?:give|tell|explain|say|write|send|read|put|break)(?: me| us)?(?: (?:it|that|this|everything|things|them|all of it|your answers?|the answers?))?(?: (?:down|out))?(?: (?:to|for) me| to us| me)? in (?P<o>(?:plain |simple |proper |basic )?(?:⟨languages⟩|[A-Z][a-z]+lish))\b"


def verbless_forms(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Metric units throughout, please", "give it to me in French", "short, short points"."""
    if frame.clause.blocked not in ("", "question") or not frame.clause.first or _ABOUT_ELSE.search(context.sentence):
        return
    text = context.sentence.strip(" .!")
    bare = _VERBLESS.match(text if len(text) < _SHORT_NOTE else frame.clause.text.strip(" .!"))
    if bare:
        yield _form(frame, bare["o"], None)
        return
    tongue = context.rx(_TONGUE).match(frame.clause.body.strip())
    if tongue and patterns.search(
        r"(?i) me\b|\bplease\b|\balways\b|\beverything\b|\byour answers?\b", frame.clause.text
    ):
        yield draft(
            frame, "prefers_format", text_value(clean(tongue["o"])), subject=USER, negative=False, timeless=True
        )
        more = _SHORT_POINTS.search(text)
        if more:
            yield draft(
                frame,
                "prefers_format",
                text_value(clean(more["o"]).lower()),
                subject=USER,
                negative=False,
                timeless=True,
            )


_SHORT_NOTE = 80  # characters
_SHORT_POINTS = re.compile(
    r",\s*(?:and )?(?:in )?(?:nice |very |really )?(?:(?:short|brief|long|simple|quick)[, ]+)*(?P<o>(?:short|brief|long|simple|quick|bullet|numbered) (?:points|sentences|answers|paragraphs|lines|lists?|steps|words))",
    re.IGNORECASE,
)


def _form(frame: Frame, part: str, refused: str | None) -> Draft:
    name = clean(part.lower())
    name = {"bullets": "bullet points", "bullet point": "bullet points", "emoji": "emojis"}.get(name, name)
    return draft(
        frame,
        "prefers_format",
        text_value(f"no {name}" if refused else name),
        subject=USER,
        negative=False,
        timeless=True,
    )


RULES = (requested_forms, verbless_forms)
