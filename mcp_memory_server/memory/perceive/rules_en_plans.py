"""English rules: plans, trips, bookings, meetings, events, due dates, absence, complaints."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object, is_proper, items, place
from mcp_memory_server.memory.perceive.when import Bind, When

_GO = r"(?:fly|travel|go|head|drive|take (?:a|the) (?:train|bus|flight|ferry|trip)|sail|be (?:off|flying|going|heading|travelling|traveling|headed|bound)|be on (?:my|our) way|move on|leave|be (?:back )?in|stay|return|set off)"
_AREA = re.compile(r"(?i)^(?:abroad|overseas|home|work|bed|school|town|church|sleep|class|hospital|court|college|university|the (?:gym|doctor|dentist|office|store|shop|supermarket|bank|beach|cinema|movies|park|pool|library|hairdresser|vet|airport|station|pub|hospital|market|theatre|theater)\b.*)$")


def _timed(frame: Frame, *binds: Bind) -> list[When]:
    wanted = binds or (Bind.AT, Bind.RANGE, Bind.BY)
    return [when for when in frame.clause.times if when.bind in wanted and when.future]


def _ahead(frame: Frame) -> bool:
    """A plan by its tense: will, going to, a progressive or a present with a time to come."""
    return frame.intends or frame.progressive and frame.tense != "past" or frame.tense in ("present", "future") and bool(_timed(frame))


def trips(frame: Frame, context: Context) -> Iterator[Draft]:
    """Trips planned, under way or made."""
    if frame.would or frame.imperative or frame.negative or frame.can:
        return
    rest = frame.rest
    noun = patterns.search(r"\b(?:trip|flight|journey|holiday|vacation|honeymoon|visit|getaway|tour) to (?P<o>[A-Z\u4e00-\u9fff].*)", frame.thing or rest)
    match = patterns.match(r"(?:be|stay)(?: back| over)? in (?P<o>[A-Z\u4e00-\u9fff].*)", rest) or patterns.match(rf"{_GO}\b.*?\b(?:to|for|in|into) (?P<o>[A-Z\u4e00-\u9fff].*)", rest)
    if match and patterns.match(r"(?:be(?! off| flying| going| heading| trav| bound| on)|stay)\b", rest) and not (_timed(frame, Bind.AT, Bind.RANGE, Bind.UNTIL, Bind.BY)):
        match = None
    if match and frame.path:
        where = place(match["o"])
        if not is_proper(where) or _AREA.match(where) or not good_object(where) or patterns.search(r"(?i)universit|college|school|\binc\b|\bltd\b", where):
            return
        if patterns.match(r"be in\b|be back in\b|stay", rest) and frame.past:
            yield draft(frame, "visited", text_value(where, entity=True), past=True)
        elif frame.past and not frame.obliged and not frame.intends and not frame.used_to:
            yield draft(frame, "visited", text_value(where, entity=True), past=True)
        elif _ahead(frame) or frame.obliged or rest.startswith("be off"):
            until = [w for w in _sentence_times(frame) if w.bind is Bind.UNTIL and w not in frame.clause.times]
            yield draft(frame, "travels_to", text_value(where, entity=True), past=False, times=(*frame.clause.times, *until))
        return
    landed = patterns.match(r"(?:land|arrive|touch down|get) (?:in|to|at) (?P<o>[A-Z\u4e00-\u9fff].*)", rest)
    if landed and frame.path and frame.past:
        where = place(landed["o"])
        if is_proper(where) and good_object(where):
            until = [w for w in _sentence_times(frame) if w.bind is Bind.UNTIL]
            yield draft(frame, "travels_to", text_value(where, entity=True), past=True, times=(*frame.clause.times, *until))
        return
    visited = patterns.match(r"(?:visit|explore|tour|see|pass through|backpack (?:around|through)) (?P<o>[A-Z\u4e00-\u9fff].*)", rest)
    if visited and frame.path:
        where = place(visited["o"])
        if is_proper(where) and good_object(where) and not rest.startswith("see"):
            done = frame.past and not frame.intends and not frame.obliged
            if done or _ahead(frame):
                yield draft(frame, "visited" if done else "travels_to", text_value(where, entity=True), past=done)
        return
    if noun and (frame.intends or _timed(frame) or patterns.match(r"(?:have|plan|book|be planning|organi[sz]e)\b", rest) or frame.thing):
        where = place(noun["o"])
        if is_proper(where):
            yield draft(frame, "visited" if frame.past else "travels_to", text_value(where, entity=True), subject=frame.path or USER, past=frame.past)


def _sentence_times(frame: Frame) -> tuple[When, ...]:
    return frame.clause.sentence_times


def bookings(frame: Frame, context: Context) -> Iterator[Draft]:
    """Things reserved."""
    match = patterns.match(r"(?:book|reserve)(?: us| me| myself| ourselves)? (?P<o>.+)", frame.rest)
    if match and frame.path and frame.tense in ("past", "perfect") and not frame.negative and not frame.passive and not frame.intends:
        text = patterns.split(r"\s(?:for|at|on|from|in|to|with|via|through|near|because|next|this)\b", match["o"], maxsplit=1)[0]
        for part, _ in items(text):
            if good_object(clean(part)):
                yield draft(frame, "booked", text_value(clean(part)), past=False)
    elif patterns.match(r"be (?:booked|reserved|confirmed)\b", frame.rest) and frame.thing and not frame.negative and not patterns.match(r"(?:it|this|that|everything)$", frame.thing, re.IGNORECASE):
        thing = patterns.split(r"\s(?:for|at|on|from|in|to)\b", clean(frame.thing), maxsplit=1)[0]
        if good_object(thing):
            yield draft(frame, "booked", text_value(thing), subject=USER, past=False)


def _person(text: str, context: Context) -> str:
    """A name or a role as whom one meets."""
    text = patterns.split(r"\s(?:at|on|for|about|in|to|from|over|after|before|because|tomorrow|next|this|again|when|and i|near|around)\b|[,.;(]", text.strip(), maxsplit=1)[0].strip()
    bare = patterns.sub(r"^(?:my |our |the |a |an )", "", text, flags=re.IGNORECASE)
    roles = context.vocabulary.mapping("en", "roles")
    words = bare.split()
    if not words or len(words) > 5:
        return ""
    professions = words[-1].lower() in roles or words[0].lower() in roles or context.has("occupations", words[-1])
    if professions or (bare[0].isupper() and not patterns.match(r"(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|English|French|German|Netflix|Google|Japan|Paris|London)\b", bare)) or patterns.match(r"[\u4e00-\u9fff]{2,4}$", bare):
        name = patterns.sub(r"^(?:friend|colleague|cousin|brother|sister|boss|friends) (?=[A-Z])", "", bare)
        return name
    return ""


_MEALS = r"(?:lunch|dinner|brunch|breakfast|coffee|drinks|tea|a coffee|a drink|a beer|a meeting|a call|a video call|a chat|a catch-up|catch-up|call|meeting|video call|supper|a date|date night|1:1|a 1:1|one-on-one|a one-on-one|an interview|a session|an appointment)"


def meetings(frame: Frame, context: Context) -> Iterator[Draft]:
    """Seeing a person by arrangement."""
    if frame.negative or frame.would or frame.imperative:
        return
    body = frame.clause.body.strip()
    match = patterns.match(r"(?:meet(?: up)?(?: with)?|see|catch up with|visit|get together with|hang out with|have dinner with|pick up) (?P<o>.+)", frame.rest)
    if frame.rest.startswith("pick up"):
        match = None
    meal = patterns.match(rf"(?:have|do|grab|get|be having|go for|be going for) (?P<k>{_MEALS}) with (?P<o>.+)", frame.rest) or (patterns.match(rf"(?P<k>{_MEALS}) with (?P<o>.+)", body, re.IGNORECASE) if not frame.explicit else None)
    found = meal or match
    if not found or not (_timed(frame) or frame.intends) or frame.path not in ("", USER):
        return
    ahead = _ahead(frame) or (meal is not None and not frame.past)
    if not ahead and not (frame.past and _timed(frame)):
        return
    for part, _ in items(found["o"]):
        who = _person(part, context)
        if who and good_object(who):
            yield draft(frame, "meets", text_value(who, entity=True), subject=USER, past=not ahead)


_EVENT_HEAD = r"(?:[\w’'\-]+ ){0,3}?"


def events(frame: Frame, context: Context) -> Iterator[Draft]:
    """Exams, appointments, interviews, weddings… with their time."""
    words = context.words("events")
    if frame.would or frame.imperative:
        return
    rest, body = frame.rest, frame.clause.body.strip()
    timed = _timed(frame)
    thing = patterns.fullmatch(rf"(?:my|our|the|a|an|this|his|her|their)\s+(?P<o>(?:[\w’'\-]+\s+){{0,3}}?(?:{words})(?:\s+(?:with|at|of|for)\s+[\w’' \-]+)?)", frame.thing or "", re.IGNORECASE)
    if thing and timed and patterns.match(r"(?:be|start|take place|happen|begin|fall|go ahead|get|come up|move)\b", rest) and not patterns.match(r"be (?:due|over|cancel)", rest):
        name = clean(patterns.split(r"\s(?:with|at|for)\s", thing["o"], maxsplit=1)[0])
        moved = bool(patterns.search(r"\b(?:moved|pushed|postponed|rescheduled|brought forward|changed|delayed|now)\b", frame.clause.text))
        yield from _with_denied(frame, name, timed, change=Change.CHANGED if moved else Change.NONE)
        return
    pushed = patterns.match(rf"(?:push|move|postpone|reschedule|bring|shift|delay|change)(?:e?d)?(?: back| forward| up)? (?:my|our|the) (?P<o>{_EVENT_HEAD}(?:{words}))\b(?: back| forward| up)?", rest, re.IGNORECASE)
    if pushed and timed and frame.past:
        yield draft(frame, "has_event", text_value(clean(pushed["o"])), subject=USER, negative=False, past=False, change=Change.CHANGED)
        return
    match = patterns.match(rf"(?:have|get|attend|go to|take|sit|face|be going to|be having|be attending|be taking|run|give|play in|do)(?: got)? (?:my |our |an? |the |another |some )?(?P<o>{_EVENT_HEAD}(?:{words})(?: (?:with|at) the [\w\-]+)?)(?![\w-])(?! (?:with|budget|ticket|dress|plan|idea))", rest, re.IGNORECASE)
    if match and timed and frame.path and not frame.negative and not (frame.intends and frame.verb in ("run", "do", "give", "play", "take")):
        name = clean(match["o"])
        if good_object(name) and not patterns.fullmatch(r"(?i)(?:the )?(?:train|flight|move|play|date|class|show|review|visit|shift|call)s?", name):
            yield draft(frame, "has_event", text_value(name), past=frame.past)
        elif good_object(name) and frame.tense in ("present", "future") and patterns.match(r"have\b", rest):
            yield draft(frame, "has_event", text_value(name))
        return
    bare = patterns.match(rf"(?:my |our |the )?(?P<o>(?:[\w’'\-]+ ){{0,2}}?(?:{words}))\s*(?:is|are|:|,|-|$|!)", body, re.IGNORECASE)
    if bare and timed and not frame.explicit and not frame.verb and len(body.split()) <= 6 and good_object(clean(bare["o"])):
        yield draft(frame, "has_event", text_value(clean(bare["o"])), subject=USER, negative=False)
        return
    if frame.path and frame.past and timed and (match := patterns.match(r"(?P<o>graduate(?! from)|retire|get married|get engaged|give birth|undergo [\w ]+|have (?:surgery|an operation|a baby))\b", rest)) and not frame.negative:
        noun = {"graduate": "graduation", "retire": "retirement", "get married": "wedding", "get engaged": "engagement", "give birth": "birth"}.get(match["o"], clean(patterns.sub(r"^(?:undergo|have) (?:an? )?", "", match["o"])))
        if noun not in ("wedding", "engagement"):
            yield draft(frame, "has_event", text_value(noun), past=True)
    elif frame.path and (frame.intends or frame.progressive) and timed and (match := patterns.match(r"(?P<o>graduate|retire)\b", rest)):
        yield draft(frame, "has_event", text_value({"graduate": "graduation", "retire": "retirement"}[match["o"]]))


def _with_denied(frame: Frame, name: str, timed: list[When], change: Change) -> Iterator[Draft]:
    """"on Thursday, not Wednesday": the second time is what it is not."""
    denied = [when for when in timed if patterns.search(r"\bnot\s+(?:on\s+|the\s+)?$", frame.clause.text[: when.start - frame.clause.start])]
    kept = [when for when in timed if when not in denied]
    subject = frame.path or USER
    if kept and good_object(name):
        yield draft(frame, "has_event", text_value(name), subject=subject, negative=frame.negative and not denied, past=frame.tense == "past" and change is Change.NONE, change=change, times=tuple(kept))


def deadlines(frame: Frame, context: Context) -> Iterator[Draft]:
    """Days by which something must be done."""
    times = [when for when in frame.clause.times if when.bind in (Bind.AT, Bind.BY, Bind.UNTIL) and when.future]
    if not times or frame.would or frame.negative:
        return
    rest, scope = frame.rest, ""
    if patterns.match(r"be due\b(?! to)|(?:expire|run out|close|end)\b", rest) and frame.thing and (rest.startswith("be due") or patterns.search(r"(?i)\b(?:application|registration|enrol|offer|deadline|lease|contract|passport|visa|licence|license|window|submission)", frame.thing)):
        if not rest.startswith("be due") and not patterns.search(r"(?i)application|registration|submission|window", frame.thing):
            return
        scope = clean(frame.thing)
    elif match := patterns.match(r"(?:my|our|the)(?: (?P<a>[\w\- ]+?))?(?: submission| application)? (?:deadline|due date|cut-?off)(?: (?:for|of|on) (?P<b>[\w\- ]+))?$", frame.thing or "", re.IGNORECASE):
        scope = clean(match["b"] or match["a"] or "") if patterns.match(r"be|fall|get|move", rest) else ""
        if not scope and not patterns.match(r"be\b", rest):
            return
    elif (frame.obliged or frame.imperative is False and patterns.match(r"have until\b", rest)) and any(when.bind is Bind.BY for when in times):
        match = patterns.match(r"(?:submit|hand in|turn in|send(?: in| off)?|file|finish|complete|pay|deliver|return|renew|register for|apply for|upload|get|have|do|write|give|sign|send back)(?: back| in)? (?:my |the |our |a |an )?(?P<s>[\w\- ]+?)(?: (?:in|done|finished|ready|sent|submitted|to|by|before|for|over))*\s*$", patterns.sub(r"\s+", " ", rest))
        scope = clean(match["s"]) if match else ""
        if not match:
            return
        times = [when for when in times if when.bind is Bind.BY]
    else:
        return
    value = times[-1].future if "T" in times[-1].future else times[0].future
    yield draft(frame, "deadline", Value(ValueType.DATE, value, None, scope if good_object(scope) else None), subject=USER, timeless=True, negative=False, change=Change.CHANGED if "now" in frame.adverbs or patterns.search(r"\b(?:moved|extended|pushed|postponed)\b", frame.clause.text) else Change.NONE)


_AWAY = re.compile(r"\b(?:on (?:leave|holiday|vacation|parental leave|maternity leave|paternity leave|sick leave)|away|off(?: work)?|out of (?:the )?office|out of town|unavailable|not available|not around|unreachable|offline|abroad|busy|do not disturb|don't (?:schedule|book|disturb|plan|call|contact)|do not (?:schedule|book|disturb|plan|call|contact)|no meetings)\b", re.IGNORECASE)


def absence(frame: Frame, context: Context) -> Iterator[Draft]:
    """Periods in which the user is away or not to be disturbed."""
    times = [when for when in frame.clause.times if when.bind is Bind.RANGE or (when.bind is Bind.AT and ("/" in when.future or len(when.future) == 10))]
    if not times or not _AWAY.search(context.sentence) or frame.path not in ("", USER) or frame.past or frame.clause.blocked:
        return
    when = times[0]
    if not (_AWAY.search(frame.clause.text) or patterns.search(r"\bI(?:'m| am) (?:on|off|away)", context.sentence)):
        return
    value = f"{when.future}/{when.until}" if when.until else when.future if "/" in when.future else f"{when.future}/{when.future}"
    if patterns.search(r"\b(?:off|away|abroad|busy)\b", frame.clause.text, re.IGNORECASE) and when.bind is not Bind.RANGE and "/" not in when.future and not patterns.search(r"\b(?:day off|off work|out of office|on leave|unavailable|not available|away)\b", frame.clause.text, re.IGNORECASE):
        return
    if patterns.search(r"\boff to\b", frame.clause.text):
        return
    yield draft(frame, "unavailable_during", Value(ValueType.PERIOD, value), subject=USER, negative=False, timeless=True)


_VAGUE = re.compile(r"(?:be|have|do|go|get|know|think|see|feel|say|tell|make sure|understand|believe|wait|talk|ask|hear|let|thank|point|add|mention|note|keep|use|like|love|stay|sleep|die|cry|laugh|scream|spend|pay|budget|live|work|check in)\b", re.IGNORECASE)


def plans(frame: Frame, context: Context) -> Iterator[Draft]:
    """Actions intended, or asked to be reminded of."""
    if frame.negative or frame.would or frame.can or frame.used_to:
        return
    remind = patterns.match(r"remind me(?: again)?(?: please)?(?: to (?P<o>.+)| (?:about|of) (?P<n>.+))", frame.rest) or patterns.match(r"(?:set|put|create|add|make) (?:me )?an? (?:reminder|alarm|note)(?: for me)? (?:to (?P<o>.+)|for (?P<n>.+))", frame.rest) or patterns.match(r"not let me forget to (?P<o>.+)(?P<n>)?", frame.rest)
    if remind:
        text = _action(remind["o"] or remind["n"] or "")
        if good_object(text):
            yield draft(frame, "plans_to", text_value(text), subject=USER)
        return
    if frame.path != USER and not (frame.path.startswith("user.") and frame.intends):
        return
    scheduled = frame.progressive and frame.tense == "present" and any(when.future > "" and when.bind in (Bind.AT, Bind.RANGE) for when in frame.clause.times)
    if not (frame.intends or scheduled) or frame.imperative or frame.passive:
        return
    if _VAGUE.match(frame.rest) or patterns.match(rf"{_GO}\b.*\b(?:to|for|in) [A-Z]", frame.rest) or patterns.match(r"(?:meet|see|visit|book|reserve|travel|fly|stay|arrive|land|turn|graduate|retire)\b", frame.rest):
        if not patterns.match(r"(?:get|have|make|see|visit|go|do|use|keep) (?!to\b|it\b|that\b|this\b|married\b|there\b|back\b)(?:my|the|a|an|some|new|rid|into|through|running|hiking|swimming|skiing|camping|shopping|dancing|back to|vegan|vegetarian|freelance)\b", frame.rest):
            return
        if patterns.match(r"see (?:my|the|a) ", frame.rest):
            return
    text = _action(frame.rest)
    if good_object(text) and len(text.split()) >= 2 or (good_object(text) and patterns.fullmatch(r"retire|freelance|emigrate|remarry|resign|quit|move|diet|propose", text)):
        yield draft(frame, "plans_to", text_value(text))


def _action(text: str) -> str:
    text = patterns.sub(r"\s+", " ", text)
    text = patterns.split(r"\s(?:because|since|so that|so|but|when|if|as soon as|before i|after i|even|instead|in order|which|while)\b|[,;(]", text, maxsplit=1)[0]
    return clean(patterns.sub(r"\b(?:my|our) (?=\w)", "", text), keep_lead=True)


_BAD = r"(?:rude|slow|late|broken|cold|awful|terrible|horrible|useless|unacceptable|disgusting|ridiculous|overpriced|dirty|filthy|noisy|faulty|defective|damaged|cracked|scratched|torn|stale|soggy|burnt|inedible|appalling|dreadful|shoddy|buggy|laggy|unreliable|unhelpful|incompetent|unprofessional|misleading|disappointing|a joke|a mess|a disgrace|a nightmare|garbage|rubbish|trash|crap|infuriating|a scam|a rip-off|the worst|worse than ever|unusable|wrong|missing|down again|impossible to use|way too (?:slow|expensive|loud|small|long|complicated)|too (?:slow|loud|salty|cold|expensive|small)|so (?:slow|rude|bad|annoying|frustrating)|annoying|frustrating)"
_FAIL = r"(?:crash|freeze|break|fail|stop working|not work|keep (?:crashing|freezing|failing|breaking|logging|dropping|disconnecting|losing|cutting|showing|asking|sending|charging)|not (?:arrive|ship|respond|load|open|connect|start|charge|turn on|come|show up|reply|answer|deliver|fit|sync|refund|be (?:delivered|shipped|fixed|answered|refunded|processed))|be (?:charged twice|double-charged|double charged|charged again|lost|delayed(?: again)?|cancelled without|canceled without|never (?:delivered|answered|fixed))|arrive (?:late|broken|damaged|cold|with|two|three|cracked|scratched)|leak|overheat|let me down|ignore me|lose my|charge me twice|hang up on me|leave me)"


def complaints(frame: Frame, context: Context) -> Iterator[Draft]:
    """What the user is dissatisfied with, where the words voice it."""
    if frame.clause.blocked and frame.clause.blocked != "question":
        return
    thing = clean(frame.thing) if frame.thing else ""
    about = thing and not patterns.match(r"(?:it|this|that|there|they|nobody|everyone|which|what)$", thing, re.IGNORECASE)
    personal = patterns.match(r"my (?:mother|father|mum|mom|dad|wife|husband|son|daughter|english|french|maths?|knowledge|fault|bad|leg|arm|back|knee|health)\b", frame.thing or "", re.IGNORECASE)
    if about and not personal and not frame.would and not frame.intends:
        pattern = rf"be (?:\w+ (?:hours?|days?|weeks?|minutes?|months?) )?(?:\w+ly |so |just |still |really |absolutely |far |way |completely |totally |always |again )*{_BAD}\b"
        failing = patterns.match(rf"(?:still |always )?{_FAIL}\b", ("not " if frame.negative else "") + frame.rest)
        if (patterns.match(pattern, frame.rest, re.IGNORECASE) and not frame.negative) or failing:
            name = patterns.split(r"\s(?:that|which|i|you|we|from|of|on|for|with)\s", thing, maxsplit=1)[0] if not patterns.match(r"(?i)card ending", thing) else "charged twice"
            name = patterns.sub(r"^(order)\b[\s#\d\-A-Z]*$", r"\1", name, flags=re.IGNORECASE)
            if "charged twice" in frame.clause.text:
                name = "charged twice"
            if good_object(name):
                yield draft(frame, "complains_about", text_value(name), subject=USER, negative=False, timeless=True)
            return
    fed_up = patterns.search(r"\b(?:sick (?:and tired )?of|fed up with|tired of|had enough of|annoyed (?:by|with|at)|frustrated (?:by|with|at)|disappointed (?:by|with|in)|complain about|unhappy with|dissatisfied with|furious (?:about|at|with)|angry (?:about|at|with)) (?P<o>.+)", frame.clause.body, re.IGNORECASE)
    if fed_up and frame.path in ("", USER) and not frame.negative:
        name = clean(patterns.split(r"\s(?:that|which|because|and|always|every|taking|being|not|when|for)\b", fed_up["o"], maxsplit=1)[0])
        if good_object(name):
            yield draft(frame, "complains_about", text_value(name), subject=USER, negative=False, timeless=True)


RULES = (trips, bookings, meetings, events, deadlines, absence, plans, complaints)
