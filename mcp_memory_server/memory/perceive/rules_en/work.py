"""English rules: employer, occupation, experience, tools."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import (
    Context,
    clean,
    draft,
    good_object,
    is_proper,
    items,
    states,
)
from mcp_memory_server.memory.perceive.when import Bind


def _told_employer(frame: Frame) -> Iterator[Draft]:
    """ "X is the company I work for", "X hired me", "I've been at X since May"."""
    since = [when for when in frame.clause.times if when.bind in (Bind.SINCE, Bind.LASTING)]
    at = (
        patterns.match(r"be (?:with|at|over at) (?P<o>[A-Z].+)", frame.rest)
        if since and frame.tense == "perfect"
        else patterns.match(
            r"(?:be (?:on the (?:payroll|books|staff) (?:at|of)|on [\w\- ]{0,20}staff at|on (?P<n>[A-Z][\w&.\- ]*?)(?:'s|’s)? payroll\b|under contract (?:at|with)|a (?:member of staff|partner|contractor) (?:at|with))|earn (?:my|a|his|her) (?:living|crust|keep) (?:at|with)|clock (?:in|on) at|do (?:my|his|her) nine-to-five at|have a desk at) ?(?P<o>(?:[A-Z].+)?)",
            frame.rest,
        )
    )
    at = at or (
        patterns.match(
            r"be (?:over |based |still |now )*at (?P<o>[A-Z][\w&.'’\- ]*?),? in (?:the )?(?:[\w\-]+ ){0,2}(?:room|department|dept|team|office|accounts?|accounting|sales|marketing|finance|hr|human resources|it|legal|logistics|procurement|purchasing|support|engineering|design|research|payroll|operations|production|warehouse|admin|reception|security|compliance|maintenance|catering|kitchen|lab|billing|claims|dispatch|shipping|quality control|customer service)\b",
            frame.rest,
        )
        if frame.tense == "present" and not frame.clause.times
        else None
    )
    hired = patterns.match(
        r"(?P<o>[A-Z][\w&.\-]*(?: (?:& )?[A-Z][\w&.\-]*)*) (?:has |have )?(?:just )?(?:hired (?:me|us)|took (?:me|us) on|taken (?:me|us) on|offered me a (?:job|contract) and I (?:said yes|took it)|gave me a job|pays? (?:my (?:wages|salary|bills)|me to))\b",
        frame.clause.text,
    ) or patterns.match(r"be (?:just )?(?:hired|taken on|recruited) (?:by|at) (?P<o>[A-Z].+)", frame.rest)
    own = (
        patterns.match(r"be (?:called |named |the )?(?P<o>[A-Z].+)", frame.rest)
        if patterns.search(r"\b(?:employer|company|firm)$", frame.subject.word if frame.subject else "", re.IGNORECASE)
        else None
    )
    if (
        (found := at or hired or own)
        and not frame.negative
        and not patterns.search(r"(?i)universit|college|school|academy", found["o"])
    ):
        name = _firm(found["o"] or (found.groupdict().get("n") or ""))
        if name:
            yield draft(
                frame,
                "works_at",
                text_value(name, entity=True),
                subject=USER if hired or own else frame.path,
                negative=False,
                begins=True,
                past=bool(hired),
                change=Change.CHANGED if hired else Change.NONE,
            )
            return
    turned = patterns.match(
        r"(?P<o>[A-Z][\w&.\- ]*?) (?:is|are)(?: (?:still|now|currently))? (?:the (?:company|firm|place|shop|organi[sz]ation) (?:that )?(?:I|we) work (?:for|at)|where (?:I|we) work|my (?:current |new )?employer)\b",
        frame.clause.text,
    )
    if turned:
        yield draft(frame, "works_at", text_value(turned["o"], entity=True), subject=USER, negative=False)
        return


def employer(frame: Frame, context: Context) -> Iterator[Draft]:
    """The firm a person works for, joins or leaves."""
    told = list(_told_employer(frame))
    if told:
        yield from told
        return
    if not frame.path or frame.would or frame.intends or frame.obliged or frame.imperative:
        return
    rest = frame.rest
    match = patterns.match(
        r"(?:work|be (?:employed|working)|have (?:an? )?(?:[\w\-]+ ){0,2}?(?:job|position|role|post|contract)|intern|freelance|teach|cook|consult|do (?:[\w\-]+ )?(?:shifts|residency|(?:my|an?) (?:[\w\-]+ )?(?:apprenticeship|internship|residency|traineeship))|be (?:an? )?[\w ]{2,40}?)(?: (?:full-time|part-time|remotely|nights|days|weekends|evenings|mornings|afternoons|shifts|night shifts|the night shift|as an? [\w\- ]+?|in the [\w ]{2,24}? (?:department|team|office|division)))? (?P<p>at|for|with|by) (?P<o>.+)",
        rest,
    )
    if match and (
        rest.startswith(("work", "intern", "have ", "teach at", "cook at", "consult", "do "))
        or (match["p"] in ("at", "for", "with") and _job(rest, context))
        or "employed" in match[0]
    ):
        name = _firm(match["o"])
        if name:
            over = (
                frame.tense == "past"
                and not frame.started
                and not any(w.bind not in (Bind.REPEAT, Bind.CLOCK) for w in frame.clause.times)
            )
            yield draft(
                frame,
                "works_at",
                text_value(name, entity=True),
                negative=True if over else None,
                ends=over or frame.ended or frame.used_to,
            )
            yield from _as_what(frame, match["o"], over)
        return
    if (
        match := patterns.match(
            r"(?:start|get|begin|land) (?:an? |my )?(?:new )?(?:job|position|role|internship) (?:at|with) (?P<o>.+)",
            patterns.sub(r"^(?=an? new job|my new job|a job)", "start ", rest) if frame.started else rest,
        )
    ) and frame.past:
        name = _firm(match["o"])
        if name:
            yield draft(frame, "works_at", text_value(name, entity=True), begins=True, past=True, change=Change.CHANGED)
        title = patterns.search(r"\bas an? (?P<j>[\w\- ]+?)(?=$|[,.]| in | at )", match["o"])
        if title and _is_occupation(title["j"], context):
            yield draft(frame, "job_title", text_value(title["j"]), begins=True, past=True, change=Change.CHANGED)
        return
    if (
        match := patterns.match(r"(?:join|start (?:at|with|working (?:at|for))) (?P<o>.+)|at (?P<n>[A-Z].+)", rest)
    ) and (frame.past or any(when.bind is Bind.AT and when.future for when in frame.clause.times)):
        name = _firm(match["o"] or (match["n"] if frame.started else ""))
        if (
            name
            and not _SCHOOL.search(name)
            and not patterns.search(r"(?i)\b(?:club|gym|choir|league|party|army|band|team|class|group|society)\b", name)
        ):
            yield draft(
                frame, "works_at", text_value(name, entity=True), begins=True, past=frame.past, change=Change.CHANGED
            )
            yield from _as_what(frame, match["o"] or match["n"], over=False)
        return
    match = patterns.match(
        r"(?:leave|resign from|(?:be|get) (?:laid off|fired|sacked|made redundant|let go|axed) (?:from|by|at)|retire from|hand in my notice at|quit(?= [A-Z])|walk out of|quit (?:my|the) job at|leave (?:my|the) job at) (?:my job at |my position at )?(?P<o>.+)",
        rest,
    )
    if (match and frame.tense in ("past", "perfect") and not frame.negative) or (match and frame.ended):
        name = _firm(match["o"])
        if (
            name
            and not _SCHOOL.search(name)
            and not patterns.search(r"(?i)\b(?:for|to)\b", match["o"][:40].split(name, 1)[-1][:5])
        ):
            yield draft(frame, "works_at", text_value(name, entity=True), negative=True, ends=True, past=True)


_SCHOOL = re.compile(r"(?i)universit|college|school|academy|polytechnic|\bhigh$|institute of")


def _as_what(frame: Frame, text: str, over: bool) -> Iterator[Draft]:
    """ "… at Stellar Freight as their dispatcher": the position beside the firm."""
    title = patterns.search(
        r"\bas (?:an?|the|their|its|our|his|her) (?P<j>[\w\- ]+?)(?=$|[,.]| (?:in|at|for|since|and|on|from|until)\b)",
        text,
    )
    if title and good_object(title["j"]):
        yield draft(
            frame,
            "job_title",
            text_value(clean(title["j"])),
            negative=True if over else None,
            ends=over or frame.ended or frame.used_to,
            begins=frame.past,
            past=frame.past,
        )


def _firm(text: str) -> str:
    text = patterns.split(
        r"\s(?:in|as|on|from|since|for|where|near|until|doing|now|full|part|because|and|but|right|with|by|after|downtown|every)\b|[,.;:(]\s",
        text + " ",
        maxsplit=1,
    )[0]
    name = clean(text)
    return name if is_proper(name) and good_object(name) else ""


def _job(rest: str, context: Context) -> bool:
    match = patterns.match(r"be (?:an? |the )?(?P<o>[\w\- ]+?) (?:at|for|with)\b", rest)
    return bool(match and _is_occupation(match["o"], context))


_NO_JOB = re.compile(
    r"(?i)(?:.*\b)?(?:vegetarian|vegan|pescatarian|flexitarian|beginner|learner|newcomer|foreigner|local|native|fan|lover|person|owl|bird|drinker|smoker|eater|sleeper|reader|swimmer|runner|believer|member|"
    r"user|owner|customer|neighbou?r|sister|brother|mother|father|daughter|parent|friend|partner|winner|loser|disaster|monster|matter|number|order|killer|teenager|pensioner|stranger|other|another|bother|"
    r"supporter|follower|sinner|tourist|optimist|pessimist|realist|feminist|minimalist|perfectionist|nationalist|racist|idealist|activist|finalist|list|specialist in|monist|communist|socialist|investor|collector|shortlist|wishlist|beforehand|twin|widower|speaker|starter|procrastinator|freshman|human|perfectionist|introvert|extrovert|optimist|pessimist|realist|feminist|minimalist|sister-in-law|gamer|hater|sucker|joker|thinker|boomer|"
    r"christian|catholic|buddhist|muslim|hindu|atheist|american|italian|canadian|australian|russian|norwegian|asian|european|scorpio|capricorn|cancer|insomniac|diabetic|asthmatic|carrier|donor|vampire)$"
)


def _is_occupation(phrase: str, context: Context) -> bool:
    phrase = phrase.strip().lower()
    if _NO_JOB.fullmatch(phrase) or len(phrase.split()) > 5:
        return False
    head = phrase.split()[-1] if phrase.split() else ""
    if (
        context.has("occupations", phrase)
        or context.has("occupations", head)
        or context.has("occupations", " ".join(phrase.split()[-2:]))
    ):
        return True
    return bool(
        patterns.fullmatch(
            r"[a-z\-]{4,}(?:ologist|ographer|ician|ineer|[bcdfghklmnprtvx]ist|rician|tect|yst|(?:counc|survey|inspect|audit|conduct|instruct|operat|project|vend|invest|collect|curat|decorat|restor)or|nomer|turer|tuner|dresser|binder|blower|fitter|layer|pusher|setter|handler|minder|sitter|hand|monger|wright|smith|mason|keeper|grapher|iatrist|medic|maker|man|woman|officer|worker|monger)",
            head,
        )
    )


_JOB_THING = patterns.rx(
    r"my (?:day job|current job|job|profession|occupation|job title|role|position|title)", re.IGNORECASE
)


def occupation(frame: Frame, context: Context) -> Iterator[Draft]:
    """What a person does for a living."""
    if not (frame.path or _JOB_THING.fullmatch(frame.thing)) or not states(frame):
        return
    if frame.passive and not patterns.match(r"be (?:promoted to|made|appointed)\b", frame.rest):
        return
    if (
        not frame.explicit
        and any(when.future or when.hour for when in frame.clause.times)
        and " at" in frame.clause.text
    ):
        return  # "Dentist at 3 on Friday" is an appointment
    as_one = patterns.match(
        r"(?:speaking )?as an? (?:\d+-year-old )?(?P<j>[\w\- ]{3,30}?),? (?:I|we)\b", context.sentence, re.IGNORECASE
    )
    if as_one and frame.path == USER and frame.clause.first and _is_occupation(as_one["j"], context):
        yield draft(frame, "job_title", text_value(as_one["j"]), negative=False, timeless=True)
        return
    match = patterns.match(
        r"(?:be(?! promoted| working| made)|become|work as|be working as|train as|retrain as|get promoted to|be promoted to|be appointed(?: as)?|be made|make (?:my|a|his|her) living as|earn (?:my|a|his|her) living as|get a job as|start as|have a job as|serve as|practi[sc]e as)(?: (?:an?|the|our|their|my))? (?P<o>[\w’'&/+#\-\u4e00-\u9fff]+(?: [\w’'&/+#\-]+){0,5})",
        frame.rest,
    )
    sure = bool(
        match
        and patterns.match(
            r"work as|be working as|get a job as|have a job as|be promoted|get promoted|make|earn|serve", frame.rest
        )
    )
    living = patterns.search(r"\bfor (?:a|my|his|her) living\b", context.sentence, re.IGNORECASE)
    if (
        living
        and frame.path
        and frame.verb
        and frame.tense == "present"
        and not frame.negative
        and frame.verb not in ("be", "do", "have")
    ):
        deed = clean(patterns.sub(r"\s*\bfor (?:a|my|his|her) living\b.*", "", frame.rest), keep_lead=True)
        deed = patterns.sub(r"\b(?:an?|the|my|his|her) ", "", deed)
        if good_object(deed) and len(deed.split()) > 1:
            yield draft(frame, "job_title", text_value(deed))
            return
    trade = patterns.match(r"be (?:an? )?(?P<o>[\w\- ]+?) by (?:trade|profession|training)", frame.rest)
    if trade:
        match, sure = trade, True
    if patterns.fullmatch(
        r"my (?:day job|current job|job|profession|occupation|job title|role|position|title)",
        frame.thing or "",
        re.IGNORECASE,
    ):
        match, sure = patterns.match(r"be (?:an? |that of an? )?(?P<o>.+)", frame.rest), True
    if not match:
        return
    phrase = patterns.split(
        r"\s(?:at|for|with|in|by|who|on|from|since|working|and|but|now|specialising|specializing|based|again|of my|here|these)\b",
        match["o"],
        maxsplit=1,
    )[0]
    phrase = patterns.sub(r"\s(?:in|at)\s.*$", "", clean(phrase))
    phrase = patterns.sub(r"^\d+-year-old ", "", phrase)
    student = patterns.search(r"\bstudent$", phrase, re.IGNORECASE)
    if not phrase or student or (not sure and not _is_occupation(phrase, context)):
        return
    over = frame.used_to or (frame.tense == "past" and not frame.started and frame.verb == "be")
    subject = (
        frame.path
        if not patterns.match(r"my (?:job|prof|occ|role|pos|title)", frame.thing or "", re.IGNORECASE)
        else USER
    )
    changed = (
        Change.CHANGED if patterns.match(r"become|be promoted|get promoted|get a job", frame.rest) else Change.NONE
    )
    yield draft(
        frame,
        "job_title",
        text_value(phrase),
        subject=subject,
        negative=True if over and not frame.negative else None,
        ends=over or frame.ended,
        begins=frame.tense == "perfect" or frame.started or changed is Change.CHANGED,
        change=changed,
        timeless=trade is not None,
    )


def experience(frame: Frame, context: Context) -> Iterator[Draft]:
    """Years of practice in a field."""
    if not frame.path or not states(frame):
        return
    number = r"(?P<n>\d+(?:\.\d+)?|[a-z]+(?:-[a-z]+)?)"
    decade = patterns.match(
        r"(?:have|bring) (?:over |almost |nearly |about |more than )?(?P<n>an?|two|three) decades? of (?:experience (?:in|with|as) )?(?P<f>[\w+#. \-]+)",
        frame.rest,
    )
    if decade and good_object(field := clean(patterns.sub(r" experience$", "", decade["f"]))):
        years = {"two": 20, "three": 30}.get(decade["n"], 10)
        yield draft(frame, "years_of_experience", Value(ValueType.NUMBER, str(years), "year", field), timeless=True)
        return
    for match in patterns.finditer(
        rf"{number} (?P<u>years?|months?)(?:['’]s?)? (?:of )?(?:(?P<f1>[\w+#.\- ]+?) experience|experience (?:in|with|of|as an?|as) (?P<f2>[\w+#.\- ]+)|(?:of|in) (?P<f3>[\w+#.\- ]+?)(?= behind| under| experience|$|,|;| and (?:about|around|\w+ (?:years?|months?))))",
        frame.rest,
    ):
        if not patterns.match(r"(?:have|bring|come with|with|gather|be)\b", frame.rest):
            continue
        value = numerals.english_value(match["n"]) if not patterns.match(r"\d", match["n"]) else match["n"]
        field = clean(match["f1"] or match["f2"] or match["f3"] or "")
        if (
            value is not None
            and field
            and good_object(field)
            and field.lower() not in ("work", "age", "life", "marriage")
        ):
            yield draft(
                frame,
                "years_of_experience",
                Value(ValueType.NUMBER, str(value), match["u"].rstrip("s"), field),
                timeless=True,
            )


_YEARS = r"(?:(?:well )?over |about |almost |nearly |more than |close to |around |roughly |some |a good |just under |the (?:last|past|better part of|best part of) |(?:the )?(?:best|better|most) part of )?(?P<n>\d+|[a-z]+(?:-[a-z]+)?) years"
_TRADES = r"(?:teaching|coding|programming|nursing|farming|cooking|baking|painting|translating|interpreting|editing|designing|coaching|welding|driving|building|consulting|selling|acting|directing|photographing|writing|tutoring|training|trading|managing|freelancing)"


def practice(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I've worked in logistics for twelve years", "after nine years in nursing": a field and a length of time."""
    text = frame.clause.text
    after = patterns.match(
        rf"(?:after|with|(?:I|we)(?: have|'ve| had)? (?:spent|done|put in|clocked up|racked up|notched up)) {_YEARS} (?:in|of|as an?|doing|at) (?P<f>[\w\- ]+?)(?:,? I\b|$|[,.;]| (?:and|but|so)\b)",
        context.sentence,
        re.IGNORECASE,
    )
    long = after or patterns.search(rf"\bfor {_YEARS}\b", text) or patterns.match(rf"{_YEARS},? I", text, re.IGNORECASE)
    thing = patterns.fullmatch(
        r"my experience (?:in|with|of|as an?) (?P<f>[\w+#. \-]+)", frame.thing or "", re.IGNORECASE
    )
    stated = patterns.match(rf"be {_YEARS}\b", frame.rest) if thing else None
    field = ""
    if after and frame.path == USER:
        field = after["f"]
    elif thing and stated:
        long, field = stated, thing["f"]
    elif long and frame.path and states(frame) and frame.tense in ("perfect", "present"):
        worked = patterns.match(
            r"(?:work (?:in|with|as an?|on)|do|practi[sc]e|be in(?: the)?) (?P<f>[a-z][\w\- ]+?)\s*(?:business|industry|field|trade)?\s*$",
            frame.rest.strip(),
        )
        trade = patterns.search(
            r"\b(?:been|have|has|'ve|'s) (?P<f>[a-z]+ing)(?: (?P<g>[a-z][a-z\-]*(?: [a-z]+)?))?(?= for\b)", text
        )
        if trade and not trade["g"] and not patterns.fullmatch(_TRADES, trade["f"]):
            trade = None
        if trade and patterns.match(
            r"(?:living|waiting|staying|sitting|dating|seeing|using|taking|having|being|doing|getting|trying|looking|thinking|going|working|learning|studying|renting|paying|saving|sleeping|suffering|feeling|wearing|eating|drinking|smoking)\b",
            trade["f"],
        ):
            trade = None
        field = (f"{trade['f']} {trade['g']}" if trade["g"] else trade["f"]) if trade else worked["f"] if worked else ""
    if (
        not long
        or not field
        or not good_object(clean(field))
        or patterns.match(r"(?:this|that|love|therapy|prison|hospital|bed|touch)\b", field)
    ):
        return
    value = numerals.english_value(long["n"]) if not long["n"].isdigit() else int(long["n"])
    if value:
        yield draft(
            frame,
            "years_of_experience",
            Value(ValueType.NUMBER, str(value), "year", clean(field)),
            subject=USER if thing else frame.path,
            negative=False,
            timeless=True,
        )


def tools_told(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "My main language is Kotlin", "I've switched to Firefox", "everything happens in Salesforce"."""
    main = patterns.fullmatch(
        r"(?:my|our) (?:main|primary|go-to|usual|daily|default|everyday) (?:programming )?(?:language|editor|tool|ide|camera|instrument|app|browser|software|laptop|platform|program|os)(?: (?:at|for) \w+)?",
        frame.thing or "",
        re.IGNORECASE,
    )
    if main and frame.rest.startswith("be ") and not frame.negative and is_proper(clean(frame.rest[3:])):
        yield draft(frame, "uses_tool", text_value(clean(frame.rest[3:])), subject=USER)
        return
    switched = patterns.match(
        r"(?:switch|migrate|convert|change)(?: over)? to (?P<o>[A-Z][\w.+#\-]*(?: [A-Z][\w.+#\-]*)?)", frame.rest
    )
    school = switched and patterns.search(r"\b(?:College|University|School|Academy|Institute)\b", frame.rest)
    if switched and not school and frame.path and frame.past and not frame.negative:
        yield draft(frame, "uses_tool", text_value(switched["o"]), begins=True, past=True, change=Change.CHANGED)
        return
    all_in = patterns.match(
        r"(?:everything(?: I \w+| we \w+)?|(?:all|most) (?:of )?(?:our|my) (?:[\w\-]+ ){0,2}?[\w\-]+)(?: at work)? (?:happens?|is|are|gets?|lives?|runs?|goes|go|sits?|ends? up)(?: all| now)?(?: done| kept| stored| tracked| made| drawn| written| edited| managed| planned| recorded| drafted| designed| mixed| run)? (?:in|on|through|into|with|using|by) (?P<o>(?-i:[A-Z])[\w.+#\-]*(?: [A-Z][\w.+#\-]*)?)",
        patterns.sub(r"(?i)^at work,? ", "", frame.clause.body.strip()),
        re.IGNORECASE,
    )
    if all_in:
        yield draft(frame, "uses_tool", text_value(all_in["o"]), subject=USER, negative=False)
        return


_PLAYS = re.compile(r"play (?:the |an? |my |some )?(?P<o>[a-z ]+?)(?:$|[,.]| in | for | at | with | every | and | any)")


def plays_instrument(rest: str, context: Context) -> bool:
    """True for a clause (from its verb on) that tells of playing a musical instrument."""
    match = _PLAYS.match(rest.strip())
    named = context.vocabulary.concepts(match["o"].strip()) if match else ()
    return any(concept == "instrument" or context.vocabulary.is_kind_of(concept, "instrument") for concept in named)


def tools(frame: Frame, context: Context) -> Iterator[Draft]:
    """Software and instruments used regularly."""
    instrument = _PLAYS.match(frame.rest.strip())
    if instrument and frame.path and states(frame) and not frame.can and plays_instrument(frame.rest, context):
        yield draft(frame, "uses_tool", text_value(instrument["o"].strip()))
        return
    swap = patterns.match(
        r"(?:switch|move|change|migrate)(?: over)? from (?P<a>[A-Z][\w.+#\- ]*?) to (?P<b>[A-Z][\w.+#\-]*(?: [A-Z][\w.+#\-]*)?)",
        frame.rest,
    )
    if swap and frame.path and frame.past and not frame.negative and not frame.rest.startswith("move"):
        yield draft(frame, "uses_tool", text_value(swap["b"]), begins=True, past=True, change=Change.CHANGED)
        yield draft(frame, "uses_tool", text_value(swap["a"]), negative=True, ends=True, past=True)
        return
    if not frame.path or not states(frame) or frame.can:
        return
    match = patterns.match(
        r"(?:use|work with|rely on|swear by|run on|shoot (?:with|on)|be an?(?: [a-z\-]+){0,2}?(?= [A-Z]\S* user\b))(?: mostly| mainly)? (?P<o>.+?)(?: user)?$",
        frame.rest.strip(),
    )
    if match is None:
        match = patterns.match(
            r"(?:edit|write|code|design|draw|model|manage|track|do|keep|plan|organi[sz]e|watch|monitor|take|make|record|mix|render|program|develop|store|log|chart|run|build)\b.{0,40}?\b(?:in|with|on|through|via|using) (?P<o>[A-Z][\w.+#\-]*(?:[ ,]+(?:and |or |, )?(?:a bit of |some |a little )?[A-Z][\w.+#\-]*)*)",
            frame.rest,
        )
        if match and (
            match["o"].split()[0] in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
            or not patterns.search(
                r"\b(?:everything|all|notes|my|our|mostly|code|charts?|designs?|drawings?|papers?|docs?|documents?|videos?|photos?|music|tasks?|projects?|budgets?|diagrams?|mockups?|scripts?|slides?)\b",
                frame.rest[: match.start("o")],
            )
        ):
            match = None
    if match is None:
        match = patterns.match(
            r"(?:edit|write|code|design|draw|sketch|paint|model|record|mix|film|shoot|compose|type|animate|program|work|read)\b(?: [\w\-]+){0,3}? (?:in|with|on) (?:an? |my )(?:old |new |trusty )?(?P<o>[A-Z][\w.+#\-]*(?: [A-Z][\w.+#\-]*)?)$",
            frame.rest.strip(" .!"),
        )
    if match is None or (frame.tense == "past" and not frame.started):
        return
    text = patterns.split(
        r"\s(?:for|to|at|on|every|because|when|as|instead|rather|in|daily|all)\b", match["o"], maxsplit=1
    )[0]
    for part, denied in items(text):
        name = clean(part)
        if good_object(name) and (is_proper(name) or context.has("tools", name)):
            yield draft(
                frame,
                "uses_tool",
                text_value(name),
                negative=frame.negative != denied,
                change=Change.CHANGED if frame.started else Change.NONE,
            )


RULES = (employer, occupation, experience, practice, tools_told, tools)
