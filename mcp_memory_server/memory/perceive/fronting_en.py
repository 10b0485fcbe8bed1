"""What stands before, after and inside the subject of an English clause, and is put aside to read it."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re

from mcp_memory_server.memory.perceive.rx import Rx

# "Order 4929 still hasn't shipped", "Customer service is useless": a noun phrase that opens without article.
LOOSE_THING = re.compile(
    r"(?P<np>(?i:home|name|closing date|deadline|due date|cut-?off(?: date)?|expiry date|submission date|headquarters|(?:annual |our )?(?:turnover|revenues?|sales|takings) (?:at|of|for|in)|(?:[a-z\-]+ )?(?:membership|insurance|subscription|bills?|fees)|groceries|broadband|petrol|applications|registration|submissions|entries|enrolment|nominations|train|hotel|table|tickets?|taxi|room|flights?|seats?|ferry|cottage|airbnb|campsite|hire car|rental car|order|delivery|parcel|package|customer service|support|shipping|wi-?fi|internet|tech support|checkout|battery|screen|rent|heating|traffic|food|room service|payment|refund|login|electricity|gas|water|insurance|childcare|gym|phone bill|netflix|spotify|mortgage|tuition|daycare|nursery|parking|council tax|utilities)"
    r"(?:\s+[#\d\w\-]+){0,5}?)\s+(?=(?:still\s+|always\s+|never\s+|just\s+|again\s+|now\s+)*(?:is|are|sets?|comes?|runs|eats|stands?|jumped|rose|climbed|crept|swallows?|ended|totals?|hit|reached|topped|was|were|has|have|had|keeps?|kept|takes?|took|does|did|will|won|never|costs?|comes?|closes?|opens?|went|arrived)\b)"
)
# "Before tax I earn …", "For the wedding we …": what stands before the subject.
FRONTED = Rx(
    r"^(?:(?:first|last) thing(?: in the morning| at night)?,? (?=I\b|we\b|my\b|he\b|she\b)|(?:rain or shine|day in,? day out|without fail|like clockwork|nine times out of ten|as a (?:treat|rule|habit)|weather permitting|if (?:I|we) (?:have|had) to (?:choose|pick),?|if it(?:'s| is|'re| were) up to me,?|if you ask me,?|given (?:the|a) (?:choice|option),?|(?:most|some|a lot) of the time),? )|^(?:ever since|since|before|after|for|with|as|in|at|on|by|during|besides|without|outside|under|thanks to|due to|back|apart from|among|despite|until|once|between|being|given|having|at the age of|as an?)\s+(?!(?:I|we|me|us)\b)(?:[^,.;:]{1,40}?[,:]?\s+(?=(?:I|we|there (?:is|are|were))\b)|(?!(?:my|our)\b)[^,.;:]{1,40}?[,:]?\s+(?=(?:my \w+|our \w+)\b))",
    re.IGNORECASE,
)


# "I just found out I'm pregnant": what was found out is told.
ADMITTED = re.compile(
    r"^(?:(?:just|also|so|and|but) )?(?:I|we) (?:have |am |was )?(?:just |recently |also )?(?:found out|learned|learnt|realised|realized|discovered|can confirm|must admit|have to admit|have to say|should mention|should say|should add|forgot to mention|forgot to say|afraid|happy to say|proud to say|sorry to say|pleased to say) (?:that )?(?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
# "You can tell from the accent that …", "as you can see, …": what is told comes after it.
TOLD_THAT = Rx(
    r"^(?:(?:and|but|so|well),? )*(?:you (?:can|could|might|may|will|should) (?:probably |easily |already )?(?:tell|see|hear|guess|have guessed|know|notice)[^,;]{0,40}? that|as you (?:can (?:see|tell|hear)|may have guessed|might know),?|it (?:is|was) (?:no secret|true|a fact|common knowledge) that|the (?:truth|fact|problem|thing|point|news|upshot|result) (?:is|was)(?: that)?,?|I (?:have to|must|should|can|will) (?:say|admit|confess|add|mention|tell you)(?: that)?,?|(?:I )?(?:just )?(?:wanted|want|thought I would|thought I'd) to (?:say|mention|tell you|let you know)(?: that)?,?|happy to (?:say|report)(?: that)?,?|(?:just )?so you know,?|don't forget(?: that)?|bear in mind(?: that)?|mind you,?) (?=(?:I|my|our|we|the|it|he|she)\b|(?-i:[A-Z]))",
    re.IGNORECASE,
)
ANY_MORE = re.compile(r"\s+(?:any ?more|any longer)\b[\s.,!]*$", re.IGNORECASE)
WHERE = re.compile(
    r"(?:over |back |down |up )?(?:in|from|near|at|on) (?:the )?[A-Z][\w'’\-]*(?: [A-Z][\w'’\-]*){0,2} (?=[a-z])"
)
# A short question that names a topic, and the pronoun that takes it up again.
TOPIC = Rx(
    r"(?:(?:and|but|oh|hey|ah|as for) )*(?P<o>(?!(?:why|what|how|who|when|where|which|really|seriously|right|ok|okay|you|me|sure|and|so|any|anyone|still|again|ready|know|remember|guess)\b)[\w'’\-]+(?: (?!(?:is|are|was|were|do|does|did|has|have|had|can|will|would|you|I)\b)[\w'’\-]+){0,3})",
    re.IGNORECASE,
)
VERDICT = Rx(
    r"(?:not|my|an?|piece|no|second|absolute|absolutely|pure|too|so|very|hard|easy|heaven|bliss|right|totally|definitely|beyond|never|still|always)\b(?! (?:I|we|my|a problem)\b)(?!.*\b(?:it|them)\b)",
    re.IGNORECASE,
)
MENTIONED = Rx(
    r"\babout (?:the|my|a|an|our|having an?|getting an?|owning an?) (?P<o>[A-Za-z\-]+(?: [a-z\-]+)?)$", re.IGNORECASE
)
ONE = Rx(r"(\b(?:get|got|had|have|own|owned|buy|bought|adopt|adopted) )one\b(?! (?:of|day|more))", re.IGNORECASE)
RESUMED = Rx(
    r"(\b(?!(?:is|was|on|said|do|did)\b)\w+ )(?:it|them|those|that)\b(?! (?:is|was|has|would|will))", re.IGNORECASE
)
# "The instrument I play is the viola": I play the viola.
CLEFT = Rx(
    r"^(?:the|my) (?!only|first|last|best|worst)[\w\- ]{2,40}? (?:that |which )?I(?: am|'m| have been|'ve been)? (?P<v>(?:play|take|speak|learn|study|use|drive|own|live in|work for|work at|work in|teach|support|follow|wear|prefer|like|love|hate|"
    r"react(?:ed)?(?: badly)? to|rely on|suffer from|depend on|come from|belong to|am (?:allergic to|fond of|scared of|afraid of|proud of|addicted to|keen on|into)|can not (?:stand|eat|have|take|bear)|(?:am |have been )?(?:learning|studying|taking|playing|using|reading|watching|writing|attending|visiting))) (?:is|are|was) (?:called |named )?(?P<o>(?!because|that|not|so|very|really|too)\w.+)$",
    re.IGNORECASE,
)
