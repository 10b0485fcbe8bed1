"""English rules: certificates, payments, kind of employment, files and their dates."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object, states
from mcp_memory_server.memory.perceive.when import Bind


def certificates(frame: Frame, context: Context) -> Iterator[Draft]:
    """Certificates and qualifications held."""
    if not frame.path or not states(frame):
        return
    match = patterns.match(
        r"(?P<v>have|hold|get|earn|receive|obtain|complete|gain|renew)(?: got)? (?:an?|my|the|his|her|their|our) (?P<o>[\w&.+#\- ]{2,50}?) (?P<k>certificate|certification|accreditation)\b",
        frame.rest,
    )
    if match and not patterns.search(
        r"(?i)\b(?:birth|death|marriage|gift|medical|vaccination|share|stock|ssl|tls)$", match["o"]
    ):
        name = clean(match["o"])
        value = name if name[:1].isupper() else f"{name} {match['k']}"
        done = match["v"] not in ("have", "hold")
        yield draft(frame, "holds_certificate", text_value(value), begins=done, past=done)
        return
    title = patterns.match(
        r"be (?:an? )?(?:fully )?(?:certified|accredited|licensed|qualified)(?: (?:in|as an?))? (?P<o>[A-Za-z][\w\- ]*?)(?=$|[,.;]| (?:since|by|and|with|from|now|for|at)\b)",
        frame.rest,
    )
    if title and not patterns.match(r"(?:to|copy|mail|letter)\b", title["o"]) and good_object(clean(title["o"])):
        yield draft(frame, "holds_certificate", text_value(clean(title["o"])))


_HOURS = r"(?:part-time|full-time|part time|full time)"
_KIND = r"(?:permanent|temporary|fixed-term|fixed term|casual|seasonal|freelance|zero-hours|zero-hour)"


def employment(frame: Frame, context: Context) -> Iterator[Draft]:
    """Part-time, self-employed, on a fixed-term contract…"""
    if not frame.path or not states(frame) or (frame.subject and frame.subject.role in ("company", "team")):
        return
    text = frame.clause.text
    match = patterns.search(
        rf"\b(?:work|works|working|worked)(?: only)?(?: as an? [\w ]{{2,30}}?)? (?P<o>{_HOURS})\b|\b(?P<p>{_HOURS}|{_KIND}) (?:job|position|role|contract|employee|worker|staff|post|employment)\b|\bon an? (?P<q>[\w\-]+(?: [\w\-]+)? contract)\b",
        text, re.IGNORECASE,
    ) or patterns.match(r"be (?:an? )?(?P<o>self-employed|self employed|freelancing|freelance(?!r| [a-z])|freelancer|(?:independent )?contractor|temp)\b(?P<p>)(?P<q>)", frame.rest) or (
        patterns.match(r"(?P<o>freelance)\b(?P<p>)(?P<q>)", frame.rest) if frame.verb == "freelance" else None
    )  # fmt: skip
    if (
        not match
        or (frame.tense == "past" and not frame.started)
        or patterns.search(r"(?i)\b(?:looking for|want|offered|apply|applied|hire|hiring)\b", text)
    ):
        return
    value = (match["o"] or match["p"] or match["q"]).lower()
    yield draft(frame, "employment_kind", text_value({"freelancing": "freelance"}.get(value, value)))


_DUE = r"(?:deposit|invoice|bill|rent|fee|fees|fine|order|tuition|hotel|flight|ticket|tickets|booking|subscription|insurance|premium|course|mortgage|loan|tax|taxes|instal?lment|balance|membership|purchase|payment)"


def payments(frame: Frame, context: Context) -> Iterator[Draft]:
    """What has been paid, is unpaid, pending or refunded; sums paid are read elsewhere."""
    if (
        frame.would
        or frame.intends
        or frame.imperative
        or frame.clause.blocked
        or patterns.search(r"[$€£¥]|\d{2}", frame.clause.body)
    ):
        return
    thing = patterns.match(
        rf"(?:my|our|the|this|that) (?P<s>(?:[\w\-]+ ){{0,2}}?{_DUE})\b", frame.thing or "", re.IGNORECASE
    )
    state = (
        patterns.match(
            r"be (?:all |fully |partly )?(?P<o>paid|settled|unpaid|outstanding|overdue|pending|refunded|declined)\b",
            frame.rest,
        )
        if thing
        else None
    )
    if thing and state:
        scope = "" if thing["s"].lower() == "payment" else clean(thing["s"])
        of_what = patterns.search(r"\bpayment (?:for|of) (?:the |my |our )?(?P<s>[\w\- ]+)$", frame.thing)
        denied = frame.negative and state["o"] in ("paid", "settled")
        value = "unpaid" if denied else state["o"]
        yield draft(
            frame,
            "payment_status",
            text_value(value, scope=clean(of_what["s"]) if of_what else scope),
            subject=USER,
            negative=False,
            timeless=True,
        )
        return
    paid = patterns.match(
        rf"(?:pay|settle)(?: for| off)? (?:my|our|the|this|that) (?P<s>(?:[\w\-]+ ){{0,2}}?{_DUE})\b", frame.rest
    )
    if paid and frame.path == USER and frame.past and not frame.obliged:
        yield draft(
            frame,
            "payment_status",
            text_value("unpaid" if frame.negative else "paid", scope=clean(paid["s"])),
            negative=False,
            timeless=True,
        )


_FILE = r"(?P<f>[\w\-]+(?:\.[\w\-]+)*\.(?:docx?|pdf|xlsx?|csv|pptx?|txt|md|tex|py|ipynb|wav|mp3|mp4|mov|jpe?g|png|zip|json|html?|odt|rtf|psd|svg|epub|key))\b"
_PAPER = r"(?:file|document|report|spreadsheet|slides|deck|draft|photos?|pictures?|contract|invoice|version|manuscript|notes|presentation|recording|thesis|cv|résumé|resume|essay|proposal|script|spec|backup|scan|minutes|budget|plan|agreement|letter|form|statement|paper)"


def files(frame: Frame, context: Context) -> Iterator[Draft]:
    """Names of the user's files, and the dates that they bear."""
    text = frame.clause.text
    if frame.would or frame.intends or frame.obliged:
        return
    name = patterns.search(_FILE, text)
    paper = patterns.search(rf"\b(?:my|our|the|this) (?P<s>(?:[\w\-]+ ){{0,2}}?{_PAPER})\b(?!\.)", text, re.IGNORECASE)
    scope = clean(paper["s"]) if paper and paper["s"].lower() not in ("file", "document") else ""
    told = patterns.search(r"(?i)\b(?:called|named|saved|stored|renamed|filed|kept|is in|are in|file ?name)\b", text)
    if name and (told or _beside(name, paper)):
        yield draft(
            frame, "file_name", text_value(name["f"], scope=scope or None), subject=USER, negative=False, timeless=True
        )
    dated = patterns.search(
        r"(?i)\b(?:dated|created|modified|updated|edited|saved|revised|written|last changed|changed|(?:is|are|was|were) from)\b",
        text,
    )
    days = [when for when in frame.clause.times if when.bind in (Bind.AT, Bind.SINCE) and when.past]
    if (
        dated
        and days
        and (name or (paper and frame.thing))
        and not patterns.search(r"(?i)\b(?:due|until|expires?)\b", text)
    ):
        about = (
            name["f"]
            if name and not (paper and paper.start() < name.start())
            else scope or (clean(paper["s"]) if paper else "")
        )
        value = Value(ValueType.DATE, days[0].past[:10], None, about or None)
        yield draft(frame, "file_date", value, subject=USER, negative=False, timeless=True)


def _beside(name: re.Match[str], paper: re.Match[str] | None) -> bool:
    """ "The slides, deck_v3.pptx, …": the name stands right after what it names."""
    return paper is not None and paper.end() + 2 >= name.start() >= paper.end()


RULES = (certificates, employment, payments, files)
