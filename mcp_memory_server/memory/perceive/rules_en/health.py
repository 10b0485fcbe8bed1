"""English rules: allergies, conditions, medication, body, diet."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals, quantity
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.owner_en import owned
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object, items, states


def allergies(frame: Frame, context: Context) -> Iterator[Draft]:
    """Substances a person is allergic to."""
    if not frame.path or not states(frame):
        return
    match = patterns.match(
        r"(?:be|become|turn out to be)(?: (?:very|highly|severely|deathly|mildly|slightly|really|terribly|badly))? allergic to (?P<o>.+)",
        frame.rest,
    )
    if match and patterns.match(r"(?:them|it|those|these|that|the stuff|the things)\b", match["o"]):
        first = patterns.match(
            r"(?:no (?:more )?)?(?P<o>[A-Z]?[\w\-]+(?: [a-z\-]+)?) (?:would|will|make|makes|give|gives|are|is|can|could|for me|near|around|in the|anywhere)\b",
            context.sentence,
        )
        if (
            first
            and good_object(clean(first["o"]))
            and not patterns.match(r"(?:I|We|He|She|They|My|The)\b", first["o"])
        ):
            yield draft(frame, "allergic_to", text_value(clean(first["o"])))
        return
    if match:
        for part, denied in items(
            patterns.sub(r"\s(?:after all|as far as|any ?more|since|because)\b.*$", "", match["o"])
        ):
            value = clean(patterns.sub(r"^(?:all|any|most) (?:kinds? of|sorts? of)?\s*", "", part))
            if good_object(value):
                change = Change.CORRECTED if "after all" in frame.rest else Change.NONE
                yield draft(frame, "allergic_to", text_value(value), negative=frame.negative != denied, change=change)
        return
    match = patterns.match(
        r"(?:have|suffer from|get|develop|live with)(?: got)? (?P<no>no )?(?:an? |any )?(?:(?:bad|severe|mild|serious|slight|strong|life-threatening)\s)?(?:allergy to (?P<o1>.+)|(?P<o2>[\w\- ]+?) allerg(?:y|ies)\b)",
        frame.rest,
    )
    if match:
        for part, _ in items(match["o1"] or match["o2"]):
            value = clean(part)
            if good_object(value) and value.lower() not in ("food", "skin", "seasonal", "drug", "known"):
                yield draft(
                    frame,
                    "allergic_to",
                    text_value(value),
                    negative=frame.negative != bool(match["no"]),
                    begins=frame.rest.startswith("develop"),
                )


def reactions(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I come out in hives after eggs", "my son can't have walnuts because of an allergy"."""
    if not frame.path or not states(frame):
        return
    reacts = patterns.match(
        r"(?:react(?: badly| terribly| violently| strongly| really badly)? to|go into shock from|(?:break|come) out in (?:hives|an? (?:\w+ )?rash|spots) (?:from|after|if I (?:eat|touch)|whenever I (?:eat|touch)|when I (?:eat|touch)|every time I (?:eat|touch))|(?:have|eat|touch|go near|be (?:around|near)|tolerate|digest) (?:any )?(?P<b>[\w\- ]+?)(?:,| because of| due to| owing to| on account of|: it'?s| -|$).*|swell up (?:from|after)) ?(?P<o>.*)",
        frame.rest,
    )
    if reacts and reacts["b"] and not (frame.negative and frame.can):
        reacts = None
    if (
        reacts
        and reacts["b"]
        and patterns.search(r"\b(?:an|my|his|her|the) allergy\b|\ballergic(?! to)", context.sentence)
    ):
        if good_object(clean(reacts["b"])):
            yield draft(frame, "allergic_to", text_value(clean(reacts["b"])), negative=False)
        return
    if (
        reacts
        and not reacts["b"]
        and (
            patterns.search(r"\ballerg|hives|rash|swell", context.sentence)
            or patterns.match(
                rf"(?:{context.words('medications')}|[a-z]+(?:cillin|mycin))(?![\w-])",
                clean(reacts["o"]),
                re.IGNORECASE,
            )
        )
        and good_object(clean(reacts["o"]))
    ):
        yield draft(frame, "allergic_to", text_value(clean(reacts["o"])))


_DISEASE = r"(?:[\w\-']+ )?[\w\-]*(?:itis|osis|aemia|emia|algia|opathy|plegia|phobia|oma|uria|ectomy|sclerosis|syndrome|disease|disorder|deficiency|intolerance|infection|fracture|hernia|impairment|dystrophy)"


_PARTS = r"(?:arm|leg|ankle|wrist|foot|toe|knee|hip|shoulder|elbow|finger|thumb|hand|collarbone|rib|ribs|nose|jaw|back|neck|tooth|hamstring|calf|achilles|achilles tendon|acl|meniscus|ligament|tendon|heel|pelvis|tailbone|skull)"


_INJURY = {
    "break": "broken",
    "sprain": "sprained",
    "tear": "torn",
    "fracture": "fractured",
    "dislocate": "dislocated",
    "twist": "twisted",
    "strain": "strained",
    "pull": "pulled",
    "injure": "injured",
    "rupture": "ruptured",
}


def conditions(frame: Frame, context: Context) -> Iterator[Draft]:
    """Illnesses, injuries, disabilities, pregnancy."""
    if not frame.path or not states(frame) or frame.subject is None or frame.subject.role in ("company", "team"):
        return
    known = context.words("conditions")
    adjective = patterns.match(
        rf"(?:be|become|get|go)(?: (?:mildly|severely|slightly|partially|totally|completely|legally|\d+ \w+|\w+ \w+)){{0,2}} (?P<o>{context.words('condition_adjectives')})(?![\w-])",
        frame.rest,
        re.IGNORECASE,
    )
    if adjective:
        yield draft(frame, "has_condition", text_value(_condition_name(adjective["o"])))
        return
    match = patterns.match(
        r"(?:have|suffer from|get|live with|develop|catch|be diagnosed with|be diagnosed as having|be born with|be prone to|be battling|battle|be recovering from|recover from|be treated for|struggle with)(?: got| been diagnosed with)? (?P<no>no )?(?P<o>.+)",
        frame.rest,
    )
    if match:
        sure = patterns.match(r"suffer from|be diagnosed|be born with", frame.rest) is not None
        for part, denied in items(
            patterns.split(
                r"\s(?:in (?:my|his|her|the)|since|from|for|after|and (?:take|am|is|have to|can)|so|that)\b",
                match["o"],
                maxsplit=1,
            )[0]
        ):
            denied = denied or (frame.negative and patterns.match(r"(?:only|just|but)\b", part) is not None)
            word = clean(part)
            over = (
                bool(patterns.match(r"recover from", frame.rest))
                and frame.tense in ("past", "perfect")
                and not frame.progressive
            )
            if (
                context.has("conditions", word)
                or context.has("conditions", f"a {word}".lower())
                or patterns.fullmatch(_DISEASE, word, re.IGNORECASE)
                or patterns.fullmatch(rf"(?:{known})", word, re.IGNORECASE)
                or (sure and good_object(word) and len(word.split()) <= 4)
            ):
                begun = bool(patterns.match(r"get|develop|catch|be diagnosed", frame.rest))
                yield draft(
                    frame,
                    "has_condition",
                    text_value(word),
                    negative=over or frame.negative != (denied or bool(match["no"])),
                    begins=begun or (frame.tense == "perfect" and not over),
                    ends=over or frame.ended or frame.used_to,
                )
    injury = patterns.match(
        rf"(?P<v>{'|'.join(_INJURY)}) (?:my|his|her|their|the|an?) (?P<o>(?:left |right |lower |upper |little |big |front )?{_PARTS})\b",
        frame.rest,
    )
    if injury and frame.past:
        yield draft(frame, "has_condition", text_value(f"{_INJURY[injury['v']]} {injury['o']}"), begins=True, past=True)
    have = patterns.match(
        rf"have (?:an? |two )?(?P<o>(?:broken|sprained|torn|fractured|dislocated|twisted|bad|sore|stiff|artificial|prosthetic|dodgy|dicky|gammy|gimpy|bum|trick|weak|painful|arthritic|creaky|wonky|slipped|frozen|replaced|ruptured|swollen|inflamed|pulled|strained|titanium|metal) (?:left |right |lower )?{_PARTS}s?)\b",
        frame.rest,
    )
    if have:
        yield draft(frame, "has_condition", text_value(have["o"]))


def _condition_name(word: str) -> str:
    return {
        "lactose-intolerant": "lactose intolerance",
        "lactose intolerant": "lactose intolerance",
        "gluten intolerant": "gluten intolerance",
    }.get(word.lower(), word)


def medication(frame: Frame, context: Context) -> Iterator[Draft]:
    """Drugs and supplements taken."""
    if frame.path != USER and patterns.search(r"\b(?:me|us|my)\b", frame.rest):
        yield from _prescribed(frame, context)
        return
    if not frame.path or not states(frame):
        return
    drug = rf"(?P<o>(?:{context.words('medications')})|[a-z]+(?:statin|pril|olol|sartan|mycin|cillin|azole|prazole|oxetine|pine|formin|gliptin|xaban|dronate|triptan|azepam|setron|vir|mab))(?![\w])"
    text = f"start {frame.rest}" if frame.started and frame.rest.startswith("on ") else frame.rest
    text = patterns.sub(r"^start on ", "start ", text)
    for match in patterns.finditer(
        rf"(?:(?:^|\b(?:and|or)\s+)(?P<v>take|swallow|pop|wean off|be weaned off|be taking|be on|be prescribed|be given|be put on|go on|start|stop taking|stop|come off|get off|be off|use|inject|need)|,|\band)\s+(?:the |my |his |her |their |a |an |some |daily |weekly |low-dose |\d+ ?mg (?:of )?|taking |a course of )*{drug}",
        text,
        re.IGNORECASE,
    ):
        verb = (
            patterns.match(
                r"(take|swallow|pop|wean off|be weaned off|be taking|be on|be prescribed|be given|be put on|go on|start|stop taking|stop|come off|get off|be off|use|inject|need)\b",
                text,
            )
            or [""]
        )[0]
        if not verb:
            continue
        off = verb in ("wean off", "be weaned off", "stop taking", "stop", "come off", "get off", "be off")
        yield draft(
            frame,
            "takes_medication",
            text_value(match["o"]),
            negative=True if off else None,
            ends=off or frame.ended or frame.used_to,
            begins=verb in ("go on", "start", "be put on") or frame.tense == "perfect" or frame.started,
        )
    if (
        other := patterns.match(
            r"take (?P<o>[\w\- ]+?)(?:,? \d+ ?mg)? for my (?:\w+ )?(?:blood pressure|heart|thyroid|cholesterol|asthma|diabetes|pain|allerg\w+|anxiety|depression|migraines?|back|sleep|stomach|skin)",
            frame.rest,
        )
    ) and good_object(clean(other["o"])):
        word = clean(other["o"])
        if not patterns.fullmatch(rf"(?:{context.words('medications')})", word, re.IGNORECASE):
            yield draft(frame, "takes_medication", text_value(word))


def _prescribed(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "The doctor put me on amoxicillin": the drug is the user's."""
    match = patterns.match(
        r"(?:put|start|keep|have) me on (?:a course of |a |some |\d+ ?mg of )?(?P<o>[\w\- ]+?)(?=$|[,.;]| (?:for|and|because|after|until|again)\b)|prescribe me (?:a course of |a |some )?(?P<p>[\w\- ]+?)(?=$|[,.;]| (?:for|and|because)\b)",
        frame.rest,
    )
    taken_off = patterns.match(
        rf"take (?P<w>me|my [a-z]+) off (?:my |the |his |her )?(?P<o>{context.words('medications')})\b|put (?P<x>my [a-z]+) on (?P<p>{context.words('medications')})\b",
        frame.rest,
        re.IGNORECASE,
    )
    if taken_off and frame.past and not frame.would:
        whom = (taken_off["w"] or taken_off["x"]).removeprefix("my ")
        role = context.vocabulary.mapping("en", "roles").get(whom.lower())
        if whom == "me" or role:
            off = taken_off["o"] is not None
            yield draft(
                frame,
                "takes_medication",
                text_value(taken_off["o"] or taken_off["p"]),
                subject=f"user.{role}" if role else USER,
                negative=off,
                ends=off,
                begins=not off,
                past=True,
            )
        return
    swap = patterns.match(
        r"(?:switch|move|change) me (?:from (?P<a>[\w\-]+) )?(?:on ?)?to (?P<b>[\w\-]+)\b", frame.rest
    )
    if swap and context.has("medications", swap["b"].lower()) and frame.past:
        yield draft(
            frame,
            "takes_medication",
            text_value(swap["b"]),
            subject=USER,
            begins=True,
            past=True,
            change=Change.CHANGED,
        )
        if swap["a"]:
            yield draft(
                frame, "takes_medication", text_value(swap["a"]), subject=USER, negative=True, ends=True, past=True
            )
        return
    word = clean(match["o"] or match["p"]) if match else ""
    if (
        match
        and not (frame.would or frame.intends or frame.negative)
        and (match["p"] or context.has("medications", word) or "doctor" in (frame.path + frame.thing))
    ):
        yield draft(frame, "takes_medication", text_value(word), subject=USER, begins=True, past=frame.past)


# "I'm five eleven": feet and inches without their names.
_FEET_AND_INCHES = re.compile(
    r"be (?:about |nearly |only )?(?P<f>four|five|six) (?P<i>one|two|three|four|five|six|seven|eight|nine|ten|eleven)(?= *$| and\b|,| tall\b)"
)


def body(frame: Frame, context: Context) -> Iterator[Draft]:
    """Height and weight."""
    if not states(frame) or frame.negative:
        return
    of_height = owned(frame, "height", context.vocabulary)
    scales = patterns.fullmatch(r"(?:the|my) (?:bathroom )?scales?", frame.thing or "", re.IGNORECASE)
    of_weight = owned(frame, "(?:body ?)?weight", context.vocabulary) or (USER if scales else "")
    subject = of_height or of_weight or frame.path
    if not subject:
        return
    feet = patterns.match(
        r"(?:be|stand|measure)(?: at)? (?:about |around |only |just |exactly )?(?P<f>[4-7]|four|five|six|seven)(?: ?(?:foot|feet|ft)\.? ?|['’] ?)(?P<i>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven)?",
        frame.rest,
    )
    if feet and not patterns.match(r"be \w+ (?:feet|foot) (?:away|from)", frame.rest):
        foot, inch = (
            numerals.english_value(t) if t and not t.isdigit() else Decimal(t or 0) for t in (feet["f"], feet["i"])
        )
        if foot is not None:
            yield draft(
                frame,
                "height",
                Value(ValueType.NUMBER, str(int(foot * 12 + (inch or 0))), "in"),
                subject=subject,
                timeless=True,
            )
    if bare := _FEET_AND_INCHES.match(frame.rest):
        inches = int((numerals.english_value(bare["f"]) or 0) * 12 + (numerals.english_value(bare["i"]) or 0))
        yield draft(frame, "height", Value(ValueType.NUMBER, str(inches), "in"), subject=subject, timeless=True)
    pounds = patterns.match(r"be (?:about |around |roughly )?(?P<n>\d{2,3}) pounds\b", frame.rest)
    if pounds and patterns.search(r"\b(?:tall|foot|feet|ft|cm|height|weight|weigh)\b", context.sentence):
        yield draft(frame, "weight", Value(ValueType.NUMBER, pounds["n"], "lb"), subject=subject, timeless=True)
        return
    for item in quantity.find(frame.rest, "en"):
        if item.kind != "measure":
            continue
        tall = patterns.search(r"\btall\b|^(?:stand|measure)\b", frame.rest) or of_height
        if item.unit in ("cm", "m", "in") and (
            tall
            or (item.unit == "cm" and frame.verb == "be" and 50 < item.value < 260)
            or (item.unit == "m" and patterns.match(r"be (?:about |just |exactly |now |over )*1[.,]\d", frame.rest))
        ):
            yield draft(frame, "height", item.as_value(), subject=subject, timeless=True)
            return
        if item.unit in ("kg", "lb", "stone", "jin") and (
            frame.verb == "weigh"
            or of_weight
            or patterns.match(
                r"tip the scales\b|clock in at\b|(?:hit|reach) \d|(?:hover|float) (?:around|at|near)", frame.rest
            )
            or patterns.match(
                r"(?:be|go|get|drop|come|creep|slim|shoot) (?:down to |up to |now |at |about |around |from |back to )*\d",
                frame.rest,
            )
        ):
            yield draft(frame, "weight", item.as_value(), subject=subject, timeless=True)
            return


def diet(frame: Frame, context: Context) -> Iterator[Draft]:
    """Named ways of eating."""
    if not frame.path or not states(frame):
        return
    words = context.words("diets")
    match = patterns.match(
        rf"(?:be|become|go|turn|stay|remain|raise|be raised)(?: (?:an?|strictly|mostly|fully|basically|on a|on the|strict|committed|lifelong|eating|doing))* (?P<o>{words})(?![\w-])(?: diet)?(?! (?:restaurant|food|place|caf|menu|option|recipe|friend))",
        frame.rest,
        re.IGNORECASE,
    ) or patterns.match(
        rf"(?:eat|keep|follow|do|stick to|cook|need|be on)(?: (?:an?|the|only|strictly|mostly|my))* (?P<o>{words})(?![\w-])(?: diet| food| meat)?",
        frame.rest,
        re.IGNORECASE,
    )
    if match:
        changed = bool(patterns.match(r"become|go|turn", frame.rest)) or frame.started
        yield draft(
            frame,
            "follows_diet",
            text_value(match["o"]),
            begins=changed or frame.tense == "perfect",
            change=Change.CHANGED if changed else Change.NONE,
        )


RULES = (allergies, reactions, conditions, medication, body, diet)
