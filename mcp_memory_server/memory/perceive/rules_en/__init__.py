"""The rules of English, in the order in which they read a clause."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from mcp_memory_server.memory.perceive.rules_en import (
    appointed,
    budget,
    change,
    complaint,
    contact,
    dwelling,
    education,
    event,
    family,
    firm,
    forms,
    goods,
    habit,
    health,
    learning,
    level,
    line,
    money,
    mood,
    notice,
    papers,
    person,
    plan,
    retraction,
    route,
    scores,
    taste,
    trip,
    turned,
    work,
)
from mcp_memory_server.memory.perceive.tools_en import Rule

_READ = (
    *contact.RULES, *line.RULES, *person.RULES, *dwelling.RULES, *family.RULES, *work.RULES, *firm.RULES, *education.RULES, *health.RULES, *turned.RULES, *taste.RULES, *habit.RULES,
    *learning.RULES, *level.RULES, *papers.RULES, *route.RULES, *scores.RULES, *mood.RULES, *budget.RULES, *money.RULES, *goods.RULES, *trip.RULES, *appointed.RULES, *event.RULES, *change.RULES, *plan.RULES, *complaint.RULES, *notice.RULES, *forms.RULES,
)  # fmt: skip
_RETRACTED = retraction.taken_back(tuple(rule for rule in _READ if rule is not complaint.complaints))
RULES = (*_READ, _RETRACTED)
# Rules that read a clause although it asks or supposes: a limit in a request is a limit.
ALWAYS = (*budget.RULES, *route.RULES, *forms.RULES, complaint.laments, complaint.grievances, plan.reminders)
# Rules that find nothing in a clause without a number.
NEED_NUMBER = frozenset(
    (*budget.SUMS, *money.SUMS, person.age, health.body)
)  # fmt: skip
# Rules that read each complement of a list: "I'm 52, divorced and a vegan".
OF_COMPLEMENTS = frozenset(
    (
        person.age,
        family.relationship,
        work.occupation,
        health.diet,
        health.conditions,
        health.body,
        dwelling.origin,
        mood.moods,
    )
)
# Rules that read what one lives with: "a nurse with two cats and a bad hip".
BESIDE_ONE = frozenset((family.pets, health.conditions))
# Words without which a rule finds nothing in a sentence: most rules are passed over for most sentences.
TRIGGERS: dict[Rule, str] = {
    **notice.TRIGGERS,
    firm.closings: r"closed|ended|finished|came|wrapped",
    change.changes: change.TRIGGER,
    contact.contacts: r"\[(?:phone|email) ",
    line.profile_line: r", \d\d\b",
    person.names: r"call|nam|known as|go by|christen|bapti|spel|answer to| with |goes by|going by|I'm|I am|this is|it's|surname|[A-Z]",
    person.age_beside: r"\b(?:at|being|aged|now|as an?) (?:the age of )?[\w\-]+|,|\baged?\b",
    person.birthday: r"birth|born|turn|\bdob\b",
    dwelling.back_home: r"back",
    dwelling.home: r"liv|resid|mov|relocat|emigrat|based|settle|share|rent|home|house|flat|apartment|place|been in",
    dwelling.origin: r"from|grew up|grow|born|raised|brought up|native|hail|home|family|root|bred|childhood|upbringing",
    person.languages: r"speak|spoke|fluent|native|bilingual|conversational|language|tongue|understand|know|get by|hold|converse|speaking|decent",
    person.licence: r"licen[cs]|driving|to drive",
    family.relationship: r"single|married|engag|divorc|separat|widow|dating|relationship|seeing|newly|split|knot|hitch|question|say yes|lost my|wife|husband|wed|br[eo]ke? up|broke|marry|unmarried",
    family.family: r"\bha[vsd]|of mine|of ours|'ve|'s got|got|mother|father|mum|mom|dad|parent|rais|bring|with|only child|siblings|of us|kids|children|ones|toddlers|boys|girls|brothers",
    family.children_said: r"kids|children|toddlers|teenagers|little ones|boys|girls",
    work.experience: r"year|month|decade",
    work.practice: r"\byears\b",
    work.tools: r"us(?:e|ing)|work|rely|swear|switch|chang|migrat|play|\b(?:in|with|on|through|via) (?:an? |my )?[A-Z]",
    health.allergies: r"allerg",
    health.reactions: r"allerg|hives|rash|swell|react",
    family.alone: r"sibling|brothers|only (?:child|son|daughter)",
    goods.bought_before: r"bought|ordered|purchased|got myself",
    health.medication: r"swallow|\bpop|wean|tablet|pill|tak|took|\bon\b|prescri|given|off|start|stop|inject|need|us(?:e|ing)",
    health.diet: r"veg|halal|kosher|keto|paleo|carb|gluten|dairy|diet|plant|salt|sodium|fast|sugar|mediterranean|fodmap|carnivore|protein|nut-free|pescatar|flexitar|raw|whole30|macrobiotic|lactose",
    taste.formats: r"answer|repl|respon|explan|explain|messag|summar|write|speak|talk|format|output|keep it|\bbe\b",
    learning.halting: r"stuck|lost|confus|tripp|muddl|sink|stick|click|sense|trouble|problem|difficult|hard",
    learning.learning: r"struggl|wrestl|grappl|hard|difficult|trick|confus|tough|trouble|problem|head around|understand|grasp|figure|follow|sense|hang of|\bbad|terrible|hopeless|useless|awful|rubbish|weak|master|nail|crack|ace|comfortable|good|great|excellent|confident|solid|proficient|skilled|click|easy|breeze|beyond|over my|baffl|stump|puzzl|escape|elude|lose|trip|know|get|got|under control|second nature|piece of cake",
    education.studying: r"stud|learn|major|read|degree|course|class|lesson|taught|teach|school|colleg|universit|academy|ph\.?d|doctor|master|bachelor|diploma|grade|year|form|kindergarten|nursery|sophomore|freshman|junior|senior|attend|enrol|graduat|alum|finish|left|leave|drop|quit|into|gcse|-level|\bm[bs]?[ac]\b|\bb[as]c?\b|\bat\b|\bgo(?:es)? to",
    education.subjects: r"major|minor|degree|subject|course|study|alma|qualification|education",
    scores.scores: r"\d|grade|result|score|mark|exam|distinction|merit|\bg[oe]t\b|average|\ba [A-F]\b|\ban [AEF]\b",
    goods.belongings: r"own|ha[sv]|'ve|got|driv|rid|keep|s[eo]l[dl]|bought|buy|order|purchas|pick|treat|belong|mine|g[ia]ve|scrap|donat|play|possess|trad|splurg|get",
    level.mastery: r"beginner|novice|newbie|basic|elementary|intermediate|advanced|expert|proficient|rudimentary|rusty|%|per ?cent",
    papers.certificates: r"certif|accredit|licensed|qualified",
    papers.employment: r"-time|part time|full time|self|freelanc|contract|temp|permanent|casual|seasonal",
    papers.payments: r"\bpa(?:id|y)|settle|unpaid|outstanding|overdue|pending|refund|declin",
    papers.files: r"\.\w{2,5}\b|dated|created|modified|updated|edited|saved|revised|written|changed|from",
    route.route: r"\bfrom [A-Z]|fly|depart|leave|arriv|land|into|sail",
    route.seat: r"class|economy|business|coach|first",
    complaint.laments: r"\bwhy\b|lost|bro[k]e|damaged|ruined|forgot|cancel|messed|misplaced|overcharged|ignored|delayed|wrong",
    habit.customs: r"habit|tend|up|since|\bfor\b|\bin\b",
    goods.attitudes: r"risk|conservativ|aggressiv|cautious|moderate|balanced|defensive|adventurous|invest|safe|careful|tolerance",
    goods.investing: r"sell|sold|trad|dabbl|cash|dump|invest|put|sit|hold|own|buy|bought|have|risk|conservativ|aggressiv|cautious|moderate|balanced|defensive|money|savings|portfolio|pension",
    turned.effects: r"\b(?:me|my)\b|old\b|spot\b",
    turned.own_things: r"\b(?:my|our) ",
    turned.tastes_told: r"live|eat|resist|tire|bored|without|enough|no to|about|dev|wild|nuts|bonk|potty|taken|smit|passion|soft|thing|weak|swear|rave|relish|treas|cher|wors|sav|dig|no |aver|off|recoil|steer|stay|berth|dread|resent|do |warm|take to|see the|much|fond|keen|into|big|crazy|get|time|patience|love|interest|go |be one",
    turned.commanded: r"sleep|eyes|blind|backw|heart|hand|inside|front|pocket|at home|versed|fluent|adept|top|confid|natural|dab|old|whiz|\bpro\b|pat|belt|fine|nail|figured|suss|licked|crack|master|conquer|hang",
    forms.verbless_forms: r"please|throughout|everywhere|always|only|from|default|future|every|times|if|in |,",
    forms.requested_forms: r"stick|use|give|keep|go |prefer|want|like|need|incl|add|write|answer|repl|resp|expl|put|format|show|send|present|leave|skip|drop|avoid|ditch|spare|cut|stop|n't|not|never|lose|easy|enough|less|fewer|\bno\b|without|omit|hold|be |make|shorter|longer|simpler|briefer|plainer|formal|concise",
    _RETRACTED: r"never|n't|not |true|right|joking|kidding|lying|wrong|take back|scratch|strike|ignore|disregard|forget|mind|drop|withdraw|cancel|undo|the (?:thing|bit|part|idea|story) about",
    complaint.grievances: r"\b(?:the|your|my|this|that|these|those|our|no sign|let down|impress|whelm|appalled|patience|had it|done with|gripe)\b",
    trip.bookings: r"book|reserv|confirm|ticket|cancel|sorted|arranged|secured|locked|in the bag|care of|held",
    plan.deadlines: r"due|expire|run out|close|end|deadline|cut-?off|have to|has to|need|must|until|submit|hand",
    plan.absence: r"leave|holiday|vacation|away|off|out of|unavailable|available|around|unreachable|offline|abroad|busy|disturb|schedule|meetings|book|plan|call|contact",
}
