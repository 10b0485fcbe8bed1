"""English rules: budgets, pay, savings, debts, costs, investments, belongings, purchases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.quantity import Quantity
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, each, good_object, items, states


def _sums(frame: Frame) -> list[Quantity]:
    return [q for q in quantity.find(frame.clause.body, "en") if q.kind == "money" or (q.kind == "plain" and (q.value >= 20 or q.per in ("month", "year", "week")))]


_MAX_BEFORE = re.compile(r"(?:\b(?:nothing (?:over|above)|under|below|up to|at most|no more than|not more than|less than|within|max(?:imum)?(?: of)?|not (?:go |to go |going )?(?:over|above|beyond)|not exceed(?:ing)?|cap(?:ped)?(?: of| at)?|top(?:s| out at)?|limit(?: is| of)?|ceiling(?: of| is)?|as much as|can(?:not| not|'t)? (?:only )?(?:afford|go|spend|pay|stretch to|do)(?: up to| more than)?)\s*(?:about |around |a )?)$", re.IGNORECASE)
_MAX_AFTER = re.compile(r"\s*,?\s*(?:tops|max(?:imum)?|at (?:the )?most|or less|or under|or below|is (?:my|the|our) (?:limit|max(?:imum)?|ceiling|cap|upper limit|budget)|limit|ceiling|budget)\b", re.IGNORECASE)
_MIN_BEFORE = re.compile(r"\b(?:at least|no less than|not less than|minimum(?: of)?|starting (?:at|from)|from|more than|over|above)\s*$", re.IGNORECASE)
_MIN_AFTER = re.compile(r"\s*,?\s*(?:min(?:imum)?|or more|and up|upwards|or above|at least)\b", re.IGNORECASE)
_BUDGET = re.compile(r"\b(?:budget(?:ed|ing)?|price range|spend(?:ing)? (?:limit|cap)|ceiling|afford|willing to (?:pay|spend|go)|want to spend|looking to spend|can spend|could spend|can pay|can go|going to spend|plan to spend|go over|go above)\b", re.IGNORECASE)
_REQUEST = re.compile(r"\b(?:find|recommend|suggest|show|get|book|look(?:ing)? for|search(?:ing)? for|need|want|pick|help me (?:find|choose|pick)|any(?:thing)?|is there|are there|shopping for)\b", re.IGNORECASE)


def budgets(frame: Frame, context: Context) -> Iterator[Draft]:
    """The most or least that is to be paid, also in requests."""
    text, sentence = frame.clause.body, context.sentence
    sums = _sums(frame)
    if not sums or frame.verb in ("earn", "owe") or patterns.search(r"\b(?:salary|rent|revenue|turnover|insurance|subscription|fine|fee)\b", frame.thing or "", re.IGNORECASE):
        return
    budget = _BUDGET.search(sentence) or _BUDGET.search(frame.thing or "")
    scope = _scope(frame, text, sentence) or _scope(frame, text, context.text)
    between = patterns.search(r"\b(?:between|from)\b", text, re.IGNORECASE)
    if len(sums) >= 2 and (budget or _REQUEST.search(sentence)) and patterns.fullmatch(r"\s*(?:-|–|to|and)\s*" if between else r"\s*(?:-|–|to)\s*", text[sums[0].end : sums[1].start]):
        low, high = sums[0], sums[1]
        unit = high.unit or low.unit
        yield draft(frame, "budget_min", low.as_value(scope=scope, currency=unit or context.currency), subject=USER, negative=False, timeless=True)
        yield draft(frame, "budget_max", high.as_value(scope=scope, currency=unit or context.currency), subject=USER, negative=False, timeless=True)
        return
    for item in sums[:2]:
        before, after = text[: item.start], text[item.end :]
        at_most = _MAX_BEFORE.search(before) or _MAX_AFTER.match(after)
        at_least = _MIN_BEFORE.search(before) or _MIN_AFTER.match(after)
        ceiling = patterns.search(r"\b(?:that|this|which) (?:is|'s) (?:the|my|our) (?:ceiling|limit|max(?:imum)?|budget|cap)\b", sentence, re.IGNORECASE)
        change = Change.CHANGED if patterns.search(r"\b(?:raise|increase|lower|cut|reduce|bump|bring|drop|change|up)\b.*\bbudget|\bbudget\b.*\b(?:is now|went up|has gone up|increased|raised|changed)\b", sentence, re.IGNORECASE) else Change.NONE
        if patterns.search(r"\b(?:earn|salary|saved|make|owe|cost me|paid|spent)\b", before, re.IGNORECASE) and not budget:
            continue
        asked = _REQUEST.search(sentence) is not None
        if (at_most and (budget or asked or frame.can or _MAX_AFTER.match(after))) or (budget and not at_least and (budget or ceiling)) or ceiling:
            yield draft(frame, "budget_max", item.as_value(scope=scope, currency=context.currency), subject=USER, negative=False, timeless=True, change=change)
            return
        if at_least and (budget or asked) and not patterns.search(r"\b(?:more than|over|above)\s*$", before, re.IGNORECASE):
            yield draft(frame, "budget_min", item.as_value(scope=scope, currency=context.currency), subject=USER, negative=False, timeless=True)
            return


def _scope(frame: Frame, text: str, sentence: str) -> str | None:
    for source in (frame.thing or "", text, sentence):
        match = (
            patterns.search(r"\bbudget(?:ed)? (?:is )?(?:for|on) (?P<s>(?:my |the |our |a |an |this )?[\w\- ]+?)(?= (?:is|of|to|at|at most|would|can|under|up)\b|[,.:;$€£¥]|$)", source, re.IGNORECASE)
            or patterns.search(r"\b(?:my|our|the) (?P<s>[\w\-]+(?: [\w\-]+)?) budget\b", source, re.IGNORECASE)
            or patterns.search(r"\b(?:on|for) (?P<s>(?:my |the |our |an? |this |some )(?:new |second-hand |used )?[\w\-]+(?: [\w\-]+)?)(?= (?:is|that|which|in|at|under|to|from|with|tops)\b|[,.:;]|$)", source, re.IGNORECASE)
            or patterns.search(r"\b(?:find|recommend|suggest|show|book|get|need|want|looking for|look for|search for|buy|pick)(?: me| us)? (?P<s>(?:an? |some |the |any )(?:good |nice |decent |cheap |new )?[\w\-]+(?: [\w\-]+)?)(?= (?:for|under|below|up|at|that|which|in|within|with|less|near|no)\b|[,.:;]|$)", source, re.IGNORECASE)
            or patterns.search(r"^for (?P<s>(?:the |my |our |a |an )[\w\-]+)\b", source, re.IGNORECASE)
        )
        if match:
            word = clean(match["s"])
            if good_object(word) and word.lower() not in ("total", "spending", "max", "maximum", "monthly", "overall", "that", "whole"):
                return word
    return None


def pay(frame: Frame, context: Context) -> Iterator[Draft]:
    """What the subject earns."""
    text = frame.clause.body
    sums = _sums(frame)
    if not sums:
        return
    mine = patterns.fullmatch(r"(?:my|the user's) (?:\w+ )?(?:\w+ )?(?:salary|pay|wage|wages|income|earnings|base|take-home(?: pay)?|paycheck)", frame.thing or "", re.IGNORECASE)
    earns = frame.path and patterns.match(r"(?:earn|make|be (?:paid|earning|making|on)|get paid|take home|bring home|pull in|draw)\b", frame.rest)
    if not (mine or earns) or frame.negative or frame.would or frame.intends or (frame.subject and frame.subject.role in ("company", "team")):
        return
    item = sums[0]
    per = item.per or quantity.period_of(text, "en")
    if not per:
        thousands = patterns.search(r"\b\d{2,3} ?k\b", text, re.IGNORECASE)
        if not (mine or thousands or frame.rest.startswith(("earn", "be paid", "get paid", "take home"))) and item.kind != "money":
            return
        if frame.rest.startswith(("make", "be on")) and not patterns.search(r"\bk\b|\d{2,3}k|thousand|grand|,000", text, re.IGNORECASE):
            return
        per = "year" if item.value >= 15000 else "month"
    raised = Change.CHANGED if patterns.search(r"\b(?:raise|went up|rose|got bumped|now)\b", text, re.IGNORECASE) else Change.NONE
    yield draft(frame, "salary", item.as_value(per=per, currency=context.currency), subject=USER if mine else frame.path, timeless=True, change=raised)


def savings(frame: Frame, context: Context) -> Iterator[Draft]:
    """Money put aside."""
    text = frame.clause.body
    sums = _sums(frame)
    saved = patterns.search(r"\b(?:saved(?: up)?|put aside|set aside|put away|tucked away|stashed|in (?:my |our |the )?savings(?: account)?|savings (?:of|are|is|come to|stand at)|in the bank|nest egg|emergency fund)\b", text, re.IGNORECASE)
    if not sums or not saved or frame.negative or frame.intends or frame.would or frame.obliged or sums[0].per:
        return
    if frame.path not in ("", USER) or patterns.search(r"\bsaved (?:me|us) ", text):
        return
    scope = patterns.search(r"\b(?:for|towards?) (?P<s>(?:the |a |an |my |our )?[\w\-]+(?: [\w\-]+)?)(?=[,.;]|\s(?:and|so|but|in|at|by)\b|$)", text[sums[0].end :] or "", re.IGNORECASE)
    word = clean(scope["s"]) if scope else None
    yield draft(frame, "savings", sums[0].as_value(scope=word if word and good_object(word) else None, currency=context.currency), subject=USER, timeless=True)


def debts(frame: Frame, context: Context) -> Iterator[Draft]:
    """Debts still to be paid."""
    text = frame.clause.body
    sums = _sums(frame)
    owing = patterns.search(r"\b(?:owe|owing|in debt|of debt|(?:left|outstanding|remaining|to go|still to pay|to pay off|balance) (?:on|of|for)|mortgage|loan|overdraft|credit card debt|debt)\b", text, re.IGNORECASE)
    if not sums or not owing or frame.negative or frame.would or (frame.path not in ("", USER)) or patterns.search(r"\b(?:owes? me|payment|per month|a month|monthly|paid off|repaid)\b", text, re.IGNORECASE):
        return
    if not patterns.search(r"\b(?:owe|left|outstanding|remaining|debt|to go|still|balance|have an?)\b", text, re.IGNORECASE):
        return
    scope = patterns.search(r"\b(?:on|of|for) (?:my |the |our |a )?(?P<s>(?:[\w\-]+ )?(?:loan|mortgage|card|debt|overdraft|tuition|car|house|flat|taxes?|bill))\b", text, re.IGNORECASE) or patterns.search(r"\bto (?:my |the )?(?P<s>[\w\-]+(?: [A-Z]\w+)?)", text[sums[0].end :])
    word = clean(scope["s"]) if scope else None
    yield draft(frame, "owes", sums[0].as_value(scope=word if word and good_object(word) else None, currency=context.currency, per=""), subject=USER, timeless=True)


def costs(frame: Frame, context: Context) -> Iterator[Draft]:
    """Repeated payments and sums paid once."""
    text = frame.clause.body.strip()
    sums = [q for q in quantity.find(text, "en") if q in _sums(frame) or q.kind == "money" or q.per] or _sums(frame)
    raised = patterns.match(r"(?:raise|increase|put up|lower|cut|reduce|drop) (?:my |our |the )(?P<s>rent|fee|fees|premium|price|subscription|tuition)(?: (?:again|up))? (?:to|by)\b", frame.rest)
    if raised and sums and " to " in frame.rest:
        per = sums[0].per or quantity.period_of(text, "en") or "month"
        yield draft(frame, "regular_cost", sums[0].as_value(scope=raised["s"], per=per, currency=context.currency), subject=USER, begins=True, past=True, change=Change.CHANGED)
        return
    if not sums or frame.would or frame.imperative or frame.negative or _BUDGET.search(text) and not patterns.search(r"\bpaid|spent|cost\b", text):
        return
    item = sums[0]
    per = item.per or quantity.period_of(text, "en")
    repeating = per in ("month", "year", "week", "quarter") and frame.path in ("", USER)
    thing = clean(frame.thing) if frame.thing and not patterns.fullmatch(r"(?:it|this|that|there|they)", frame.thing, re.IGNORECASE) else ""
    if repeating and not frame.intends:
        if thing and not patterns.search(r"\b(?:salary|income|pay|wage|revenue|turnover|budget|name|company|firm)\b", thing, re.IGNORECASE) and patterns.match(r"(?:cost|be|go up|rise|come to|increase|drop|go down|amount to|work out at|run|set|fall)\b", frame.rest):
            changed = Change.CHANGED if patterns.match(r"go|rise|increase|drop|fall", frame.rest) else Change.NONE
            yield draft(frame, "regular_cost", item.as_value(scope=thing, per=per, currency=context.currency), subject=USER, begins=changed is Change.CHANGED, past=frame.past, change=changed)
            return
        match = patterns.match(r"(?:pay|spend|be paying|be spending)\b", frame.rest)
        scope = patterns.search(r"\b(?:for|on|in) (?P<s>(?:my |the |our |a |an )?[\w\-]+(?: [\w\-]+)?)(?=[,.;]|\s(?:and|so|but|at|by|every|each)\b|$)", text, re.IGNORECASE)
        if match and frame.path == USER and frame.tense != "past":
            word = clean(scope["s"]) if scope else ""
            yield draft(frame, "regular_cost", item.as_value(scope=word if good_object(word) else None, per=per, currency=context.currency), timeless=True)
        return
    yield from _spent(frame, context, item, thing, text)


def _spent(frame: Frame, context: Context, item: Quantity, thing: str, text: str) -> Iterator[Draft]:
    if frame.intends or frame.obliged or item.kind == "plain" and not patterns.search(r"\b(?:paid|spent|cost)\b", text, re.IGNORECASE):
        return
    if frame.path == USER and frame.past and patterns.match(r"(?:pay|spend|drop|shell out|fork out|blow|splash out|invest|lay out)\b", frame.rest):
        scope = patterns.search(r"\b(?:for|on) (?P<s>(?:my |the |our |a |an |this |that |it |two |some )?[\w\-]+(?: [\w\-]+)?)(?=[,.;]|\s(?:and|so|but|at|in|from|which|that)\b|$)", text[item.end :], re.IGNORECASE)
        word = clean(scope["s"]) if scope else ""
        if not good_object(word):
            word = _antecedent(context.sentence)
        yield draft(frame, "spent", item.as_value(scope=word or None, per="", currency=context.currency), past=True)
        return
    if (match := patterns.match(r"(?:cost(?: (?P<m>me|us))?|set (?P<b>me|us) back)\b", frame.rest)) and (frame.thing or frame.subject) and (frame.past or match["m"] or match["b"]):
        yield draft(frame, "spent", item.as_value(scope=thing or _antecedent(context.sentence) or None, per="", currency=context.currency), subject=USER, past=True)
        return
    if thing and frame.verb == "be" and frame.tense == "past" and item.kind == "money":
        yield draft(frame, "spent", item.as_value(scope=thing, per="", currency=context.currency), subject=USER, past=True)


def _antecedent(sentence: str) -> str:
    """What "it" was bought: the object of a verb of buying, or an order that opens the sentence."""
    match = patterns.search(r"\b(?:bought|ordered|got|purchased|booked) (?:myself )?(?P<s>(?:a |an |the |my |some )[\w\-]+(?: [\w\-]+)?)(?=[,.;]|\s(?:and|for|from|on|in|at|last|yesterday|which)\b|$)", sentence, re.IGNORECASE)
    if match:
        return clean(match["s"])
    return "order" if patterns.match(r"(?:my |the )?order\b", sentence, re.IGNORECASE) else ""


def investing(frame: Frame, context: Context) -> Iterator[Draft]:
    """Assets held, and the attitude to risk."""
    words = context.words("investments")
    text = frame.clause.body
    match = patterns.match(r"(?:invest|put (?:most of |all of |some of |all |half of )?(?:my|our) (?:money|savings|cash|pension)|sit|be invested|be)(?: mostly| mainly| heavily| entirely| all)? (?:in|into) (?P<o>.+)", frame.rest) or patterns.match(
        rf"(?:hold|own|buy|have|be buying)(?: mostly| mainly| some| a few| a bit of| a lot of| shares of| shares in)* (?P<o>(?:{words})\b.*)", frame.rest, re.IGNORECASE
    )
    money = patterns.search(r"\b(?:money|savings|cash|portfolio|pension|nest egg)\b", frame.thing or "", re.IGNORECASE)
    if match and (frame.path == USER or money) and states(frame) and (frame.verb == "invest" or money or patterns.match(rf"(?:{words})\b", clean(match["o"]), re.IGNORECASE) or frame.rest.startswith("put")):
        yield from each(frame, "invests_in", patterns.split(r"\s(?:through|via|with|on|at|every)\b", match["o"], maxsplit=1)[0], subject=USER)
    risk = patterns.search(r"\b(?P<o>risk[- ](?:averse|tolerant|seeking|loving|taker)|(?:very |fairly |quite |rather )?(?:conservative|aggressive|cautious|moderate|balanced|defensive)(?= (?:investor|approach|with (?:my )?(?:money|investments|savings)|when it comes to (?:money|invest)|investing|strategy|portfolio|about (?:money|invest)))|low[- ]risk|high[- ]risk)\b", text, re.IGNORECASE)
    if risk and (frame.path == USER or patterns.search(r"\bmy (?:risk|invest|portfolio|money)", text, re.IGNORECASE)) and states(frame) and not frame.clause.blocked:
        yield draft(frame, "risk_preference", text_value(risk["o"]), subject=USER, timeless=True)
    appetite = patterns.match(r"my (?:risk (?:appetite|tolerance|preference|profile)|attitude to risk)$", frame.thing or "", re.IGNORECASE)
    if appetite and frame.rest.startswith("be "):
        yield draft(frame, "risk_preference", text_value(clean(patterns.sub(r"^(?:very|fairly|quite|pretty|rather) ", "", frame.rest[3:]))), subject=USER, timeless=True)


def belongings(frame: Frame, context: Context) -> Iterator[Draft]:
    """Things owned, sold or bought."""
    if not frame.path or not states(frame):
        return
    durable = context.words("durables")
    match = patterns.match(r"(?:own|possess|be the (?:proud )?owner of) (?P<o>.+)", frame.rest) or patterns.match(
        rf"(?:have|drive|ride|keep|play)(?: got)? (?P<o>(?:an?|my own|two|three|our own|no)\s(?:(?!\b(?:to|in|on|at|for|with|when|idea|problem|question|lot|look|chat|good|great|bad|appointment|exam|meeting)\b)[\w\-]+\s){{0,3}}?(?:{durable})(?![\w-]).*)", frame.rest, re.IGNORECASE
    )
    if match and not (frame.subject and frame.subject.role == "pet"):
        animal = patterns.search(rf"\b(?:{context.words('animals')})\b", match["o"].split(",")[0], re.IGNORECASE)
        if not animal:
            text = patterns.split(r"\s(?:with|in|on|at|near|from|that|which|for|by|outside|parked|since)\b", match["o"], maxsplit=1)[0]
            no = patterns.match(r"no ", text)
            yield from each(frame, "owns", patterns.sub(r"^no ", "", text), negative=frame.negative != bool(no))
        return
    match = patterns.match(r"(?:sell|get rid of|trade in|give away|scrap|donate) (?:my|our|the) (?P<o>.+)", frame.rest)
    if match and frame.past and not frame.negative:
        text = patterns.split(r"\s(?:for|to|on|in|at|last|because|and)\b", match["o"], maxsplit=1)[0]
        yield draft(frame, "owns", text_value(clean(text)), negative=True, ends=True, past=True)
        return
    match = patterns.match(r"(?:buy|order|purchase|pick up|get myself|treat myself to|invest in|splurge on)(?: myself| me| us)? (?P<o>(?:an?|the|my|our|some|two|three|new|another|her|him|[A-Z0-9]).+)", frame.rest)
    if match and frame.tense in ("past", "perfect") and not frame.negative and not patterns.match(r"(?:invest in)", frame.rest):
        text = patterns.split(r"\s(?:for (?:my|the|our|her|his|me|\$|€|£|\d)|from|on|in|at|with|because|that|which|last|to|after|off|via|online|as)\b|[$€£]", match["o"], maxsplit=1)[0]
        if not patterns.match(rf"(?:some |an? )?(?:{context.words('investments')})\b", text, re.IGNORECASE):
            for part, _ in items(text):
                if good_object(clean(part)) and not patterns.search(rf"^(?:{context.words('animals')})$", clean(part), re.IGNORECASE):
                    yield draft(frame, "bought", text_value(patterns.sub(r"^new ", "", clean(part))), past=True)


RULES = (budgets, pay, savings, debts, costs, investing, belongings)
SUMS = (budgets, pay, savings, debts, costs)
