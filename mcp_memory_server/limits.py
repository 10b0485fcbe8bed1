"""Every limit of the memory server, by name and with its unit. The contract fixes most of them."""

STATEMENT_CHARS = 2_000  # characters of one statement
SAID_CHARS = 20_000  # characters of `said`
QUERY_CHARS = 2_000  # characters of a recall query
NAME_CHARS = 200  # characters of names, sessions, origins and other short texts
REASON_CHARS = 500  # characters of a reason given with forget
STATEMENTS = 50  # statements in one remember

RECALL_LIMIT_DEFAULT = 8  # memories
RECALL_LIMIT_MAX = 100  # memories
LIST_LIMIT_DEFAULT = 20  # memories
LIST_LIMIT_MAX = 100  # memories
MAX_CHARS_DEFAULT = 8_000  # characters of a result's JSON
MAX_CHARS_MIN = 200  # characters
MAX_CHARS_MAX = 200_000  # characters
EXCERPT_CHARS = 1_200  # characters of a long text shown around the best match (brief form)

PROFILE_FACTS = 50  # facts in a profile
PROFILE_WAKE_UP_FACTS = 20  # strongest facts shown at the start of a conversation
PROFILE_WAKE_UP_CONFIDENCE = 0.8  # confidence that such a fact has to exceed

UNVERIFIED_CONFIDENCE = 0.6  # highest confidence of what only the calling model asserts
GROUNDED_CONFIDENCE = 0.95  # confidence of a statement supported by the user's own words
RULE_CONFIDENCE = 0.95  # confidence of a fact that a rule found in the user's own words
SUPPORT_OLD_WEIGHT = 0.3  # weight of the old confidence when a fact is restated
SUPPORT_NEW_WEIGHT = 0.7  # weight of the new confidence when a fact is restated

CONFIRM_SECONDS = 600  # life of a forget confirmation
FORGET_PREVIEW = 20  # memories shown in a preview
FORGET_MAX = 10_000  # memories that one confirmed forget may reach

CANDIDATES = 100  # hits asked of each index for one recall
GRAPH_HOPS = 2  # hops from the entities named
GRAPH_NEIGHBOURS = 40  # facts reached through the graph in one recall
EMBED_PART_CHARS = 1_000  # characters of one part of a long text; each part has its vector
EMBED_PART_OVERLAP = 100  # characters that neighbouring parts share

MODEL_WAIT_SECONDS = 3.0  # how long a question waits for a model that is being loaded
BUSY_SECONDS = 10.0  # how long a writer waits for another process
OUTBOX_BATCH = 32  # rows taken from the outbox at a time

RECALL_SECONDS = 86_400  # how long feedback can name a recall
RECALLS_KEPT = 200  # recalls of a user that feedback can name
RECALLS_WAITING = 500  # recalls of all users that wait to be written in one process
RECALLS_LOOKED_AT = 20  # newest recalls that a "not what I meant" is looked for in
REJECTION_SECONDS = 600  # how long after a recall "not what I meant" is about it
FEEDBACK_MEMORIES = 100  # memories in one list of give_feedback

SUMMARY_KEYWORDS = 3  # keywords of an event or a session
SUMMARY_CHARS = 50  # characters of an event's own words in its summary
RENDERED_CHARS = 500  # characters of what a template makes
RESULT_CHARS = 2_000  # characters of a result that comes back for a trigger
DELIVERY_BYTES = 16_384  # bytes read of what a webhook answers or a command prints
DELIVERY_ATTEMPTS = 20  # tries before a delivery is given up: about 13 hours
WEBHOOK_SECONDS = 10.0  # for one delivery to a webhook
COMMAND_SECONDS = 30.0  # for one run of a command
