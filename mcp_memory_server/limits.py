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
REFINER_CONFIDENCE = 0.8  # confidence of a fact that a refiner read in the user's own words
OWN_WORDS_WIN = 0.9  # confidence of the user's own words from which they win over what was stated for the user
SUPPORT_OLD_WEIGHT = 0.3  # weight of the old confidence when a fact is restated
SUPPORT_NEW_WEIGHT = 0.7  # weight of the new confidence when a fact is restated

FADED_STRENGTH = 0.1  # strength at which moods, events and utterances go to the archive
GONE_STRENGTH = 0.05  # strength at which a fact goes to the archive
GONE_DAYS = 90  # days without support before which no fact does
UNREAD_DAYS = 183  # days without being read or repeated after which strength is halved
READ_NOTED_DAYS = 7  # days within which another reading is not noted
IDLE_TALK_DAYS = 30  # days after which greetings and small talk are archived
EVENTS_PER_USER = 200  # events that stand; the newest ones
NOISE_TIMES, NOISE_DAYS = 5, 7  # occurrences of an event within so many days make it noise
NOISE_WEIGHT = 0.3  # by so much the score of such an event is lower
MERGED_EVENTS = 3  # events alike within NOISE_DAYS become one
MERGED_SHARE = 0.6  # of the words of the longer one that the shorter of two events alike has
PROMOTION_MENTIONS = 3  # mentions by the user that a promotion takes
STALE_QUESTIONS = 5  # facts long unused that the user is asked about at a time
ARCHIVE_SEARCHED = 2_000  # newest archived memories that a question about the past looks through

WORKING_ITEMS = 50  # memories in a session's working memory
WORKING_VERSIONS = 20  # older versions of it that are kept
WORKING_TEXT_CHARS = 500  # characters of an assistant's text above which it is shown as a reference
SESSION_IDLE_HOURS = 12  # hours without a word after which a session has ended

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
OUTBOX_ATTEMPTS = 6  # failures of a row alone, while its back end takes others, after which it is set aside
WAITING_SEARCHED = 1_000  # newest memories not yet in the text index that one question looks through

REFINER_SHARE = 0.3  # share of an utterance that rules cover, below which a refiner is asked (the default)
REFINER_SECONDS = 10.0  # how long one answer of a refiner is waited for (the default)
REFINER_CHARS = 2_000  # characters of an utterance that a refiner is asked about; a longer one is left to the rules
REFINER_FACTS = 10  # facts that one answer may propose
REFINER_TOKENS = 1_024  # tokens that one answer may have
REFINER_ANSWER_BYTES = 65_536  # bytes of one answer
REFINER_VALUE_CHARS = 80  # characters of the object of a proposed fact
REFINER_PARALLEL = 2  # questions to a refiner at the same time in one process
REFINER_FAILURES = 3  # failures in a row after which a refiner is left alone
REFINER_PAUSE_SECONDS = 60.0  # how long it is left alone
RECALL_SECONDS = 86_400  # how long feedback can name a recall
RECALLS_KEPT = 200  # recalls of a user that feedback can name
RECALLS_WAITING = 500  # recalls of all users that wait to be written in one process
RECALLS_LOOKED_AT = 20  # newest recalls that a "not what I meant" is looked for in
REJECTION_SECONDS = 600  # how long after a recall "not what I meant" is about it
FEEDBACK_MEMORIES = 100  # memories in one list of give_feedback

TRIGGERS = 50  # triggers of an installation
SUMMARY_KEYWORDS = 3  # keywords of an event or a session
SUMMARY_CHARS = 50  # characters of an event's own words in its summary
RENDERED_CHARS = 500  # characters of what a template makes
RESULT_CHARS = 2_000  # characters of a result that comes back for a trigger
DELIVERY_BYTES = 16_384  # bytes read of what a webhook answers or a command prints
DELIVERY_ATTEMPTS = 20  # tries before a delivery is given up: about 13 hours
WEBHOOK_SECONDS = 10.0  # for one delivery to a webhook
COMMAND_SECONDS = 30.0  # for one run of a command

HTTP_BODY_BYTES = 1_048_576  # bytes of one request's body
HTTP_BODY_SECONDS = 30.0  # how long a body may take to arrive
HTTP_CALLS = 64  # calls of the HTTP API that one process has at work or waiting at the same time
HTTP_EXPORTS = 2  # exports that one process writes at the same time
HTTP_EXPORT_STALL_SECONDS = 30.0  # how long the reader of an export may take for one part
HTTP_EXPORT_SECONDS = 900.0  # how long an export may take in all: it holds a snapshot, which an erasure waits for
HTTP_EXPORT_PART_BYTES = 65_536  # bytes of one such part
HTTP_LOOK_SECONDS = 1.0  # how long one look at the back ends serves readiness and metrics
