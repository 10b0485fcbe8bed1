"""English clauses in an unusual order, said again in the usual one: rules then read one order only.

"German I don't speak" is "I don't speak German", "she's a lawyer, my sister" is "my sister is a lawyer", "there's a
cousin of mine in Leeds" is "I have a cousin in Leeds", "plumber by trade" is "I am a plumber by trade".
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Callable

from mcp_memory_server.memory.perceive.grammar_en import verb_forms
from mcp_memory_server.memory.perceive.lexicon import once, templated
from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.perceive.subjects import role_pattern_en
from mcp_memory_server.memory.vocabulary import Vocabulary

_I = re.IGNORECASE
_PREPOSITION = r"(?:at|to|with|without|for|about|of|on|from|in|into|by|after|up|off)"

# "It's almonds I'm allergic to", "it was in Porto that I grew up".
_CLEFT = Rx(
    r"^(?:it|that) (?:is|was) (?P<p>(?:in|at|from|to|with|for|on) )?(?P<o>(?!not\b|a (?:shame|pity)\b|time\b|good\b|great\b)[\w'’&\- ]{2,40}?),? (?:that |which |who |where )?(?P<s>(?:I|we)\b(?! (?:think|guess|believe|mean|suppose|know|reckon|hope|said|say|told)\b)) (?P<v>[^,;]+)$",
    _I,
)
# "Cardiff is where I was brought up", "Leeds was where we lived".
_WHERE = Rx(
    r"^(?P<o>(?-i:[A-Z])[\w'’\-]+(?: (?-i:[A-Z])[\w'’\-]+)*) (?:is|was) (?:the (?:place|city|town|village) )?(?:where|that) (?P<s>I|we|my [\w\-]+(?: [A-Z]\w+)?) (?P<v>(?:was|were|am|are|have been|had been|grew|live|lived|work|worked|study|studied|went|go|spent|come|came|moved|settled)\b[^,;]*)$",
    _I,
)
# "What I drive is an old Volvo", "what I really love is chess".
_WHAT = Rx(
    r"^(?:and |but |so )?(?:what|the (?:one )?thing(?: that)?) (?P<s>I|we) (?P<v>(?!(?:want|need|would|did|do|said|mean|meant|think|know|am (?:saying|asking|trying))\b)[\w' ]{3,40}?) (?:is|are|was) (?P<o>(?!(?:that|not|how|why|what|this|when|if|to)\b)\w.*)$",
    _I,
)
# "German I don't speak", "coffee I can't do without".
_FRONTED_OBJECT = Rx(
    r"^(?P<o>(?!(?:the (?:one|thing|reason|way|time|moment|day)|all|what|when|where|who|why|how|if|as|so|and|but|yes|no|well|now|then|maybe|perhaps|because|since|whenever|once|here|there|that|this|which|today|sorry|oh|ah|ok|okay|hi|hello|hey|thanks|also|honestly|frankly|sadly|luckily|actually|just|still|only|even|not|never|please|guess|sure|like|though|although|while)\b)[\w'’\-]+(?: [\w'’\-]+){0,3}),? (?P<s>I|we) (?P<v>(?!(?:am|are|was|were|have|had)$)[a-z' ]+)$",
    _I,
)
_MANNER_LAST = Rx(
    r"(?:\s+(?:(?:years|ages|long|months|a long time) ago|at all|any ?more|any longer|badly|well|a lot|a bit|daily|fluently|too|either|though|now|anyway|very much))+\s*$",
    _I,
)
# "She's a lawyer, my sister", "he owes me 250, my nephew", "loves opera, my dad".
_DISLOCATED = Rx(
    r"^(?P<p>(?:he|she|they|it)\b )?(?P<v>[^;:]*?[^;:,\s]),\s+(?P<o>(?:my|our) [\w\- ]{2,40}?(?: [A-Z][\w'’\-]+)?)$", _I
)
_ONESELF = Rx(r"^(?P<v>[a-z][^;:]{3,}?),\s+(?:me|us|myself)$", _I)
# "A cousin of mine works at Oxfam", "there's an uncle of mine in Leeds".
_OF_MINE = Rx(
    r"^(?P<t>there (?:is|are) )?(?:an?|one|another|this|that|some) (?P<a>(?:[\w\-]+ ){0,2})(?P<r>[\w\-]+) of (?:mine|ours)\b,?\s*",
    _I,
)
# "They've made me head of sales", "my boss promoted me to team lead".
_APPOINTED = Rx(
    r"^(?:they|management|work|(?:the|my|our) (?:new )?(?:boss|bosses|board|company|firm|manager|directors?|team|office|school|hospital|club|department|shop|agency|bank)|(?-i:[A-Z])[\w&]+) (?:have |has |had )?(?:just |now |finally |recently )?(?P<v>made|appointed|named|promoted|elected) me (?:up )?(?:to (?:be )?|as |into )?(?:an? |the |their |its )?(?=[a-z])(?!(?:feel|do|work|wait|go|laugh|cry|happy|sad|angry|an offer|so|very|really|redundant|late|sick|pay|look|think|want)\b)",
    _I,
)
_RANK = r"(?:[\w\-]+ ){0,2}?(?:⟨occupations⟩|head|leader|chair(?:man|woman|person)?|partner|deputy|chief|president|treasurer|sergeant|principal|dean|permanent)s?(?=\s*(?:$|[,.;!]| (?:of|at|in|for|and|from|on|with|over|here|now)\b))"
# "Last day at Barclays was Monday", "my first day at Tesco is on Friday".
_LAST_DAY = Rx(
    r"^(?:(?:my|our|his|her) )?(?:very )?(?P<w>last|final|first) (?:day|shift|week)(?: of work)? (?:at|with|for) (?P<o>[\w&'’.\- ]+?) (?P<b>is|was|were|has been)\b\s*(?:on|in)?\s*$",
    _I,
)
_NOTICE = Rx(
    r"^(?:(?P<s>I|we) (?:have )?)?(?:just )?(?:handed|given|gave|put|turned|sent) (?:in )?my notice (?:in )?(?:at|to|with) ",
    _I,
)
# "£40 a month goes on the gym", "forty quid a week goes towards petrol".
_GOES_ON = Rx(
    r"^(?P<q>(?:about |around |roughly |another |over |some )?(?:[€£$¥₹]\s?)?[\w.,\-]+(?: [\w\-]+){0,4}? (?:a|an|per|each|every) (?:week|month|year|quarter|day|night|fortnight)) (?:goes|go|is going|disappears|vanishes|gets? (?:paid|spent)|is spent|leaves my account) (?:straight |out )?(?:on|to|towards?|into|for) (?:my |our |the )?",
    _I,
)
# "Nursery fees of £900 a month", "rent: £700 a month".
_COST_OF = Rx(
    r"^(?P<o>(?:my |our |the )?(?:[\w\-]+ ){0,3}?(?:fees?|rent|membership|subscription|bills?|insurance|premiums?|tuition|tax|mortgage|allowance|payments?|instalments?|maintenance|charges?|dues|contract|lease)) of (?=(?:about |around |roughly |over )?(?:[€£$¥₹]|\d|[a-z]+ (?:pounds|euros|dollars|quid|bucks)))",
    _I,
)
# "The dentist is squeezing me in on Monday", "my boss can see me at three".
_SEES_ME = Rx(
    r"^(?P<o>(?:the|my|our) [\w\- ]{2,30}?(?: [A-Z]\w+)?|Dr\.? [A-Z]\w+) (?:is|are|will be|can|will) (?:see|seeing|meet|meeting|squeeze|squeezing|fit|fitting|slot|slotting|pencil|pencilling) (?:me|us)(?: in)?\b",
    _I,
)
# "Off to Crete on Monday", "back from Lisbon yesterday".
# "They're operating on me on Friday", "the surgeon will operate on my knee".
_OPERATED = Rx(
    r"^(?:they|the (?:doctors?|surgeons?|hospital)|Dr\.? [A-Z]\w+|my (?:doctor|surgeon|consultant)) (?:is|are|will be|will|is going to|are going to) (?:operating|operate) on (?:me|my (?P<p>[a-z]+(?: [a-z]+)?))\b",
    _I,
)
# "The scales read eleven stone four", "the scales had me at 81 kilos".
_SCALES = Rx(
    r"^(?:the|my) (?:bathroom )?scales? (?:reads?|showed|shows?|says?|said|had me (?:down )?at|put me at|came up with|tell me|told me) (?=(?:about |nearly )?(?:\d|[a-z]+ (?:stone|kilos?|pounds|kg)))",
    _I,
)
# "Techno does nothing but get on my nerves".
_NOTHING_BUT = Rx(r"^(?P<o>[\w'’\- ]+?) (?:does|do|did|has done) nothing (?:but|except|other than) (?P<v>[a-z]+)\b", _I)
# "Salary is 40k", "weight's 70 kilos": what one has, without whose it is.
_BARE_OWN = Rx(
    r"^(?:(?:current|base|starting|annual|monthly|net|gross|date of) )?(?:salary|pay|wages?|income|take-home(?: pay)?|pension|bonus|weight|height|rent|mortgage|birthday|birth|blood type|shoe size|job title|profession|hometown|home town|mother tongue|native language|risk appetite|savings) (?=(?:is|are|was|comes|stands|falls)\b)",
    _I,
)
# "Essay is due on Monday", "tax return has to be in by 31 January".
_BARE_DUE = Rx(
    r"^(?!(?:my|our|the|this|that|what|who|it|an?|his|her|their|your|all|everything|nothing|rent)\b)(?P<o>(?:[\w\-]+ ){0,2}[\w\-]+) (?=(?:is|are) due\b(?! to)|(?:has|have|needs?) to be (?:in|done|handed|submitted|filed|paid|sent)\b|must be (?:in|done|submitted|filed|paid|sent)\b)",
    _I,
)
_BARE_SALES = Rx(
    r"^(?:annual |our )?(?:turnover|revenues?|sales|takings) (?=(?:is|are|was|were|hit|reached|came|topped)\b)", _I
)
# "Newly single", "raised on a farm outside Cork", "five foot nine".
_BARE_STATE = Rx(
    r"^(?:(?:newly|recently|happily|just|freshly|still|officially) )+(?=(?:single|married|divorced|engaged|widowed|separated|pregnant|vegan|vegetarian|retired|self-employed|freelance|unemployed)\b)",
    _I,
)
_BARE_RAISED = Rx(r"^(?:raised|brought up|bred) (?=(?:in|on|near|outside|by|just)\b)", _I)
_BARE_SIZE = Rx(
    r"^(?:about |around |just over |just under )?(?:(?:four|five|six|[4-6]) ?(?:foot|feet|ft)\b|[4-6]['’]\s?\d|1\d\d ?cm\b|1[.,]\d\d? ?m(?:etres?|eters?)?\b)(?= *(?:$|[,.;\d]|tall\b|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|in|and|inches)\b))",
    _I,
)
_BIT_SAD = r"^(?:bit|little) (?:too )?(?=(?:⟨feelings⟩)\b)"
_DOSE = r"^(?P<o>⟨medications⟩)(?:,? \d+ ?mg)?[\s,]*$"
_BOUND = Rx(
    r"^(?P<b>off|heading|flying|moving|jetting off|setting off|driving|travelling|traveling|sailing|away|going) (?:out |over |back |up |down |across )?(?P<p>to|for) (?=(?:the )?(?-i:[A-Z]))",
    _I,
)
_BACK = Rx(r"^(?:just |finally |only just |recently )?(?P<b>back|home|returned) from (?=(?:the )?(?-i:[A-Z]))", _I)
_TRYING = Rx(
    r"\b(?P<v>having|have|having had|giving|give|gave|tried|trying|try) (?:a go at|a try at|a bash at|a crack at|a stab at|my hand at)(?: learning| playing| speaking| studying)? ",
    _I,
)
_BORN = Rx(r"^born(?: (?:and (?:raised|bred|brought up)|on|in|at|,))*\b", _I)
_PARENT = Rx(
    r"^(?:(?:proud|busy|working|single|stay-at-home|new|full-time|tired|exhausted|divorced|married|young|older) )*(?:mother|father|mum|mom|dad|parent)s? (?:of|to) (?!mine\b|the\b|my\b|a\b)",
    _I,
)
_JOB_TAIL = r"(?:\s*$|\s*,|\s+(?:by (?:trade|profession|training)(?=\s*(?:$|[,.;]|and\b|with\b))|here\b|from\b|based\b|living\b|working\b|of (?:\d|\w+ years)|for (?:\d+|\w+) years|with (?:\d+|\w+|over \w+|more than \w+) (?:years?|kids|children|cats?|dogs?|sons?|daughters?)))"
_JOB = rf"^(?!(?:an?|the|my|our|your|his|her|their|this|that|every|each|no|any|some|i|we|he|she|they|it|you) )(?P<j>(?:(?:retired|former|ex|trainee|part-time|full-time|freelance|self-employed|qualified|junior|senior|chartered|trained|newly qualified|semi-retired|lifelong|professional|head|assistant|deputy|chief|lead|[a-z]+(?:al|ic|ary|ing|ist|ware|ment|ness|ion))[ -]){{0,2}}(?:[a-z\-]+ )?(?:⟨occupations⟩)){_JOB_TAIL}"
_EVENT = r"^(?P<o>(?:(?!(?:the|a|an|my|our|his|her|their|your|this|that|no|any|every|each|next|last|in|on|at|for|with|after|before|i|we|and|but|so)\b)[\w'’\-]+ ){0,2}(?:⟨events⟩)s?) (?=(?:is|are|was|were|has|have|had|got|gets|will|starts?|kicks? off|begins?|moved|now)\b)"
_GIVES_TIME = r"^(?P<o>(?:dentist|doctor|vet|gp|physio|optician|hairdresser|therapist|hygienist|orthodontist|barber|chiropractor|counsellor|counselor|osteopath|podiatrist|midwife|plumber|electrician|solicitor|accountant)(?:'s)?) (?=(?:is|was|has been|got)\b)"
_GIVER = Rx(
    r"(?:dentist|doctor|vet|gp|physio|optician|hairdresser|therapist|hygienist|orthodontist|barber|chiropractor|counsellor|counselor|osteopath|podiatrist|midwife|plumber|electrician|solicitor|accountant)(?: appointment)?",
    _I,
)
# Letters without their apostrophe: "im", "dont", "its" before a noun that is no owner's.
_BARE = (
    (Rx(r"\bim(?= [a-z])", _I), "I am"), (Rx(r"\bive\b", _I), "I have"), (Rx(r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should)nt\b", _I), r"\1 not"),
    (Rx(r"\bcant\b", _I), "can not"), (Rx(r"(?<!\ba )(?<!\bthe )(?<!\bmy )\bwont\b", _I), "will not"), (Rx(r"\b(that|there|what|he|she)s\b(?= (?:an?|the|my|not|in|on|so|very|really|been|got|still|\w+ing)\b)", _I), r"\1 is"),
    (Rx(r"^its\b(?= (?:an?|the|my|not|really|very|so|\w+ (?:I|im|we)\b))", _I), "it is"), (Rx(r"\b(they|you)re\b", _I), r"\1 are"), (Rx(r"\b(they|you)ve\b", _I), r"\1 have"),
)  # fmt: skip
_MAY_BE_BARE = Rx(r"\b(?:im|ive|\w+nt|cant|wont|its|thats|theres|whats|hes|shes|theyre|youre|theyve|youve)\b", _I)


def with_apostrophes(text: str) -> str:
    """`text` with contractions that were typed without their apostrophe written out."""
    if _MAY_BE_BARE.search(text) is None:
        return text
    for pattern, replacement in _BARE:
        text = pattern.sub(replacement, text)
    return text


def recast(text: str, vocabulary: Vocabulary, *, first: bool = True, timed: bool = False, often: bool = False) -> str:
    """A clause with its contractions written out in the order of "I don't speak German", or as it is.

    `first`: it opens its sentence; `timed`: it has a time of occurrence; `often`: it tells how often.
    """
    opening = text.partition(" ")[0].lower()
    if opening in ("i", "we"):
        return (_light(text, vocabulary) if _MAY_BE_SET.search(text) else None) or text
    for sign, turn in _TURNS:
        if sign.search(text) and (turned := turn(text, vocabulary)) is not None:
            return turned
    return _verbless(text, vocabulary, timed=timed, often=often) if first and opening not in _SUBJECTS else text


# A clause that opens with one of these has its subject.
_SUBJECTS = frozenset("i we he she they it you this that there who which his her their your nobody everyone".split())
# What a set phrase has one of, and what each other order has.
_MAY_BE_SET = re.compile(
    r"\b(?:me|us|notice|nothing|scales?|operat\w+|(?:a (?:go|try|bash|crack|stab)|hand) at)\b|\b(?:day|shift|week)\b.* (?:is|was|were|has)\b|\b(?:week|month|year|quarter|day|night|fortnight) (?:goes|go|is|gets?|disappears|vanishes|leaves)\b",
    _I,
)


Turn = Callable[[str, Vocabulary], str | None]


def _known_verb(words: str, vocabulary: Vocabulary) -> bool:
    """True where the last word but a preposition is a verb: it lacks the object that stands in front."""
    parts = words.split()
    if parts and re.fullmatch(_PREPOSITION, parts[-1]):
        parts = parts[:-1]
        if parts and parts[-1] in (
            "allergic",
            "afraid",
            "fond",
            "scared",
            "keen",
            "sick",
            "tired",
            "proud",
            "addicted",
        ):
            return True
    return bool(parts) and parts[-1].lower() in verb_forms(vocabulary) and parts[-1] not in ("am", "is", "are", "was")


def _cleft(text: str, vocabulary: Vocabulary) -> str | None:
    match = _CLEFT.search(text)
    if not match:
        return None
    if match["p"]:
        return f"{match['s']} {match['v'].strip()} {match['p']}{match['o']}"
    return f"{match['s']} {match['v'].strip()} {match['o']}" if _known_verb(match["v"], vocabulary) else None


def _where(text: str, vocabulary: Vocabulary) -> str | None:
    match = _WHERE.search(text)
    if not match:
        return None
    verb = match["v"].strip()
    if verb.split()[-1] in ("in", "at", "from", "to"):
        return f"{match['s']} {verb} {match['o']}"
    link = "from" if verb in ("come", "came") else "to" if verb in ("moved", "go") else "in"
    return f"{match['s']} {verb} {link} {match['o']}"


def _what(text: str, vocabulary: Vocabulary) -> str | None:
    match = _WHAT.search(text)
    if match and _known_verb(match["v"], vocabulary):
        return f"{match['s']} {match['v']} {match['o']}"
    return None


def _fronted(text: str, vocabulary: Vocabulary) -> str | None:
    match = _FRONTED_OBJECT.search(_MANNER_LAST.sub("", text, count=1))
    if not match or not _known_verb(match["v"], vocabulary):
        return None
    if (
        match["o"].split()[0].lower() in verb_forms(vocabulary)
        and verb_forms(vocabulary)[match["o"].split()[0].lower()][1] != "ing"
    ):
        return None
    if match["v"].split()[-1] in (
        "think",
        "guess",
        "believe",
        "suppose",
        "reckon",
        "said",
        "say",
        "know",
        "hope",
        "mean",
        "swear",
        "see",
        "live",
        "work",
        "do",
        "go",
        "went",
        "did",
    ):
        return None
    thing = match["o"]
    if thing.split()[0] in ("The", "My", "Our", "A", "An", "This", "That", "These", "Those", "Any", "Some"):
        thing = thing[0].lower() + thing[1:]
    return f"{match['s']} {match['v']} {thing}"


def _dislocated(text: str, vocabulary: Vocabulary) -> str | None:
    if match := _ONESELF.search(text):
        verb = match["v"]
        if re.match(r"(?:I|we|my|our|it|he|she|they|you|that|this|the|a|an|and|but)\b", verb, _I):
            return None
        born = re.match(
            r"(?:born|raised|brought up|bred|based|retired|divorced|married|allergic|single|vegan|vegetarian)\b",
            verb,
            _I,
        )
        return (
            f"I was {verb[0].lower()}{verb[1:]}"
            if born and verb.lower().startswith(("born", "raised", "brought", "bred"))
            else f"I am {verb[0].lower()}{verb[1:]}"
            if born
            else None
        )
    match = _DISLOCATED.search(text)
    if not match:
        return None
    role = role_pattern_en(vocabulary).fullmatch(match["o"])
    if role is None or not (
        match["p"] or verb_forms(vocabulary).get(match["v"].split()[0].lower(), ("", ""))[1] in ("s", "past")
    ):
        return None
    return f"{match['o']} {match['v'] if match['p'] else match['v'][0].lower() + match['v'][1:]}"


def _of_mine(text: str, vocabulary: Vocabulary) -> str | None:
    match = _OF_MINE.search(text)
    if not match:
        return None
    word = match["r"].lower()
    if word not in vocabulary.mapping("en", "roles") and word.split("-")[-1] not in vocabulary.mapping("en", "roles"):
        return None
    noun, rest = f"{match['a']}{match['r']}", text[match.end() :]
    if match["t"]:
        return f"I have a {noun} {rest}".strip()
    return f"my {noun} {rest}" if rest else None


def _light(text: str, vocabulary: Vocabulary) -> str | None:
    """Set phrases that say with many words what one verb says."""
    if match := _APPOINTED.search(text):
        ranked = templated(vocabulary, "en", _RANK, _I).match(text, match.end())
        return (
            f"I have been {'promoted to' if ranked or match['v'].lower() != 'made' else 'made'} {text[match.end() :]}"
        )
    if match := _LAST_DAY.search(text):
        past = match["b"].lower() != "is"
        if match["w"].lower() == "first":
            return f"I started at {match['o']}" if past else f"I am starting at {match['o']}"
        return f"I left {match['o']}" if past else f"I am leaving {match['o']}"
    if match := _NOTICE.search(text):
        return f"I left {text[match.end() :]}"
    if match := _GOES_ON.search(text):
        return f"I pay {match['q']} for {text[match.end() :]}"
    if match := _SEES_ME.search(text):
        return f"I am seeing {match['o']}{text[match.end() :]}"
    if match := _OPERATED.search(text):
        return f"I am having {match['p'] + ' ' if match['p'] else ''}surgery{text[match.end() :]}"
    if match := _SCALES.search(text):
        return f"my weight is {text[match.end() :]}"
    if match := _NOTHING_BUT.search(text):
        return f"{match['o']} {match['v']}{'' if match['o'].lower().endswith('s') else 's'}{text[match.end() :]}"
    if match := _TRYING.search(text):
        what = text[match.end() :].partition(",")[0]
        return f"{text[: match.start()] or 'I am '}learning {what}"
    return None


_TURNS: tuple[tuple[re.Pattern[str], Turn], ...] = (
    (re.compile(r"(?:it|that) (?:is|was) ", _I), _cleft),
    (re.compile(r" (?:where|that) (?:I|we|my) "), _where),
    (re.compile(r"\b(?:what|thing)\b", _I), _what),
    (re.compile(r"[a-z,] (?:I|we) "), _fronted),
    (re.compile(r", (?:my|our|me|us)\b", _I), _dislocated),
    (re.compile(r" of (?:mine|ours)\b", _I), _of_mine),
    (_MAY_BE_SET, _light),
)


def _bare(text: str, vocabulary: Vocabulary, *, often: bool) -> str:
    """What one is, has or takes, said without saying whose it is; empty for anything else."""
    if _BARE_SALES.search(text):
        return f"our {text[0].lower()}{text[1:]}"
    if _BARE_STATE.search(text) or _BARE_SIZE.search(text):
        return f"I am {text[0].lower()}{text[1:]}"
    if _BARE_RAISED.search(text):
        return f"I was {text[0].lower()}{text[1:]}"
    if templated(vocabulary, "en", _BIT_SAD, _I).search(text):
        return f"I am a {text[0].lower()}{text[1:]}"
    if often and (dose := templated(vocabulary, "en", _DOSE, _I).search(text)):
        return f"I take {dose['o'].lower()}"
    if _BARE_OWN.search(text) or _BARE_DUE.search(text):
        return f"my {text[0].lower()}{text[1:]}"
    if _BORN.search(text):
        return f"I was {text[0].lower()}{text[1:]}"
    if _PARENT.search(text):
        return f"I am a {text[0].lower()}{text[1:]}"
    return ""


def _verbless(text: str, vocabulary: Vocabulary, *, timed: bool, often: bool) -> str:
    """An opening without subject and verb with those that it stands for."""
    if match := _COST_OF.search(text):
        return f"{'' if match['o'].lower().startswith(('my ', 'our ', 'the ')) else 'my '}{match['o']} is {text[match.end() :]}"
    if bare := _bare(text, vocabulary, often=often):
        return bare
    if match := _BOUND.search(text):
        word = match["b"].lower()
        return f"I am {'going' if word in ('away',) else word} {match['p'] if word != 'off' else 'to'} {text[match.end() :]}"
    if match := _BACK.search(text):
        return f"I am back from {text[match.end() :]}"
    if not timed and (match := templated(vocabulary, "en", _JOB, _I).search(text)):
        article = "an" if text[0].lower() in "aeiou" else "a"
        return f"I am {article} {text[0].lower()}{text[1:]}"
    if match := templated(vocabulary, "en", _EVENT, _I).search(text):
        return f"my {text[0].lower() if not text[:2].isupper() else text[0]}{text[1:]}"
    if timed and (match := _GIVER.fullmatch(text.strip(" .!"))):
        return f"my {match[0].lower()} is"
    if match := once(vocabulary, "gives time", lambda v: Rx(_GIVES_TIME, _I)).search(text):
        return f"my {match['o'].lower().removesuffix(chr(39) + 's')} {text[match.end() :]}"
    return text
