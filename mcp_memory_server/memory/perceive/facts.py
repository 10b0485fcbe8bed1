"""The facts of a text: sentences, clauses, times, then the rules of the language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Generic, TypeVar

from mcp_memory_server.memory.model import CandidateFact, Said, Speaker, ValueType
from mcp_memory_server.memory.perceive import rules_en, rules_zh, speech_en, speech_zh, times_en, when_zh
from mcp_memory_server.memory.perceive.calendar import Calendar
from mcp_memory_server.memory.perceive.chinese import ContextZh, ReaderZh
from mcp_memory_server.memory.perceive.dispatch import Dispatch, Words
from mcp_memory_server.memory.perceive.drafts import Draft, finish
from mcp_memory_server.memory.perceive.english import Frame, Reader
from mcp_memory_server.memory.perceive.lexicon import once
from mcp_memory_server.memory.perceive.parts_en import beside, complements, embedded
from mcp_memory_server.memory.perceive.quantity import local_currency
from mcp_memory_server.memory.perceive.rules_zh.triggers import IN_SENTENCE, clause_triggers
from mcp_memory_server.memory.perceive.rules_zh.triggers import Rule as RuleZh
from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.perceive.source import Clause, Sentence, as_written, prepare, sentences
from mcp_memory_server.memory.perceive.tools_en import Context, Rule
from mcp_memory_server.memory.perceive.when import Bind, When
from mcp_memory_server.memory.vocabulary import Vocabulary

_NUMBER = Rx(
    r"(?i)\d|[零〇一二两三四五六七八九十百千万亿半]|\b(?:half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    r"seventeen|eighteen|nineteen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|billion|grand|dozen)"
)


def read_text(prepared: str, said_at: datetime, time_zone: str | None, vocabulary: Vocabulary) -> list[Sentence]:
    """The sentences of a prepared text with clauses, times and what blocks them."""
    cal = Calendar.at(said_at, time_zone, vocabulary.holidays)
    found = sentences(prepared)
    task = False
    for sentence in found:
        times = when_zh.find(sentence.text, cal) if sentence.lang == "zh" else times_en.find(sentence.text, cal)
        times = [_moved(when, sentence.start) for when in times]
        if sentence.lang == "zh":
            sentence.clauses = speech_zh.split(sentence)
            speech_zh.block(sentence, vocabulary)
        else:
            sentence.clauses = speech_en.split(sentence, vocabulary)
            speech_en.block(sentence, vocabulary)
        for clause in sentence.clauses:
            clause.sentence_start, clause.today = sentence.start, cal.today.isoformat()
        sentence.times = times
        _share_times(sentence, times)
        for clause in sentence.clauses:
            _join_hour(clause, cal)
        if task:
            for clause in sentence.clauses:
                clause.blocked = clause.blocked or "task"
        opens = speech_zh.task_opens if sentence.lang == "zh" else speech_en.task_opens
        if any(clause.blocked == "task" for clause in sentence.clauses) and opens(sentence):
            task = True
    return found


def _join_hour(clause: Clause, cal: Calendar) -> None:
    """ "Thursday's appointment is at 9:40": the one day and the one hour of a clause are one time."""
    days = [when for when in clause.times if when.bind is Bind.AT and len(when.future) == 10 and when.hour is None]
    hours = [when for when in clause.times if when.bind is Bind.CLOCK and when.hour]
    if len(days) == 1 and len(hours) == 1 and hours[0].hour:
        day, hour = days[0], hours[0].hour
        joined = replace(day, hour=hour, future=cal.moment(day.future, *hour), past=cal.moment(day.past, *hour))
        clause.times = [joined if when is day else when for when in clause.times if when is not hours[0]]


def _moved(when: When, by: int) -> When:
    return When(when.start + by, when.end + by, when.bind, when.future, when.past, when.until, when.hour, when.bare)


def _share_times(sentence: Sentence, times: list[When]) -> None:
    """Give every clause its times and its text without them; a clause of times only gives them on."""
    for clause in sentence.clauses:
        clause.times = [when for when in times if when.start < clause.end and clause.start < when.end]
        clause.body = _without(clause).strip()
        clause.numeric = _NUMBER.search(clause.text) is not None
        clause.sentence_times = tuple(times)
    kept: list[Clause] = []
    waiting: list[When] = []
    for clause in sentence.clauses:
        if not any(char.isalnum() for char in clause.body) or (sentence.lang == "zh" and speech_zh.only_times(clause)):
            if kept:
                kept[-1].times += [when for when in clause.times if when not in kept[-1].times]
            else:
                waiting += clause.times
            continue
        clause.times = [*waiting, *clause.times]
        if sentence.lang == "zh" and kept and not any(when.future for when in clause.times):
            clause.inherited = speech_zh.handed_on(kept[-1], clause)
        clause.first = not kept
        waiting = []
        kept.append(clause)
    sentence.clauses = kept


def _without(clause: Clause) -> str:
    text, position, pieces = clause.text, 0, []
    for when in clause.times:
        start, end = max(0, when.start - clause.start), min(len(text), when.end - clause.start)
        if start >= position:
            pieces.append(text[position:start])
            position = end
    if not pieces:
        return text
    rest = " ".join([*pieces, text[position:]])
    return re.sub(r"(^|\s)['’]s\s", r"\1the ", rest)  # Thursday's appointment: the appointment


def _drafts(
    found: list[Sentence], vocabulary: Vocabulary, currency: dict[str, str], *, statement: bool = False
) -> Iterator[Draft]:
    reader, reader_zh = Reader(vocabulary, statement=statement), ReaderZh(vocabulary, statement=statement)
    whole = " ".join(sentence.text for sentence in found)
    words: Words = _plan_en().triggers.said_in(whole) if any(sentence.lang != "zh" for sentence in found) else ()
    for sentence in found:
        if sentence.lang == "zh":
            yield from _drafts_zh(sentence, reader_zh, ContextZh(vocabulary, currency["zh"], sentence.text, whole))
            continue
        context = Context(vocabulary, currency["en"], sentence.text, whole)
        plan = _plan_en()
        fitting = plan.triggers.fitting(sentence.text, plan.triggers.likely(sentence.text, words))
        for clause in sentence.clauses:
            frame = reader.read(clause)
            for rule in plan.triggers.rules(plan.reading(clause, fitting)):
                yield from rule(frame, context)
            yield from _of_complements(reader, frame, fitting, context)


def _of_complements(reader: Reader, frame: Frame, fitting: int, context: Context) -> Iterator[Draft]:
    """What the further complements of "I'm 52, divorced and vegan" state."""
    if frame.clause.blocked:
        return
    plan = _plan_en()
    for part in complements(frame):
        for rule in plan.triggers.rules(fitting & plan.of_complements):
            yield from rule(part, context)
    for part in beside(frame):
        for rule in plan.triggers.rules(plan.beside_one):
            yield from rule(part, context)
    if inner := embedded(reader, frame):
        for rule in plan.triggers.rules(plan.reading(inner.clause, fitting)):
            yield from rule(inner, context)


def _drafts_zh(sentence: Sentence, reader: ReaderZh, context: ContextZh) -> Iterator[Draft]:
    told: set[str] = set()
    plan = _plan_zh()
    likely = plan.triggers.likely(sentence.text)
    taken_back = speech_zh.taken_back(sentence)
    fitting = plan.triggers.fitting(sentence.text, likely) if taken_back else 0
    for clause in taken_back:
        clause.numeric = _NUMBER.search(clause.text) is not None
        frame = ReaderZh(context.vocabulary).read(clause, first=True)
        for rule in plan.triggers.rules(plan.reading(clause, fitting)):
            yield from (replace(item, negative=not item.negative) for item in rule(frame, context))
    beside = plan.beside.fitting(sentence.text)
    of_clause = once(context.vocabulary, "zh clause triggers", _clause_triggers)
    words = of_clause.said_in(sentence.text)
    for clause in sentence.clauses:
        frame = reader.read(clause, first=clause.first)
        reading = plan.reading(clause, likely)
        reading = reading and plan.triggers.fitting(
            sentence.text, reading & (beside | of_clause.likely(clause.text, words))
        )
        for rule in plan.triggers.rules(reading):
            for item in rule(frame, context):
                if not _again(item, told):
                    yield item
                told.add(item.predicate)


def _again(item: Draft, told: set[str]) -> bool:
    """没底, 焦虑得睡不着: one mood, attitude or complaint in other words is said once in a sentence."""
    return item.predicate in told and item.predicate in ("feels", "risk_preference", "complains_about")


_R = TypeVar("_R")


@dataclass(frozen=True)
class _Plan(Generic[_R]):
    """Which rules of a language read which clauses."""

    triggers: Dispatch[_R]
    always: int
    need_number: int
    of_complements: int
    beside_one: int  # rules for what one lives with: animals, ailments
    beside: Dispatch[_R]  # what in a sentence lets a rule read every clause of it

    def reading(self, clause: Clause, fitting: int) -> int:
        """All rules for what is stated; those that read requests and conditions for these; none for the rest."""
        if clause.blocked:
            fitting = fitting & self.always if clause.blocked in ("question", "condition") else 0
        return fitting if clause.numeric else fitting & ~self.need_number


@lru_cache(maxsize=1)
def _plan_en() -> _Plan[Rule]:
    rules: Dispatch[Rule] = Dispatch(rules_en.RULES, rules_en.TRIGGERS)
    of = rules.of
    return _Plan(
        rules,
        of(rules_en.ALWAYS),
        of(rules_en.NEED_NUMBER),
        of(rules_en.OF_COMPLEMENTS),
        of(rules_en.BESIDE_ONE),
        rules,
    )


@lru_cache(maxsize=1)
def _plan_zh() -> _Plan[RuleZh]:
    rules: Dispatch[RuleZh] = Dispatch(rules_zh.RULES, rules_zh.TRIGGERS)
    beside: Dispatch[RuleZh] = Dispatch(rules_zh.RULES, IN_SENTENCE, others=False)
    return _Plan(rules, rules.of(rules_zh.ALWAYS), rules.of(rules_zh.NEED_NUMBER), 0, 0, beside)


def _clause_triggers(vocabulary: Vocabulary) -> Dispatch[RuleZh]:
    return Dispatch(rules_zh.RULES, clause_triggers(vocabulary))


def facts_of(found: list[Sentence], said: Said, vocabulary: Vocabulary) -> tuple[CandidateFact, ...]:
    """The facts of a text that was read; none where the assistant speaks."""
    if said.speaker is Speaker.ASSISTANT:
        return ()
    currency = {lang: local_currency(said.time_zone, lang) for lang in ("en", "zh")}
    facts: list[CandidateFact] = []
    written = as_written(said.text)
    for item in _drafts(found, vocabulary, currency):
        fact = finish(item, vocabulary)
        if fact and written:
            fact = _rewritten(fact, written)
        if fact and fact.subject and not any(_same(fact, other) for other in facts):
            facts.append(fact)
    return tuple(_of_other(fact, said) if said.speaker is Speaker.OTHER else fact for fact in facts)


def _rewritten(fact: CandidateFact, written: Mapping[int, str]) -> CandidateFact:
    """A fact whose words are those that were used: rules read simplified characters only."""
    value, scope = fact.object, fact.object.scope
    if value.type in (ValueType.TEXT, ValueType.ENTITY):
        value = replace(value, value=value.value.translate(written))
    if scope:
        value = replace(value, scope=scope.translate(written))
    _, colon, name = fact.subject.partition(":")
    subject = fact.subject[: -len(name)] + name.translate(written) if colon and name else fact.subject
    return replace(fact, object=value, subject=subject)


def _same(one: CandidateFact, other: CandidateFact) -> bool:
    return (one.subject, one.predicate, one.object.value.casefold(), one.object.scope) == (
        other.subject,
        other.predicate,
        other.object.value.casefold(),
        other.object.scope,
    )


def _of_other(fact: CandidateFact, said: Said) -> CandidateFact:
    """What another speaker says of himself or herself."""
    name = said.speaker_name or "other"
    return replace(fact, subject=name if fact.subject == "user" else fact.subject.replace("user.", f"{name}.", 1))


def find_statement(
    statement: str, said_at: datetime, time_zone: str | None, vocabulary: Vocabulary
) -> CandidateFact | None:
    """The main fact of a self-contained statement."""
    found = read_text(prepare(statement), said_at, time_zone, vocabulary)
    currency = {lang: local_currency(time_zone, lang) for lang in ("en", "zh")}
    written = as_written(statement)
    for item in _drafts(found, vocabulary, currency, statement=True):
        fact = finish(item, vocabulary)
        if fact and fact.subject:
            return _rewritten(fact, written) if written else fact
    return None
