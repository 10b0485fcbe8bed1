"""English moods: what asks, supposes, wishes, doubts, reports or jokes states no fact."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from functools import lru_cache

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.english import lead_in
from mcp_memory_server.memory.perceive.grammar_en import clause_starts, expand, hedge_pattern, verb_forms
from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.perceive.source import BLOCK, Clause, Sentence
from mcp_memory_server.memory.vocabulary import Vocabulary


@lru_cache(maxsize=1)
def _interrogative() -> Rx:
    return Rx(
        r"(?:(?:and|but|so|or|then|well|hey|hi|hello|ok|okay|please|also|by the way|btw|anyway|sorry|no|yes|thanks),?\s+)*"
        r"(?:what|which|who|whom|whose|when|where|why|how|is|are|am|was|were|do|does|did|have|has|had|can|could|will|would|should|shall|may|might|must|"
        r"isn't|aren't|wasn't|weren't|don't|doesn't|didn't|haven't|hasn't|can't|couldn't|won't|wouldn't|shouldn't|any|anyone|anybody|got any)\b(?!\s+I\s+(?:said|mentioned|told))",
        re.IGNORECASE,
    )


def split(sentence: Sentence, vocabulary: Vocabulary) -> list[Clause]:
    """The clauses of an English sentence."""
    clauses: list[Clause] = []
    start = 0
    for match in clause_starts(vocabulary).finditer(sentence.text):
        if match.start() <= start or _inside(sentence.text[start : match.start()], match, vocabulary):
            continue
        if match["conj"] or match["sub"] or match["who"] or match["list"] or match["whatever"]:
            cut = match.start()
        else:
            cut = match.start() if match["comma"] or match["cverb"] or match["verb"] else match.end()
        _add(clauses, sentence, start, match.start())
        start = cut
    _add(clauses, sentence, start, len(sentence.text))
    for index, clause in enumerate(clauses):
        clause.first = index == 0
    opened = next((n for n, clause in enumerate(clauses) if not _OPENING.match(clause.text)), 0)
    if opened and _NAMES_ONE.match(clauses[opened].text):
        for clause in clauses[:opened]:
            clause.whose = clauses[opened].text
    return clauses


# "Born and raised in Cork, I …", "An alumna of Trent Academy, my aunt …": the opening tells of who comes next.
_OPENING = re.compile(
    r"(?:an? (?!few|couple|lot|bit|year|month|week|day|while)[\w\-]+|born|raised|brought up|bred|originally|fluent|allergic|married|divorced|widowed|single|retired|trained|based|having|being|currently|recently|newly|formerly|once|never|aged|now|at \d|diagnosed|raised|hailing|coming|working|living|employed|native)\b(?!.*\b(?:is|are|was|were|has|have|had|does|do|did|will|would|can|could)\b)",
    re.IGNORECASE,
)
_NAMES_ONE = re.compile(r"(?:I|we|he|she|my|our|[A-Z][\w'’\-]+)\b")


# "Ruben and I are …", "tomorrow my wife and I …": one subject.
_ONE_OF_TWO = re.compile(
    r"(?:.*[,;] |[\w ]{0,24}(?:[Dd]ays?|[Tt]omorrow|[Tt]oday|[Tt]onight|nights?|weeks?|weekends?|mornings?|evenings?|year|summer|winter|month) )?(?:(?:[Mm]y|[Oo]ur) [\w\- ]{2,30}|[A-Z][\w'’\-]+(?: [A-Z][\w'’\-]+)?)"
)


def _has_verb(text: str, vocabulary: Vocabulary) -> bool:
    forms = verb_forms(vocabulary)
    return any(
        forms.get(word, ("", ""))[1] in ("s", "past")
        or word in ("have", "am", "i'm")
        or word.endswith(("'s", "'re", "'ve"))
        for word in text.lower().split()
    )


def _inside(before: str, match: re.Match[str], vocabulary: Vocabulary) -> bool:
    """True where no clause begins: "York is where I live", and an apposition before its verb ("my boss, Ingrid, comes")."""
    if match["list"]:
        return not _has_verb(before, vocabulary)
    if before.endswith(" nothing") and patterns.match(r"\s*,?\s*but\b", match[0], re.IGNORECASE):
        return True  # "does nothing but complain"
    if (
        match["conj"]
        and patterns.fullmatch(r"\s*and\s+", match[0], re.IGNORECASE)
        and patterns.match(r"(?:I|her|his|their)\b", match.string[match.end() :])
    ):
        return _ONE_OF_TWO.fullmatch(before.strip()) is not None and not _has_verb(before, vocabulary)
    return (
        bool(match["conj"])
        and patterns.search(r"(?:\b(?:is|was|are)|'s)$", before) is not None
        and patterns.match(r"\s*(?:where|what|when|how)\b", match[0], re.IGNORECASE) is not None
    )


def _add(clauses: list[Clause], sentence: Sentence, start: int, end: int) -> None:
    piece = sentence.text[start:end]
    bare = piece.lstrip(" ,;:-")
    joined = patterns.match(r"(?:and|but|or|plus|yet) (?=\S)", bare, re.IGNORECASE)
    lead = len(piece) - len(bare) + (joined.end() if joined else 0)
    text = piece[lead:].rstrip()
    if text.strip(" .,;:-"):
        begin = sentence.start + start + lead
        clauses.append(Clause(begin, begin + len(text), text))


def block(sentence: Sentence, vocabulary: Vocabulary) -> None:
    """Mark the clauses of a sentence that state nothing, and why."""
    text = sentence.text
    _questions(sentence)
    if hedge_pattern(vocabulary, "jokes").search(text):
        _all(sentence, "joke")
    if _reported(text, vocabulary):
        _from(sentence, hedge_pattern(vocabulary, "hearsay"), "hearsay")
    if _FICTION.match(text):
        _all(sentence, "quote")
    if BLOCK in text and patterns.search(
        rf"\b(?:says?|said|asks?|writes?|reads?|goes|texted|replied|quotes?|line|sentence|phrase|translate|title)\b[^{BLOCK}]{{0,30}}{BLOCK}",
        text,
        re.IGNORECASE,
    ):
        _all(sentence, "quote")
    for clause in sentence.clauses:
        _conditions(sentence, clause)
        if not clause.blocked and hedge_pattern(vocabulary, "wishes").search(clause.text):
            clause.blocked = "wish"
        if not clause.blocked and (_NEARLY.search(clause.text) or _hedged(clause.text, vocabulary)):
            clause.blocked = "hedge"
    if _task(text, vocabulary):
        _all(sentence, "task")


def _questions(sentence: Sentence) -> None:
    pattern = _interrogative()
    first = next((n for n, clause in enumerate(sentence.clauses) if pattern.match(clause.text)), None)
    if sentence.asks and first is None and _TAG.search(sentence.text):
        return
    if sentence.asks:
        for clause in sentence.clauses[0 if first is None else first :]:
            clause.blocked = "question"
    elif (
        first is not None
        and not _relative(sentence, first)
        and patterns.match(
            r"(?:can|could|would|will) you\b|(?:what|why|how|who|where)\b(?! a\b)(?<!what(?= (?:I|we) ))",
            patterns.sub(r"^(?:and|but|so|please|ok),? ", "", sentence.clauses[first].text),
            re.IGNORECASE,
        )
    ):
        for clause in sentence.clauses[first:]:
            clause.blocked = "question"


# What is told in a story is no statement about the speaker.
_FICTION = re.compile(
    r"(?:and |but |so |well,? )?in (?:my|the|this|that|our|her|his|a) (?:[\w\-]+ )?(?:novel|story|book|film|movie|game|dream|song|script|comic|series|chapter|sketch|scene|poem|tale|play)\b(?! (?:club|shop|industry|business|room|group))",
    re.IGNORECASE,
)
_NEARLY = re.compile(
    r"\b(?:i|we|he|she|they) (?:have |had |'ve )?(?:very )?(?:nearly|almost) (?!always|every|never|all\b|\d|an?\b)[a-z]+(?:ed|t|ght|de|me|ve|w)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:tell|know|wonder|ask|forget|forgot|remember|find out|explain|show|check|guess|idea|sure|see|question|curious)\b",
    re.IGNORECASE,
)


def _relative(sentence: Sentence, index: int) -> bool:
    """True for who, where, when inside a statement: "my niece, who is eleven, can swim"."""
    if index == 0 or not patterns.match(
        r"(?:who|whom|whose|where|when|which)\b", sentence.clauses[index].text, re.IGNORECASE
    ):
        return False
    return not any(_ASKING.search(clause.text) for clause in sentence.clauses[:index])


def _conditions(sentence: Sentence, clause: Clause) -> None:
    lead = patterns.match(
        r"(?:and |but |so |because |even |only )?(?P<w>if|unless|whether|suppose|supposing|assuming|imagine|provided|should i|were i|had i|in case|let's say|say)\b",
        clause.text,
        re.IGNORECASE,
    )
    if not lead or _NO_CONDITION.match(clause.text):
        return
    clause.blocked = clause.blocked or "condition"
    index = sentence.clauses.index(clause)
    if lead["w"].lower() in ("in case",):
        return
    for other in sentence.clauses[index + 1 :]:
        other.blocked = other.blocked or "condition"
    for other in sentence.clauses[:index]:
        if patterns.search(r"\b(?:would|could|might|will|may)\b|'d\b|'ll\b", other.text, re.IGNORECASE):
            other.blocked = other.blocked or "condition"


# What is said under these is said without condition.
_NO_CONDITION = re.compile(
    r"(?:and |but |so )?if (?:(?:I|we) (?:have|had) to (?:choose|pick|say)|it(?:'s| is|'re| were| was) up to me|you ask me|possible|I'm (?:honest|not mistaken)|I(?: may)? (?:recall|remember)|memory serves|that helps|that matters|you must know|it helps|you(?:'re| are) (?:curious|interested|wondering|asking)|anything|I may)\b",
    re.IGNORECASE,
)


# What is stated and only checked to be known: "I moved in May, remember?"
_TAG = re.compile(r",? (?:remember|you know|you see|mind you|as you know|don't forget)$", re.IGNORECASE)
# What an instrument says is no hearsay.
_INSTRUMENT = re.compile(
    r"\b(?:scales?|thermometer|tape measure|smartwatch|fitbit|payslip|contract|passport|calendar|invoice|ticket|itinerary) (?:says?|said)\b(?! (?:that )?(?:he|she|they)\b)",
    re.IGNORECASE,
)


def _reported(text: str, vocabulary: Vocabulary) -> bool:
    match = hedge_pattern(vocabulary, "hearsay").search(text)
    if not match or _INSTRUMENT.search(text):
        return False
    own = patterns.search(
        r"\b(?:i|we|as i|like i)\s+(?:\w+\s+)?(?:say|said|told|think|believe|mentioned|claim|wrote|write|swear|insist)\b",
        text,
        re.IGNORECASE,
    )
    return not (own and own.end() >= match.end())


def _hedged(text: str, vocabulary: Vocabulary) -> bool:
    for match in hedge_pattern(vocabulary, "hedges").finditer(expand(text)):
        word = match[0].lower()
        if word == "may" and patterns.search(
            r"(?:\b(?:in|on|of|by|since|until|till|last|next|this|early|mid|late|from|to|before|after|during|through|and)|\d(?:st|nd|rd|th)?)\s*$|^$",
            expand(text)[: match.start()],
            re.IGNORECASE,
        ):
            continue
        if word == "may" and patterns.match(r"\s*(?:\d|,|$|and\b)", expand(text)[match.end() :]):
            continue
        return True
    return False


def _task(text: str, vocabulary: Vocabulary) -> bool:
    bare = lead_in(vocabulary).sub("", text, count=1) if lead_in(vocabulary).match(text) else text
    head = hedge_pattern(vocabulary, "tasks").search(bare)
    if not head:
        return False
    return (
        head.start() <= 2
        or bool(
            patterns.match(
                r"(?:can|could|would|will) you\b|please\b|help me\b|i (?:need|want) (?:you )?to\b|let's\b|now\b",
                bare,
                re.IGNORECASE,
            )
            and head.start() < 30
        )
        or BLOCK in text
    )


def task_opens(sentence: Sentence) -> bool:
    """True when what follows a sentence is the material of a task: it ends with a colon."""
    return sentence.text.rstrip().endswith(":") or bool(patterns.search(r":\s*\S", sentence.text))


def _all(sentence: Sentence, why: str) -> None:
    for clause in sentence.clauses:
        clause.blocked = clause.blocked or why


def _from(sentence: Sentence, pattern: Rx, why: str) -> None:
    """Block the clause with the report and what follows it."""
    hit = False
    for clause in sentence.clauses:
        # "whatever the chart says" casts no doubt on the clauses beside it.
        if patterns.match(
            r"(?:whatever|whichever|no matter|regardless|despite|contrary to)\b", clause.text, re.IGNORECASE
        ):
            clause.blocked = clause.blocked or why
            continue
        hit = hit or pattern.search(clause.text) is not None
        if hit:
            clause.blocked = clause.blocked or why
