"""English rules: what the user is dissatisfied with."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object

_BAD = r"(?:rude|slow|late|broken|cold|awful|terrible|horrible|useless|unacceptable|disgusting|ridiculous|overpriced|dirty|filthy|noisy|faulty|defective|damaged|cracked|scratched|torn|stale|soggy|burnt|inedible|appalling|dreadful|shoddy|buggy|laggy|unreliable|unhelpful|incompetent|unprofessional|misleading|disappointing|a joke|a mess|a disgrace|a nightmare|an? (?:absolute |complete |total )?(?:disaster|catastrophe|shambles|farce|waste of \w+|let-?down|fiasco|travesty|lemon|rip-?off|scandal|insult)|garbage|rubbish|trash|crap|(?:daylight|highway) robbery|extortionate|extortion|a con|criminal|beyond a joke|infuriating|a scam|a rip-off|the worst|worse than ever|unusable|wrong|missing|down again|down(?=$| since| for| all)|out of order|on the blink|impossible to use|way too (?:slow|expensive|loud|small|long|complicated)|too (?:slow|loud|salty|cold|expensive|small)|so (?:slow|rude|bad|annoying|frustrating)|annoying|frustrating)"


_FAIL = r"(?:crash|freeze|break|fail|stop working|not work|keep (?:giving|jamming|leaking|restarting|buffering|lagging|beeping|stopping|going down|crashing|freezing|failing|breaking|logging|dropping|disconnecting|losing|cutting|showing|asking|sending|charging)|not (?:arrive|ship|respond|load|open|connect|start|charge|turn on|come|show up|reply|answer|deliver|fit|sync|refund|be (?:delivered|shipped|fixed|answered|refunded|processed))|be (?:charged twice|double-charged|double charged|charged again|lost|delayed(?: again)?|cancelled without|canceled without|never (?:delivered|answered|fixed))|arrive (?:late|broken|damaged|cold|with|two|three|cracked|scratched)|leak|overheat|fall apart|drain (?:my|the)|heat up|act up|let (?:me|us) down|ignore (?:me|us)|leave my|lose my|charge me twice|hang up on me|leave me (?:waiting|hanging|stranded|standing|on hold|without|in the|out in|with (?:a|no)))"


def _verdict(frame: Frame, context: Context) -> Draft | None:
    """ "Nursery fees of €980 a month, it's daylight robbery": what was named before is complained about."""
    verdict = (
        patterns.match(rf"be (?:\w+ly |so |just |still |really |pure |simply )*{_BAD}\b", frame.rest, re.IGNORECASE)
        if frame.thing in ("it", "that", "this", "they") and not frame.clause.first and not frame.negative
        else None
    )
    if verdict and not frame.would:
        before = context.sentence[: frame.clause.start - frame.clause.sentence_start]
        topic = patterns.match(
            r"(?i)(?:my |our |the |your )?(?P<o>(?!(?:I|we|he|she|they|it|and|but|so|when|if)\b)[a-z][\w\-]*(?: (?!of\b)[a-z][\w\-]*){0,2}?) (?:of (?=[$€£¥₹\d])|is |are |was |were |has |have |costs? |comes? |keeps? |went |takes? |at (?=[$€£¥₹\d]))",
            before,
        )
        if (
            topic
            and good_object(clean(topic["o"]))
            and patterns.search(r"(?i)\b(?:my|our|we|us|me|your|I)\b|[$€£¥₹]", context.sentence)
        ):
            return draft(
                frame, "complains_about", text_value(clean(topic["o"])), subject=USER, negative=False, timeless=True
            )
    return None


def complaints(frame: Frame, context: Context) -> Iterator[Draft]:
    """What the user is dissatisfied with, where the words voice it."""
    if frame.clause.blocked and frame.clause.blocked != "question":
        return
    thing = clean(frame.thing) if frame.thing else ""
    about = thing and not patterns.match(
        r"(?:it|this|that|there|they|nobody|everyone|which|what)$", thing, re.IGNORECASE
    )
    personal = patterns.match(
        r"my (?:mother|father|mum|mom|dad|wife|husband|son|daughter|english|french|maths?|knowledge|fault|bad|leg|arm|back|knee|health)\b",
        frame.thing or "",
        re.IGNORECASE,
    )
    if about and not personal and not frame.would and not frame.intends:
        pattern = rf"be (?:\w+ (?:hours?|days?|weeks?|minutes?|months?) )?(?:\w+ly |so |just |still |really |absolutely |far |way |completely |totally |always |again )*{_BAD}\b"
        failing = patterns.match(rf"(?:still |always )?{_FAIL}\b", ("not " if frame.negative else "") + frame.rest)
        if (patterns.match(pattern, frame.rest, re.IGNORECASE) and not frame.negative) or failing:
            name = (
                patterns.split(r"\s(?:that|which|i|you|we|from|of|on|for|with)\s", thing, maxsplit=1)[0]
                if not patterns.match(r"(?i)card ending", thing)
                else "charged twice"
            )
            name = patterns.sub(r"^(order)\b[\s#\d\-A-Z]*$", r"\1", name, flags=re.IGNORECASE)
            if "charged twice" in frame.clause.text:
                name = "charged twice"
            if good_object(name):
                yield draft(frame, "complains_about", text_value(name), subject=USER, negative=False, timeless=True)
            return
    if verdict := _verdict(frame, context):
        yield verdict
        return
    voiced = patterns.search(
        r"(?i)\b(?:again|unbelievable|ridiculous|third time|second time|so annoying|fed up|unacceptable|seriously|every (?:single )?time|ugh|what a joke|enough)\b|!",
        context.sentence,
    )
    loud = patterns.search(
        rf"\b(?:the|your|this|that) (?P<o>[\w\-]+(?: [\w\-]+)?) (?:is|was|are|were|has been|keeps?|kept) (?:\w+ly |so |just |still |again )*(?:{_BAD}|out of order|not working|breaking down|broken again)\b",
        frame.clause.text,
        re.IGNORECASE,
    )
    if voiced and loud and frame.path in ("", USER) and not frame.negative and good_object(clean(loud["o"])):
        yield draft(frame, "complains_about", text_value(clean(loud["o"])), subject=USER, negative=False, timeless=True)
        return
    waiting = patterns.search(
        r"\bstill waiting (?:for|on) (?P<o>(?:my |the |a |an |your )?[\w\- ]+?)(?= (?:after|since|from|to|that|and|which|for)\b|[,.!;]|\s*$)|\b(?:worst|terrible|horrible|awful|appalling|dreadful|disgraceful|pathetic) (?P<p>(?:customer )?[a-z\-]+)(?: (?:ever|i've|i have|imaginable)|[,.!]|\s*$)|(?P<q>(?:the |your |this )?[\w\-]+(?: [\w\-]+)?) (?:takes?|took|is taking) (?:forever|ages)\b",
        frame.clause.body.strip(),
        re.IGNORECASE,
    )
    if waiting and frame.path in ("", USER):
        name = clean(waiting["o"] or waiting["p"] or waiting["q"])
        if good_object(name) and not patterns.fullmatch(
            r"(?i)(?:day|week|year|news|mood|headache|pain|weather|nightmare|person|liar|swimmer|cook|mother|father|it|this|that|time|memory)",
            name,
        ):
            yield draft(frame, "complains_about", text_value(name), subject=USER, negative=False, timeless=True)
            return
    fed_up = patterns.search(
        r"\b(?:sick (?:and tired )?of|sick to (?:death|the back teeth) of|up to here with|at the end of my tether with|tearing my hair out over|driven mad by|fed up with|tired of|had enough of|annoyed (?:by|with|at)|frustrated (?:by|with|at)|disappointed (?:by|with|in)|let down by|unimpressed (?:by|with)|underwhelmed (?:by|with)|appalled (?:by|at)|losing patience with|lost patience with|had it (?:up to here )?with|done with|not (?:at all |very |really |too )?(?:happy|impressed|satisfied|pleased) (?:with|by)|exasperated (?:by|with|at)|irritated (?:by|with|at)|livid (?:about|at|with)|gutted (?:about|by)|complain about|unhappy with|dissatisfied with|furious (?:about|at|with)|angry (?:about|at|with)) (?P<o>.+)",
        frame.clause.body,
        re.IGNORECASE,
    )
    if fed_up and frame.path in ("", USER) and not frame.negative:
        name = clean(
            patterns.split(
                r"\s(?:that|which|because|and|always|every|taking|being|not|when|for|I|we|you|at|from)\b",
                fed_up["o"],
                maxsplit=1,
            )[0]
        )
        if good_object(name):
            yield draft(frame, "complains_about", text_value(name), subject=USER, negative=False, timeless=True)


def laments(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Why does this printer keep jamming", "they lost my suitcase again"."""
    if frame.clause.blocked not in ("", "question"):
        return
    voiced = patterns.search(
        r"(?i)\b(?:again|unbelievable|ridiculous|third time|second time|unacceptable|every (?:single )?\w+|ugh|seriously)\b|!",
        context.sentence,
    )
    asked = patterns.match(
        r"(?:and |but |so )?why (?:does|do|did|is|are|was|won't|can't|doesn't|has|have) (?P<o>(?:the|this|my|your|that) [\w\-]+(?: [\w\-]+)??) (?P<how>always |keep |still |constantly |never |not |so |every )?(?P<v>\w+)",
        frame.clause.text,
        re.IGNORECASE,
    )
    harm = patterns.match(
        r"(?:they|you|the \w+|someone) (?:have |has )?(?:just )?(?:lost|broke|broken|damaged|ruined|forgot|cancelled|canceled|messed up|misplaced|overcharged|ignored|delayed|sent me the wrong) (?P<o>(?:me for )?(?:my |our )?[\w\-]+(?: [\w\-]+)?)(?=$|[,.!]| again| for| twice| and| without| before| on)",
        frame.clause.body.strip(),
        re.IGNORECASE,
    )
    bad = (
        asked
        and (
            asked["how"]
            or patterns.match(r"(?i)(?:crash|jam|freeze|break|fail|stop|leak|hang|disconnect|overheat|lag)", asked["v"])
        )
        and (voiced or patterns.search(r"(?i)\bdrives? me|\bagain\b|annoy|frustrat|!", context.text))
    )
    if (bad or (harm and voiced)) and (found := harm if not bad else asked):
        name = clean(found["o"])
        if good_object(name):
            yield draft(frame, "complains_about", text_value(name), subject=USER, negative=False, timeless=True)


# Wrong with a thing or a service: how it is, and what it does or fails to do.
_WRONG = (
    r"be (?:\w+ly |so |just |still |really |far |way |much |a bit |rather |pretty |quite )*(?:too (?!much|many|good|late|busy|far|early|young|old)[a-z]+|tiny|soaked|soaking|bland|tasteless|greasy|flimsy|cramped|chaotic|clueless|sloppy|patronising|patronizing|dismissive|arrogant|impolite|unfriendly|blurry|wobbly|mouldy|moldy|lukewarm|undercooked|overcooked|raw|rotten|expired|inaccurate|hopeless|dire|poor|shocking|lousy|mediocre|atrocious|abysmal|underwhelming|unbearable|intolerable|outrageous|watery|smelly|sticky|sluggish|glitchy|patchy|jammed|blocked|dead|bent|ripped|crushed|squashed|empty|ruined|wrecked|useless|pathetic|laughable|hideous|grim|scruffy|rusty|chipped|dented|crooked|scuffed|nowhere to be (?:seen|found)|not (?:\w+ )?enough|not up to scratch|not what I (?:ordered|paid for)|not as (?:described|advertised)|never on time|anything but \w+)\b"
    r"|(?:log|kick|throw|lock|shut|chuck|cut|sign|boot) (?:me|us) (?:out|off|back)|hang up(?: on)?|roll (?:his|her|their) eyes|shrug|sneer|snap at|shout at|yell at|bark at|refuse to|turn (?:me|us) away|never (?:show(?:ed)? up|turn(?:ed)? up|arrived?|came|come|answer(?:ed)?|repl(?:y|ied))|come (?:apart|off|loose|undone)|fall (?:off|to bits|to pieces)|snap\b|crack\b|split\b|die(?:$| after| on| again| within)|give up the ghost|pack (?:up|in)|conk out|stink|smell (?:of|like)|taste (?:of|like)|rattle|squeak|drip\b|wobble|flicker|hum |eat my|swallow my|overcharge|double-charge|bill (?:me|us) twice|charge (?:me|us) (?:twice|double|for (?:something|nothing))|send (?:me|us) (?:round|around|from|the wrong|in circles|away)|pass (?:me|us) (?:around|from)|put (?:me|us) on hold|keep (?:me|us) (?:waiting|on hold|hanging)|take (?:ages|forever|hours|weeks|half an hour|an hour|\d+ (?:minutes|hours|days|weeks))|break (?:the|my|after|within|down|again|on|in)|ruin |wreck |lose (?:my|our|all)|delete (?:my|our|all)|forget (?:my|our|us)|mess up|mix up|show up (?:late|two|three|an hour)|turn up (?:late|two|three|an hour)|keep (?:\w+ )?(?:\w+ing)\b|let (?:me|us) down|drive me (?:mad|crazy)|cost (?:me|us) (?:a fortune|an arm)|have (?:a|another) (?:\w+ )?(?:crack|dent|hole|stain|bug|scratch|leak|chip|tear)|have (?:stopped|gone) |go (?:missing|down|dead|off again|blank)|stop (?:working|responding|charging|loading|syncing)"
)
_TALKED = re.compile(
    r"(?i)\b(?:again|unbelievable|ridiculous|(?:third|second|fourth|fifth) time|every (?:single )?(?:time|day|week)|ugh|seriously|joke|enough|on hold|maddening|infuriating|for that price|at that price|for what I paid|you (?:sent|sold|delivered)|I (?:paid|bought|ordered))\b|!"
)


# What every complaint that `grievances` reads has one of.
_COULD_BE = patterns.rx(r"\b(?:the|your|this|that|these|those|my|our) ", re.IGNORECASE)
_JOINED = patterns.rx(r"^(?:the|your|this|that) |[:,] | and | but ")
_SURELY = r"(?i)(?:rolled|hung|shrugged|sneered|snapped|shouted|logs|logged|kicks|throws|keeps|never)"


def grievances(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "The portions were tiny", "your hotline hung up on me", "no sign of my parcel", "why does the app keep …"."""
    if frame.clause.blocked not in ("", "question") or frame.would or frame.intends or frame.imperative:
        return
    text = frame.clause.body.strip()
    if not _COULD_BE.search(text):
        return
    missing = patterns.search(
        r"(?:\b(?:still )?(?:no|not a) (?:sign|trace|news|word) (?:of|on|about|from)|\bwhat (?:on earth )?(?:has )?happened to|\bstill (?:haven't|have not) (?:received|got|seen|had)|\bbeen (?:waiting|chasing|asking) (?:ages |forever |weeks |months |days )?(?:for|on|after)(?= (?:my|our|the|your) (?:[\w\-]+ )?(?:refund|parcel|package|order|delivery|reply|answer|response|replacement|invoice|money|call|technician|engineer|plumber|voucher|compensation|repair)\b)) (?P<o>(?:my|our|the|your) [\w\-]+(?: [\w\-]+)?)(?=$|[,.!?;]| (?:and|I|after|from|that|since|which|yet)\b)",
        text,
        re.IGNORECASE,
    )
    second = _JOINED.search(text) and patterns.search(
        r"(?:^| and (?:then )?| but (?:then )?|: |, )(?P<o>(?:the|your|this|that) [\w\-]+(?: [\w\-]+)??) (?P<v>(?:rolled|hung up|shrugged|sneered|snapped|shouted|yelled|barked|refused|ignored|lost|broke|leaked|crashed|froze|died|stank|smelled|smelt|logs|logged|kicks|kicked|throws|threw|keeps|kept|fell|cut|charged|billed|sent|never)\b.*)",
        text,
        re.IGNORECASE,
    )
    if (
        second
        and not frame.clause.blocked
        and context.has("services", (clean(second["o"]).lower().split() or [""])[-1])
        and (_TALKED.search(context.text) or patterns.match(_SURELY, second["v"]))
    ):
        yield _grievance(frame, second["o"])
    if (
        missing
        and not frame.clause.blocked
        and not patterns.match(
            r"(?i)my (?:brother|sister|son|daughter|mum|dad|period|results?|driv\w+|licen[cs]e|degree|diploma|phd|first|own|ears|tongue|nerve|appetite|voice|coat|shoes|breath|homework|christmas|taxes)\b",
            missing["o"],
        )
    ):
        yield _grievance(frame, missing["o"])
        return
    head = patterns.match(
        r"(?:(?:and|but|so|then|why (?:does|do|did|is|are|has|have)|third time \w+ \w+|again) )*(?P<o>(?:the|your|this|that|these|those|my|our) (?:[\w'’\-]+ ){0,3}?[\w'’\-]+)$",
        frame.thing or "",
        re.IGNORECASE,
    )
    asked = (
        patterns.match(
            r"(?:and |but |so |then )*why (?:does|do|did|is|are|has|have) (?P<o>(?:the|your|this|that|these|my) (?:[\w\-]+ )??[\w\-]+?) (?P<v>(?:always |still |constantly |never |not |again )*(?:down|slow|broken|late|closed|cold|unavailable|offline|empty|keep|keeps|crash|freeze|take|log|kick|throw|stop|lose|forget|cost|ask|send|charge|double)\w*\b.*)",
            text,
            re.IGNORECASE,
        )
        if frame.clause.blocked == "question"
        else None
    )
    found = asked or (head if not frame.clause.blocked else None)
    if not found:
        return
    name = clean(patterns.split(r"\s(?:that|which|I|you|we|from|of|on|for|with|in|at)\s", found["o"], maxsplit=1)[0])
    known = context.has("services", name.lower()) or context.has("services", name.lower().split()[-1] if name else "")
    plural = name.lower().removesuffix("s")
    known = known or context.has("services", plural) or context.has("services", plural.split()[-1] if plural else "")
    voiced = _TALKED.search(context.text) is not None
    if not good_object(name) or not (known or (voiced and patterns.match(r"(?i)your |this |that ", found["o"]))):
        return
    if asked:
        if voiced or patterns.search(r"(?i)always|never|still|constantly|keep", asked["v"]):
            yield _grievance(frame, name)
        return
    rest = ("never " if "never" in frame.adverbs else "") + frame.rest
    if (
        patterns.match(_WRONG, rest, re.IGNORECASE) or (frame.negative and voiced and frame.verb not in ("be", "have"))
    ) and not (
        frame.negative
        and not patterns.match(r"be .*(?:enough|up to|what I|as )|never", frame.rest)
        and patterns.match(r"be\b", frame.rest)
    ):
        yield _grievance(frame, name)


def _grievance(frame: Frame, name: str) -> Draft:
    return draft(frame, "complains_about", text_value(clean(name)), subject=USER, negative=False, timeless=True)


RULES = (complaints, grievances, laments)
