"""Consent records, their states and signatures; policies and schemas; delegation by wallets and passkeys."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from credentials import consent_record as consent
from credentials import memory_claim
from credentials.consent_credential import record_of
from credentials.consent_terms import IN_FORCE, TRANSITIONS, ConsentState
from credentials.delegation import ethereum, model, passkey
from credentials.encoding import b64url_encode
from credentials.errors import CredentialError
from credentials.policy import ConsentPolicy, UnsafeIgnoreStatus, VerificationPolicy, no_lists
from credentials.schemas import TypeRegistry
from credentials.trust import AllOf, AnyOf, TrustList, UnsafeAcceptAnyIssuer

S = ConsentState


# --- the record --------------------------------------------------------------------------------------
def test_a_record_goes_through_its_life(world, code):
    record = consent.build(world.terms())
    assert consent.state_of(record) is None
    for state in (S.REQUESTED, S.GIVEN, S.EXPIRED, S.RENEWED, S.WITHDRAWN):
        record = consent.transition(record, state, entity=world.user, now=world.now, method="dashboard")
    assert [event["event_state"] for event in record["events"]][-1] == "dpv:ConsentWithdrawn"
    for state in S:
        assert (
            code(lambda state=state: consent.transition(record, state, entity="x", now=1, method="m"))
            == "consent_transition"
        )


@pytest.mark.parametrize("final", [S.REFUSED, S.WITHDRAWN, S.REVOKED, S.INVALIDATED])
def test_final_states_lead_nowhere(final):
    assert TRANSITIONS[final] == frozenset()
    assert final not in IN_FORCE


def test_the_hash_is_that_of_the_terms_whatever_happens_later(world):
    record = consent.build(world.terms())
    given = consent.transition(record, S.GIVEN, entity=world.user, now=world.now, method="signature")
    assert consent.terms_hash(record) == consent.terms_hash(given)
    assert consent.terms_hash(record) != consent.terms_hash(consent.build(world.terms(purpose="dpv:CustomerCare")))
    data = consent.transaction_data(given, origin=world.origin, credential_ids=["a"])
    assert consent.consent_hash_of(data) == consent.terms_hash(record)


def test_a_transaction_without_a_consent_names_none(code):
    assert code(lambda: consent.consent_hash_of(b64url_encode(b"{}"))) == "consent_hash_mismatch"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"record_id": ""}, "consent_malformed"),
        ({"claims": []}, "consent_malformed"),
        ({"claims": [[]]}, "consent_malformed"),
        ({"claims": [["a", True]]}, "consent_malformed"),
        ({"sources": []}, "consent_malformed"),
        ({"grantee": ""}, "consent_malformed"),
        ({"vct": ""}, "consent_malformed"),
        ({"notice_sha256": ""}, "consent_malformed"),
        ({"jurisdiction": ""}, "consent_malformed"),
        ({"retention_days": 0}, "consent_malformed"),
        ({"not_after": 0}, "consent_malformed"),
        ({"lawful_basis": "dpv:LegitimateInterest"}, "consent_term_unknown"),
        ({"withdrawal_method": "x" * 40_000}, "too_large"),
    ],
)
def test_terms_are_complete(world, code, change, expected):
    assert code(lambda: consent.build(world.terms(**change))) == expected


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": "1.0"},
        {"privacy_notice": None},
        {"pii_processing": []},
        {"parties": [{}]},
        {"events": None},
        {"events": [{}]},
        {"events": ["x"]},
    ],
)
def test_the_form_of_a_record(world, code, change):
    assert code(lambda: consent.check_form(world.record() | change)) == "consent_malformed"


@pytest.mark.parametrize(
    "change",
    [{"pii_information": 5}, {"onward_sharing": "no"}, {"not_before": "today"}, {"retention_period_days": True}],
)
def test_the_form_of_the_processing(world, code, change):
    record = world.record()
    assert (
        code(lambda: consent.check_form(record | {"pii_processing": record["pii_processing"] | change}))
        == "consent_malformed"
    )


def test_an_unknown_state_is_refused(world, code):
    event = {"event_state": "dpv:Other", "event_time": "x", "entity_id": "y"}
    assert code(lambda: consent.state_of({"events": [event]})) == "consent_term_unknown"


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([], True),
        ([("memory", "statement")], True),
        ([("memory", "object", "value")], True),
        ([("memory",)], False),
        ([("memory", "statement"), ("memory", "confidence")], False),
        ([("memory", 0)], False),
    ],
)
def test_a_path_is_covered_at_or_below_a_grant(world, paths, expected):
    assert consent.covers(world.record(), paths) is expected


def test_a_consent_credential_carries_its_record(world):
    claims = (
        world.verify(
            world.consent(),
            issuers=TrustList({world.user: [world.consent_vct]}),
            types=None,
            audience=world.grantee,
        )
        .require()
        .claims
    )
    assert record_of(claims) == world.record()
    assert claims["aud"] == [world.grantee]


def test_subject_and_issuer_of_a_consent_agree(world, code):
    claims = {"iss": world.user, "sub": "other", "consent": world.record()}
    claims["consent_hash"] = consent.terms_hash(claims["consent"])
    assert code(lambda: record_of(claims)) == "consent_signer_mismatch"


def test_other_uses_are_refused(world, code):
    use = {"subject": world.user, "issuer": "did:web:other.example", "grantee": world.grantee, "vct": world.vct}
    use |= {"purpose": "dpv:ServicePersonalisation", "paths": [], "now": world.now}
    assert code(lambda: consent.check_use(world.record(), **use)) == "consent_claims_exceeded"
    withdrawn = consent.transition(world.record(), S.WITHDRAWN, entity=world.user, now=world.now, method="m")
    assert code(lambda: consent.check_use(withdrawn, **use)) == "consent_not_given"


def test_a_credential_without_a_subject_has_no_consent(world):
    policy = ConsentPolicy(world.consent(), world.consent_vct, world.grantee, "dpv:ServicePersonalisation")
    presented = world.with_kb(world.forge(world.claims(sub=...)), {})
    assert world.verify(presented, key_binding=world.binding, consent=policy).code == "consent_signer_mismatch"


def test_a_consent_with_an_unknown_status_names_the_list_to_fetch(world):
    consented = world.consent(status=(world.status_uri, 0))
    policy = ConsentPolicy(consented, world.consent_vct, world.grantee, "dpv:ServicePersonalisation")
    outcome = world.verify(world.present(), key_binding=world.binding, consent=policy)
    assert (outcome.code, outcome.status_uri) == ("status_unavailable", world.status_uri)


def test_the_record_is_part_of_the_result(world):
    policy = ConsentPolicy(world.consent(), world.consent_vct, world.grantee, "dpv:ServicePersonalisation")
    accepted = world.verify(world.present(), key_binding=world.binding, consent=policy).require()
    assert accepted.consent == world.record()
    assert accepted.disclosed == (("memory", "statement"),)


# --- policies ----------------------------------------------------------------------------------------
def test_combined_policies(world, code):
    mine, theirs = TrustList({world.issuer: [world.vct]}), TrustList({"did:web:other.example": [world.vct]})
    assert world.verify(world.issue(), issuers=AnyOf([theirs, mine])).ok
    assert world.verify(world.issue(), issuers=AllOf([mine, UnsafeAcceptAnyIssuer()])).ok
    assert world.verify(world.issue(), issuers=AllOf([mine, theirs])).code == "issuer_untrusted"
    assert world.verify(world.issue(), issuers=AnyOf([theirs])).code == "issuer_untrusted"
    assert code(lambda: AnyOf([])) == "config_empty_policy"


def test_an_unsafe_policy_shows_in_the_checks(world):
    text = world.issue(status=(world.status_uri, 1))
    outcome = world.verify(text, status=UnsafeIgnoreStatus(), issuers=UnsafeAcceptAnyIssuer())
    assert outcome.ok
    assert [check.detail for check in outcome.checks if check.name == "status"] == ["ignored by an unsafe policy"]


def test_a_policy_without_issuers_is_refused(code):
    assert code(lambda: VerificationPolicy(issuers=None)) == "config_empty_policy"
    assert code(lambda: TypeRegistry({})) == "config_empty_policy"
    assert code(lambda: ConsentPolicy("x", "", "g", "p")) == "config_invalid"
    assert no_lists("uri") is None


def test_a_refused_result_gives_no_content(world):
    outcome = world.verify(world.issue(), now=world.now + 9_999)
    with pytest.raises(CredentialError) as refusal:
        outcome.require()
    assert refusal.value.code == "expired"
    assert set(outcome.to_json()) == {"ok", "code", "format", "checks"}


@pytest.mark.parametrize("schema", [{"$ref": "https://evil.example/schema"}, {"$ref": "#/nowhere"}])
def test_a_schema_never_leads_elsewhere(world, code, schema):
    registry = TypeRegistry({world.vct: schema})
    assert code(lambda: registry.check([world.vct], {})) == "schema_malformed"


# --- the memory claim --------------------------------------------------------------------------------
def test_everything_disclosed_follows_the_schema_and_the_metadata(world):
    accepted = world.verify(world.issue()).require()
    metadata = memory_claim.memory_type_metadata(world.origin)
    described = {claim["path"][1] for claim in metadata["claims"]}
    assert set(accepted.claims["memory"]) <= described
    assert metadata["vct"] == world.vct
    assert metadata["schema"] == memory_claim.memory_schema(world.vct)
    assert {display["locale"] for claim in metadata["claims"] for display in claim["display"]} == {"en", "zh-CN"}


def test_every_part_can_be_shown_alone(world):
    token = world.issue()
    for name in world.memory.to_claim():
        shown = world.verify(world.present(token, [("memory", name)]), key_binding=world.binding).require()
        assert set(shown.claims["memory"]) == {name}
    nothing = world.verify(world.present(token, []), key_binding=world.binding).require()
    assert nothing.claims["memory"] == {}


@pytest.mark.parametrize(
    ("change", "expected"), [({"life": 0}, "config_invalid"), ({"life": 31 * 86_400}, "config_invalid")]
)
def test_a_memory_is_short_lived(world, code, change, expected):
    assert code(lambda: world.issue(**change)) == expected


def test_a_memory_says_something_and_an_origin_is_one(world, code):
    world.memory = replace(world.memory, statement="")
    assert code(world.issue) == "claim_missing"
    for origin in ("http://a.example", "https://a.example/", "https://" + "a" * 300):
        assert code(lambda origin=origin: memory_claim.memory_vct(origin)) == "config_invalid"


@pytest.mark.parametrize("when", ["2026", "2026-11", "2026-11-30", "2026-11-30T09:00+08:00", "2026-11-30T09:00:01.5Z"])
def test_dates_keep_the_precision_that_was_said(world, when):
    world.memory = replace(world.memory, valid_from=when)
    assert world.verify(world.issue()).ok


# --- wallets -----------------------------------------------------------------------------------------
def delegation(world, account: str, **change) -> model.Delegation:
    base = model.Delegation(
        domain="memory.example",
        account=account,
        holder_thumbprint=world.holder_key.public.thumbprint(),
        grantee=world.grantee,
        consent_hash=consent.terms_hash(world.record()),
        nonce="abcdefgh12345678",
        issued_at=world.now,
        expires_at=world.now + 600,
    )
    return replace(base, **change)


@pytest.fixture
def wallet():
    import sys

    depth = sys.getrecursionlimit()
    eth_account = pytest.importorskip("eth_account", reason="extra 'ethereum' is not installed")
    sys.setrecursionlimit(depth)  # its import raises the limit of the whole process
    return eth_account.Account.from_key("0x" + "11" * 32)


def account_of(wallet, chain: int = 1) -> str:
    return f"did:pkh:eip155:{chain}:{wallet.address}"


def sign_text(wallet, text: str) -> bytes:
    from eth_account.messages import encode_defunct

    return bytes(wallet.sign_message(encode_defunct(text=text)).signature)


def sign_typed(wallet, data: dict) -> bytes:
    from eth_account.messages import encode_typed_data

    return bytes(wallet.sign_message(encode_typed_data(full_message=data)).signature)


def test_a_wallets_text_delegates(world, code, wallet):
    asked = delegation(world, account_of(wallet))
    text = model.sign_in_text(asked)
    signature = sign_text(wallet, text)
    assert ethereum.verify_text(text, signature, asked, now=world.now) == asked
    lower = replace(asked, account=asked.account.lower())
    assert ethereum.verify_text(text, signature, lower, now=world.now).domain == asked.domain
    other = text.replace("Nonce: a", "Nonce: b")
    assert code(lambda: ethereum.verify_text(other, signature, asked, now=world.now)) == "delegation_nonce"
    assert code(lambda: ethereum.verify_text(text, bytes(65), asked, now=world.now)) == "delegation_signature"
    assert code(lambda: ethereum.verify_text(text, signature[:64], asked, now=world.now)) == "delegation_malformed"
    changed = bytearray(signature)
    changed[5] ^= 1
    assert code(lambda: ethereum.verify_text(text, bytes(changed), asked, now=world.now)) == "delegation_signature"


def test_the_second_spelling_of_a_signature_is_refused(world, code, wallet):
    asked = delegation(world, account_of(wallet))
    text = model.sign_in_text(asked)
    signature = sign_text(wallet, text)
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    high = (order - int.from_bytes(signature[32:64], "big")).to_bytes(32, "big")
    twin = signature[:32] + high + bytes([55 - signature[64]])
    assert code(lambda: ethereum.verify_text(text, twin, asked, now=world.now)) == "delegation_high_s"


def test_typed_data_delegates(world, code, wallet):
    asked = delegation(world, account_of(wallet, 137))
    data = model.typed_data(asked)
    signature = sign_typed(wallet, data)
    assert ethereum.verify_typed_data(data, signature, asked, now=world.now) == asked
    elsewhere = replace(asked, account=account_of(wallet, 1))
    assert code(lambda: ethereum.verify_typed_data(data, signature, elsewhere, now=world.now)) == "delegation_chain"
    changed = json.loads(json.dumps(data))
    changed["types"]["MemoryDelegation"].append({"name": "more", "type": "string"})
    assert code(lambda: ethereum.verify_typed_data(changed, signature, asked, now=world.now)) == "delegation_malformed"
    assert code(lambda: ethereum.verify_typed_data({}, signature, asked, now=world.now)) == "delegation_malformed"


def test_a_delegation_may_not_last_longer_than_asked(world, code, wallet):
    asked = delegation(world, account_of(wallet))
    longer = replace(asked, expires_at=world.now + 6_000)
    assert code(lambda: model.check(longer, asked, now=world.now)) == "delegation_expired"


ACCOUNT = "did:pkh:eip155:1:0xb9c5714089478a327f09197987f16f9e5d936e8a"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"domain": "Bad Domain"}, "delegation_malformed"),
        ({"nonce": "short"}, "delegation_malformed"),
        ({"consent_hash": "short"}, "delegation_malformed"),
        ({"grantee": "agent"}, "delegation_malformed"),
        ({"grantee": "did:web:a\nURI: x"}, "delegation_malformed"),
        ({"expires_at": 1}, "delegation_malformed"),
        ({"account": "did:pkh:solana:x:y"}, "did_method_refused"),
    ],
)
def test_a_delegation_is_well_formed(world, code, change, expected):
    assert code(lambda: replace(delegation(world, ACCOUNT), **change)) == expected


def test_texts_have_one_form_and_a_limit(world, code):
    text = model.sign_in_text(delegation(world, ACCOUNT))
    assert model.parse_text(text) == delegation(world, ACCOUNT)
    assert code(lambda: model.parse_text(text + "\n- urn:more")) == "delegation_malformed"
    assert code(lambda: model.parse_text("x" * 20_000)) == "too_large"
    other = text.replace("URI: https://memory.example", "URI: https://evil.example")
    assert code(lambda: model.parse_text(other)) == "delegation_domain"


def test_verifying_a_wallet_leaves_the_process_its_recursion_limit():
    """A library below raises it to 100,000 on import: nested input then ends the process with a segmentation fault."""
    import importlib.util
    import subprocess
    import sys

    if importlib.util.find_spec("eth_account") is None:
        pytest.skip("extra 'ethereum' is not installed")
    script = (
        "import sys; before = sys.getrecursionlimit()\n"
        "from credentials.delegation.ethereum import _library\n"
        "_library(); assert 'py_ecc' in sys.modules, 'the library that did it is gone: so may this test'\n"
        "assert sys.getrecursionlimit() == before, sys.getrecursionlimit()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_wallets_need_their_extra(world, code, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "eth_account", None)
    asked = delegation(world, ACCOUNT)
    text = model.sign_in_text(asked)
    assert code(lambda: ethereum.verify_text(text, bytes(64) + b"\x1b", asked, now=world.now)) == "extra_missing"


# --- passkeys ----------------------------------------------------------------------------------------
def assertion(
    world, *, flags: int = 0x05, count: int = 7, key=None, **client
) -> tuple[dict, passkey.PasskeyExpectation]:
    """A real assertion, made with a P-256 key as an authenticator does (WebAuthn level 3 section 6.3.3)."""
    import hashlib

    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    digest = consent.terms_hash(world.record())
    content = {"type": "webauthn.get", "challenge": digest, "origin": world.origin} | client
    client_data = json.dumps(content).encode()
    authenticator = hashlib.sha256(b"memory.example").digest() + bytes([flags]) + count.to_bytes(4, "big")
    signed = authenticator + hashlib.sha256(client_data).digest()
    signature = (key or world.holder_key)._crypto.sign(signed, ec.ECDSA(hashes.SHA256()))
    jwk = world.holder_key.public.to_jwk()
    import base64

    x, y = (base64.urlsafe_b64decode(jwk[name] + "==") for name in ("x", "y"))
    cose = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + x + b"\x22\x58\x20" + y
    body = {
        "id": "AAAA",
        "rawId": "AAAA",
        "type": "public-key",
        "response": {
            "clientDataJSON": b64url_encode(client_data),
            "authenticatorData": b64url_encode(authenticator),
            "signature": b64url_encode(signature),
        },
    }
    return body, passkey.PasskeyExpectation(digest, "memory.example", world.origin, cose, 3)


def test_a_passkey_signs_a_consent(world, code):
    pytest.importorskip("webauthn", reason="extra 'passkey' is not installed")
    body, expected = assertion(world)
    assert passkey.verify_assertion(body, expected) == 7
    forged, _ = assertion(world, key=world.other_key)
    assert code(lambda: passkey.verify_assertion(forged, expected)) == "delegation_signature"
    unverified, _ = assertion(world, flags=0x01)
    assert code(lambda: passkey.verify_assertion(unverified, expected)) == "delegation_signature"
    replayed, _ = assertion(world, count=2)
    assert code(lambda: passkey.verify_assertion(replayed, expected)) == "delegation_signature"


def test_a_passkey_for_something_else_is_refused(world, code):
    body, expected = assertion(world)
    other = replace(expected, consent_hash="A" * 43)
    assert code(lambda: passkey.verify_assertion(body, other)) == "delegation_content"
    elsewhere, _ = assertion(world, origin="https://evil.example")
    assert code(lambda: passkey.verify_assertion(elsewhere, expected)) == "delegation_domain"
    assert code(lambda: passkey.verify_assertion({}, expected)) == "delegation_malformed"
    assert code(lambda: passkey.verify_assertion({"x": "y" * 20_000}, expected)) == "too_large"


def test_passkeys_need_their_extra(world, code, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "webauthn", None)
    body, expected = assertion(world)
    assert code(lambda: passkey.verify_assertion(body, expected)) == "extra_missing"
