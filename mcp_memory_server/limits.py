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
