"""English rules: who a person is, family, work and education."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals, quantity
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, each, good_object, is_proper, items, place, states
from mcp_memory_server.memory.perceive.when import Bind, When

_N = r"(?:\d{1,3}|[a-z]+(?:-[a-z]+)?)"


def names(frame: Frame, context: Context) -> Iterator[Draft]:
    """Names given: called, named, "my name is", "call me", and those told with a role."""
    pattern = re.compile(
        r"(?:be (?:called|named|known as)|go by(?: the name(?: of)?)?|(?:everyone|everybody|people|friends|my friends|they) calls? me)\s+(?P<o>[A-Z\u4e00-\u9fff][\w'’.\- ]*)"
    )
    match = patterns.search(r"\bcalls? me (?P<o>[A-Z\u4e00-\u9fff][\w'’\-]*)", frame.clause.text) if patterns.match(r"(?:everyone|everybody|people|friends|my |most )", frame.clause.text, re.IGNORECASE) else None
    if match:
        yield draft(frame, "has_name", text_value(match["o"]), subject=USER, negative=False, timeless=True)
        return
    match = pattern.match(frame.rest) or patterns.match(r"call me (?P<o>[A-Z\u4e00-\u9fff][\w'’\-]*(?: [A-Z][\w'’\-]*)*)", frame.rest)
    if match and frame.path and (states(frame) or frame.rest.startswith("call me")):
        value = patterns.split(r"[,.;(]| (?:by|for|because|but|and|at|in|on)\b", match["o"], maxsplit=1)[0].strip()
        yield draft(frame, "has_name", text_value(value), subject=USER if frame.rest.startswith("call me") else frame.path, negative=False, timeless=True)
    thing = patterns.fullmatch(r"(?P<who>my|our|his|her|the user's)(?P<role> [\w\- ]+'s)? (?:full |first |given |real |last |nick)?(?:name|nickname|surname)", frame.thing, re.IGNORECASE)
    if thing and frame.rest.startswith("be ") and not frame.negative:
        name = clean(frame.rest[3:])
        role = (thing["role"] or "").strip().removesuffix("'s").strip().lower()
        roles = context.vocabulary.mapping("en", "roles")
        subject = f"user.{roles[role]}" if role in roles else USER if not role else ""
        if is_proper(name) and subject and len(name.split()) <= 4 and thing["who"].lower() not in ("his", "her"):
            yield draft(frame, "has_name", text_value(name), subject=subject, timeless=True)
    subject_told = frame.subject
    if subject_told and frame.explicit and subject_told.name and subject_told.role in context.vocabulary.roles_one:
        yield draft(frame, "has_name", text_value(subject_told.name), negative=False, timeless=True)


def age(frame: Frame, context: Context) -> Iterator[Draft]:
    """Years of a person: "I'm 34", "my son is 3", "turned forty"."""
    if not frame.path or not states(frame) or frame.negative or frame.subject is None or frame.subject.role in ("company", "team"):
        return
    match = patterns.match(
        rf"(?:be (?:aged |about |around |almost |nearly |only |now )*|turn (?:a )?)(?P<n>{_N})(?![.,]?\d)(?P<half> and a half)?(?P<u>[ \-](?:years?|months?|weeks?)(?:[ \-]old)?)?(?= *(?:$|[,.;!)]|and\b|but\b|already\b|now\b|today\b|this\b|next\b|in\b|turning\b|years?\b|by\b))",
        frame.rest,
    )
    if not match or (frame.rest.startswith("be ") and frame.clause.first and not frame.explicit and not match["u"]):
        return  # a bare number, or a note with one, is nobody's age
    number = numerals.english_value(match["n"]) if not match["n"].isdigit() else int(match["n"])
    if number is None or not 0 < number < 121 or (match["u"] and "old" not in match["u"] and patterns.search(r"\bbe\b.*\b(?:into|away|late|early|ago|experience)\b", frame.rest)):
        return
    if frame.we and not match["u"]:
        return  # "we are 30" counts heads
    unit = "month" if match["u"] and "month" in match["u"] else "week" if match["u"] and "week" in match["u"] else "year"
    value = f"{number}.5" if match["half"] else str(number)
    yield draft(frame, "age", Value(ValueType.NUMBER, value, unit), timeless=True)


def _timed_ahead(frame: Frame) -> bool:
    return any(when.future == when.past and when.future[:10] > frame.clause.today for when in frame.clause.times)


def _birthday_value(when: When) -> str:
    if len(when.future) != 10 or "/" in when.future:
        return ""
    return when.future if when.future == when.past else f"--{when.past[5:]}"


def birthday(frame: Frame, context: Context) -> Iterator[Draft]:
    """Born on a day, a birthday on a day, or an age that is turned on one."""
    born = patterns.match(r"be born\b", frame.rest)
    of_thing = patterns.search(r"\bbirthday$", frame.thing, re.IGNORECASE) and patterns.match(r"(?:be|fall)\b", frame.rest)
    mine = patterns.match(r"(?:my|our|the user's) birthday$", frame.thing, re.IGNORECASE)
    turning = patterns.match(r"turn (?:\d{1,3}|[a-z\-]+)\b", frame.rest)
    owner = patterns.match(r"(?:my |our )?(?P<r>[\w\- ]+?)['’]s birthday$", frame.thing or "", re.IGNORECASE)
    role = context.vocabulary.mapping("en", "roles").get(owner["r"].lower(), "") if owner else ""
    subject = USER if mine else f"user.{role}" if role else frame.path
    if not subject or not (born or (of_thing and (mine or role)) or (turning and frame.path)):
        return
    for when in frame.clause.times:
        value = _birthday_value(when) or (when.future if born and patterns.fullmatch(r"\d{4}(-\d\d)?", when.future) else "")
        if value and when.bind in (Bind.AT,) and patterns.search(r"\d", frame.clause.text[when.start - frame.clause.start : when.end - frame.clause.start]):
            yield draft(frame, "birthday", Value(ValueType.DATE, value), subject=subject, timeless=True, negative=frame.negative)
            return


def home(frame: Frame, context: Context) -> Iterator[Draft]:
    """Where a person lives, moves to, comes from."""
    rest, moved = frame.rest, patterns.match(r"(?:move|relocate|emigrate)\b(?: back| over| out| away| house)?(?: from (?P<from>.+?))? (?:to|into) (?P<o>.+)", frame.rest)
    if moved and frame.path and not frame.negative and not frame.imperative and not frame.would:
        if frame.intends or frame.obliged:
            return
        where = place(moved["o"])
        if is_proper(where) and (not frame.progressive):
            yield draft(frame, "lives_in", text_value(where, entity=True), begins=True, past=True, change=Change.CHANGED)
        return
    match = patterns.match(r"(?:live|reside|be (?:living|residing)|be based|be settled|settle(?: down)?|have (?:lived|a flat|a house|an apartment))(?: here| alone| together| now| with [\w' ]+?)? (?:in|at|on|near|outside|by) (?P<o>.+)", rest)
    if match and frame.path and states(frame) and not frame.can:
        where = place(match["o"])
        company = frame.subject is not None and frame.subject.role in ("company", "team")
        if (is_proper(where) or frame.path != USER) and good_object(where) and not any(f"{word} {where}" in rest for word in ("near", "outside")):
            if frame.tense == "past" and not frame.started and not any(w.bind is not Bind.REPEAT for w in frame.clause.times):
                yield draft(frame, "lives_in", text_value(where, entity=True), negative=True, ends=True)
            else:
                yield draft(frame, "located_in" if company else "lives_in", text_value(where, entity=True), begins=frame.tense == "perfect" or frame.started)
    thing = patterns.fullmatch(r"(?:my|our) (?:home|house|flat|apartment|place)", frame.thing, re.IGNORECASE)
    match = patterns.match(r"be (?:in|at|near) (?P<o>.+)", rest)
    if thing and match and is_proper(place(match["o"])):
        yield draft(frame, "lives_in", text_value(place(match["o"]), entity=True), subject=USER)
    match = patterns.match(r"be (?:(?:still )?my home|home|where i live)\b", rest)
    if match and frame.thing == "" and frame.subject and frame.subject.name and not frame.subject.role:
        yield draft(frame, "lives_in", text_value(frame.subject.name, entity=True), subject=USER)


def origin(frame: Frame, context: Context) -> Iterator[Draft]:
    """The place a person comes from."""
    match = patterns.match(r"(?:come (?:originally )?from|be (?:originally )?from|hail from|grow up (?:in|near|on|outside)|be (?:born|raised|born and raised|brought up|native) (?:and raised )?(?:in|to)|be a native of) (?P<o>.+)", frame.rest)
    if match and frame.path and states(frame):
        where = place(match["o"])
        if is_proper(where) and good_object(where):
            yield draft(frame, "hometown", text_value(where, entity=True), timeless=True)
    if patterns.fullmatch(r"(?:my|our) (?:home ?town|home country|family)", frame.thing, re.IGNORECASE) and (m := patterns.match(r"(?:be|come from|be from) (?P<o>.+)", frame.rest)):
        where = place(m["o"])
        if is_proper(where):
            yield draft(frame, "hometown", text_value(where, entity=True), subject=USER, timeless=True)


def languages(frame: Frame, context: Context) -> Iterator[Draft]:
    """Languages spoken or studied."""
    match = patterns.match(r"(?:speak|be (?:fluent|native|bilingual|conversational) in|understand)(?: (?:a little|a bit of|some|fluent|native|good|decent|conversational|basic|passable|both|only))? (?P<o>.+)", frame.rest)
    thing = patterns.fullmatch(r"my (?:native|first|second|third|mother)[ -]?(?:language|tongue)", frame.thing, re.IGNORECASE)
    text = match["o"] if match else frame.rest[3:] if thing and frame.rest.startswith("be ") else ""
    if not text or not (frame.path or thing) or not states(frame):
        return
    for part, denied in items(text):
        word = clean(part)
        bare = patterns.sub(r"^(?:fluent|native|good|basic|some|a little|no|any) ", "", word, flags=re.IGNORECASE)
        if context.has("languages", bare):
            yield draft(frame, "speaks", text_value(bare), negative=frame.negative != (denied or word.lower().startswith("no ")), subject=frame.path or USER, timeless=True)


def licence(frame: Frame, context: Context) -> Iterator[Draft]:
    """Whether there is a driving licence."""
    match = patterns.match(r"(?:have|hold|get|own|possess|lose) (?P<no>no )?(?:a |an |my |any |full |valid |clean |provisional )*(?:driver|drivers|driver's|driving|driver’s)[ ]?licen[cs]e", frame.rest)
    if match and frame.path and states(frame):
        yield draft(frame, "has_driving_license", Value(ValueType.BOOLEAN, "true"), negative=frame.negative != bool(match["no"]), begins=frame.rest.startswith("get"))
    elif patterns.match(r"pass (?:my |the )?driving (?:test|exam)", frame.rest) and frame.path and states(frame) and frame.past and not frame.negative:
        yield draft(frame, "has_driving_license", Value(ValueType.BOOLEAN, "true"), begins=True)


_STATUS = r"single|married|engaged|divorced|separated|widowed|dating|a widow|a widower|in a relationship|in a long-distance relationship|seeing someone|unmarried|newly single|newly-wed|a newlywed"


def relationship(frame: Frame, context: Context) -> Iterator[Draft]:
    """Single, engaged, married, divorced…"""
    if not frame.path or not states(frame) or frame.subject is None or frame.subject.role in ("company", "pet"):
        return
    match = patterns.match(rf"(?P<v>be|get|become|stay)\b(?: been)?(?: (?:happily|recently|newly|just|officially|still|now|finally|freshly))* (?P<o>{_STATUS})\b(?! by| to find| in\b(?! \d| a))(?! (?:parent|mum|mom|dad|room|malt|player|thing))", frame.rest)
    if match:
        got = match["v"] == "get"
        value = patterns.sub(r"^an? ", "", match["o"])
        yield draft(frame, "relationship_status", text_value(value), begins=got or frame.tense == "perfect" or bool(frame.clause.times), past=got or frame.past, change=Change.CHANGED if got else Change.NONE)
    elif match := patterns.match(r"(?P<o>split up|break up|separate|divorce|marry)\b", frame.rest):
        if frame.tense in ("past", "perfect"):
            word = {"marry": "married", "divorce": "divorced"}.get(match["o"], "separated")
            yield draft(frame, "relationship_status", text_value(word), begins=True, past=True, change=Change.CHANGED)


def family(frame: Frame, context: Context) -> Iterator[Draft]:
    """Relatives and children whose existence is stated, and their number."""
    if not frame.path or not states(frame):
        return
    match = patterns.match(rf"(?:have|be the (?:mother|father|mum|mom|dad|parent) of) (?:got )?(?P<n>{_N}) (?:\w+ )?(?P<k>kids|children|child|kid)\b", frame.rest)
    if match and frame.subject and frame.subject.role not in ("company", "team"):
        number = {"a": 1, "one": 1, "no": 0}.get(match["n"]) if match["n"] in ("a", "one", "no") else numerals.english_value(match["n"]) if not match["n"].isdigit() else int(match["n"])
        if number is not None:
            yield draft(frame, "children_count", Value(ValueType.NUMBER, str(number)), timeless=True)
        return
    match = patterns.match(r"(?:have|get)(?: got)? (?P<o>(?:an?|one|two|three|four|five|no|any|\d)\s.+)", frame.rest)
    if not match:
        return
    for part, denied in items(match["o"]):
        kin = patterns.match(rf"(?P<n>an?|one|two|three|four|five|no|any|\d)?\s*(?P<o>(?:(?:older|younger|elder|little|big|twin|half|step|baby|only|identical)[ -]?)*(?:{context.words('family')}))(?![\w-])(?! (?:in|of) )?", part.strip(), re.IGNORECASE)
        if kin and kin.start() == 0:
            no = (kin["n"] or "").lower() == "no"
            name = kin["o"] if not kin["n"] or kin["n"].lower() in ("a", "an", "no", "any", "one") else f"{kin['n']} {kin['o']}"
            yield draft(frame, "family_member", text_value(name), negative=frame.negative != (denied or no), timeless=True)


def pets(frame: Frame, context: Context) -> Iterator[Draft]:
    """Animals kept; a name after the kind opens a subject of its own."""
    match = patterns.match(
        rf"(?P<v>have|own|adopt|get|keep|buy|rescue|foster|raise)(?: got)? (?P<n>an?|one|two|three|four|five|six|several|some|my|our|no|any|\d+)?\s*(?P<adj>(?:(?:rescue|little|big|old|young|new|black|white|grey|gray|ginger|brown|tabby|\w+-year-old|miniature|toy|standard|pet|elderly|small|tiny|lovely)\s+)*)(?P<o>{context.words('animals')})(?![\w'-])(?! (?:allergy|food|litter|hair|phobia|dander))",
        frame.rest, re.IGNORECASE,
    )  # fmt: skip
    for part, _ in items(frame.rest[match.end() :])[:3] if match and frame.path and states(frame) and patterns.match(r"\s*(?:,|and)\s", frame.rest[match.end() :]) else ():
        other = patterns.fullmatch(rf"(?:an?|one|two|three|four|some|\d+) (?:\w+ )?(?P<o>{context.words('animals')})", part, re.IGNORECASE)
        if other:
            yield draft(frame, "has_pet", text_value(other["o"]))
    if match and frame.path and states(frame):
        ended = frame.negative and match["v"] != "have" and frame.tense == "past"
        past_start = match["v"] in ("adopt", "get", "buy", "rescue") and frame.past
        kind = patterns.sub(r"s$", "", match["o"]) if match["n"] and match["n"].lower() in ("a", "an", "one") else match["o"]
        yield draft(frame, "has_pet", text_value(kind), negative=frame.negative != ((match["n"] or "").lower() == "no"), begins=past_start, past=past_start or frame.past, ends=ended)
    lost = patterns.search(rf"^(?:my|our|the) (?P<o>{context.words('animals')})(?: [A-Z]\w+)?$", frame.thing or "", re.IGNORECASE)
    gone = patterns.match(r"(?:die|pass away|be put down|run away)\b", frame.rest)
    if gone and frame.past and (lost or (frame.subject and frame.subject.role == "pet")):
        kind = lost["o"] if lost else frame.subject.word if frame.subject else ""
        yield draft(frame, "has_pet", text_value(kind), subject=USER, negative=True, ends=True, past=True)


def employer(frame: Frame, context: Context) -> Iterator[Draft]:
    """The firm a person works for, joins or leaves."""
    if not frame.path or frame.would or frame.intends or frame.obliged or frame.imperative:
        return
    rest = frame.rest
    match = patterns.match(r"(?:work|be (?:employed|working)|have a job|intern|freelance|be (?:an? )?[\w ]{2,40}?)(?: (?:full-time|part-time|remotely|as an? [\w\- ]+?))? (?P<p>at|for|with|by) (?P<o>.+)", rest)
    if match and (rest.startswith(("work", "intern", "have a job")) or match["p"] in ("at", "for", "with") and _job(rest, context) or "employed" in match[0]):
        name = _firm(match["o"])
        if name:
            over = frame.tense == "past" and not frame.started and not any(w.bind not in (Bind.REPEAT, Bind.CLOCK) for w in frame.clause.times)
            yield draft(frame, "works_at", text_value(name, entity=True), negative=True if over else None, ends=over or frame.ended or frame.used_to)
        return
    if (match := patterns.match(r"(?:start|get|begin|land) (?:an? |my )?(?:new )?(?:job|position|role|internship) (?:at|with) (?P<o>.+)", patterns.sub(r"^(?=an? new job|my new job|a job)", "start ", rest) if frame.started else rest)) and frame.past:
        name = _firm(match["o"])
        if name:
            yield draft(frame, "works_at", text_value(name, entity=True), begins=True, past=True, change=Change.CHANGED)
        title = patterns.search(r"\bas an? (?P<j>[\w\- ]+?)(?=$|[,.]| in | at )", match["o"])
        if title and _is_occupation(title["j"], context):
            yield draft(frame, "job_title", text_value(title["j"]), begins=True, past=True, change=Change.CHANGED)
        return
    if (match := patterns.match(r"(?:join|start (?:at|with|working (?:at|for))) (?P<o>.+)", rest)) and frame.tense in ("past", "perfect"):
        name = _firm(match["o"])
        if name and not patterns.search(r"(?i)\b(?:club|gym|choir|league|party|army|band|team|class|group|society)\b", name):
            yield draft(frame, "works_at", text_value(name, entity=True), begins=True, past=True, change=Change.CHANGED)
        return
    match = patterns.match(r"(?:leave|resign from|be (?:laid off|fired|sacked|made redundant|let go) (?:from|by)|retire from|hand in my notice at|quit (?:my|the) job at|leave (?:my|the) job at) (?:my job at |my position at )?(?P<o>.+)", rest)
    if match and frame.tense in ("past", "perfect") and not frame.negative or (match and frame.ended):
        name = _firm(match["o"])
        if name and not patterns.search(r"(?i)\b(?:for|to)\b", match["o"][:40].split(name, 1)[-1][:5]):
            yield draft(frame, "works_at", text_value(name, entity=True), negative=True, ends=True, past=True)


def _firm(text: str) -> str:
    text = patterns.split(r"\s(?:in|as|on|from|since|for|where|near|until|doing|now|full|part|because|and|but|right|with|by|after|downtown|every)\b|[,.;:(]\s", text + " ", maxsplit=1)[0]
    name = clean(text)
    return name if is_proper(name) and good_object(name) else ""


def _job(rest: str, context: Context) -> bool:
    match = patterns.match(r"be (?:an? |the )?(?P<o>[\w\- ]+?) (?:at|for|with)\b", rest)
    return bool(match and _is_occupation(match["o"], context))


_NO_JOB = re.compile(
    r"(?i)(?:.*\b)?(?:vegetarian|vegan|pescatarian|flexitarian|beginner|learner|newcomer|foreigner|local|native|fan|lover|person|owl|bird|drinker|smoker|eater|sleeper|reader|swimmer|runner|believer|member|"
    r"user|owner|customer|neighbou?r|sister|brother|mother|father|daughter|parent|friend|partner|winner|loser|disaster|monster|matter|number|order|killer|teenager|pensioner|stranger|other|another|bother|"
    r"supporter|follower|sinner|twin|widower|speaker|starter|procrastinator|perfectionist|introvert|extrovert|optimist|pessimist|realist|feminist|minimalist|sister-in-law|gamer|hater|sucker|joker|thinker|boomer|"
    r"christian|catholic|buddhist|muslim|hindu|atheist|american|italian|canadian|australian|russian|norwegian|asian|european|scorpio|capricorn|cancer|insomniac|diabetic|asthmatic|carrier|donor|vampire)$"
)


def _is_occupation(phrase: str, context: Context) -> bool:
    phrase = phrase.strip().lower()
    if _NO_JOB.fullmatch(phrase) or len(phrase.split()) > 5:
        return False
    head = phrase.split()[-1] if phrase.split() else ""
    if context.has("occupations", phrase) or context.has("occupations", head) or context.has("occupations", " ".join(phrase.split()[-2:])):
        return True
    return bool(patterns.fullmatch(r"[a-z\-]{4,}(?:ologist|ographer|ician|ineer|wright|smith|keeper|grapher|iatrist|medic|maker|man|woman|officer|worker|monger)", head))


def occupation(frame: Frame, context: Context) -> Iterator[Draft]:
    """What a person does for a living."""
    if not frame.path or not states(frame) or frame.passive:
        return
    match = patterns.match(r"(?:be|become|work as|be working as|train as|retrain as|get promoted to|be promoted to|get a job as|start as)(?: (?:an?|the|our|their|my))? (?P<o>[\w’'&/+#\-\u4e00-\u9fff]+(?: [\w’'&/+#\-]+){0,5})", frame.rest)
    sure = bool(match and patterns.match(r"work as|be working as|get a job as|be promoted|get promoted", frame.rest))
    trade = patterns.match(r"be (?:an? )?(?P<o>[\w\- ]+?) by (?:trade|profession|training)", frame.rest) or patterns.match(r"(?P<o>teach|drive|code|cook|write|paint)(?:[\w ]*) for a living", frame.rest)
    if trade:
        match, sure = trade, True
    if patterns.fullmatch(r"my (?:job|profession|occupation|job title|role|position|title)", frame.thing or "", re.IGNORECASE):
        match, sure = patterns.match(r"be (?:an? |that of an? )?(?P<o>.+)", frame.rest), True
    if not match:
        return
    phrase = patterns.split(r"\s(?:at|for|with|in|by|who|on|from|since|working|and|but|now|specialising|specializing|based|again|of my|here|these)\b", match["o"], maxsplit=1)[0]
    phrase = patterns.sub(r"\s(?:in|at)\s.*$", "", clean(phrase))
    student = patterns.search(r"\bstudent$", phrase, re.IGNORECASE)
    if not phrase or student or (not sure and not _is_occupation(phrase, context)):
        return
    over = frame.used_to or (frame.tense == "past" and not frame.started and frame.verb == "be")
    subject = frame.path if not patterns.match(r"my (?:job|prof|occ|role|pos|title)", frame.thing or "", re.IGNORECASE) else USER
    changed = Change.CHANGED if patterns.match(r"become|be promoted|get promoted|get a job", frame.rest) else Change.NONE
    yield draft(frame, "job_title", text_value(phrase), subject=subject, negative=True if over and not frame.negative else None, ends=over or frame.ended, begins=frame.tense == "perfect" or frame.started or changed is Change.CHANGED, change=changed)


def experience(frame: Frame, context: Context) -> Iterator[Draft]:
    """Years of practice in a field."""
    if not frame.path or not states(frame):
        return
    number = r"(?P<n>\d+(?:\.\d+)?|[a-z]+(?:-[a-z]+)?)"
    for match in patterns.finditer(rf"{number} (?P<u>years?|months?)(?:['’]s?)? (?:of )?(?:(?P<f1>[\w+#.\- ]+?) experience|experience (?:in|with|of|as an?|as) (?P<f2>[\w+#.\- ]+)|(?:of|in) (?P<f3>[\w+#.\- ]+?)(?= behind| under| experience|$|,|;| and (?:about|around|\w+ (?:years?|months?))))", frame.rest):
        if not patterns.match(r"(?:have|bring|come with|with|gather|be)\b", frame.rest):
            continue
        value = numerals.english_value(match["n"]) if not patterns.match(r"\d", match["n"]) else match["n"]
        field = clean(match["f1"] or match["f2"] or match["f3"] or "")
        if value is not None and field and good_object(field) and field.lower() not in ("work", "age", "life", "marriage"):
            yield draft(frame, "years_of_experience", Value(ValueType.NUMBER, str(value), match["u"].rstrip("s"), field), timeless=True)


def practice(frame: Frame, context: Context) -> Iterator[Draft]:
    """"I've worked in logistics for twelve years": a field and a length of time."""
    if not frame.path or not states(frame) or frame.tense not in ("perfect", "present"):
        return
    match = patterns.match(r"work (?:in|with|as an?) (?P<f>[\w\- ]+?)\s*$", frame.rest.strip())
    length = patterns.search(r"\bfor (?:over |about |almost |nearly |more than |the (?:last|past) )?(?P<n>\d+|[a-z]+(?:-[a-z]+)?) years\b", frame.clause.text)
    if match and length and good_object(clean(match["f"])):
        value = numerals.english_value(length["n"]) if not length["n"].isdigit() else int(length["n"])
        if value:
            yield draft(frame, "years_of_experience", Value(ValueType.NUMBER, str(value), "year", clean(match["f"])), timeless=True)


def tools(frame: Frame, context: Context) -> Iterator[Draft]:
    """Software and instruments used regularly."""
    swap = patterns.match(r"(?:switch|move|change|migrate)(?: over)? from (?P<a>[A-Z][\w.+#\- ]*?) to (?P<b>[A-Z][\w.+#\-]*(?: [A-Z][\w.+#\-]*)?)", frame.rest)
    if swap and frame.path and frame.past and not frame.negative and not frame.rest.startswith("move"):
        yield draft(frame, "uses_tool", text_value(swap["b"]), begins=True, past=True, change=Change.CHANGED)
        yield draft(frame, "uses_tool", text_value(swap["a"]), negative=True, ends=True, past=True)
        return
    if not frame.path or not states(frame) or frame.can:
        return
    match = patterns.match(r"(?:use|work with|rely on|swear by)(?: mostly| mainly)? (?P<o>.+)", frame.rest)
    if match is None:
        match = patterns.match(r"(?:edit|write|code|design|draw|model|manage|track|do|keep|plan|organi[sz]e|watch|monitor|take|make|record|mix|render|program|develop|store|log|chart|run|build)\b.{0,40}?\b(?:in|with|on) (?P<o>[A-Z][\w.+#\-]*(?:[ ,]+(?:and |or |, )?[A-Z][\w.+#\-]*)*)", frame.rest)
        if match and (match["o"].split()[0] in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday") or not patterns.search(r"\b(?:everything|all|notes|my|our|mostly|code|charts?|designs?|drawings?|papers?|docs?|documents?|videos?|photos?|music|tasks?|projects?|budgets?|diagrams?|mockups?|scripts?|slides?)\b", frame.rest[: match.start("o")])):
            match = None
    if match is None or frame.tense == "past" and not frame.started:
        return
    text = patterns.split(r"\s(?:for|to|at|on|every|because|when|as|instead|rather|in|daily|all)\b", match["o"], maxsplit=1)[0]
    for part, denied in items(text):
        name = clean(part)
        if good_object(name) and (is_proper(name) or context.has("tools", name)):
            yield draft(frame, "uses_tool", text_value(name), negative=frame.negative != denied, change=Change.CHANGED if frame.started else Change.NONE)


def organisation(frame: Frame, context: Context) -> Iterator[Draft]:
    """Revenue, size and place of a company or team; what it makes."""
    own = patterns.match(r"(?:my|our|the user's) ", frame.thing or "", re.IGNORECASE)
    subject = frame.path if frame.subject and frame.subject.role in ("company", "team") else ""
    team = "user.team" if patterns.search(r"\b(?:team|department|squad|group|crew)\b", context.sentence, re.IGNORECASE) else "user.company"
    body = frame.rest
    money = next((q for q in quantity.find(body, "en") if q.kind == "money" or (q.kind == "plain" and q.value >= 1000)), None)
    selling = patterns.match(r"(?:do|make|turn over|gross|generate|bring in|book|earn|have (?:a )?(?:revenues?|turnover|sales) of|record)\b", body)
    revenue_thing = patterns.search(r"\b(?:revenues?|turnover|sales|takings)\b", frame.thing or "", re.IGNORECASE) and patterns.match(r"(?:be|hit|reach|come to|grow to|amount to|rise to|fall to|total|stand at)\b", body)
    if money and not frame.intends and ((subject and selling) or (own and revenue_thing) or (frame.we and patterns.match(r"(?:turn over|gross|have (?:a )?(?:revenues?|turnover|sales) of)\b", body))):
        yield draft(frame, "revenue", money.as_value(currency=context.currency, per=""), subject=subject or "user.company", past=True)
    yield from _heads(frame, context, subject, team)
    match = patterns.match(r"be (?:located |based |headquartered |situated )?(?:in|at|near|on) (?P<o>.+)", body)
    if match and (subject or patterns.fullmatch(r"(?:my|our) (?:\w+ )?(?:office|offices|headquarters|hq|shop|store|studio|workshop|warehouse|factory|clinic|practice|branch)", frame.thing or "", re.IGNORECASE)):
        where = place(match["o"])
        if is_proper(where):
            yield draft(frame, "located_in", text_value(where, entity=True), subject=subject or "user.company")
    match = patterns.match(r"(?:make|build|produce|manufacture|develop|sell|design|ship) (?P<o>.+)", body)
    if match and (subject == "user.company") and not money and states(frame):
        yield from each(frame, "makes_product", match["o"], subject="user.company", timeless=True)


def _heads(frame: Frame, context: Context, subject: str, team: str) -> Iterator[Draft]:
    text = frame.rest
    number = rf"(?:about |around |roughly |some |nearly |almost |over |only |just )*(?P<n>{_N})"
    match = (
        patterns.match(rf"be {number} (?:of us|people|persons|employees|staff|members|engineers|developers)\b", text)
        or (patterns.match(rf"(?:have|employ|count|number)(?: got)? {number} (?:\w+ )?(?:people|employees|staff|members|workers|engineers|developers)\b", text) if subject or frame.we else None)
        or (patterns.search(rf"\bwith {number} (?:people|employees|staff|of us)\b", text) if subject else None)
        or (patterns.match(rf"be (?:an? )?(?:team|company|firm|startup|group) of {number}\b", text) if frame.we or subject else None)
        or (patterns.match(rf"be {number} strong\b", text) if subject else None)
        or (patterns.match(rf"be {number}(?: *$| in )", text) if frame.thing == "there" and "of us" in text else None)
    )
    if not match or frame.negative or not (subject or frame.we or frame.thing in ("there", "it")):
        return
    if frame.thing == "there" and not patterns.search(r"\bof us\b|\b(?:my|our|the) (?:team|company|firm|office|department)\b", text):
        return
    value = numerals.english_value(match["n"]) if not match["n"].isdigit() else int(match["n"])
    if value:
        approx = bool(patterns.search(r"about|around|roughly|some|nearly|almost|over", match[0].split(match["n"])[0]))
        yield draft(frame, "headcount", Value(ValueType.NUMBER, str(value), "person", approx=approx), subject=subject or team, timeless=True)


def studying(frame: Frame, context: Context) -> Iterator[Draft]:
    """What is learned and where, the year or degree, and schools finished."""
    if not frame.path or not states(frame) or frame.can:
        return
    rest = frame.rest
    match = patterns.match(r"(?:study|learn|major in|be (?:studying|learning)|take (?:up )?|do (?:a |my )?(?:degree|phd|master's|masters|bachelor's|doctorate|ma|mba|msc|course|diploma) in|take (?:lessons|classes|a course|courses) in|be self-taught in|teach myself)\s*(?:how )?(?P<to>to )?(?P<o>.+)", rest)
    if match and frame.tense != "past" or (match and frame.started):
        text = match["o"]
        taking = rest.startswith("take")
        if taking and not patterns.search(r"\b(?:lessons|classes|course)\b", rest):
            text = ""
        text = patterns.sub(r"\s(?:lessons|classes|course|courses)\b.*$", "", text)
        at = patterns.search(r"\b(?:at|in) (?P<s>(?:the )?[A-Z].*)$", text)
        text = patterns.split(r"\s(?:at|for|on|with|by|from|in (?=[A-Z])|online|part-time|full-time)\b|\sin (?=[A-Z])", text, maxsplit=1)[0]
        if match["to"] and text:
            text = text if text else ""
        if text and not patterns.match(r"(?:for|about|that|hard|more|a lot|from|to|at|abroad)\b", text):
            yield from each(frame, "studies", text, begins=frame.started or frame.tense == "perfect")
        if at and patterns.search(r"(?i)universit|college|school|institut|academy|polytechnic|\buni\b|conservator", at["s"]) or (at and " at " in f" {match['o']}"):
            school = clean(patterns.split(r"\s(?:in|for|on|and|since|with)\b|,", at["s"], maxsplit=1)[0])
            if is_proper(school):
                yield draft(frame, "studies_at", text_value(school, entity=True))
    match = patterns.match(r"(?:be (?:an? )?(?:[\w\-]+ ){0,3}?(?:student|undergrad|undergraduate|postgrad|freshman|sophomore|junior|senior|phd candidate)(?: in [\w ]+?)? (?:at|of)|attend|study at|be (?:enrolled|studying) at|be at|go to) (?P<o>(?:the )?[A-Z].*)", rest)
    if match and frame.tense in ("present", "perfect"):
        school = clean(patterns.split(r"\s(?:in|for|on|and|since|with|every|this)\b|,", match["o"], maxsplit=1)[0])
        if is_proper(school) and (rest.startswith(("be a", "study", "be enrolled", "be studying")) or patterns.search(r"(?i)universit|college|school|institut|academy|polytechnic|\buni\b|conservator|high$|grammar", school)):
            yield draft(frame, "studies_at", text_value(school, entity=True))
    yield from _levels(frame, f"start {rest}" if frame.started and not rest.startswith("start") else rest)
    trying = patterns.match(r"(?:[\w' ]+ )?(?:trying|struggling) to learn (?P<o>[\w+# ]+?)(?:$|[,.;]| but| and| on| from| for| with)", frame.clause.body.strip(), re.IGNORECASE)
    if trying and frame.path == USER:
        yield from each(frame, "studies", trying["o"], negative=False)
    match = patterns.match(r"(?:graduate from|have (?:a|an|my) (?:[\w'’\-]+ )*?(?:degree|phd|doctorate|master's|bachelor's|mba|diploma)(?: in [\w ]+?)? from|be (?:an? )?(?:alumn(?:us|a)|graduate) of|finish(?: school)? at|get my (?:[\w' ]+) (?:at|from)) (?P<o>.+)", rest)
    if match:
        school = clean(patterns.split(r"\s(?:in|with|and|last|as|for)\b|,", match["o"], maxsplit=1)[0])
        if is_proper(school):
            yield draft(frame, "graduated_from", text_value(school, entity=True), past=True, begins=True)


_YEAR_WORD = r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|final|last|\d{1,2}(?:st|nd|rd|th))"


def _levels(frame: Frame, rest: str) -> Iterator[Draft]:
    match = patterns.match(
        rf"(?:be|start|enter|go into|begin|repeat)(?: now)?(?: in)?(?: (?:my|the|his|her|a|an))? (?P<o>{_YEAR_WORD}[- ](?:grade|grader|form|semester)|(?:grade|year|form) (?:\d{{1,2}}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|{_YEAR_WORD}[- ]year(?: of \w+(?: \w+)?|(?: \w+)? student)?|kindergarten|preschool|nursery|primary school|elementary school|middle school|secondary school|high school|sixth form|freshman(?: year)?|sophomore(?: year)?|junior year|senior year|freshman|sophomore)\b",
        rest,
    )
    if match and frame.subject and frame.subject.role not in ("company", "team"):
        value = patterns.sub(r"\s+student$", "", match["o"])
        change = Change.CHANGED if patterns.match(r"start|enter|go into|begin", rest) else Change.NONE
        yield draft(frame, "education_level", text_value(value), begins=change is Change.CHANGED, change=change)
    match = patterns.match(r"(?:have|hold|get|earn|finish|complete)(?: got)? (?:an?|my|the) (?P<o>(?:bachelor|master|doctor|associate)(?:['’]s)?(?: degree| of \w+)?|phd|doctorate|mba|msc|bsc|ba|ma|high school diploma|diploma|degree|gcses|a-levels)\b", rest, re.IGNORECASE)
    if match and states(frame):
        yield draft(frame, "education_level", text_value(match["o"]), timeless=True)


RULES = (names, age, birthday, home, origin, languages, licence, relationship, family, pets, employer, occupation, experience, practice, tools, organisation, studying)
