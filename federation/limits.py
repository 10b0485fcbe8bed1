"""Every limit of the gateway, by name and with its unit."""

from __future__ import annotations

from typing import Final

from credentials.limits import LEEWAY_SECONDS as LEEWAY_SECONDS  # one leeway for all clocks

# What is fetched.
FETCH_BYTES: Final = 65_536  # bytes of a document that is fetched, unless the caller says otherwise
FETCH_SECONDS: Final = 10.0  # for one fetch from the name to the last byte
CONNECT_SECONDS: Final = 3.0  # for one connection with its handshake
ADDRESSES_TRIED: Final = 4  # addresses of one name that are tried
URL_CHARS: Final = 2_048  # characters of an address
RESPONSE_HEADERS: Final = 100  # header fields of an answer

# Signed requests (RFC 9421).
SIGNATURE_SECONDS: Final = 60  # life of a signature, and how old one may be
SIGNATURE_FIELD_CHARS: Final = 4_096  # characters of Signature-Input and of Signature
SIGNATURES: Final = 4  # signatures of one message
COMPONENTS: Final = 32  # covered components of one signature
NONCE_CHARS_MIN: Final = 16  # characters of a nonce: 96 bits in base64url
NONCE_CHARS_MAX: Final = 128  # characters of a nonce
NONCE_BYTES: Final = 18  # random bytes of our own nonces
DIGEST_FIELD_CHARS: Final = 512  # characters of Content-Digest

# Replay memory.
REPLAY_ENTRIES: Final = 100_000  # nonces that one process remembers in memory
REPLAY_SWEEP: Final = 256  # uses between two sweeps of what has expired

# Documents of others.
DID_CACHE_ENTRIES: Final = 1_024  # documents kept in memory
DID_CACHE_SECONDS: Final = 300.0  # how long a document is used before it is fetched again
DID_REFRESH_SECONDS: Final = 30.0  # least time between two fetches of one document
DID_FAILURE_SECONDS: Final = 5.0  # how long a document that could not be had is not asked for again

# Peers and pairing.
NAME_CHARS: Final = 80  # characters of a peer's name
PEER_LIST: Final = 64  # types, purposes or tenants of one peer
INVITATION_SECONDS: Final = 600  # life of an invitation
INVITATION_BYTES: Final = 16  # random bytes of an invitation's id
INVITATIONS_OPEN: Final = 16  # open pairings of one agent
PAIRING_NONCE_BYTES: Final = 32
PAIRING_CODE_DIGITS: Final = 6  # of the code that two people compare: one chance in a million
PAIRING_BODY_BYTES: Final = 4_096  # bytes of a pairing message

# Messages between agents.
MESSAGE_BYTES: Final = 147_456  # bytes of one message: two tokens of 64 kB and what stands around them
MESSAGE_SECONDS: Final = 10.0  # how long the body of a message may take to arrive
MESSAGE_ID_CHARS: Final = 64  # characters of a message's id
CREDENTIAL_ID_CHARS: Final = 256  # characters of a credential's id
SEQUENCE_MAX: Final = 2**53 - 1  # highest sequence number: integers beyond are not the same in all JSON readers
INBOX_AT_WORK: Final = 32  # messages of peers that one process checks at the same time
INBOX_AT_WORK_PEER: Final = 8  # of these, messages of one peer
PAIRINGS_AT_WORK: Final = 4  # answers to invitations that one process checks at the same time

# Delivery.
OUTBOX_BATCH: Final = 16  # messages taken from the outbox at a time
COURIER_SECONDS: Final = 0.2  # between two looks at the outbox: others may write to it from other processes
SWEEP_SECONDS: Final = 3_600.0  # between two sweeps of ids that no sender will repeat
LEASE_SECONDS: Final = 60.0  # how long a message belongs to the process that took it
FIRST_RETRY_SECONDS: Final = 1.0  # before the second try; doubled each time
LONGEST_RETRY_SECONDS: Final = 300.0  # at most between two tries
DELIVERY_DAYS: Final = 30  # days after which a message is given up: the longest life of a credential

# Caching of what is published.
METADATA_SECONDS: Final = 300  # how long others may keep our documents

STORE_SECONDS: Final = 10.0  # how long a writer waits for another process
