"""English rules: notes without a verb ("Maths mock: 38 out of 80", "class of 2012, Exeter", "nasty allergy, no nuts")."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.grammar_en import verb_forms
from mcp_memory_server.memory.perceive.rules_en.budget import sums_of
from mcp_memory_server.memory.perceive.rules_en.person import PEOPLE
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, Rule, clean, draft, good_object
from mcp_memory_server.memory.perceive.when import Bind, both

_EXAM = r"(?:tests?|exams?|mocks?|quiz|finals?|midterms?|papers?|assignments?|essays?|coursework|assessments?|resits?|retakes?|dissertation|modules?|results?|grades?|marks?|scores?|viva|gcse|a-level|prelims?|orals?)"
_MARKED = re.compile(
    rf"(?:and |so |my |our |the |got my |just got my )*(?P<s>(?:[\w'’\-]+ ){{0,3}}?{_EXAM})(?: (?:results?|scores?|marks?|grades?|came back|back|is in|are in|in))*\s*(?:[:,=–—-]|of|at)\s*(?:only |just |a |an |got )?(?P<n>\d+(?:\.\d+)?)(?P<u>\s?%| per ?cent| percent| out of \d+|\s?/\s?\d+| points| marks)(?! (?:in|for|on)\b)",
    re.IGNORECASE,
)


def marks(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Maths mock: 38 out of 80", "physics final, 91%"."""
    match = _MARKED.match(context.sentence) if frame.clause.first and not frame.clause.blocked else None
    if match and good_object(clean(match["s"])):
        yield draft(
            frame,
            "exam_score",
            Value(
                ValueType.NUMBER,
                match["n"],
                None,
                clean(patterns.sub(r"(?i)\s(?:results?|scores?|marks?|grades?)$", "", match["s"])),
            ),
            subject=USER,
            negative=False,
            timeless=True,
        )


_SCHOOL = r"[\w'’&.\- ]*?(?:[Uu]niversity|[Cc]ollege|[Ss]chool|[Ii]nstitute|[Aa]cademy|[Pp]olytechnic|[Uu]ni|High|Tech)(?: of [A-Z]\w+(?: [A-Z]\w+)?)?"
_CLASS_OF = re.compile(
    rf"(?P<a>[A-Z]{_SCHOOL}|[A-Z]\w+),? (?i:class of) ['’]?(?P<y>\d{{4}}|\d\d)\b|(?i:class of) ['’]?(?P<z>\d{{4}}|\d\d),?(?: (?:at|from|of))? (?P<b>[A-Z]{_SCHOOL})"
)


def class_of(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Class of 2012, Exeter University": where one graduated, and when."""
    match = _CLASS_OF.search(context.sentence) if frame.clause.first and not frame.clause.blocked else None
    if not match:
        return
    year = match["y"] or match["z"]
    if len(year) == 2:
        this = int(frame.clause.today[:4])
        year = str(this - this % 100 + int(year) - (100 if int(year) > this % 100 + 5 else 0))
    when = both(frame.clause.start, frame.clause.end, Bind.AT, year)
    yield draft(
        frame,
        "graduated_from",
        text_value(clean(match["a"] or match["b"]), entity=True),
        subject=USER,
        negative=False,
        past=True,
        begins=True,
        times=(when,),
    )


_YEAR_OF_STUDY = re.compile(
    r"(?:,|[–—-]) (?:(?:in|now in|currently in|doing) (?:my|his|her) )?(?P<y>(?:first|second|third|fourth|fifth|final|last|1st|2nd|3rd|4th)[- ]year)(?: now| already| of (?:three|four|five))?\s*(?:$|[,.;!])",
    re.IGNORECASE,
)


def years_of_study(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Reading classics at St Orran's, second year"."""
    if not frame.clause.first or frame.clause.blocked or frame.path not in ("", USER):
        return
    match = _YEAR_OF_STUDY.search(context.sentence)
    studies = patterns.search(
        r"(?i)\b(?:study|studying|reading|student|universit\w*|uni|college|degree|major\w*|undergrad\w*|medicine|law|engineering)\b",
        context.sentence,
    )
    if match and studies:
        yield draft(frame, "education_level", text_value(match["y"]), subject=USER, negative=False, timeless=True)


_KEEP_AWAY = re.compile(
    r"(?:please |so |and )*(?:keep|get|take|hold) (?:the |any |all |that |those |your )?(?P<a>[\w\- ]{2,30}?) (?:well |far |right |miles )?away from (?P<w>me|us|my [a-z]+)\b"
    r"|(?:please |so |and )*(?:(?:absolutely |definitely )?no|without|leave out(?: the| any)?|hold the|skip the|nothing with|not a trace of) (?P<b>[\w\- ]{2,30}?)(?: (?:for me|please|in (?:it|mine|anything)))*(?=\s*(?:[,;:.(–—-]|$| because| as I| since))",
    re.IGNORECASE,
)
_ALLERGY = re.compile(r"\b(?:allerg(?:y|ies|ic)(?! to\b)|anaphyla\w+|epi-?pen)\b", re.IGNORECASE)


def kept_away(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Keep penicillin away from me, nasty allergy", "no shellfish please, I'm allergic"."""
    if not frame.clause.first or frame.clause.blocked or not _ALLERGY.search(context.text):
        return
    match = _KEEP_AWAY.match(context.sentence)
    if not match or patterns.search(
        r"(?i)\b(?:no|not an?|isn't an?|don't have an?) (?:\w+ )?allerg|not allergic", context.text
    ):
        return
    role = (
        context.vocabulary.mapping("en", "roles").get((match["w"] or "").lower().removeprefix("my "))
        if match["w"]
        else None
    )
    if (match["w"] or "me").lower().startswith("my") and role is None:
        return
    theirs = patterns.search(r"(?i)\bmy (?P<r>[a-z\-]+)(?:['’]s| is| has)\b[^.;]{0,30}\ballerg", context.text)
    if theirs and not match["w"]:
        role = context.vocabulary.mapping("en", "roles").get(theirs["r"].lower())
        if role is None:
            return
    substance = clean(match["a"] or match["b"])
    if good_object(substance) and not patterns.search(
        r"(?i)\ballerg|\b(?:more|problem|idea|need|worries|doubt)\b", substance
    ):
        yield draft(
            frame,
            "allergic_to",
            text_value(substance),
            subject=f"user.{role}" if role else USER,
            negative=False,
            timeless=True,
        )


_YEARS_HERE = re.compile(
    r"(?P<n>\d{1,3}|[a-z]+(?:-[a-z]+)?) years (?:on (?:this|the|god's) (?:green )?(?:earth|planet)|on earth|young|of age|around the sun|of life)\b",
    re.IGNORECASE,
)
_YEARS_DONE = re.compile(
    r"(?:^|[,;:–—-] )(?:with |and |after |now )?(?:over |about |almost |nearly |more than |some |a good )?(?P<n>\d{1,2}|[a-z]+(?:-(?!odd)[a-z]+)?)(?P<odd>-odd| odd|\+)? (?P<u>years?|decades?)(?:['’]| of)? (?P<f>experience|in (?:the )?(?:job|trade|business|game|industry|profession|field|role|post)|(?:up |out |down |spent )?(?:in|on|at|behind|under) (?:the )?[a-z][\w\- ]*?)\s*(?:$|[,.;!])",
    re.IGNORECASE,
)


def years_told(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Forty-three years on this earth", "plumber by trade, twenty years in the job"."""
    if frame.clause.blocked or frame.path not in ("", USER):
        return
    lived = _YEARS_HERE.search(frame.clause.text)
    if lived:
        number = _number(lived["n"])
        if number and 4 < number < 121:
            yield draft(
                frame, "age", Value(ValueType.NUMBER, str(number), "year"), subject=USER, negative=False, timeless=True
            )
        return
    if not frame.clause.first:
        return
    spent = context.rx(
        r"^(?:over |about |almost |nearly |more than )?(?P<n>\d{1,2}|[a-z]+(?:-[a-z]+)?) years,? (?:as )?(?:an? )(?P<j>(?:[\w\-]+ ){0,2}?(?:⟨occupations⟩))(?=\s*(?:$|[,.;!]|and\b|in\b|at\b|now\b))"
    ).match(context.sentence)
    number = _number(spent["n"]) if spent else None
    if spent and number and 0 < number < 80:
        value = Value(ValueType.NUMBER, str(number), "year", clean(spent["j"]).lower())
        yield draft(frame, "years_of_experience", value, subject=USER, negative=False, timeless=True)
        return
    trade = context.rx(
        r"^(?:I am |I'm )?(?:an? )?(?P<j>(?:[\w\-]+ ){0,3}?[\w\-]+),? by (?:trade|profession|training|calling)\b|^(?:I am |I'm )?(?:an? )?(?P<k>(?:[\w\-]+ ){0,2}?(?:⟨occupations⟩)) ?(?=,)"
    ).match(context.sentence)
    done = _YEARS_DONE.search(context.sentence, trade.end()) if trade else None
    number = _number(done["n"]) if done else None
    if trade and done and number and 0 < number < 80:
        scope = clean(trade["j"] or trade["k"])
        yield draft(
            frame,
            "years_of_experience",
            Value(
                ValueType.NUMBER,
                str(number * (10 if done["u"].lower().startswith("decade") else 1)),
                "year",
                scope.lower() if good_object(scope) else None,
                bool(done["odd"]),
            ),
            subject=USER,
            negative=False,
            timeless=True,
        )


def _number(text: str) -> int | None:
    value = int(text) if text.isdigit() else numerals.english_value(text)
    return int(value) if value is not None else None


# One's own people told with their name in passing: "went to Rome with my wife Annika".
_NAMED_ONE = re.compile(
    r"\b[Mm]y (?:new |dear |lovely )?(?P<r>[a-z\-]+(?: [a-z]+)?),? (?P<n>[A-Z][a-zà-ÿ]+(?:-[A-Z][a-zà-ÿ]+)?)(?=['’]s\b|[\s,.;!?)]|$)"
)


def named_in_passing(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "The account is in my wife Annika's name": who she is, though the clause is about something else."""
    if frame.clause.blocked:
        return
    roles = context.vocabulary.mapping("en", "roles")
    for match in _NAMED_ONE.finditer(frame.clause.text):
        role = roles.get(match["r"])
        if (
            role is None
            or role not in context.vocabulary.roles_one
            or role in ("company", "team", "children", "parents")
        ):
            continue
        if PEOPLE.search(match["n"]) or match["n"] in ("I", "And", "But", "Is", "Was", "Has"):
            continue
        if frame.subject and frame.subject.name == match["n"]:
            continue
        yield draft(frame, "has_name", text_value(match["n"]), subject=f"user.{role}", negative=False, timeless=True)


_RIGHT_NAME = re.compile(
    r"(?:no,? |sorry,? )*(?:it is|it's|that's|should be|it should be|should read|it should read|make that|I meant|correct spelling is|the right (?:name|spelling) is) (?:actually |really |spelled |spelt |written )*(?P<o>[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?)(?=\s*(?:[,.;!(–—-]|$))",
    re.IGNORECASE,
)
_WRONG_NAME = re.compile(
    r"(?i)\b(?:mis-?spel\w*|mistyped|typo|wrong|mixed up|autocorrect\w*|misheard|mangled|butchered|spel\w+)\b"
)
_ON_PAPER = re.compile(
    r"(?:it's|it is|I'm|I am|but|though) (?:officially |actually |really |just )?(?P<o>[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?) (?:on|in) (?:the|my|all my|any) (?:official )?(?:pay ?slip|passport|papers?|paperwork|birth certificate|id|id card|documents?|driving licen[cs]e|licen[cs]e|contract|official\w*|records?|register|bank card|certificate)\b",
    re.IGNORECASE,
)


def right_names(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I misspelled my boss's name. It's Lidia", "it's Gareth on my passport"."""
    if frame.clause.blocked:
        return
    paper = _ON_PAPER.search(frame.clause.text)
    if paper and paper["o"][0].isupper() and not patterns.search(r"(?i)\bcalls? me\b|known as|\bgo by\b", context.text):
        yield draft(frame, "has_name", text_value(paper["o"]), subject=USER, negative=False, timeless=True)
        return
    right = _RIGHT_NAME.match(frame.clause.text)
    if not right or not right["o"][0].isupper() or not _WRONG_NAME.search(context.text):
        return
    whose = patterns.search(
        r"(?i)\bmy (?:(?P<r>[a-z\-]+)['’]s )?(?:first |last |own |middle )?(?:sur)?name\b", context.text
    )
    if not whose:
        return
    role = context.vocabulary.mapping("en", "roles").get((whose["r"] or "").lower())
    if whose["r"] is None or (role and role in context.vocabulary.roles_one):
        yield draft(
            frame,
            "has_name",
            text_value(right["o"]),
            subject=f"user.{role}" if role else USER,
            negative=False,
            timeless=True,
        )


_DAY_WITHOUT = re.compile(
    r"(?:not|hardly|never|scarcely|there is not|there's not) (?:an? |one )?(?:single )?(?:day|morning|evening|night|week|weekend|month) (?:(?:goes|passes|ends|starts|begins|slips) ?(?:by)? )?(?:without|when I (?:do not|don't)|that I (?:do not|don't)|I (?:do not|don't)) (?:me |my )?(?P<o>[a-z][\w\- ]+)",
    re.IGNORECASE,
)


def days_without(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Not a morning goes by without me doing the crossword"."""
    match = _DAY_WITHOUT.match(context.sentence) if frame.clause.first and not frame.clause.blocked else None
    if not match:
        return
    verb, _, rest = match["o"].partition(" ")
    base = _base(verb, context)
    deed = clean(f"{base} {rest}".strip(), keep_lead=True)
    if base and good_object(deed):
        yield draft(frame, "has_habit", text_value(deed), subject=USER, negative=False, timeless=True)


def _base(verb: str, context: Context) -> str:
    form = verb_forms(context.vocabulary).get(verb.lower())
    return form[0] if form and form[1] in ("ing", "base") else ""


_OFF_IT = re.compile(
    r"(?:\b(?:\d+|[a-z]+(?:-[a-z]+)?|an?|half an?) (?:days?|weeks?|months?|years?|decades?),? (?:now |today |and counting )?|\b(?:I am|I'm|been|have been|stayed|staying) (?:now |still |completely )?)(?:off the |without (?:an? |any )?(?:single )?|free (?:of|from) )(?P<o>fags?|cigarettes?|cigs?|smokes|tobacco|vape|nicotine|booze|drink|drop|alcohol|bottle|sauce|beer|wine|weed|drugs|sugar|coffee|caffeine|meat|chocolate|gambling)\b"
    r"|\b(?:\d+|[a-z]+(?:-[a-z]+)?|an?) (?:days?|weeks?|months?|years?) (?P<s>sober|clean|smoke[- ]free|tobacco[- ]free|alcohol[- ]free|nicotine[- ]free|dry)\b",
    re.IGNORECASE,
)
_SMOKED = (
    "fag",
    "fags",
    "cigarette",
    "cigarettes",
    "cig",
    "cigs",
    "smokes",
    "tobacco",
    "nicotine",
    "smoke-free",
    "smoke free",
    "tobacco-free",
    "tobacco free",
    "nicotine-free",
    "nicotine free",
)
_DRUNK = ("booze", "drink", "drop", "alcohol", "bottle", "sauce", "sober", "alcohol-free", "alcohol free", "dry")


def given_up(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Three months off the fags", "two years sober": a habit that is over."""
    match = _OFF_IT.search(frame.clause.text) if not frame.clause.blocked else None
    if not match or frame.negative or frame.would or frame.intends or frame.obliged or frame.path not in ("", USER):
        return
    word = (match["o"] or match["s"]).lower()
    habit = "smoke" if word in _SMOKED else "drink" if word in _DRUNK else "" if word == "clean" else word
    if habit:
        yield draft(frame, "has_habit", text_value(habit), subject=USER, negative=True, ends=True, past=True)


_KEPT_WAITING = re.compile(
    r"(?:(?:over |almost |nearly |another )?(?:\d+|[a-z]+(?:-[a-z]+)?|half an?|an?) (?:minutes?|hours?|days?|weeks?)|ages|hours|forever) (?:on hold|in (?:a|the) (?:queue|line)|waiting|queu(?:e)?ing|stuck on the phone|on the phone)(?: in the queue| on hold| on the line)? (?:with|to|for|at) (?P<o>(?:the|my|your|our|some) [\w\- ]+?|[A-Z][\w&]+(?: [A-Z][\w&]+)?)(?=$|[,.;!]| (?:and|then|only|just|before|to|this|today|yesterday|again)\b)",
    re.IGNORECASE,
)
_NEXT_DOOR = re.compile(
    r"(?P<o>(?:next[- ]door|(?:the|my|our) (?:upstairs |downstairs |noisy )?(?:neighbou?rs?|flatmates?|people (?:upstairs|downstairs|next door)))(?:['’]s?)?(?: [a-z][\w\-]*(?: [a-z][\w\-]*)?)?) (?:is|are|has been|have been|keeps?) (?:still |again |always |at it |constantly )*(?:going|at it|barking|blasting|drilling|hammering|playing|banging|shouting|screaming|thumping|howling|blaring|partying|crying|stomping)\b",
    re.IGNORECASE,
)


def waits(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Fifty minutes on hold with the bank", "next door's dog is barking again"."""
    if frame.clause.blocked:
        return
    held = _KEPT_WAITING.search(frame.clause.text)
    noisy = None if held else _NEXT_DOOR.search(frame.clause.text)
    if noisy and not patterns.search(
        r"(?i)\b(?:still|again|always|constantly|enough|ugh|seriously|every)\b|!", context.text
    ):
        noisy = None
    if (found := held or noisy) and good_object(clean(found["o"])):
        yield draft(
            frame, "complains_about", text_value(clean(found["o"])), subject=USER, negative=False, timeless=True
        )


_BORROWED = re.compile(
    r"borrow (?P<q>.+?) (?:off|from) (?P<w>(?:my |the |our |an? )?[\w'’\-]+(?: [a-z]+)??(?: [A-Z][\w'’\-]+)?)(?=$|[,.;]| (?:and|but|to|for|last|in|which|that|so|when)\b)"
)


def borrowed(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I borrowed £300 off my cousin and haven't paid it back": a debt, where it is said to be open."""
    match = _BORROWED.match(frame.rest) if frame.path == USER and frame.past and not frame.negative else None
    if not match or frame.clause.blocked:
        return
    sums = sums_of(frame)
    still_open = patterns.search(
        r"(?i)(?:\bnot|n't|\bnever|\bnothing|\bnone)\b[^.!?]{0,40}\b(?:paid|repaid|pay|repay|returned|given|settled|back)\b|\bstill (?:have|need|got|has) to (?:pay|give|repay|return)|\b(?:owe|need to|have to|must|yet to) (?:pay|repay|give|return|still)\b|\bto (?:pay|give) (?:it|him|her|them) back\b",
        context.text,
    )
    if sums and still_open:
        scope = clean(match["w"])
        yield draft(
            frame,
            "owes",
            sums[0].as_value(scope=scope if good_object(scope) else None, currency=context.currency, per=""),
            timeless=True,
        )


def paid_into(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "A slice of my pay goes straight into an index fund"."""
    if frame.clause.blocked or frame.negative or frame.would or frame.path.startswith("user."):
        return
    match = context.rx(
        r"\b(?:goes|go|flows|gets put|is put|disappears|is paid|gets paid) (?:straight |directly |automatically )?(?:in|into|towards) (?:an? |my |the |our |some )?(?P<o>⟨investments⟩)\b"
    ).search(frame.clause.text)
    if match and patterns.search(r"(?i)\b(?:my|I|our|we|payday|salary|wages?|pay|money|month)\b", context.text):
        yield draft(frame, "invests_in", text_value(match["o"]), subject=USER, negative=False, timeless=True)


RULES = (
    marks,
    class_of,
    years_of_study,
    kept_away,
    years_told,
    named_in_passing,
    right_names,
    days_without,
    given_up,
    waits,
    borrowed,
    paid_into,
)
TRIGGERS: dict[Rule, str] = {
    marks: r"\d",
    class_of: r"class of",
    years_of_study: r"[- ]year",
    kept_away: r"allerg|anaphyla|epi-?pen|away from|without|leave out|hold the|skip the|nothing with|trace of|\bno\b",
    years_told: r"years|decade",
    named_in_passing: r"\bmy ",
    right_names: r"it's|it is|should|make that|meant|spelling|name|I'm|I am|but|though",
    days_without: r"without|day|morning|evening|night|week|month",
    given_up: r"\boff the|without|free|sober|clean|dry",
    waits: r"on hold|queue|in line|waiting|on the phone|queuing|neighbo|next door|next-door|flatmate|upstairs|downstairs",
    borrowed: r"borrow",
    paid_into: r"into|towards|goes in",
}
