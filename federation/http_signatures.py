"""Signed requests between agents: HTTP Message Signatures (RFC 9421) over a Content-Digest (RFC 9530).

The key is named by a DID URL and decides the algorithm. A verification is one numbered list, in two halves:
``read`` is cheap and needs neither body nor key, so that a gateway can turn strangers away after it;
``check`` does the rest. A signature says who spoke, never whether to listen: see ``peers``.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from credentials.algorithms import KeyType
from credentials.did.document import AUTHENTICATION, did_of
from credentials.encoding import b64url_encode
from credentials.errors import CredentialError
from credentials.keys import PublicKey
from credentials.ports import Resolver, Rng, Signer
from federation import content_digest
from federation.errors import ConfigurationError, ReplayError, SignatureError
from federation.limits import LEEWAY_SECONDS, NONCE_BYTES, NONCE_CHARS_MAX, NONCE_CHARS_MIN, SIGNATURE_SECONDS
from federation.ports import ReplayCache
from federation.signature_base import (
    Message,
    RawSignature,
    parse_signatures,
    signature_base,
    signature_parameters,
)

TAG: Final = "memory-federation"
_LABEL: Final = "sig1"
# RFC 9421 section 6.2.2; the names of the registry, by the type of the key.
_ALGORITHMS: Final = {KeyType.ED25519: "ed25519", KeyType.P256: "ecdsa-p256-sha256"}
_TYPES: Final[dict[str, type]] = {
    "created": int, "expires": int, "nonce": str, "alg": str, "keyid": str, "tag": str,
}  # fmt: skip
_BODY: Final = ("content-digest",)
_ALWAYS: Final = ("@method", "@target-uri")


@dataclass(frozen=True, slots=True)
class Profile:
    """What a use of signatures requires beyond the standard.

    ``components`` have to be covered besides ``@method``, ``@target-uri``, the digest of a body, and
    ``authorization`` where there is one. ``parameters`` have to be there. ``tag`` picks the signature; with
    None there has to be exactly one. ``max_age`` and ``leeway`` in seconds.
    """

    tag: str | None = TAG
    components: tuple[str, ...] = ("content-type",)
    parameters: frozenset[str] = frozenset({"created", "expires", "keyid", "nonce", "tag"})
    max_age: int = SIGNATURE_SECONDS
    leeway: int = LEEWAY_SECONDS

    def __post_init__(self) -> None:
        if not {"created", "keyid"} <= self.parameters <= _TYPES.keys():
            raise ConfigurationError("config_invalid", "created and keyid are always required")
        if self.max_age <= 0 or self.leeway < 0:
            raise ConfigurationError("config_invalid", "times must not be negative")


AGENT_TO_AGENT: Final = Profile()


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a request says of itself before its key is known: nothing of it is believed."""

    keyid: str
    did: str
    nonce: str | None
    until: int  # seconds since the epoch from which on the signature is refused by its times
    raw: RawSignature


def read(message: Message, profile: Profile, *, now: float) -> Claimed:
    """The first half of a verification: everything that needs neither body nor key.

    Raises SignatureError.
    """
    # (1) The two fields are well formed, bounded, and name the same signatures.
    signatures = parse_signatures(message)
    # (2) Exactly one signature is for this use.
    raw = _chosen(signatures, profile.tag)
    # (3) Its parameters are known, of the right type, and all that are required are there.
    parameters = _parameters(raw, profile)
    # (4) It covers what it has to; repeated, unknown and absent components are refused with the base, in (9).
    _covers(message, raw.names, profile)
    # (5) It is valid now, and was not made to be valid for longer than is accepted.
    until = _window(parameters, profile, now)
    # (6) The key is named by a DID URL.
    keyid = str(parameters["keyid"])
    did = did_of(keyid)
    if not did.startswith("did:") or "#" not in keyid:
        raise SignatureError("signature_key", "the key is not named by a DID URL")
    return Claimed(keyid, did, parameters.get("nonce"), until, raw)


def check(message: Message, claimed: Claimed, key: PublicKey) -> None:
    """The second half: the body and the signature. ``key`` is the one that the owner lists for authentication.

    Raises SignatureError.
    """
    # (7) The body is the one whose digest was signed; by (4) a digest that is there is covered.
    digest = message.value(content_digest.FIELD)
    if digest is None:
        if message.body:
            raise SignatureError("digest_missing")
    else:
        content_digest.check_digest(digest, message.body)
    # (8) The algorithm, where it is named, belongs to the key; the key decides.
    algorithm = _ALGORITHMS.get(key.key_type)
    if algorithm is None or claimed.raw.parameters.get("alg", algorithm) != algorithm:
        raise SignatureError("signature_algorithm")
    # (9) The signature holds over the base made of the message as it came.
    base = signature_base(message, claimed.raw.names, claimed.raw.text)
    if not key.verify(base, claimed.raw.signature):
        raise SignatureError("signature_invalid")


def use_once(claimed: Claimed, audience: str, replay: ReplayCache) -> None:
    """The end: (10) the nonce of this signer is new for this audience; made after (9), so nobody burns another's.

    Raises ReplayError (``replayed``, ``replay_full``), SignatureError when there is no nonce.
    """
    if claimed.nonce is None:
        raise SignatureError("signature_parameter", "nonce is missing")
    if not replay.first_use(f"http {claimed.did} {audience}", claimed.nonce, claimed.until):
        raise ReplayError("replayed")


def authentication_key(claimed: Claimed, resolver: Resolver) -> PublicKey:
    """The key that the signer's own document lists for authentication (DID 1.0 section 5.3.1).

    Raises SignatureError (``signature_key``).
    """
    try:
        return resolver.document(claimed.did).key(claimed.keyid, AUTHENTICATION)
    except CredentialError as error:
        raise SignatureError("signature_key", error.code) from error


def verify(
    message: Message,
    profile: Profile,
    resolver: Resolver,
    *,
    now: float,
    audience: str | None = None,
    replay: ReplayCache | None = None,
) -> Claimed:
    """All ten steps at once, for a signer whose document is at hand; without ``replay`` all but the last.

    Raises SignatureError, ReplayError.
    """
    claimed = read(message, profile, now=now)
    check(message, claimed, authentication_key(claimed, resolver))
    if replay is not None:
        use_once(claimed, audience or message.target_uri, replay)
    return claimed


def _chosen(signatures: list[RawSignature], tag: str | None) -> RawSignature:
    found = [one for one in signatures if tag is None or one.parameters.get("tag") == tag]
    if not found:
        raise SignatureError("signature_missing")
    if len(found) > 1:
        raise SignatureError("signature_ambiguous")
    return found[0]


def _parameters(raw: RawSignature, profile: Profile) -> dict[str, Any]:
    for name, value in raw.parameters.items():
        kind = _TYPES.get(name)
        # Exact types: a boolean is an int, and a token is not the text that looks like it.
        if kind is None or type(value) is not kind:
            raise SignatureError("signature_parameter", f"{name[:32]} is unknown or of the wrong type")
    for name in sorted(profile.parameters):
        if name not in raw.parameters:
            raise SignatureError("signature_parameter", f"{name} is missing")
    nonce = raw.parameters.get("nonce")
    if nonce is not None and not NONCE_CHARS_MIN <= len(nonce) <= NONCE_CHARS_MAX:
        raise SignatureError("signature_parameter", f"a nonce has {NONCE_CHARS_MIN} to {NONCE_CHARS_MAX} characters")
    return raw.parameters


def _covers(message: Message, names: Sequence[str], profile: Profile) -> None:
    required = [*_ALWAYS, *profile.components]
    if message.value(content_digest.FIELD) is not None:
        required.append(content_digest.FIELD)
    if message.value("authorization") is not None:
        required.append("authorization")
    missing = [name for name in required if name not in names]
    if missing:
        raise SignatureError("signature_coverage", f"not covered: {', '.join(missing)}")
    if len(set(names)) != len(names):
        raise SignatureError("signature_component", "a component is there twice")


def _window(parameters: dict[str, Any], profile: Profile, now: float) -> int:
    created: int = parameters["created"]
    expires: int = parameters.get("expires", created + profile.max_age)
    if created > now + profile.leeway:
        raise SignatureError("signature_time", "made in the future")
    if not 0 < expires - created <= profile.max_age:
        raise SignatureError("signature_time", f"made for more than {profile.max_age} seconds, or for none")
    if now >= expires + profile.leeway:
        raise SignatureError("signature_time", "expired")
    return expires + profile.leeway


def sign(
    message: Message,
    signer: Signer,
    *,
    now: float,
    rng: Rng,
    components: Sequence[str] = ("content-type",),
    tag: str = TAG,
    seconds: int = SIGNATURE_SECONDS,
) -> dict[str, str]:
    """The fields to add to a request: Content-Digest (where there is a body), Signature-Input, Signature.

    ``components`` are covered besides ``@method``, ``@target-uri`` and the digest; ``signer`` names its key by a
    DID URL. Raises ConfigurationError for a key that cannot sign messages.
    """
    algorithm = _ALGORITHMS.get(signer.public.key_type)
    if signer.kid is None or algorithm is None:
        raise ConfigurationError("config_invalid", "messages are signed by an Ed25519 or P-256 key with a DID URL")
    added: dict[str, str] = {}
    names = list(_ALWAYS)
    if message.body:
        added["Content-Digest"] = content_digest.content_digest(message.body)
        names += _BODY
    names += [name for name in components if name not in names]
    parameters: dict[str, int | str] = {
        "created": int(now),
        "expires": int(now) + seconds,
        "nonce": b64url_encode(rng(NONCE_BYTES)),
        "alg": algorithm,
        "keyid": signer.kid,
        "tag": tag,
    }
    text = signature_parameters(names, parameters)
    signed = Message(message.method, message.target_uri, [*message.fields, *added.items()], message.body)
    signature = signer.sign(signature_base(signed, names, text))
    added["Signature-Input"] = f"{_LABEL}={text}"
    # A byte sequence of RFC 9651 section 3.3.5 is plain base64 between colons.
    added["Signature"] = f"{_LABEL}=:{base64.b64encode(signature).decode('ascii')}:"
    return added
