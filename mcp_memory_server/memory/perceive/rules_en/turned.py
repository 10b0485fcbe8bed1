"""English rules: clauses that name the thing first and the person last ("fractions confuse me")."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame, lead_in
from mcp_memory_server.memory.perceive.grammar_en import expand
from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.perceive.subjects import USER, path_of
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, each, good_object

_WHO = r"(?:me|us|my (?P<{}>[a-z\-]+(?: [A-Z]\w+)?))"
# What the thing does to the person, for each predicate: the words after the thing, in plain verb forms.
_EFFECTS = {
    "dislikes": (
        rf"(?:drives?|drove|driving) {_WHO.format('w1')} (?:up the wall|mad|crazy|nuts|insane|round the (?:bend|twist)|bonkers|to distraction|batty)"
        r"|(?:gets?|getting|grates?|grating) on my (?:nerves|wick|goat)|gets? (?:under my skin|my goat)"
        rf"|(?:bores?|irritates?|repels?|repulses?|disgusts?|revolts?|nauseates?|infuriates?|exasperates?|horrifies|horrify|terrif(?:ies|y)|petrif(?:ies|y)) {_WHO.format('w2')}"
        r"|makes? (?:me|my) (?:gag|sick|want to vomit|feel sick|queasy|the creeps|cringe|shudder|skin crawl|teeth itch|toes curl|stomach (?:turn|churn)|blood boil|retch|heave|wince)"
        r"|(?:stress(?:es)?|wears?|freaks?|creeps?) me out|(?:winds?|wound) me up|ticks? me off|(?:gets?|brings?) me down|gives? me the (?:creeps|ick|shivers|willies|heebie-jeebies)|turns? my stomach|puts? me (?:right )?off(?: my food)?|sets? my teeth on edge|leaves? me cold|grosses? me out"
        r"|(?:is|are) (?:just |really |simply |definitely |so )?not (?:really |quite |exactly )?(?:my (?:thing|jam|cup of tea|style|scene|bag|idea of (?:fun|a good time))|for me)"
        r"|(?:do|does) (?:absolutely )?nothing for me|(?:do|does) not (?:really )?(?:appeal to|do it for) me|(?:is|are) the bane of my (?:life|existence)|(?:is|are) (?:my|a|one of my) (?:biggest |greatest )?(?:pet (?:hate|peeve)s?|bugbears?)(?: of mine)?"
    ),
    "likes": (
        r"(?:makes?|making) (?:me (?:so |very |really )?(?:happy|smile|grin|beam)|my (?:day|heart sing|mouth water|week))|cheers? me up|calms? me(?: down)?|relax(?:es)? me|soothes? me|fascinates? me|delights? me|thrills? me|enchants? me"
        r"|never (?:gets?|grows?) old|never fails? to (?:cheer me up|make me (?:smile|happy|laugh)|delight me|lift my mood)|hits? the spot|lifts? my (?:mood|spirits)|floats? my boat|puts? a smile on my face|wins? me over|(?:has|have|holds?) a special place in my heart"
        r"|(?:is|are) (?:just |really |absolutely |right |totally |definitely |so )?(?:up my (?:street|alley)|my (?:thing|jam|cup of tea|passion|obsession|idea of (?:fun|heaven|bliss|a good time)|happy place|comfort food|guilty pleasure|(?:great |first )?love|hobby))"
        r"|(?:is|are) an? (?:guilty pleasure|passion|obsession|favou?rite|hobby|great love|joy)(?: (?:of mine|for me|to me))|(?:is|are) (?:pure |sheer |absolute )?(?:heaven|bliss|joy|paradise) (?:to|for) me"
    ),
    "struggles_with": (
        rf"(?:confuses?|baffles?|stumps?|puzzles?|perplex(?:es)?|bewilders?|defeats?|floors?|eludes?|escapes?|mystif(?:ies|y)|trips?|tripping|throws?|throwing) {_WHO.format('w3')}(?: up| every (?:single )?time| completely| no end)?"
        r"|(?:trips|trip|tripping) up me|go(?:es)? (?:straight |right )?over my head|gives? me (?:such |no end of )?(?:trouble|grief|a headache|headaches|a hard time)|gets? the better of me|tie(?:s)? me (?:up )?in knots"
        r"|(?:is|are) (?:still |just |always |completely |such )*(?:a closed book|a mystery|a nightmare|a struggle|a headache|a minefield|beyond|double dutch|gibberish|all greek|a real challenge) ?(?:to |for )?me|(?:is|are) (?:still |always |definitely )?my (?:weak (?:spot|point|subject)|achilles heel|nemesis|kryptonite|downfall)"
        r"|(?:do|does) not come (?:easily|naturally|easy) to me|(?:will|do|does) not (?:seem to )?(?:sink in|stick in my head|stay in my head|go in|click)(?: for me| with me)?|make my (?:head|brain) (?:hurt|spin|ache)|makes my (?:head|brain) (?:hurt|spin|ache)"
    ),
    "mastered": (
        r"(?:holds?|has|have) no (?:more )?(?:terrors?|fears?|secrets?|myster(?:y|ies))(?: for me| to me| from me)?(?: any ?more| now)?|(?:comes?|came) (?:easily|naturally|easy) to me|(?:is|are) (?:now |just |basically |pretty much )*(?:second nature|child's play|(?:a )?piece of cake|a doddle|a breeze|a walk in the park|plain sailing)(?: to me| for me)?(?: now| these days)?"
        r"|no longer (?:scares?|frightens?|fazes?|worr(?:ies|y)|daunts?|intimidates?|confuses?|trips?|baffles?|stumps?|troubles?) me(?: up)?|(?:do|does) not (?:scare|frighten|faze|worry|daunt|intimidate|confuse|trip|baffle|stump|trouble) me (?:up )?any ?(?:more|longer)|(?:has|have) (?:finally |just )?(?:clicked|sunk in)(?: for me| with me)?"
    ),
    "allergic_to": (
        r"(?:(?:could|would|will|can|might|nearly|almost) )?kill(?:s|ed)? me|" rf"(?:sends?|sent|puts?|landed|lands?) {_WHO.format('w4')} (?:straight |right )?(?:to|in|into) (?:A&E|hospital|the (?:hospital|ER|emergency room))|(?:brings?|brought) {_WHO.format('w5')} out in (?:hives|an? (?:\w+ )?rash|spots|welts|lumps)|makes? {_WHO.format('w6')}? ?(?:break out in hives|come out in (?:hives|a rash))|makes? my (?:throat|face|lips|tongue|mouth|eyes) (?:swell(?: up)?|close(?: up)?|puff up|itch)|sets? off my allerg\w+|triggers? my allerg\w+"
    ),
}  # fmt: skip


@lru_cache(maxsize=1)
def _effects() -> tuple[tuple[str, Rx], ...]:
    """Each predicate with the search for its effects; what is no longer so stands before what is."""
    order = ("allergic_to", "mastered", "struggles_with", "dislikes", "likes")
    return tuple((name, Rx(rf"\b(?:{_EFFECTS[name]})(?=\s*$|\s*[,.;!]|\s+\w)", re.IGNORECASE)) for name in order)


# Between the thing and what it does: helpers, adverbs, "keeps".
_BETWEEN = re.compile(
    r"(?:\s*,?\s+(?:really|always|just|still|never|often|usually|absolutely|completely|totally|simply|honestly|genuinely|kind of|sort of|sometimes|also|has|have|had|does|do|did|can|will|keep|keeps|kept|is|are|all|both|finally|now|positively|actually|at|last))+$",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"(?:I|We|You|He|She|They|It|This|That|These|Those|There|What|Which|Who|Nobody|No one|Everyone|Everything|Nothing|Something|Someone|Somebody|Here|My|Our|Your|If|When|How|Why|The (?:way|fact|app|site|update|website|service|delivery|courier))\b(?! (?:with|made of|containing)\b)",
    re.IGNORECASE,
)
_KIND_OF = re.compile(
    r"(?:anything|everything|any food|all things|dishes|food|stuff|things)(?: (?:that (?:has|have)|which has|with|containing|made (?:with|of|from)|involving|to do with|about|related to|flavoured with))? (?P<o>.+?)(?: in (?:it|them))?$",
    re.IGNORECASE,
)


def _thing(text: str) -> str:
    """The thing before an effect, as the shortest phrase; empty where it is none."""
    text = _BETWEEN.sub("", text.strip(" ,;:-"))
    if not text or _NO_THING.match(text) or len(text.split()) > 7:
        return ""
    if patterns.search(r"\b(?:that|which|and I|I|because|when|if|said|told|says)\b", text):
        return ""
    kind = _KIND_OF.match(text)
    return clean(kind["o"] if kind else patterns.sub(r"(?i)\s(?:would|could|might|will|can)$", "", text))


def bare(frame: Frame, context: Context) -> str:
    """The words of a clause without its times and what stands before them, contractions written out."""
    text = expand(patterns.sub(r"\s+", " ", frame.clause.body)).strip()
    lead = lead_in(context.vocabulary).match(text)
    return text[lead.end() :] if lead else text


# Every effect has one of these; the thing must stand before it.
_ON_ME = Rx(
    r"[a-z\-]{3,}.* (?:me|my|mine)\b|\b(?:old|spot|terrors?|fears?|secrets?|clicked|sunk|sink|doddle|breeze|cake|play|walk|sailing|nature)\b"
)


def effects(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Crowds make me nervous", "peanuts send my son to hospital", "brutalism is a passion of mine"."""
    if frame.intends or frame.used_to or frame.clause.blocked:
        return
    if not _ON_ME.search(frame.clause.text):
        return
    text = bare(frame, context)
    for predicate, effect in _effects():
        match = effect.search(text)
        if not match:
            continue
        thing = _thing(text[: match.start()])
        subject = _whose(match, context)
        if not thing or not subject or not good_object(thing):
            continue
        if predicate != "allergic_to" and frame.would:
            continue
        if predicate == "allergic_to" and not patterns.search(r"(?i)allerg|hives|rash|swell|throat", context.text):
            continue
        change = Change.CHANGED if predicate == "mastered" else Change.NONE
        yield from each(frame, predicate, thing, subject=subject, negative=False, change=change)
        return


def _whose(match: re.Match[str], context: Context) -> str:
    """The path of the person on whom the thing acts; empty for one of whom nothing is known."""
    words = next((word for word in match.groups() if word), "")
    if not words or not patterns.search(r"\bmy ", match[0]):
        return USER
    role, _, name = words.partition(" ")
    known = context.vocabulary.mapping("en", "roles").get(role.lower())
    return path_of(known, name, context.vocabulary) if known else ""


_OWN_THING = (
    ("dislikes", Rx(r"(?:my|our) (?:biggest |greatest |number one |pet )*(?:pet (?:hate|peeve)|bugbear|hate|aversion)", re.IGNORECASE)),
    ("likes", Rx(r"(?:my|our) (?:biggest |greatest |secret |latest |current |new |one |great )*(?:guilty pleasure|weakness|passion|obsession|great love|hobby|comfort food|happy place|idea of (?:fun|heaven|bliss|a good time))", re.IGNORECASE)),
    ("struggles_with", Rx(r"(?:my|our) (?:biggest |main |real )*(?:weak (?:spot|point|subject)|stumbling block|problem subject|worst subject|nemesis|achilles heel)", re.IGNORECASE)),
)  # fmt: skip


def own_things(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "My pet hate is small talk", "my weak spot is the passive voice"."""
    if not frame.thing or frame.verb != "be" or frame.negative or frame.would or frame.tense == "past":
        return
    for predicate, pattern in _OWN_THING:
        if pattern.fullmatch(frame.thing):
            yield from each(frame, predicate, frame.rest[3:], subject=USER, negative=False)
            return


def tastes_told(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I could live on mango", "I can never resist a bargain", "I'm allergic to small talk" is none of these."""
    given = patterns.match(
        r"(?:just )?give me (?P<o>.+?) any (?:time|day)(?: of the week)?(?: over .+)?\s*[.!]*$",
        frame.clause.body.strip(),
        re.IGNORECASE,
    )
    if given and not frame.clause.blocked:
        yield from each(frame, "prefers" if " over " in given[0] else "likes", given["o"], subject=USER, negative=False)
        return
    if frame.path == "" or frame.intends or frame.obliged or frame.imperative or frame.clause.blocked:
        return
    rest = frame.rest
    keen = patterns.match(
        r"(?:live (?:on|off)|eat (?P<e>.+?) (?:every (?:single )?day|all day(?: long)?|for breakfast, lunch and dinner|forever)|never (?:say no to|tire of|get (?:tired|bored) of|resist|get enough of)|(?:get enough of|say no to|resist|tire of|get tired of|get bored of|go (?:a|one) (?:single )?(?:day|week) without|live without|do without|imagine (?:my )?life without)|be (?:all about|a devotee of|devoted to|wild about|nuts about|bonkers about|potty about|taken with|smitten with)|live for|have a (?:real |big )?passion for|have (?:always )?had a (?:soft spot|thing|weakness) for|rave about|relish|treasure|cherish|worship|savour|savor|dig) ?(?P<o>.*)",
        rest,
    )
    if keen:
        text = keen["e"] or keen["o"]
        refuses = patterns.match(
            r"(?:get enough|say no|resist|tire|get tired|get bored|go (?:a|one)|live without|do without|imagine)", rest
        )
        could = patterns.match(r"(?:live (?:on|off)|eat)\b", rest)
        if bool(refuses) != frame.negative or (could and not (frame.would or frame.can)):
            return
        if not could and (frame.would and not frame.can):
            return
        yield from each(frame, "likes", text, negative=False, begins=False)
        return
    if not frame.would and not frame.negative:
        averse = patterns.match(
            r"(?:have no (?:patience|stomach|love|interest|time) (?:for|in)|have (?:a )?(?:zero|little) (?:patience|interest|love) (?:for|in)|have an aversion to|be averse to|be put off by|be (?:no|not much of an?|hardly an?) (?:fan|lover) of|recoil (?:at|from)|steer (?:well )?clear of|stay (?:well )?away from|give (?P<g>.+?) a wide berth|dread|resent|can do without|could do without) ?(?P<o>.*)",
            rest,
        )
        if averse:
            yield from each(frame, "dislikes", averse["g"] or averse["o"], negative=False)
    elif frame.negative and not frame.would:
        cool = patterns.match(
            r"(?:warm to|take to|see the (?:appeal|point) of|be (?:much of an?|exactly an?|really an?|big|too) (?:fan of|lover of|keen on|fond of|into)|be (?:exactly|too|terribly|overly|all that|particularly|really|so|very|that) (?:fond of|keen on|into|big on|crazy about|wild about)|get on with|get along with|have (?:any |much )?(?:time|patience|love|interest) (?:for|in)|go (?:near|anywhere near)|be one for) (?P<o>.+)",
            rest,
        )
        if cool and not patterns.match(
            r"(?i)(?:my|our|his|her) (?:\w+ )?(?:brother|sister|mother|father|boss|mum|dad)", cool["o"]
        ):
            yield from each(frame, "dislikes", cool["o"], negative=False)


def commanded(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I can do pivot tables in my sleep", "I've finally cracked it"."""
    if frame.path == "" or frame.intends or frame.would or frame.obliged or frame.negative or frame.clause.blocked:
        return
    asleep = (
        patterns.match(
            r"(?:do|play|write|make|solve|recite|cook|run|tie|read|bake|use|set up|build|handle|fix|name|draw) (?P<o>.+?) (?:in my sleep|with (?:my )?eyes (?:closed|shut)|blindfold(?:ed)?|backwards|by heart|with one hand(?: tied behind my back)?|without (?:thinking|looking(?: it up)?))",
            frame.rest,
        )
        if frame.can or frame.tense == "present"
        else None
    )
    known = patterns.match(
        r"know (?P<o>.+?) (?:inside out|back to front|by heart|off by heart|like the back of my hand|like my own pocket|backwards)|be (?:now )?(?:at home|well versed|fluent|an old hand|a dab hand|a whizz|a pro|adept|on top of things|confident enough|a natural) (?:in|at|with) (?P<p>.+)|have (?:now |finally )?(?:got |gotten )?(?P<q>.+?) (?:down pat|under my belt|down to a fine art|off pat|nailed|figured out|sussed|sorted in my head|licked)",
        frame.rest,
    )
    found = asleep or known
    if found:
        value = next((text for text in found.groups() if text), "")
        if value and not context.has("languages", clean(value).lower()):
            yield from each(frame, "mastered", value, negative=False, change=Change.CHANGED)
        return
    if (
        patterns.match(
            r"(?:crack|nail|master|get|figure|suss|conquer|get the hang of) (?:it|that|this|them)\b", frame.rest
        )
        and frame.tense == "perfect"
    ):
        before = context.sentence[: max(0, frame.clause.start - frame.clause.sentence_start)]
        topic = patterns.match(
            r"(?P<o>[\w+#\- ]{3,40}?) (?:used to|always|no longer|was|were|took|has been|had me|gave me|drove me|never)\b",
            before,
        )
        if topic and not _NO_THING.match(topic["o"]) and good_object(clean(topic["o"])):
            yield draft(frame, "mastered", text_value(clean(topic["o"])), negative=False, change=Change.CHANGED)


RULES = (effects, own_things, tastes_told, commanded)
