"""English verb forms, contractions, and where clauses begin."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from functools import lru_cache

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.lexicon import alternation, english, once
from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.vocabulary import Vocabulary

_CONTRACTIONS = (
    (r"\bcan't\b|\bcannot\b", "can not"), (r"\bwon't\b", "will not"), (r"\bshan't\b", "shall not"), (r"\bain't\b", "is not"),
    (r"n't\b", " not"), (r"\b(i)'m\b", r"\1 am"), (r"'re\b", " are"), (r"'ve\b", " have"), (r"'ll\b", " will"),
    (r"\b(i|you|he|she|it|we|they|there|that|who)'d (?=(?:much |far |happily |gladly )?(?:better|rather|sooner|like|love|prefer|hate|be\b|have\b|say|go\b|want|pay|spend|stretch|take|pick|choose|live|eat|give|call|put|do\b|need|welcome|appreciate))", r"\1 would "),
    (r"\b(i|you|he|she|it|we|they|there|that|who)'d\b", r"\1 had"),
    (r"\b(he|she|it|that|there|who|what|where|here|name|everyone|everybody|nobody|one)'s (?=(?:\w+ )?(?:got|been|had|gone|become|started|moved|lived|worked)\b)", r"\1 has "),
    (r"\b(he|she|who|everyone|nobody)'s (?=(?:just |recently |already |finally |now )?(?:put|given|prescribed|told|asked|sent|bought|sold|quit|left|lost|found|passed|failed|finished|stopped|changed|switched|decided|taken|signed|offered|promised|booked|invited|learned|learnt) (?:me|us|my|his|her|their|the|an?|to|up|out|off|on|from|in|it|\w+ing)\b)", r"\1 has "),
    (r"\b(he|she|it|that|there|who|what|where|here|name|everyone|everybody|nobody|home)'s\b", r"\1 is"),
    (r"\b([a-z]+)'s (?=(?:booked|reserved|scheduled|planned|called off|paid|sold|gone|broken|stuck|due|not|now|still|confirmed|cancelled|canceled|set for|hovering|on (?:the|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|called|named)\b)", r"\1 is "),
    (r"\b([a-z]+)'s (?=(?:(?:just|already|finally|recently|never|always|also) )?(?:got|been|had|gone|become|started|moved|turned|quit|left|lost|bought|joined|passed|failed|broken|taken|given|made|done|seen|begun|retired|changed|switched|decided|booked (?:a|the|us|me)|hired|worked|lived|signed up|applied|promised|asked)\b)", r"\1 has "),
    # No possessive stands before an article, a preposition or a predicate: "my studio's in Hackney", "mum's a nurse".
    (r"\b(?!(?:master|bachelor|associate|doctor|driver|parent|baker|dentist|butcher)\b)([a-z]+)'s (?=(?:an?|the|in|at|on|from|down|up|under|very|really|so|too|also|allergic|married|divorced|engaged|single|widowed|separated|pregnant|retired|unemployed|self-employed|vegan|vegetarian|diabetic|asthmatic|coeliac|celiac|lactose|fluent|originally|already|still|now|always|never|currently|nearly|almost|probably|actually|finally|terrified|scared|afraid|obsessed|fond|keen|into|based|due|unwell|ill|homesick|turning|getting|working|studying|living|going|coming|moving|learning|teaching|training|driving|flying|leaving|arriving|visiting|staying|starting|planning|taking|having|doing|saving|looking|trying)\b)", r"\1 is "),
    (r"\b([a-z]+)'s (?=(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?)(?:\s*(?:$|[,.;!?])| and | but | years | now\b| today\b))", r"\1 is "),
    (r"\b(salary|pay|rent|budget|bill|fee|weight|height|price|total|deposit|income|pension)'s (?=(?:about |around |roughly )?[$€£]?\d)", r"\1 is "),
    (r"\b([a-z]+)'s (?=(?!(?:wedding|meeting|building|training|drawing|painting|morning|evening|reading|hearing|birthing|opening|closing)\b)[a-z]+ing (?:me|us|him|her|them|my|our|an?|the|to|in|up|out|off|over|back)\b)", r"\1 is "),
    (r"\b([a-z]+)'s (?=(?:off|over|down|fine|ready|sorted|cancelled|canceled|postponed|delayed|closed|open|full|free|away|back|safe|dead|alive|finished|happening|alright|ok|okay)(?:\s*(?:$|[,.;!:])| (?:after all|now|today|again|until|till|for (?:good|now)|and|but|so|by|this|next)\b))", r"\1 is "),
    (r"\bgonna\b", "going to"), (r"\bwanna\b", "want to"), (r"\bgotta\b", "have to"), (r"\blet's\b", "let us"), (r"\bi`m\b", "i am"),
)  # fmt: skip


@lru_cache(maxsize=1)
def _contractions() -> tuple[tuple[Rx, str], ...]:
    return tuple((Rx(pattern, re.IGNORECASE), replacement) for pattern, replacement in _CONTRACTIONS)


def expand(text: str) -> str:
    """`text` with contractions written out."""
    if "'" not in text and "annot" not in text and "nna" not in text and "tta" not in text:
        return text
    for pattern, replacement in _contractions():
        text = pattern.sub(replacement, text)
    return text


def verb_forms(vocabulary: Vocabulary) -> dict[str, tuple[str, str]]:
    """Every form of every verb known: its base and its kind (base, s, past, part, ing)."""
    return once(vocabulary, "verb_forms", _verb_forms)


def _verb_forms(vocabulary: Vocabulary) -> dict[str, tuple[str, str]]:
    forms: dict[str, tuple[str, str]] = {}
    irregular: dict[str, list[str]] = {}
    for form, base in vocabulary.mapping("en", "irregular").items():
        irregular.setdefault(base, []).append(form)
    for base in (
        *vocabulary.words("en", "verbs"),
        *irregular,
        "read",
        "bake",
        "have",
        "cost",
        "cut",
        "put",
        "set",
        "let",
        "hit",
        "hurt",
        "bet",
        "quit",
    ):
        stem = base[:-1] if base.endswith("e") and not base.endswith(("ee", "ye", "oe")) else base
        if base.endswith("y") and base[-2] not in "aeiou":
            third, past = base[:-1] + "ies", base[:-1] + "ied"
        else:
            third = base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
            past = stem + "ed" if not base.endswith(("ee", "ye", "oe")) else base + "d"
        forms.setdefault(third, (base, "s"))
        forms.setdefault(stem + "ing", (base, "ing"))
        if base not in irregular:
            forms.setdefault(past, (base, "past"))
            if patterns.search(r"[^aeiou][aeiou][bdgklmnprt]$", base):
                forms.setdefault(base + base[-1] + "ed", (base, "past"))
                forms.setdefault(base + base[-1] + "ing", (base, "ing"))
            if base.endswith("ie"):
                forms.setdefault(base[:-2] + "ying", (base, "ing"))
    for base, others in irregular.items():
        for form in others:
            kind = (
                "ing"
                if form.endswith("ing") and form not in ("ring",)
                else "s"
                if form.endswith("s") and form not in ("was",)
                else "past"
            )
            forms[form] = (base, kind)
    for base in (*vocabulary.words("en", "verbs"), *irregular):
        if base not in ("found", "fell", "left", "born"):
            forms[base] = (base, "base")
    forms |= {
        "am": ("be", "s"),
        "is": ("be", "s"),
        "are": ("be", "s"),
        "was": ("be", "past"),
        "were": ("be", "past"),
        "born": ("born", "past"),
    }
    forms |= {
        "read": ("read", "base"),
        "put": ("put", "base"),
        "cut": ("cut", "base"),
        "set": ("set", "base"),
        "quit": ("quit", "past"),
        "cost": ("cost", "base"),
        "hurt": ("hurt", "base"),
        "split": ("split", "past"),
        "been": ("be", "past"),
    }
    return forms


@lru_cache(maxsize=1)
def finite_helpers() -> str:
    """Auxiliaries by which a finite verb is known."""
    return r"(?:am|is|are|was|were|has|have|had|do|does|did|will|would|can|could|may|might|should|must)"


def clause_starts(vocabulary: Vocabulary) -> re.Pattern[str]:
    """Where, after a comma or conjunction, a new clause begins rather than another item of a list."""

    def make(vocabulary: Vocabulary) -> re.Pattern[str]:
        forms = verb_forms(vocabulary)
        finite = alternation(form for form, (_, kind) in forms.items() if kind in ("s", "past"))
        finite_s = alternation(form for form, (_, kind) in forms.items() if kind == "s")
        finite_after_and = alternation(
            form for form, (base, kind) in forms.items() if kind in ("s", "past", "base", "ing") and len(base) > 2
        )
        adverb = r"(?:(?:also|now|still|just|really|always|currently|usually|never|only|already|finally|actually|even|then|later|since|both|not|hardly|rarely|often)\s+)*"
        subject = (
            r"(?:i|we|you|he|she|they|it|there|this|that|which|who|nobody|everyone|the user|let's|please|im|ive|its(?= \w+ (?:i|im|we)\b))\b(?:'\w+)?"
            rf"|(?:my|our|the|his|her|their|this|that|your)\s+(?:[\w’'\-]+\s+){{1,5}}?{adverb}(?:{finite_helpers()}|{finite})\b"
            rf"|[A-Z][\w’']+(?:\s[A-Z][\w’']+)?\s+{adverb}(?-i:{finite})\b"
        )
        return re.compile(
            # Nothing begins inside a word or with other words: nine branches need not be tried there.
            rf"(?!(?<=\w)\w)(?=\s*(?:[,;:(){{}}.…–—\-]|and|but|or|so|because|since|wh|al|th|if|in case|un|as|yet|plus|except))(?:(?P<semi>\s*[;:(){{}}]\s*|\s+[-–—]+\s+|\s*[–—]\s*|\.{{3}}\s*|…\s*)"
            rf"|(?P<conj>\s*,?\s*\b(?:and|but|or|so|because|since|while|whereas|although|though|if|unless|when|where|which|who|until|as|that's why|yet|plus|except)\b\s+(?=(?:{subject})|(?:that|even|also|then|now|currently|today|these days)\s+(?:{subject})))"
            rf"|(?P<who>\s*,?\s+\b(?:which|who|whose)\b\s+)"
            rf"|(?P<verb>\s*,?\s*\b(?:and|but|then|(?<=, )so)(?:\s+(?:then|now|also|therefore|have|has))*\s+(?={adverb}(?:do not|does not|did not|don't|doesn't|didn't|haven't|hasn't|can't|cannot|won't|{finite_helpers()}|{finite_after_and})\b(?!\s*(?:,|and\b|$))))"
            rf"|(?P<comma>\s*,\s*(?=(?:(?:and|but|so|or|because|though|although|since|while|as|if|unless|when|which|who)\s+)?(?:{adverb})(?:{subject})))"
            rf"|(?P<cverb>\s*,\s*(?={adverb}(?:{finite_helpers()}|working|living|staying|studying|born|currently|turning|doing|teaching|please|don't|so|not|but(?! (?:no|not) )|because|since|though|if|unless|in case|especially|especially|until|when)\b))"
            rf"|(?P<list>\s*,\s*(?=(?:{finite_s})\s+(?:at|in|for|on|to|from|with|as|an?|the|my|his|her|its|\d|two|three|four|(?-i:[A-Z]))\b))"
            rf"|(?P<whatever>\s*,\s*(?=(?:whatever|whichever|no matter|regardless|despite|contrary to)\b))"
            rf"|(?P<sub>\s+(?=(?:if|unless|because|although|though|whereas|in case|so that)\b)))",
            re.IGNORECASE,
        )

    return once(vocabulary, "clause_starts", make)


def hedge_pattern(vocabulary: Vocabulary, name: str) -> Rx:
    """One of the tables of words that block facts."""
    return once(vocabulary, ("en", name), lambda v: english(v.words("en", name)))
