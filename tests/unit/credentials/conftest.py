"""A small world for credential tests: fixed time, seeded randomness, an issuer, a holder, a verifier."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from credentials import jws, memory_claim
from credentials.algorithms import KeyType
from credentials.consent_credential import consent_vct, issue_consent
from credentials.consent_record import ConsentTerms, build, transition
from credentials.consent_terms import ConsentState
from credentials.data_integrity.contexts import VCDM2
from credentials.data_integrity.proof import create_proof
from credentials.did.local import did_jwk, did_key, did_key_url
from credentials.encoding import b64url_encode, json_encode
from credentials.errors import CredentialError
from credentials.keys import PrivateKey
from credentials.policy import StatusPolicy, VerificationPolicy
from credentials.result import Verification
from credentials.schemas import TypeRegistry
from credentials.sd_jwt import KeyBindingRequest, issue, present
from credentials.sd_jwt.disclosure import digest
from credentials.sd_jwt.key_binding import KeyBindingPolicy
from credentials.status.bits import StatusList
from credentials.trust import TrustList
from credentials.vault import LocalSigner
from credentials.verify import verify

NOW = 1_790_000_000
ORIGIN = "https://memory.example"
AUDIENCE = "https://verifier.example"
NONCE = "nonce-0123456789"
STATUS_URI = "https://memory.example/status/1"
VECTORS = Path(__file__).resolve().parents[2] / "vectors"


class Random:
    """The same bytes in every run: SHA-256 over a counter."""

    def __init__(self, seed: str) -> None:
        self.seed, self.counter = seed, 0

    def __call__(self, count: int) -> bytes:
        out = b""
        while len(out) < count:
            out += hashlib.sha256(f"{self.seed}/{self.counter}".encode()).digest()
            self.counter += 1
        return out[:count]


class Replays:
    """A replay memory as a verifier keeps it."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str], int] = {}

    def first_use(self, audience: str, nonce: str, until: int) -> bool:
        fresh = (audience, nonce) not in self.seen
        self.seen[audience, nonce] = until
        return fresh


class World:
    now = NOW
    origin = ORIGIN
    audience = AUDIENCE
    nonce = NONCE
    status_uri = STATUS_URI
    vectors = VECTORS

    def __init__(self) -> None:
        self.rng = Random("world")
        self.issuer_key = PrivateKey.generate(rng=Random("issuer"))
        self.issuer = did_jwk(self.issuer_key.public)
        self.issuer_signer = LocalSigner(self.issuer_key, f"{self.issuer}#0")
        self.ed_key = PrivateKey.generate(KeyType.ED25519, rng=Random("ed"))
        self.ed_issuer = did_key(self.ed_key.public)
        self.ed_signer = LocalSigner(self.ed_key, did_key_url(self.ed_key.public))
        self.holder_key = PrivateKey.generate(rng=Random("holder"))
        self.holder_signer = LocalSigner(self.holder_key)
        self.user_key = PrivateKey.generate(rng=Random("user"))
        self.user = did_jwk(self.user_key.public)
        self.user_signer = LocalSigner(self.user_key, f"{self.user}#0")
        self.other_key = PrivateKey.generate(rng=Random("other"))
        self.vct = memory_claim.memory_vct(ORIGIN)
        self.consent_vct = consent_vct(ORIGIN)
        self.grantee = "did:web:agent.example"
        # Compiled once: checking a schema takes longer than verifying forty credentials.
        self.registry = TypeRegistry({self.vct: memory_claim.memory_schema(self.vct)})
        self.memory = memory_claim.MemoryClaim(
            predicate="budget_max",
            object={"type": "money", "value": "600", "unit": "CNY"},
            statement="My budget for a train ticket is at most 600 yuan.",
            category="travel",
            confidence=0.95,
            valid_from="2026-11",
            recorded_at="2026-11-30T09:00:00Z",
            provenance={"source": "user", "grounding": "grounded", "quote": "at most 600 yuan"},
        )

    # --- issuing ---------------------------------------------------------------------------------
    def issue(self, *, signer: LocalSigner | None = None, **change: Any) -> str:
        options: dict[str, Any] = {
            "vct": self.vct,
            "issuer": self.issuer,
            "subject": self.user,
            "holder": self.holder_key.public,
            "issued_at": NOW,
            "life": 3_600,
            "rng": self.rng,
        }
        return memory_claim.issue_memory(self.memory, signer or self.issuer_signer, **(options | change))

    def claims(self, **change: Any) -> dict[str, Any]:
        base: dict[str, Any] = {
            "iss": self.issuer,
            "iat": NOW,
            "exp": NOW + 3_600,
            "vct": self.vct,
            "sub": self.user,
            "cnf": {"jwk": self.holder_key.public.to_jwk()},
        }
        return {name: value for name, value in (base | change).items() if value is not ...}

    def sd(self, claims: Mapping[str, Any], hidden: Iterable[Any] = (), **options: Any) -> str:
        return issue(dict(claims), hidden, self.issuer_signer, rng=self.rng, **options)

    def disclosure(self, *content: Any) -> tuple[str, str]:
        """An encoded disclosure and its digest, of any content whatever the rules say."""
        encoded = b64url_encode(json.dumps(list(content)).encode())
        return encoded, digest(encoded)

    def forge(
        self,
        payload: Mapping[str, Any],
        disclosures: Iterable[str] = (),
        header: Mapping[str, Any] | None = None,
    ) -> str:
        """A token whose signature is right and whose content is whatever the test wants."""
        full = {"alg": "ES256", "typ": "dc+sd-jwt", "kid": self.issuer_signer.kid, **(header or {})}
        full = {name: value for name, value in full.items() if value is not ...}
        token = jws.sign_bytes(full, json_encode(dict(payload)), self.issuer_signer)
        return "~".join((token, *disclosures, ""))

    def jwt(self, payload: bytes, header: Mapping[str, Any], key: PrivateKey | None = None) -> str:
        return jws.sign_bytes(dict(header), payload, LocalSigner(key or self.issuer_key))

    # --- presenting ------------------------------------------------------------------------------
    def present(
        self, token: str | None = None, reveal: Iterable[Any] = (("memory", "statement"),), **change: Any
    ) -> str:
        request = {"audience": AUDIENCE, "nonce": NONCE, "issued_at": NOW} | change
        signer = request.pop("signer", self.holder_signer)
        return present(token or self.issue(), reveal, signer=signer, request=KeyBindingRequest(**request))

    def with_kb(self, token: str, kb: Mapping[str, Any], header: Mapping[str, Any] | None = None) -> str:
        """Attach a key binding of any content to a token that ends in a tilde."""
        full = {"alg": "ES256", "typ": "kb+jwt"} | dict(header or {})
        claims = {"iat": NOW, "aud": AUDIENCE, "nonce": NONCE, "sd_hash": digest(token)} | dict(kb)
        claims = {name: value for name, value in claims.items() if value is not ...}
        return token + jws.sign_bytes(full, json_encode(claims), self.holder_signer)

    # --- VCDM ------------------------------------------------------------------------------------
    def credential(self, **change: Any) -> dict[str, Any]:
        base: dict[str, Any] = {
            "@context": [VCDM2],
            "id": "urn:uuid:4b1f9f2e-5b1a-4bde-8a39-24b0c5a3f111",
            "type": ["VerifiableCredential", "MemoryCredential"],
            "issuer": self.ed_issuer,
            "validFrom": "2026-01-01T00:00:00Z",
            "validUntil": "2027-01-01T00:00:00Z",
            "credentialSubject": {"id": self.user, "memory": {"statement": "I like tea."}},
        }
        return {name: value for name, value in (base | change).items() if value is not ...}

    def prove(self, document: Mapping[str, Any], **change: Any) -> dict[str, Any]:
        options: dict[str, Any] = {
            "verification_method": self.ed_signer.kid,
            "purpose": "assertionMethod",
            "created": NOW,
        } | change
        signer = options.pop("signer", self.ed_signer)
        return {**document, "proof": create_proof(document, signer, **options)}

    def secured(self, **change: Any) -> str:
        return json.dumps(self.prove(self.credential(**change)))

    # --- verifying -------------------------------------------------------------------------------
    @property
    def binding(self) -> KeyBindingPolicy:
        return KeyBindingPolicy(AUDIENCE, NONCE)

    def policy(self, **change: Any) -> VerificationPolicy:
        base = VerificationPolicy(
            issuers=TrustList(
                {self.issuer: [self.vct, "MemoryCredential"], self.ed_issuer: [self.vct, "MemoryCredential"]}
            ),
            types=self.registry,
        )
        return replace(base, **change)

    def verify(self, data: str | bytes, *, now: float = NOW, **change: Any) -> Verification:
        return verify(data, self.policy(**change), now=now)

    def verify_vc(self, data: str | bytes, *, now: float = NOW, **change: Any) -> Verification:
        """Verify a VCDM document, for which no schema is registered."""
        return verify(data, self.policy(types=None, **change), now=now)

    def listing(self, data: bytes = bytes(16_384), **change: Any) -> StatusList:
        options: dict[str, Any] = {
            "uri": STATUS_URI,
            "issuer": self.issuer,
            "data": data,
            "bits": 1,
            "msb_first": False,
            "fetched_at": NOW,
            "ttl": 300,
            "expires": NOW + 86_400,
        }
        return StatusList(**(options | change))

    def status(self, listing: StatusList | None, **change: Any) -> StatusPolicy:
        return StatusPolicy(lookup=lambda uri: listing, **change)

    # --- consent ---------------------------------------------------------------------------------
    def terms(self, **change: Any) -> ConsentTerms:
        base = ConsentTerms(
            record_id="urn:uuid:0b0ad7c2-5a1c-4f36-9d1d-0c7f1f4f6a10",
            subject=self.user,
            grantee=self.grantee,
            sources=[self.issuer],
            vct=self.vct,
            claims=[["memory", "statement"], ["memory", "object"]],
            purpose="dpv:ServicePersonalisation",
            not_before=NOW - 60,
            not_after=NOW + 86_400,
            notice_sha256=b64url_encode(hashlib.sha256(b"notice").digest()),
            notice_language="en",
            jurisdiction="CN",
            withdrawal_method=f"{ORIGIN}/consents",
        )
        return replace(base, **change)

    def record(self, **change: Any) -> dict[str, Any]:
        return transition(
            build(self.terms(**change)), ConsentState.GIVEN, entity=self.user, now=NOW, method="signature"
        )

    def consent(self, record: Mapping[str, Any] | None = None, **change: Any) -> str:
        options: dict[str, Any] = {"vct": self.consent_vct, "issued_at": NOW, "rng": self.rng} | change
        signer = options.pop("signer", self.user_signer)
        return issue_consent(record or self.record(), signer, **options)


def code_of(action: Callable[[], Any]) -> str | None:
    """The code that an action ends with, whether it raises or answers a result."""
    try:
        outcome = action()
    except CredentialError as error:
        return error.code
    return outcome.code if isinstance(outcome, Verification) else None


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def code() -> Callable[[Callable[[], Any]], str | None]:
    return code_of


@pytest.fixture
def replays() -> Replays:
    return Replays()


@pytest.fixture
def seeded() -> Callable[[str], Random]:
    return Random
