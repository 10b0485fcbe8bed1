"""Does a statement make the same claim as the words, or another one about the same thing?

"I like boats" says nothing about owning one: the object is the same, the predicate is not. Words that
many predicates share (have, be, like, use) cannot decide this; the facts that perception reads can.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_memory_server.memory.model import CandidateFact, Polarity, Said, ValueType
from mcp_memory_server.memory.perceive import perceive, perceive_statement
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.text import index_tokens
from mcp_memory_server.memory.vocabulary import Vocabulary

# What was said (values) that supports a claim (key): the same predicate always does.
_FOLLOWS_FROM = {
    "owns": {"bought", "has_pet"},
    "has_pet": {"owns", "bought"},
    "visited": {"travels_to"},
    "travels_to": {"booked", "plans_to", "arrives_at"},
    "plans_to": {"travels_to", "meets", "has_event", "booked", "deadline"},
    "has_event": {"meets", "booked", "plans_to", "travels_to", "deadline"},
    "meets": {"has_event", "plans_to"},
    "likes": {"prefers"},
    "prefers": {"prefers_format", "likes"},
    "prefers_format": {"prefers"},
    "has_condition": {"allergic_to", "takes_medication"},
    "studies": {"struggles_with", "studies_at"},
    "complains_about": {"dislikes", "feels"},
    "dislikes": {"complains_about"},
    "feels": {"complains_about"},
    "budget_max": {"spending_limit"},
    "spending_limit": {"budget_max"},
    "works_at": {"job_title"},
    "job_title": {"works_at"},
}
_COUNTED = (ValueType.NUMBER, ValueType.MONEY)
# A claim that perception does not find in the words needs one of these words in them.
_WORDS = {
    "owns": r"(?i)\b(?:own|owns|owned|have|has|'ve|got|bought|buy|my|our|mine)\b|有|买|没(?=[车房表机琴船])|我的|我家",
    "has_pet": r"(?i)\b(?:have|has|'ve|got|own|owns|adopt\w*|my|our|pets?)\b|有|养|我的|我家",
    "lives_in": r"(?i)\b(?:liv\w+|home|house|flat|apartment|resid\w+|moved|based|settled|reloc\w+)\b|住|搬|定居|家在",
    "hometown": r"(?i)\b(?:from|born|grew|hometown|raised)\b|老家|来自|长大|出生|人$",
    "works_at": r"(?i)\b(?:work\w*|job|employ\w*|at|for|join\w*|team)\b|上班|工作|在|入职",
    "likes": r"(?i)\b(?:lik\w+|lov\w+|enjoy\w*|fan|fond|adore\w*|prefer\w*|favou?rite|into|keen|crazy|great)\b"
    r"|喜欢|爱|迷|钟爱|最好",
    "prefers": r"(?i)\b(?:prefer\w*|rather|favou?rite|better|best|instead)\b|更|宁可|宁愿|偏|最喜欢|最爱",
    "dislikes": r"(?i)\b(?:hat\w+|dislik\w+|can't|cannot|don't|doesn't|won't|not|no|none|never|stand|awful|avoid\w*)\b"
    r"|讨厌|不喜欢|不爱|不太|不大|不怎么|不吃|受不了|反感|怕",
    "uses_tool": r"(?i)\b(?:us\w+|with|in|on|write\w*|edit\w*|run\w*|switch\w*|work\w*)\b|用|使|拿",
    "visited": r"(?i)\b(?:been|was|were|went|visit\w*|trip|back from|saw)\b|去过|到过|来过|玩过|去了",
    "speaks": r"(?i)\b(?:speak\w*|fluent\w*|language|native|talk\w*)\b|说|讲|会|母语|流利",
    "invests_in": r"(?i)\b(?:invest\w*|hold|holds|bought|buy|own\w*|portfolio|fund|put)\b|投|买|持有|理财|基金",
    "allergic_to": r"(?i)\b(?:allerg\w*|reaction|intoleran\w*)\b|过敏",
}


def other_claim(statement: str, said: Said, vocabulary: Vocabulary) -> str:
    """Why the statement claims something else than was said; empty when it does not."""
    claim = perceive_statement(statement, said.said_at, said.time_zone, vocabulary)
    if claim is None:
        return ""
    facts = perceive(said, vocabulary).facts
    if other := contradicts(claim, facts):
        return other
    if any(_same_thing(fact, claim) for fact in facts):
        return ""
    needed = _WORDS.get(claim.predicate)
    if needed and not rx(needed).search(said.text):
        return f"{claim.predicate} was not said"
    return ""


def contradicts(claim: CandidateFact, facts: Sequence[CandidateFact]) -> str:
    """Why `facts` say something else about the object of `claim`; empty when one supports it, or none is about it."""
    about = [fact for fact in facts if _same_thing(fact, claim)]
    if not about or any(_supports(fact, claim) for fact in about):
        return ""
    return f"{about[0].predicate} was said, not {claim.predicate}"


def _supports(fact: CandidateFact, claim: CandidateFact) -> bool:
    if fact.predicate == claim.predicate or fact.predicate in _FOLLOWS_FROM.get(claim.predicate, ()):
        return True
    opposite = {fact.predicate, claim.predicate} == {"likes", "dislikes"}
    return opposite and Polarity.NEGATIVE in (fact.polarity, claim.polarity) and fact.polarity is not claim.polarity


def _same_thing(fact: CandidateFact, claim: CandidateFact) -> bool:
    """Whether two facts are about the same object, by the words that they share; a sum is no subject of study."""
    if (fact.object.type in _COUNTED) is not (claim.object.type in _COUNTED):
        return False
    mine, theirs = _words(fact.object.value), _words(claim.object.value)
    return bool(mine & theirs)


def _words(text: str) -> set[str]:
    tokens: Sequence[str] = index_tokens(text)
    return {token for token in tokens if len(token) > 1}
