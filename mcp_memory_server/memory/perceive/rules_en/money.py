"""English rules: pay, savings, debts, costs."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.owner_en import owned
from mcp_memory_server.memory.perceive.quantity import Quantity
from mcp_memory_server.memory.perceive.rules_en.budget import BUDGET, sums_of
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object
from mcp_memory_server.memory.perceive.when import Bind


def pay(frame: Frame, context: Context) -> Iterator[Draft]:
    """What the subject earns."""
    text = frame.clause.body
    sums = sums_of(frame)
    if not sums:
        return
    paid_me = patterns.match(r"pay me\b", frame.rest) or (
        patterns.match(r"(?:credit|give|send|transfer|wire|deposit|hand) me\b", frame.rest)
        if (
            frame.thing == "they"
            or patterns.search(r"(?i)\b(?:employer|work|company|boss|firm)\b", frame.thing or frame.path)
        )
        and any(item.per in ("month", "year", "week") for item in sums)
        else None
    )
    mine = owned(
        frame,
        "salary|pay|wages?|income|earnings|base|base pay|take-home(?: pay)?|pay ?che(?:ck|que)|pay packet|starting salary|compensation|stipend|pension|hourly rate|day rate",
        context.vocabulary,
    ) or (USER if paid_me else "")
    earns = (
        frame.path
        and patterns.match(
            r"(?:earn|make|be (?:paid|earning|making|(?:now |currently )?on)|get paid|take home|bring home|bring in|pull in|rake in|pocket|net|gross|clear|draw|be salaried at)\b",
            frame.rest,
        )
    ) or (
        frame.path
        and patterns.match(r"get\b", frame.rest)
        and patterns.search(r"(?i)\b(?:earn|paid|salary|wages?|a year|per year)\b", context.sentence)
    )
    if (
        not (mine or earns)
        or frame.negative
        or frame.would
        or frame.intends
        or (frame.subject and frame.subject.role in ("company", "team"))
        or patterns.search(r"\b(?:revenues?|turnover|sales|profit|takings)\b", text, re.IGNORECASE)
    ):
        return
    item = sums[0]
    per = item.per or quantity.period_of(text, "en")
    if not per:
        thousands = patterns.search(r"\b\d{2,3} ?(?:k|grand)\b", text, re.IGNORECASE)
        if (
            not (mine or thousands or frame.rest.startswith(("earn", "be paid", "get paid", "take home")))
            and item.kind != "money"
        ):
            return
        if frame.rest.startswith(("make", "be on")) and not patterns.search(
            r"\bk\b|\d{2,3}k|thousand|grand|,000", text, re.IGNORECASE
        ):
            return
        per = "year" if item.value >= 15000 else "month"
    raised = (
        Change.CHANGED
        if patterns.search(r"\b(?:raise|went up|rose|got bumped|now)\b", text, re.IGNORECASE)
        else Change.NONE
    )
    yield draft(
        frame,
        "salary",
        item.as_value(per=per, currency=context.currency),
        subject=mine or frame.path,
        timeless=True,
        change=raised,
    )


def savings(frame: Frame, context: Context) -> Iterator[Draft]:
    """Money put aside."""
    text = frame.clause.body
    sums = sums_of(frame)
    saved = patterns.search(
        r"\b(?:saved(?: up)?|savings account (?:holds|has|contains|is at|stands at)|savings (?:amount|add up|total|now stand)|put aside|set aside|put away|tucked away|stashed|in (?:my |our |the )?savings(?: account)?|(?:sitting|lying|parked|tucked|waiting|earning interest) (?:away )?in (?:my|our|an?|the) [\w\- ]{0,24}?(?:account|fund|pot|isa|jar|bank)|squirrell?ed away|salted away|laid by|put by|socked away|stashed away|built up a (?:cushion|buffer|pot)|rainy[- ]day (?:fund|account|pot|money)|piggy bank|savings (?:of|are|is|come to|stand at)|in the bank|nest egg|emergency fund)\b",
        text,
        re.IGNORECASE,
    )
    if (
        not sums
        or not saved
        or frame.negative
        or frame.intends
        or frame.would
        or frame.obliged
        or sums[0].per
        or patterns.search(r"(?i)\bat (?:the )?most\b|\btops\b|\bmax(?:imum)?\b|\bup to\b", text)
    ):
        return
    if frame.path not in ("", USER) or patterns.search(r"\bsaved (?:me|us) ", text):
        return
    scope = patterns.search(
        r"\b(?:for|towards?) (?P<s>(?:the |a |an |my |our )?[\w\-]+(?: [\w\-]+)?)(?=[,.;]|\s(?:and|so|but|in|at|by)\b|$)",
        text[sums[0].end :] or "",
        re.IGNORECASE,
    ) or patterns.search(
        r"\b(?P<s>[\w\-]+) (?:account|fund|pot|jar)\b|^(?:towards?|for) (?P<t>(?:the |a |my |our )?[\w\-]+)",
        text.strip(),
        re.IGNORECASE,
    )
    word = clean(scope["s"] or scope.groupdict().get("t") or "") if scope else None
    if word and word.lower() in ("savings", "bank", "my", "current", "separate", "joint"):
        word = None
    yield draft(
        frame,
        "savings",
        sums[0].as_value(scope=word if word and good_object(word) else None, currency=context.currency),
        subject=USER,
        timeless=True,
    )


def debts(frame: Frame, context: Context) -> Iterator[Draft]:
    """Debts still to be paid."""
    text = frame.clause.body
    sums = sums_of(frame)
    owing = patterns.search(
        r"\b(?:owe|owing|in the red|in arrears|behind (?:on|with)|still to (?:repay|clear)|left to (?:repay|clear|pay)|yet to (?:repay|pay)|in debt|of debt|(?:left|outstanding|remaining|to go|still to pay|to pay off|to pay|balance) (?:on|of|for|off)|mortgage|loan|overdraft|credit card debt|debt)\b",
        text,
        re.IGNORECASE,
    )
    if (
        not sums
        or not owing
        or frame.negative
        or frame.would
        or (frame.path not in ("", USER))
        or patterns.search(r"\b(?:owes? me|payment|per month|a month|monthly|paid off|repaid)\b", text, re.IGNORECASE)
    ):
        return
    named_debt = patterns.search(
        r"(?i)\b(?:overdraft|loans?|debts?|mortgage|card balance|credit card)$", frame.thing or ""
    )
    if not named_debt and not patterns.search(
        r"\b(?:owe|left|outstanding|remaining|debt|to go|still|balance|have an?|yet|arrears|behind|in the red)\b",
        text,
        re.IGNORECASE,
    ):
        return
    scope = patterns.search(
        r"\b(?:on|of|for) (?:my |the |our |a )?(?P<s>(?:[\w\-]+ )?(?:loan|mortgage|card|debt|overdraft|tuition|car|house|flat|taxes?|bill))\b",
        text,
        re.IGNORECASE,
    ) or patterns.search(r"\bto (?:my |the )?(?P<s>[\w\-]+(?: [A-Z]\w+)?)", text[sums[0].end :])
    word = clean(scope["s"]) if scope else clean(frame.thing) if named_debt else None
    yield draft(
        frame,
        "owes",
        sums[0].as_value(scope=word if word and good_object(word) else None, currency=context.currency, per=""),
        subject=USER,
        timeless=True,
    )


def costs(frame: Frame, context: Context) -> Iterator[Draft]:
    """Repeated payments and sums paid once."""
    text = frame.clause.body
    sums = [
        q
        for q in quantity.of_clause(frame.clause, "en")
        if q.kind == "money" or q.per or (q.kind == "plain" and q.value >= 20)
    ]
    raised = patterns.match(
        r"(?:raise|increase|put up|lower|cut|reduce|drop) (?:my |our |the )(?P<s>rent|fee|fees|premium|price|subscription|tuition)(?: (?:again|up))? (?:to|by)\b",
        frame.rest,
    )
    if raised and sums and " to " in frame.rest:
        per = sums[0].per or quantity.period_of(text, "en") or "month"
        yield draft(
            frame,
            "regular_cost",
            sums[0].as_value(scope=raised["s"], per=per, currency=context.currency),
            subject=USER,
            begins=True,
            past=True,
            change=Change.CHANGED,
        )
        return
    if (
        not sums
        or frame.would
        or frame.imperative
        or frame.negative
        or (BUDGET.search(text) and not patterns.search(r"\bpaid|spent|cost\b", text))
    ):
        return
    item = sums[0]
    per = item.per or quantity.period_of(text, "en")
    if (
        not per
        and frame.tense in ("present", "perfect")
        and any(when.bind is Bind.REPEAT for when in frame.clause.times)
    ):
        per = quantity.period_of(frame.clause.text, "en")
    if not frame.thing and (
        dear := patterns.match(
            r"(?P<o>[A-Z][\w\-]+(?: [a-z\-]+){0,2}?) (?:now )?(?:costs?|sets?|takes|eats|swallows) (?:me|us)\b",
            text.strip(),
        )
    ):
        frame.thing, frame.verb, frame.rest = dear["o"], "cost", "cost " + text.strip()[dear.end() :]
    repeating = per in ("month", "year", "week", "quarter") and frame.path in ("", USER)
    thing = (
        clean(frame.thing)
        if frame.thing and not patterns.fullmatch(r"(?:it|this|that|there|they)", frame.thing, re.IGNORECASE)
        else ""
    )
    moved = "" if thing else _moved(frame, context)
    thing = thing or moved
    if repeating and not frame.intends:
        if (
            thing
            and not patterns.search(
                r"\b(?:salary|income|pay|wage|revenue|turnover|budget|name|company|firm|limit|cap)\b",
                thing,
                re.IGNORECASE,
            )
            and patterns.match(
                r"(?:cost|be|go up|rise|come to|increase|drop|go down|amount to|work out at|run|set|fall|take|eat|swallow|jump|climb|creep|stand at|total)\b",
                frame.rest,
            )
        ):
            changed = (
                Change.CHANGED
                if moved or patterns.match(r"go|rise|increase|drop|fall|jump|climb|creep", frame.rest)
                else Change.NONE
            )
            yield draft(
                frame,
                "regular_cost",
                item.as_value(scope=thing, per=per, currency=context.currency),
                subject=USER,
                begins=changed is Change.CHANGED,
                past=frame.past,
                change=changed,
            )
            return
        match = patterns.match(
            r"(?:pay|spend|be paying|be spending|shell out|fork out|cough up|hand over|part with|chip in|contribute|donate|give|put)\b",
            frame.rest,
        )
        scope = patterns.search(
            r"\b(?:for|on|in) (?P<s>(?:my |the |our |a |an )?[\w\-]+(?: [\w\-]+)?)(?=[,.;]|\s(?:and|so|but|at|by|every|each)\b|$)",
            text,
            re.IGNORECASE,
        )
        if match and frame.path == USER and frame.tense != "past":
            word = clean(scope["s"]) if scope else ""
            yield draft(
                frame,
                "regular_cost",
                item.as_value(scope=word if good_object(word) else None, per=per, currency=context.currency),
                timeless=True,
            )
        return
    yield from _spent(frame, context, item, thing, text)


def _spent(frame: Frame, context: Context, item: Quantity, thing: str, text: str) -> Iterator[Draft]:
    if (
        frame.intends
        or frame.obliged
        or (item.kind == "plain" and not patterns.search(r"\b(?:paid|spent|cost)\b", text, re.IGNORECASE))
    ):
        return
    if (
        frame.path == USER
        and frame.past
        and patterns.match(
            r"(?:pay|spend|drop|shell out|fork out|fork over|cough up|hand over|stump up|squander|blow|splash out|splurge|invest|lay out|part with)\b",
            frame.rest,
        )
    ):
        scope = patterns.search(
            r"\b(?:for|on) (?P<s>(?:my |the |our |a |an |this |that |it |two |some )?[\w\-]+(?: [\w\-]+)?)(?=[,.;]|\s(?:and|so|but|at|in|from|which|that)\b|$)",
            text[item.end :],
            re.IGNORECASE,
        )
        word = clean(scope["s"]) if scope else ""
        if not good_object(word):
            word = _antecedent(context.sentence)
        yield draft(frame, "spent", item.as_value(scope=word or None, per="", currency=context.currency), past=True)
        return
    charged = patterns.match(
        r"charge (?:me|us) .*?\bfor (?:the |my |our |an? )?(?P<s>[\w\-]+(?: [\w\-]+)?)(?=$|[,.;]| (?:and|but|at|on)\b)",
        frame.rest,
    )
    if charged and item.kind == "money" and frame.past:
        yield draft(
            frame,
            "spent",
            item.as_value(scope=clean(charged["s"]), per="", currency=context.currency),
            subject=USER,
            negative=False,
            past=True,
        )
        return
    cleft = patterns.search(
        r"\b(?:it was|i paid) [^,;]*?\b(?:that )?i paid for (?:my |the |our |a |an |this |that )?(?P<s>[\w\-]+(?: [\w\-]+)?)",
        text,
        re.IGNORECASE,
    )
    if cleft and item.kind == "money":
        yield draft(
            frame,
            "spent",
            item.as_value(scope=clean(cleft["s"]), per="", currency=context.currency),
            subject=USER,
            negative=False,
            past=True,
        )
        return
    bought = patterns.match(
        r"(?:buy|order|get|grab|pick up|purchase) (?:myself )?(?P<s>(?:an?|the|my|some|two|new) [\w\- ]+?) (?:for|at)\b",
        frame.rest,
    )
    if bought and frame.path == USER and frame.past and item.kind == "money" and good_object(clean(bought["s"])):
        yield draft(
            frame, "spent", item.as_value(scope=clean(bought["s"]), per="", currency=context.currency), past=True
        )
        return
    total = patterns.match(r"(?:come (?:out )?(?:to|at)|run (?:to|me|us)|total|amount to|end up costing)\b", frame.rest)
    once_cost = frame.verb == "cost" and patterns.search(r"\bcost\b", text)
    if thing and item.kind == "money" and (once_cost or (total and frame.past)) and not item.per:
        yield draft(
            frame, "spent", item.as_value(scope=thing, per="", currency=context.currency), subject=USER, past=True
        )
        return
    if (
        (match := patterns.match(r"(?:(?:end up )?cost(?:ing)?(?: (?P<m>me|us))?|set (?P<b>me|us) back)\b", frame.rest))
        and (frame.thing or frame.subject)
        and (frame.past or match["m"] or match["b"])
    ):
        yield draft(
            frame,
            "spent",
            item.as_value(scope=thing or _antecedent(context.sentence) or None, per="", currency=context.currency),
            subject=USER,
            past=True,
        )
        return
    if (
        thing
        and frame.verb == "be"
        and frame.tense == "past"
        and item.kind == "money"
        and not patterns.search(
            r"(?i)\b(?:revenue|turnover|sales|salary|income|budget|profit|pay|wage|savings|price|offer)\b", thing
        )
    ):
        yield draft(
            frame, "spent", item.as_value(scope=thing, per="", currency=context.currency), subject=USER, past=True
        )


def _moved(frame: Frame, context: Context) -> str:
    """What "it" costs now, where it was just said to have changed: "my rent went up, it is now"."""
    if not patterns.match(r"(?:it|that|which)\b", frame.clause.body.strip(), re.IGNORECASE):
        return ""
    before = context.text.partition(frame.clause.text)[0]
    match = patterns.search(
        r"\b(?:my|our|the) (?P<s>[\w\-]+(?: (?!ha[sd]\b|have\b|just\b)[\w\-]+)?) (?:just |has |have |had |have just |has just )?(?:went|gone|rose|risen|increased|dropped|fell|fallen|changed|jumped|climbed|doubled)\b[^.!?]{0,40}[,.;!]?(?: and| so)?\s*$",
        before,
        re.IGNORECASE,
    )
    return clean(match["s"]) if match else ""


def _antecedent(sentence: str) -> str:
    """What "it" was bought: the object of a verb of buying, or an order that opens the sentence."""
    match = patterns.search(
        r"\b(?:bought|ordered|got|purchased|booked) (?:myself )?(?P<s>(?:a |an |the |my |some )[\w\-]+(?: [\w\-]+)?)(?=[,.;]|\s(?:and|for|from|on|in|at|last|yesterday|which)\b|$)",
        sentence,
        re.IGNORECASE,
    )
    if match:
        return clean(match["s"])
    return "order" if patterns.match(r"(?:my |the )?order\b", sentence, re.IGNORECASE) else ""


RULES = (pay, savings, debts, costs)
SUMS = (pay, savings, debts, costs)
