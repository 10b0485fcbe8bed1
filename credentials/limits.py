"""Named limits with their units; each answers a denial-of-service or privacy row of the threat table."""

from __future__ import annotations

from typing import Final

# Sizes. RFC 8725 3.6 and SD-JWT VC ask for bounds on size and time.
MAX_TOKEN_BYTES: Final = 65_536  # one compact token with all disclosures and key binding
MAX_HEADER_BYTES: Final = 4_096  # decoded JOSE header
MAX_DOCUMENT_BYTES: Final = 65_536  # a JSON credential or presentation (Data Integrity)
MAX_DID_BYTES: Final = 8_192  # a DID; did:jwk carries a whole key
MAX_DID_DOCUMENT_BYTES: Final = 65_536
MAX_METADATA_BYTES: Final = 65_536  # issuer metadata, key sets
MAX_WEBVH_LOG_BYTES: Final = 524_288
MAX_WEBVH_ENTRIES: Final = 1_000
MAX_WITNESSES: Final = 32
MAX_STATUS_TOKEN_BYTES: Final = 1_048_576
MAX_STATUS_LIST_BYTES: Final = 2_097_152  # inflated: 16 Mi entries of one bit
MAX_ENVELOPE_BYTES: Final = 1_048_576
MAX_CONSENT_BYTES: Final = 32_768
MAX_WALLET_MESSAGE_BYTES: Final = 16_384

# Counts.
MAX_DISCLOSURES: Final = 256
MAX_DIGESTS: Final = 4_096  # digests in payload and disclosures together
MAX_JSON_DEPTH: Final = 16  # nested objects and arrays
MAX_SIGNATURES: Final = 8  # of one SD-JWT in its general JSON form
MAX_CREDENTIALS: Final = 16  # credentials in one presentation
MAX_VERIFICATION_METHODS: Final = 64  # in one DID document or key set
MAX_KID_CHARS: Final = 8_400  # a did:jwk URL with fragment

# Random values.
SALT_BYTES: Final = 18  # 144 bits, over the 128 of RFC 9901 9.3: whole base64 groups of 24 letters
MIN_NONCE_CHARS: Final = 8

# Time.
LEEWAY_SECONDS: Final = 30  # one leeway for exp, nbf and iat everywhere
KEY_BINDING_MAX_AGE_SECONDS: Final = 300

# Privacy of status lists: Bitstring Status List 1.0 section 3.1 (16 kB minimum).
MIN_STATUS_ENTRIES: Final = 131_072
