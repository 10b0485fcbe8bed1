"""Vault adapters on real files, a keyring in memory, and the worker process around didkit."""

from __future__ import annotations

import json
import os
import stat
import sys
from importlib.util import find_spec

import pytest

from credentials.algorithms import KeyType
from mcp_memory_server.keys.didkit_engine import DidkitEngine
from mcp_memory_server.keys.os_keyring import keyring_secret, open_keyring_vault, system_keyring
from mcp_memory_server.keys.sealed_file import SealedFileVault


class Keyring:
    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service_name: str, username: str) -> str | None:
        return self.entries.get((service_name, username))

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self.entries[service_name, username] = password


@pytest.fixture
def vault(tmp_path, seeded) -> SealedFileVault:
    return SealedFileVault(tmp_path / "keys" / "vault", lambda: bytes(32), passphrase=False, rng=seeded("vault"))


def test_keys_are_kept_across_openings_and_rotations(vault, tmp_path, seeded):
    assert not vault.exists
    first = vault.rotate("issuer", now=100)
    second = vault.rotate("issuer", now=200, key_type=KeyType.ED25519)
    again = SealedFileVault(tmp_path / "keys" / "vault", lambda: bytes(32), passphrase=False)
    assert again.signer("issuer").public == second.public
    assert again.published("issuer") == [second.public, first.public]
    assert again.signer("issuer", did="did:web:a.example").kid == f"did:web:a.example#{second.kid}"
    assert second.public.verify(b"data", again.signer("issuer").sign(b"data"))


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_the_file_is_private_and_nothing_temporary_stays(vault, tmp_path):
    vault.rotate("issuer", now=100)
    assert stat.S_IMODE((tmp_path / "keys" / "vault").stat().st_mode) == 0o600
    assert sorted(path.name for path in (tmp_path / "keys").iterdir()) == ["vault", "vault.lock"]


def test_nothing_is_written_when_a_change_fails(vault, tmp_path):
    vault.rotate("issuer", now=100)
    before = (tmp_path / "keys" / "vault").read_bytes()
    with pytest.raises(RuntimeError), vault.change() as ring:
        ring.rotate("issuer", now=200)
        raise RuntimeError
    assert (tmp_path / "keys" / "vault").read_bytes() == before


def test_a_failed_write_leaves_the_old_file_and_no_temporary_one(vault, tmp_path, monkeypatch):
    vault.rotate("issuer", now=100)
    before = (tmp_path / "keys" / "vault").read_bytes()
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        vault.rotate("issuer", now=200)
    assert (tmp_path / "keys" / "vault").read_bytes() == before
    assert sorted(path.name for path in (tmp_path / "keys").iterdir()) == ["vault", "vault.lock"]


def test_a_wrong_passphrase_opens_nothing(tmp_path, code, seeded):
    path = tmp_path / "vault"
    SealedFileVault(path, lambda: b"right", passphrase=True, rng=seeded("v")).rotate("issuer", now=1)
    assert code(lambda: SealedFileVault(path, lambda: b"wrong", passphrase=True).ring()) == "envelope_wrong_key"
    assert code(lambda: SealedFileVault(path, lambda: bytes(32), passphrase=False).ring()) == "envelope_wrong_key"


def test_the_keyring_holds_only_the_key_of_the_file(tmp_path, seeded, code):
    keyring = Keyring()
    vault = open_keyring_vault(tmp_path / "vault", "me", backend=keyring, rng=seeded("k"))
    signer = vault.rotate("issuer", now=1)
    assert open_keyring_vault(tmp_path / "vault", "me", backend=keyring).signer("issuer").public == signer.public
    assert len(keyring.entries) == 1
    other = open_keyring_vault(tmp_path / "vault", "other", backend=keyring, rng=seeded("o"))
    assert code(other.ring) == "envelope_wrong_key"
    for damaged in ("!!!", "AAAA"):
        keyring.entries["consented-memory", "me"] = damaged
        assert code(lambda: keyring_secret(keyring, "me")) == "envelope_wrong_key"


def test_the_systems_keyring_is_the_package():
    keyring = pytest.importorskip("keyring", reason="extra 'keyring' is not installed")
    assert system_keyring() is keyring


# --- the worker, with stand-ins for didkit ----------------------------------------------------------
READY = "print(json.dumps({'ready': 'x'}), flush=True)\n"
HEAD = "import json, sys, time\n"


def engine(script: str, **options) -> DidkitEngine:
    return DidkitEngine(command=[sys.executable, "-c", HEAD + script], **options)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (READY + "sys.stdin.readline(); print(json.dumps({'ok': True}), flush=True)", None),
        (READY + "sys.stdin.readline(); print(json.dumps({'ok': False}), flush=True)", "legacy_refused"),
        (READY + "sys.stdin.readline(); print(json.dumps({'ok': 1}), flush=True)", "legacy_refused"),
        (READY + "sys.stdin.readline(); print('[]', flush=True)", "legacy_refused"),
        (READY + "sys.stdin.readline(); print('noise', flush=True)", "legacy_unavailable"),
        (READY + "sys.stdin.readline(); sys.exit(139)", "legacy_unavailable"),
        ("print(json.dumps({'no': 1}), flush=True)", "legacy_unavailable"),
        ("sys.exit(1)", "legacy_unavailable"),
    ],
)
def test_whatever_the_worker_does_has_a_code(code, script, expected):
    worker = engine(script)
    try:
        assert code(lambda: worker.verify("{}", proof_format="ldp_vc")) == expected
    finally:
        worker.close()


def test_a_hanging_worker_is_ended_and_the_next_request_gets_a_new_one(tmp_path, code):
    mark = tmp_path / "mark"
    script = READY + (
        f"import pathlib; mark = pathlib.Path({str(mark)!r})\n"
        "sys.stdin.readline()\n"
        "if not mark.exists():\n    mark.touch(); time.sleep(600)\n"
        "print(json.dumps({'ok': True}), flush=True)\n"
        "sys.stdin.readline()\n"
    )
    worker = engine(script, request_seconds=0.5)
    try:
        assert code(lambda: worker.verify("{}", proof_format="ldp_vc")) == "legacy_unavailable"
        assert code(lambda: worker.verify("{}", proof_format="ldp_vc")) is None
    finally:
        worker.close()


def test_an_answer_without_a_credential_issues_nothing(code):
    worker = engine(READY + "sys.stdin.readline(); print(json.dumps({'ok': True}), flush=True)")
    try:
        options = {"proof_format": "ldp_vc", "jwk": "{}", "verification_method": "did:key:x#x"}
        assert code(lambda: worker.issue("{}", **options)) == "legacy_refused"
    finally:
        worker.close()


def test_without_the_extra_the_engine_says_so(code, monkeypatch):
    from mcp_memory_server.keys import didkit_engine

    monkeypatch.setattr(didkit_engine, "find_spec", lambda name: None)
    assert code(lambda: DidkitEngine().verify("{}", proof_format="ldp_vc")) == "extra_missing"
    DidkitEngine().close()


# --- the worker, with didkit itself ------------------------------------------------------------------
@pytest.fixture
def didkit_engine():
    if find_spec("didkit") is None:
        pytest.skip("extra 'didkit' is not installed")
    worker = DidkitEngine(request_seconds=20)
    yield worker
    worker.close()


def unsigned(world, **change) -> str:
    return json.dumps(
        {
            "@context": ["https://www.w3.org/2018/credentials/v1"],
            "type": ["VerifiableCredential"],
            "issuer": world.ed_issuer,
            "issuanceDate": "2026-01-01T00:00:00Z",
            "credentialSubject": {"id": world.user},
        }
        | change
    )


def issued(worker, world, proof_format: str, **change) -> str:
    from credentials.encoding import b64url_encode

    jwk = json.dumps({**world.ed_key.public.to_jwk(), "d": b64url_encode(world.ed_key.secret)})
    return worker.issue(
        unsigned(world, **change), proof_format=proof_format, jwk=jwk, verification_method=world.ed_signer.kid
    )


@pytest.mark.parametrize("proof_format", ["ldp_vc", "jwt_vc"])
def test_didkit_issues_and_verifies_behind_our_checks(world, didkit_engine, proof_format):
    from credentials.trust import TrustList

    trust = TrustList({world.ed_issuer: ["VerifiableCredential"]})
    token = issued(didkit_engine, world, proof_format)
    assert world.verify_vc(token, legacy=didkit_engine, issuers=trust).ok
    tampered = token.replace(world.user, world.issuer) if proof_format == "ldp_vc" else token[:-8] + "AAAAAAAA"
    assert world.verify_vc(tampered, legacy=didkit_engine, issuers=trust).code == "legacy_refused"
    expired = issued(didkit_engine, world, proof_format, expirationDate="2026-02-01T00:00:00Z")
    # didkit looks at the exp of a token and not at the expirationDate of an embedded proof: that is ours.
    found = world.verify_vc(expired, legacy=didkit_engine, issuers=trust).code
    assert found == ("expired" if proof_format == "ldp_vc" else "legacy_refused")
