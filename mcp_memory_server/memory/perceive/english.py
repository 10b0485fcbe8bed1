"""English clauses as frames: who, in what tense and mood, does what.

A frame's `rest` begins with the verb in its base form, so that one rule reads every tense.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.fronting_en import (
    ADMITTED,
    ANY_MORE,
    CLEFT,
    FRONTED,
    LOOSE_THING,
    MENTIONED,
    ONE,
    TOLD_THAT,
    TOPIC,
    WHERE,
)
from mcp_memory_server.memory.perceive.grammar_en import expand, verb_forms
from mcp_memory_server.memory.perceive.lexicon import alternation, english, once
from mcp_memory_server.memory.perceive.nouns_en import of_topic, thing_pattern, told_name
from mcp_memory_server.memory.perceive.recast_en import recast, with_apostrophes
from mcp_memory_server.memory.perceive.source import Clause
from mcp_memory_server.memory.perceive.subjects import (
    _NOT_NAMES,
    USER,
    Subject,
    named,
    path_of,
    plain_name,
    role_pattern_en,
    role_tail_en,
)
from mcp_memory_server.memory.perceive.when import Bind
from mcp_memory_server.memory.vocabulary import Vocabulary


@dataclass(slots=True)
class Frame:
    """What a clause says, taken apart."""

    clause: Clause
    subject: Subject | None = None
    relative: str = ""  # what is said of that thing inside it: "(the firm) I run"
    thing: str = ""  # the noun phrase of a subject that is no person
    verb: str = ""
    rest: str = ""  # from the verb on, verb in base form
    negative: bool = False
    tense: str = "present"  # present, past, perfect, future
    progressive: bool = False
    passive: bool = False
    intends: bool = False  # will, going to, want to, hope to…
    obliged: bool = False  # have to, need to, must
    would: bool = False
    can: bool = False
    used_to: bool = False
    ended: bool = False  # no longer, quit, stopped
    started: bool = False
    imperative: bool = False
    explicit: bool = False  # the subject was said in this clause
    we: bool = False
    adverbs: set[str] = field(default_factory=set)
    other: Subject | None = None  # the person or animal last told of, whom "her" and "his" mean

    @property
    def past(self) -> bool:
        """True when what is said has happened or is over."""
        return self.tense in ("past", "perfect") or self.used_to

    @property
    def path(self) -> str:
        """The subject path; empty for things."""
        return self.subject.path if self.subject else ""


@lru_cache(maxsize=1)
def _intend() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?P<go>going to)|(?P<ob>(?:have|has|had|got|need|needs|needed|ought|supposed|due) to)|(?P<in>(?:want|wants|wanted|plan|plans|planned|planning|hope|hopes|hoped|hoping|intend|intends|intending|aim|aiming|decided|arranged|agreed|scheduled|resolved|promised|booked|looking|about|set|keen|determined|wanting|meaning|mean) to)"
        r"|(?P<in2>(?:plan|planning|plans) on|thinking about|(?:would|\bam|are|is) (?:like|love|looking forward) to)|(?P<us>used to))\s+",
        re.IGNORECASE,
    )


_AUX = {
    "do": "present", "does": "present", "did": "past", "will": "future", "shall": "future", "would": "would", "can": "can", "could": "could",
    "may": "hedge", "might": "hedge", "must": "must", "should": "should",
}  # fmt: skip
_STOPPED = re.compile(
    r"(?:(?:have|has) )?(?:stopped|stop|quit|quitted|given up|gave up|give up|kicked|cut out|ceased|dropped)\s+(?=(?!morning|evening|everything)\w+ing\b)",
    re.IGNORECASE,
)
_STARTED = re.compile(r"(?:started|began|begun|taken up|took up|just started)\s+(?:to\s+)?(?=\w+)", re.IGNORECASE)


def lead_in(vocabulary: Vocabulary) -> re.Pattern[str]:
    """Words before a clause that say nothing, as often as they come."""

    def make(vocabulary: Vocabulary) -> re.Pattern[str]:
        words = alternation(vocabulary.words("en", "fillers"))
        return re.compile(
            rf"(?:[\s,;:\-–—.!…()\ufffc]+|(?:{words})(?![\w'])(?!\s+(?:for me|of us|days?\b|shift\b|long|way|to (?!be|say|clarify|put|sum)))\s*(?:[,:;\-–—]\s*)?)+",
            re.IGNORECASE,
        )

    return once(vocabulary, "lead_in", make)


def _adverb(vocabulary: Vocabulary) -> re.Pattern[str]:
    def make(vocabulary: Vocabulary) -> re.Pattern[str]:
        return re.compile(
            rf"(?P<a>{alternation(vocabulary.words('en', 'adverbs'))})(?![\w'])[\s,]+",
            re.IGNORECASE,
        )

    return once(vocabulary, "adverb", make)


@lru_cache(maxsize=1)
def _pronoun() -> re.Pattern[str]:
    return re.compile(
        r"(?P<p>I|we|you|he|she|they|it|this|that|there|the user|user|nobody|everyone|everybody|somebody|someone|both of us|the two of us|all of us|us two|me)\b(?!'s)\s*,?\s*",
        re.IGNORECASE,
    )


class Reader:
    """Reads clauses one after the other and remembers whom `he`, `she` and an omitted subject mean."""

    def __init__(self, vocabulary: Vocabulary, *, statement: bool = False) -> None:
        self.vocabulary = vocabulary
        self.statement = statement
        self.person: Subject | None = None  # the last other person or animal
        self.last: Subject | None = None  # the subject of the clause before
        self.before = ""  # the clause before
        self.thing = ""
        self.mentioned = ""  # the thing that the clause before was about: "about the cat. We never got one."
        self.topic = ""  # what a short question named just before: "Marzipan? Can't stand it."

    def read(self, clause: Clause) -> Frame:
        """The frame of a clause."""
        asked = patterns.sub(r"[\s,]+(?:remember|you know|you see|mind you)\s*$", "", clause.body)
        body = (
            patterns.sub(r"(?<=[A-Za-z])['’]s\s*$", " is", asked) if clause.times else asked
        )  # "the concert's [on 9 May]"
        text = with_apostrophes(expand(patterns.sub(r"\s+", " ", body)).strip())
        text = FRONTED.sub("", text, count=1)
        text = ADMITTED.sub("", text, count=1)
        text = TOLD_THAT.sub("", text, count=1)
        text = patterns.sub(r"^(?:Been|Have been) (?=\w)", "I have been ", text, count=1)
        text = lead_in(self.vocabulary).sub("", text, count=1) if lead_in(self.vocabulary).match(text) else text
        text = FRONTED.sub("", text, count=1)
        text = patterns.sub(
            r"^(?:[A-Z][\w'’\-]+(?: [A-Z][\w'’\-]+)?|[Mm]y [\w\- ]{2,30}?) and I (?=\w)", "we ", text, count=1
        )
        text = CLEFT.sub(r"I \g<v> \g<o>", text, count=1)
        if not clause.blocked:
            turned = recast(
                text,
                self.vocabulary,
                first=self._opens(clause),
                timed=any(when.future for when in clause.times),
                often=any(when.bind is Bind.REPEAT for when in clause.times),
            )
            if turned != text:
                text = clause.body = turned
        if self.topic and clause.first:
            text = clause.body = of_topic(text, self.topic)
        if self.mentioned and (clause.blocked != "question"):
            text = ONE.sub(rf"\1a {self.mentioned}", text, count=1)
        about = MENTIONED.search(clause.text)
        self.mentioned = about["o"] if about else ""
        named_only = clause.first and clause.blocked == "question" and TOPIC.fullmatch(clause.body.strip())
        self.topic = named_only["o"].replace("\\", "") if named_only else ""
        frame = Frame(clause, other=self.person)
        none = patterns.match(r"(?:neither|none) of (?=my|our)", text, re.IGNORECASE)
        text = text[none.end() :] if none else text
        rest = self._subject(text, frame)
        self._predicate(rest, frame)
        if not clause.first and patterns.match(r"\s*,?\s*who\b", clause.text, re.IGNORECASE) and not frame.explicit:
            frame.subject = self._antecedent(frame)
        if none:
            frame.negative = not frame.negative
        over = ANY_MORE.search(frame.rest) if frame.negative else None
        if over:
            frame.ended, frame.rest = True, frame.rest[: over.start()]
        self.before = clause.text
        if told := told_name(self.vocabulary).search(clause.text):
            self._introduce(told)
        if frame.subject and frame.explicit and clause.blocked != "question":
            self.last = frame.subject
            if not frame.subject.is_user:
                self.person = frame.subject
        elif frame.explicit:
            self.last, self.thing = None, frame.thing
        return frame

    def _opens(self, clause: Clause) -> bool:
        """True where a clause without subject is one of the user's: it opens a sentence or goes on with the user."""
        mine = self.person is None and (self.last is None or self.last.is_user)
        return not clause.whose and (clause.first or (mine and clause.text[:4].lower() == "born"))

    def _antecedent(self, frame: Frame) -> Subject | None:
        """Whom "who" means: the person that the clause before ends with, else its subject where it has no verb."""
        before = self.before.rstrip(" ,")
        if role := role_tail_en(self.vocabulary).search(before):
            word = role["role"].lower()
            name = self.vocabulary.mapping("en", "roles")[word]
            subject = Subject(path_of(name, role["name"] or "", self.vocabulary), name, role["name"] or "", word)
            self.person = subject
            return subject
        named_last = patterns.search(r"(?:^|\s)(?P<n>[A-Z][\w'’\-]+(?: [A-Z][\w'’\-]+)?)$", before)
        if named_last and (self.last is None or self.last.is_user) and named_last["n"].split()[0] not in _NOT_NAMES:
            return Subject(named_last["n"], name=named_last["n"])
        return self.last if self.last and not self.last.is_user else None

    def _introduce(self, match: re.Match[str]) -> None:
        """ "a greyhound called Biscuit": whom `she` means from now on."""
        role = self.vocabulary.mapping("en", "roles").get(match["noun"].lower(), "pet")
        self.person = Subject(path_of(role, match["name"], self.vocabulary), role, match["name"], match["noun"].lower())

    # -------------------------------------------------------- subject

    def _subject(self, text: str, frame: Frame) -> str:
        role = role_pattern_en(self.vocabulary).match(text)
        if role and not text[role.end() :].startswith(("'s ", "’s ")):
            frame.subject, frame.explicit = named(role, self.vocabulary), True
            rest = self._after(text[role.end() :])
            rest = patterns.sub(
                r"^and (?:her|his) (?:\w+ )?\w+ (?=(?:have|are|were|live|own|both|just|bought|moved|work|run|keep|got|had|don't|do not)\b)",
                "",
                rest,
            )
            if where := WHERE.match(rest):  # "our clinic in Truro has…"
                frame.relative, rest = where[0].strip(), rest[where.end() :]
            return rest
        if role:  # "my sister's flat": a thing of hers
            frame.explicit = True
            return self._noun_phrase(text, frame)
        pronoun = _pronoun().match(text)
        if pronoun:
            return self._pronoun(pronoun, text, frame)
        noun = self._noun_phrase(text, frame)
        if frame.thing or frame.subject:
            return noun
        return self._no_subject(text, frame)

    @staticmethod
    def _after(text: str) -> str:
        return text.lstrip(" ,")

    def _pronoun(self, match: re.Match[str], text: str, frame: Frame) -> str:
        word = match["p"].lower()
        frame.explicit = True
        if word in (
            "i",
            "we",
            "me",
            "the user",
            "user",
            "both of us",
            "the two of us",
            "all of us",
            "us two",
        ):
            if word == "user" and not self.statement:
                frame.explicit = False
                return self._no_subject(text, frame)
            frame.subject, frame.we = Subject(USER), word not in ("i", "me", "the user", "user")
        elif word in ("he", "she"):
            frame.subject = self.person if self.person else Subject("", word=word)
        elif word == "they":
            frame.subject = self.person
            frame.thing = "" if self.person else "they"
        elif word == "it":
            frame.thing = "it"
            if self.person and self.person.role in ("pet", "company", "team"):
                frame.subject, frame.thing = self.person, ""
        else:
            frame.thing = word
        return text[match.end() :]

    def _noun_phrase(self, text: str, frame: Frame) -> str:
        """A determined noun phrase, or a name, before a verb."""
        match = thing_pattern(self.vocabulary).match(text)
        if match:
            frame.thing, frame.explicit = match["np"].strip(" ,"), True
            frame.relative = (match["rel"] or "").strip()
            return text[match.end("rel" if match["rel"] else "np") :].lstrip(" ,")
        loose = LOOSE_THING.match(text)
        if loose:
            frame.thing, frame.explicit = loose["np"].strip(), True
            return text[loose.end("np") :].lstrip(" ,")
        name = plain_name(text)
        if name and name.split()[0] not in _NOT_NAMES and not name.endswith(" I"):
            after = text[len(name) :].lstrip(" ,")
            form = verb_forms(self.vocabulary).get((patterns.match(r"[a-z]+", after) or [""])[0])
            first = name.split()[0].lower()
            known = once(
                self.vocabulary,
                "no names",
                lambda v: frozenset(word.lower() for table in ("adverbs", "fillers") for word in v.words("en", table)),
            )
            if first in known:
                return text
            if form and form[1] in ("s", "past") and not (first in verb_forms(self.vocabulary) and " " not in name):
                frame.subject, frame.explicit = Subject(name, name=name), True
                return after
        return text

    def _opening(self, whose: str, frame: Frame) -> None:
        """The subject of an opening without one is that of the words after it."""
        if role := role_pattern_en(self.vocabulary).match(whose):
            frame.subject = named(role, self.vocabulary)
        elif patterns.match(r"(?:I|we)\b", whose, re.IGNORECASE):
            frame.subject = Subject(USER)
        elif patterns.match(r"(?:he|she)\b", whose, re.IGNORECASE):
            frame.subject = self.person or Subject("")
        elif name := plain_name(whose):
            frame.subject = Subject(name, name=name)

    def _no_subject(self, text: str, frame: Frame) -> str:
        if frame.clause.whose:
            self._opening(frame.clause.whose, frame)
            if frame.subject:
                return text
        if patterns.match(r"(?:must|have to|need to|got to|should) (?=[a-z])", text, re.IGNORECASE) and clause_is_new(
            frame.clause
        ):
            frame.subject = Subject(USER)  # "Must remember to…"
            return text[0].lower() + text[1:]
        first = (patterns.match(r"[A-Za-z]+", text) or [""])[0].lower()
        form = verb_forms(self.vocabulary).get(first)
        if form and form[1] == "base" and first not in ("found", "left"):
            # A verb in its base form opens an order, unless it continues "I … and".
            frame.imperative = self.last is None or not self.last.is_user or clause_is_new(frame.clause)
            frame.subject = self.last or Subject(USER)
        else:
            frame.subject = self.last if self.last is not None and not clause_is_new(frame.clause) else Subject(USER)
        return text

    # -------------------------------------------------------- predicate

    def _predicate(self, text: str, frame: Frame) -> None:
        text = self._adverbs(text, frame)
        for _ in range(6):
            before = text
            text = self._auxiliary(text, frame)
            text = self._adverbs(text, frame)
            if text == before:
                break
        word = (patterns.match(r"[A-Za-z]+(?:-[a-z]+)?", text) or [""])[0]
        form = verb_forms(self.vocabulary).get(word.lower())
        if form is None:
            if not frame.verb and not frame.explicit and self._elliptic(text):
                frame.verb = "be"  # "Allergic to nuts", "Nervous about the exam"
                text = text[0].lower() + text[1:]
            frame.rest = f"{frame.verb} {text}".strip() if frame.verb else text
            return
        if frame.verb == "be":
            if form[1] == "ing" and not patterns.match(r"\w+ing (?:fine|again)", text):
                frame.progressive = True
            elif (
                form[1] == "past"
                and word.lower() not in ("used",)
                and not patterns.match(
                    r"(?:tired|bored|scared|married|engaged|divorced|separated|retired|interested|excited|worried|confused|based|located|annoyed|frightened)\b",
                    word.lower(),
                )
            ):
                frame.passive = True
                frame.verb, frame.rest = "be", f"be {text}"
                return
            else:
                frame.rest = f"be {text}"
                return
        elif form[1] == "past" and frame.tense == "present":
            frame.tense = "past"
        frame.verb = form[0]
        frame.rest = f"{form[0]}{text[len(word) :]}"

    def _elliptic(self, text: str) -> bool:
        pattern = once(
            self.vocabulary,
            "elliptic",
            lambda v: english(
                (*v.words("en", "feelings"), *v.words("en", "condition_adjectives"), *v.words("en", "diets"), *v.words("en", "occupations"),
                 "allergic", "single", "married", "divorced", "engaged", "widowed", "born", "based", "fluent", "originally", "a", "an", "fond", "risk-averse")
            ),
        )  # fmt: skip
        return pattern.match(text) is not None

    def _adverbs(self, text: str, frame: Frame) -> str:
        while match := _adverb(self.vocabulary).match(text):
            word = match["a"].lower()
            frame.adverbs.add(word)
            if word in ("not", "never", "hardly", "barely"):
                frame.negative = not frame.negative if word == "not" else True
            elif word in ("no longer", "any longer"):
                frame.negative = frame.ended = True
            text = text[match.end() :]
        return text

    def _auxiliary(self, text: str, frame: Frame) -> str:
        intend = _intend().match(text)
        if intend and not (intend["go"] and patterns.match(r"going to (?:the|a|an|my|our|[A-Z])", text)):
            return self._intended(intend, text, frame)
        if not frame.intends and (match := _STOPPED.match(text)):
            frame.ended = frame.negative = True
            return text[match.end() :]
        if match := _STARTED.match(text):
            frame.started, frame.tense = True, "past"
            return text[match.end() :]
        match = patterns.match(r"(?P<w>[A-Za-z]+)\s+", text)
        word = match["w"].lower() if match else ""
        if (
            match
            and word in _AUX
            and not (
                word in ("do", "does", "did")
                and not patterns.match(r"(?:not|\w+ly|never|also|\w+)\s", text[match.end() :] + " ")
            )
        ):
            return self._modal(word, text, match, frame)
        if match and word in ("am", "is", "are", "was", "were", "be", "been", "being"):
            frame.verb = "be"
            if word in ("was", "were"):
                frame.tense = "past"
            return text[match.end() :]
        if match and word in ("have", "has", "had") and self._perfect(text[match.end() :]):
            frame.tense = "past" if word == "had" else "perfect"
            return text[match.end() :]
        if match and frame.tense == "perfect" and word in ("got",) and frame.verb == "":
            frame.tense, frame.verb = "present", "have"
            return "have " + text[match.end() :]
        return text

    @staticmethod
    def _intended(intend: re.Match[str], text: str, frame: Frame) -> str:
        if frame.verb == "be" and frame.tense == "past" and not intend["us"]:
            frame.would = True  # "was going to": it did not come to it
        if intend["us"]:
            if frame.verb == "be":
                return text
            frame.used_to = True
        elif intend["ob"]:
            frame.obliged = True
        else:
            frame.intends = True
        frame.verb = ""
        return text[intend.end() :]

    def _modal(self, word: str, text: str, match: re.Match[str], frame: Frame) -> str:
        after = text[match.end() :]
        kind = _AUX[word]
        if word in ("do", "does", "did"):
            form = verb_forms(self.vocabulary).get(
                (patterns.match(r"(?:not |never |also |really |still |\w+ly )*([a-z]+)", after) or ["", ""])[1]
            )
            if not form or form[1] != "base":
                return text  # "do" is the verb itself
            frame.tense = kind
        elif kind == "future":
            frame.tense, frame.intends = "future", True
        elif kind == "would":
            frame.would = True
        elif kind in ("can", "could"):
            frame.can = True
            frame.would = frame.would or kind == "could"
        elif kind == "hedge":
            frame.clause.blocked = frame.clause.blocked or "hedge"
        else:
            frame.obliged = True
        return after

    def _perfect(self, after: str) -> bool:
        word = patterns.match(
            r"(?:(?:not|never|already|just|always|also|recently|finally|since|now|both|only|lately|long)\s+)*([A-Za-z]+)",
            after,
        )
        if not word:
            return False
        form = verb_forms(self.vocabulary).get(word[1].lower())
        return bool(
            form
            and (form[1] == "past" or word[1].lower() in ("become", "come", "run", "put", "cut", "set", "read", "quit"))
        )


def clause_is_new(clause: Clause) -> bool:
    """True for the first clause of a sentence: nothing is omitted there by co-ordination."""
    return bool(clause.first)
