"""No byte of a valid credential can change without a refusal, and a refusal is never a traceback."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from credentials import jws, vc_jose
from credentials.codes import CODES
from credentials.data_integrity.contexts import VCDM2
from credentials.did.webvh import verify_log
from credentials.did.webvh_write import create, update
from credentials.encoding import json_encode
from credentials.sd_jwt import parse, to_json
from credentials.status import token_list
from credentials.trust import TrustList

KINDS = (
    "credential", "presentation", "json credential", "json presentation",
    "ed25519 credential", "vc+di", "vc+jwt", "vp+jwt", "vp+di", "consent",
    "status list", "did:webvh log",
)  # fmt: skip
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


class Samples:
    """One valid sample of each kind with the check that accepts it."""

    def __init__(self, world) -> None:
        self.world = world
        w = world
        credential = w.credential(issuer=w.issuer)
        vc_jwt = jws.sign(credential, w.issuer_signer, typ="vc+jwt")
        inner = w.prove(w.credential(credentialSubject={"id": w.ed_issuer, "a": 1}))
        shown = {"@context": [VCDM2], "type": ["VerifiablePresentation"], "holder": w.ed_issuer}
        options = {"challenge": w.nonce, "domain": w.audience}
        vp_di = w.prove(shown | {"verifiableCredential": [inner]}, purpose="authentication", options=options)
        request = {"audience": w.audience, "nonce": w.nonce, "issued_at": w.now, "life": 60}
        self.did, first = create(
            "agent.example", {"id": "did:webvh:{SCID}:agent.example"}, w.ed_signer, now=w.now - 100
        )
        history = verify_log(self.did, first, now=w.now)
        second = update(history, {"id": self.did, "alsoKnownAs": ["did:web:agent.example"]}, w.ed_signer, now=w.now)
        self.samples = {
            "credential": w.issue(),
            "presentation": w.present(),
            "json credential": to_json(parse(w.issue()), general=True),
            "json presentation": to_json(parse(w.present())),
            "ed25519 credential": w.issue(signer=w.ed_signer, issuer=w.ed_issuer),
            "vc+di": json_encode(w.prove(w.credential())).decode(),
            "vc+jwt": vc_jwt,
            "vp+jwt": vc_jose.present([vc_jwt], w.user, w.user_signer, **request),
            "vp+di": json_encode(vp_di).decode(),
            "consent": w.consent(),
            "status list": token_list.issue(w.status_uri, bytes(64), w.issuer_signer, bits=1, now=w.now),
            "did:webvh log": (first + second).decode().removesuffix("\n"),
        }

    def outcome(self, kind: str, data: bytes) -> str | None:
        """``None`` when accepted, else the code; anything but a code is an error of the test run."""
        w = self.world
        if kind == "did:webvh log":
            return _code(lambda: verify_log(self.did, data, now=w.now))
        if kind == "status list":
            return _code(lambda: self._status(data))
        binding = w.binding if kind in ("presentation", "json presentation", "vp+jwt", "vp+di") else None
        if kind == "consent":
            trust = TrustList({w.user: [w.consent_vct]})
            return w.verify(data, types=None, issuers=trust, audience=w.grantee).code
        return w.verify_vc(data, key_binding=binding).code

    def _status(self, data: bytes) -> None:
        token = token_list.parse(data.decode("latin-1"))
        token_list.verify(
            token, self.world.issuer_key.public, uri=self.world.status_uri, issuer="i", now=self.world.now
        )


def _code(action) -> str | None:
    from credentials.errors import CredentialError

    try:
        action()
    except CredentialError as error:
        return error.code
    return None


@pytest.fixture(scope="session")
def samples(world) -> Samples:
    return Samples(world)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sample_itself_is_accepted(samples, kind):
    assert samples.outcome(kind, samples.samples[kind].encode()) is None


@pytest.mark.parametrize("kind", KINDS)
def test_every_single_byte_counts(samples, kind):
    """Each byte is changed in two ways: its lowest bit, and to another letter of the same alphabet."""
    original = samples.samples[kind].encode()
    accepted = []
    for position, byte in enumerate(original):
        letter = _ALPHABET[(position * 7 + byte) % len(_ALPHABET)]
        for value in {byte ^ 1, letter} - {byte}:
            code = samples.outcome(kind, original[:position] + bytes([value]) + original[position + 1 :])
            if code not in CODES:
                accepted.append((position, chr(byte), chr(value)))
    assert accepted == []


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_byte_at_any_place_is_refused(samples, data):
    kind = data.draw(st.sampled_from(KINDS))
    original = samples.samples[kind].encode()
    position = data.draw(st.integers(0, len(original) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda byte: byte != original[position]))
    changed = original[:position] + bytes([value]) + original[position + 1 :]
    assert samples.outcome(kind, changed) in CODES


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_cutting_doubling_and_inserting_is_refused(samples, data):
    kind = data.draw(st.sampled_from(KINDS))
    original = samples.samples[kind].encode()
    at, to = sorted(data.draw(st.lists(st.integers(0, len(original)), min_size=2, max_size=2, unique=True)))
    inserted = data.draw(st.binary(min_size=1, max_size=4).filter(lambda part: part.strip()))
    removed, doubled = original[:at] + original[to:], original[:to] + original[at:]
    spliced = original[:at] + inserted + original[at:]
    for changed in (removed, doubled, spliced):
        code = samples.outcome(kind, changed)
        # A whole log may be cut to its earlier version, and a holder may leave disclosures out: both are
        # what these formats are for. Nothing else may pass.
        if code is None:
            assert kind in ("did:webvh log", "credential", "json credential", "ed25519 credential")
            assert _is_a_shorter_form(kind, original, changed)
        else:
            assert code in CODES


def _is_a_shorter_form(kind: str, original: bytes, changed: bytes) -> bool:
    mark = b"\n" if kind == "did:webvh log" else b"~"
    whole, parts = original.split(mark), changed.split(mark)
    if kind == "did:webvh log":
        return parts == whole[: len(parts)] or [part for part in parts if part] == whole[: len(parts) - 1]
    return parts[0] == whole[0] and parts[-1] == b"" and set(parts) < set(whole)


def test_json_that_means_the_same_is_the_same_credential(samples):
    """White space outside of values is no part of a JSON document; canonicalization leaves it out."""
    document = json.loads(samples.samples["vc+di"])
    assert samples.outcome("vc+di", json.dumps(document, indent=2).encode()) is None
