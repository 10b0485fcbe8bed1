"""The words by which English asks to forget, takes back, corrects and asks, beyond those of `acts`."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

_ORDER = r"(?:^|[.!?,;:] |\band |\bplease |\bkindly |\b(?:can|could|would|will) you |\bi(?:'d| would)? (?:want|like|need) you to |\byou (?:can|should|may) )(?:please |just |now |also )*"
_MINE = r"(?:data|memor(?:y|ies)|history|address(?:es)?|numbers?|phone|e-?mail|details|health|info(?:rmation)?|birthday|name|job|allerg\w+|preferences?|notes?|entry|entries|records?|profile|salary|location|conversations?|messages?|chats?)"
FORGET = (
    rf"(?i){_ORDER}(?:forget|delete|erase|remove|wipe|clear|purge|scrub|drop)(?: (?:please|all|everything|of|about))* (?:my|our|the) (?:\w+ ){{0,3}}?{_MINE}\b"
    rf"|{_ORDER}(?:forget|delete|erase|remove|wipe|clear|purge|drop) (?:all |everything |anything )?(?:of )?(?:what |that |which )?(?:you(?:'ve| have)? (?:know|have|stored|remember|noted|saved|learnt|learned)|i(?:'ve| have)? (?:said|told|mentioned|shared|given))\b"
    r"|(?i:\b(?:remove|delete|erase|drop|take|clear|strike|wipe|get rid of)\b [^.!?]{1,60} (?:from|out of|in) (?:your|the) (?:memory|memories|records?|notes|files|profile|database|system))"
    r"|(?i:\b(?:don't|do not|stop) (?:keep|make|store|save)(?:ing)? (?:a |any )?(?:records?|notes?|track|logs?) of)|(?i:\bdon't want you to (?:remember|keep|store|save|know|track)\b)|(?i:\b(?:don't|do not|stop) (?:keep(?:ing)?|stor(?:e|ing)|hold(?:ing)? on to|retain(?:ing)?|remember(?:ing)?|sav(?:e|ing)|track(?:ing)?) (?:my|any of my|anything about|what i|our) \w+)"
)
RETRACT = (
    r"(?i)\bscrap (?:that|it|what|the (?:bit|part|thing))\b|\bi was (?:only |just )?(?:joking|kidding|teasing|pulling your leg) (?:about|when|with)\b|\bi (?:didn't|did not|never) (?:say|said|claim|claimed|tell you|told you) (?:that )?(?:i|my|we|our)\b|\bnever ?mind about\b|\b(?:ignore|disregard) (?:it|that|this)(?=[.!,]|$)|\b(?:disregard|ignore|never ?mind) (?:everything|all|my|the) (?:(?:\w+ ){0,2}(?:message|comment|remark|note|request|statement|answer)|i (?:said|told|wrote|mentioned))"
    r"|\bi(?:'d| would) like to (?:take (?:that|it) back|withdraw)|\bi withdraw\b|\b(?:that|this|it) (?:isn't|is not|is no longer|was never|wasn't) (?:true|the case|correct|accurate|valid|relevant)(?: any ?more)?(?=[.!,;]|$)"
    r"|\bi (?:made|was making) (?:that|it) up\b|\b(?:pretend|act as if|act like) i (?:never|didn't) (?:say|said|mention|mentioned|tell|told)\b|\bunsay\b|\bi (?:did|was)n't (?:being )?serious\b|\bi wasn't serious\b|\bforget (?:the|that) (?:bit|part|thing|stuff|business) (?:about|with|where|on)\b|\bforget i (?:ever )?(?:said|mentioned|asked)\b"
)
_NUMBER_OR_NAME = r"(?:\d|[$€£]|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|eleven\b|twelve\b|noon\b|midnight\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?-i:[A-Z])[a-z]+)"
CORRECT = (
    r"(?i)^(?:no|wait|sorry|oops|actually|hang on)[,!.]* (?:it's |it is |that's )?not \w+|^correction\b|^no,? no\b|\byou(?:'ve| have)? (?:got|have|wrote|put) (?:my|that|this|it|the|her|his) (?:\w+ ){0,3}?(?:wrong|mixed up|backwards)\b|\bthat(?:'s| is| was) (?:wrong|incorrect|not right|not correct|outdated|out of date|a mistake|a typo)\b"
    r"|\b(?:wrong|old|outdated) (?:address|e-?mail|time|city|company|place|month|person|spelling)[,:;]|\bi (?:typed|wrote|put|entered|gave you|told you|said) [^.?!]{0,40}\b(?:wrong|incorrectly|by mistake)\b|\bi should have (?:said|written)\b"
    r"|\bi mis(?:read|typed|remembered|heard|wrote|stated|spelt|spelled|counted|calculated)\b|^not (?:in |on |at |the )*[A-Z0-9][\w'-]*[,:;-]+ (?:but )?[A-Z0-9]|\blet me (?:correct|fix|rephrase|set|put|amend) (?:that|this|myself|it|the record)\b|^(?:small|quick|little|minor|one|just a) (?:fix|correction|amendment|change|slip)\b|\b(?:slip of the (?:tongue|keyboard|finger)|fat fingers|autocorrect|brain fog)\b|\bgot (?:the|my|her|his|our|that|two) [\w ]{1,24}(?:wrong|mixed up|muddled(?: up)?|back to front|the wrong way round)\b|\bi (?:put|said|gave|told you|wrote|meant to (?:say|write|put)) [^.?!]{1,50}\b(?:but (?:it|that|he|she|they|i)\b|instead of|rather than)|\b(?:it's|it is|that's) actually\b[^.?!]{1,40}, not\b|\brather than (?:the )?[^.?!,]{1,24} (?:i (?:said|mentioned|gave|told)|as i (?:said|wrote))\b|\bnot [^.?!,]{1,30},? (?:as|like) i (?:said|told|wrote|mentioned)|\bwhat i meant (?:was|is|to say)\b|\bmake (?:that|it) [^.?!]{1,30} instead\b"
    rf"|\b(?:isn't|wasn't|aren't|is not|was not|'s not|are not) [^.?!,;]{{1,40}}[,;:.-]+ (?:but )?(?:it|that|he|she|they)(?:'s| is| was|'re| are) "
    rf"|\b(?:is|was|are|were|'s|'m|at|on) (?:at |on |in |from |the |a )*[^.?!,]{{1,30}}, not (?:at |on |in |from |the |until |by |for )*{_NUMBER_OR_NAME}"
)
ASK = (
    r"(?i)^(?:(?:ok|okay|hey|hi|hello|so|and|well|also|now|then|please|pls|just|anyway)[,!.]?\s+)*(?:act as|act like|say|fix|set|cap|limit|role-?play|greet|sing|guess|count|solve|define|outline|brainstorm|schedule|notify|forward|print|repeat|continue|go on|reply to|respond to|read|use this|test|simulate|give)\b(?! (?:up|in))"
    r"|\bi(?:'d| would) (?:appreciate|welcome|be grateful for)\b|\bi could use (?:some|a|an|your)\b|\bi(?:'d| would) (?:like|love) (?:to know|you to|to find out|to understand|to hear|some|a|an|help)\b|\bi(?: was|'m| am|'ve been)? wonder(?:ing)?\b|(?:^|[.!?] )(?:i |we )?need (?:a|an|some|help|advice|to know|to find|ideas|your|you to)\b"
    r"|\b(?:i|we)(?:'m| am|'re| are) (?:looking|searching|shopping|hunting) for\b|\bi want (?:you to|to know)\b|\bany (?:tips|ideas|advice|suggestions|recommendations|chance)\b|\bremind me(?: again)?,? (?:what|who|where|when|how|why|which)\b|\bi (?:already )?asked (?:you )?(?:this|that|before)\b"
)
# Words of the speaker about himself or herself: without one, a remark on the world that states no fact is talk.
OWN = r"(?i)\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|us|our|ours)\b"
REMARK = r"(?i)^(?:(?:well|oh|ah|so|yeah|wow|hey|hmm|okay|ok|and|but|anyway|honestly|man|gosh)[,!. ]+)*(?:that|this|it|there|they|time|people|some(?:body|one)|every(?:body|one|thing)|no(?:body| one| \w+)|nothing|you|the|what a|such|life|nice|good|great|funny|not bad)\b"
# Dissatisfaction that names no thing a rule is sure of.
COMPLAIN = (
    r"(?i)\byou (?:keep|always) (?!up\b|in\b|safe|well|going|know)\w+ing\b|\bi want (?:a refund|my money back|to complain|to speak to (?:a|the|your) manager)\b|\bno(?:body| one) (?:answers|replies|responds|cares|helps|bothers|bothered|can (?:tell|help)|told (?:me|us)|calls back|called back|picks up)\b"
    r"|\b(?:is|are|'s|was|were) (?:just |simply )?(?:(?:ridiculous|absurd|outrageous|insane|crazy|unbelievabl|appalling)(?:ly|y)|way too|far too) (?:high|expensive|slow|loud|late|long|low|small|bad|overpriced|unfair)\b"
    r"|\b(?:fell|falls|falling) apart\b|\bwhat a (?:waste|joke|shambles|rip-?off|disgrace|let-?down|mess)\b|\bnot good enough\b|\bstill no (?:answer|reply|response|refund|sign|word)\b|\b(?:left|lost|dumped|threw) my (?:parcel|package|bag|luggage|order|suitcase)\b|\bignored (?:me|us)\b|\bdrains? (?:my|the) battery\b"
)
CHAT = (
    r"(?i)^(?:guess who(?:'s|se)? |(?:lovely|nice|great|good|fun) (?:chatting|talking|catching up|to (?:see|hear|chat|talk))|(?:well, )?bye\b|you(?:'re| are) (?:so |much |way |such |really )?(?:a )?(?:funn|sweet|kind|hilarious|cute|clever|smart|the best|a star|a gem|a legend|welcome|too kind)|knock,? knock|ha+,|that(?:'s| is| was) (?:hilarious|the (?:best|worst|funniest) (?:joke|pun))|(?:good )?(?:morning|evening|afternoon)[!,.]|(?:night|sleep tight|sweet dreams|cheerio|ta|toodle))|^(?:fingers crossed|good luck|what an? \w+(?: \w+){0,3}[!.]*$|i can't believe|i love it when|can't wait|wish me luck|here we go|long time no see|oh well|no way|you won't believe|knock on wood|speak of the devil|touch wood)"
    r"|^(?:so,? |hey,? |and )*(?:how(?:'s| is| are) (?:life|you|things|your day|your week|it going|everything)|did you sleep|how do you do|are you (?:there|real|human|a robot|a bot|awake))\b|^(?:lovely|nice|beautiful|terrible|awful|great|cold|hot|gorgeous|mondays|fridays)\b[^?]{0,40}\?$"
)
PAST = r"(?i)\b(?:was|were|had|did|didn't|went|came|saw|met|bought|spent|ran|took|made|told|said|felt|lost|left|[a-z]{3,}ed|since|ago)\b"
