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

_BAD = r"(?:rude|slow|late|broken|cold|awful|terrible|horrible|useless|unacceptable|disgusting|ridiculous|overpriced|dirty|filthy|noisy|faulty|defective|damaged|cracked|scratched|torn|stale|soggy|burnt|inedible|appalling|dreadful|shoddy|buggy|laggy|unreliable|unhelpful|incompetent|unprofessional|misleading|disappointing|a joke|a mess|a disgrace|a nightmare|garbage|rubbish|trash|crap|infuriating|a scam|a rip-off|the worst|worse than ever|unusable|wrong|missing|down again|down(?=$| since| for| all)|out of order|on the blink|impossible to use|way too (?:slow|expensive|loud|small|long|complicated)|too (?:slow|loud|salty|cold|expensive|small)|so (?:slow|rude|bad|annoying|frustrating)|annoying|frustrating)"


_FAIL = r"(?:crash|freeze|break|fail|stop working|not work|keep (?:giving|jamming|leaking|restarting|buffering|lagging|beeping|stopping|going down|crashing|freezing|failing|breaking|logging|dropping|disconnecting|losing|cutting|showing|asking|sending|charging)|not (?:arrive|ship|respond|load|open|connect|start|charge|turn on|come|show up|reply|answer|deliver|fit|sync|refund|be (?:delivered|shipped|fixed|answered|refunded|processed))|be (?:charged twice|double-charged|double charged|charged again|lost|delayed(?: again)?|cancelled without|canceled without|never (?:delivered|answered|fixed))|arrive (?:late|broken|damaged|cold|with|two|three|cracked|scratched)|leak|overheat|fall apart|drain (?:my|the)|heat up|act up|let (?:me|us) down|ignore (?:me|us)|leave my|lose my|charge me twice|hang up on me|leave me)"


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
        r"\b(?:sick (?:and tired )?of|fed up with|tired of|had enough of|annoyed (?:by|with|at)|frustrated (?:by|with|at)|disappointed (?:by|with|in)|complain about|unhappy with|dissatisfied with|furious (?:about|at|with)|angry (?:about|at|with)) (?P<o>.+)",
        frame.clause.body,
        re.IGNORECASE,
    )
    if fed_up and frame.path in ("", USER) and not frame.negative:
        name = clean(
            patterns.split(
                r"\s(?:that|which|because|and|always|every|taking|being|not|when|for)\b", fed_up["o"], maxsplit=1
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


RULES = (complaints, laments)
