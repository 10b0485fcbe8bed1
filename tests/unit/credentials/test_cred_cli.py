"""`memory-federation identity`, `inspect` and `verify` on files of every kind."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec

import pytest

from credentials import jws
from credentials.did.webvh_write import create
from credentials.encoding import json_encode
from credentials.status import bitstring, token_list
from mcp_memory_server.cli import federation


@pytest.fixture
def run(tmp_path, capsys, monkeypatch, world):
    monkeypatch.setenv("MEMORY_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MEMORY_VAULT_PASSPHRASE", "a passphrase for tests")
    monkeypatch.setattr(federation, "_now", lambda: world.now)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = federation.run(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def policy(tmp_path, world):
    """A policy file that trusts the issuers of the world, with its status lists beside it."""
    listing = token_list.issue(world.status_uri, b"\x02" + bytes(16_383), world.issuer_signer, bits=1, now=world.now)
    (tmp_path / "status.jwt").write_text(listing, encoding="utf-8")
    document = bitstring.build(
        "https://memory.example/bits", bytes(16_384), issuer=world.ed_issuer, now=world.now, life=600, ttl=300
    )
    (tmp_path / "bits.json").write_text(json.dumps(world.prove(document)), encoding="utf-8")
    schema = {"vct": world.vct, "schema": {"required": ["memory"]}}
    (tmp_path / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    kinds = json.dumps([world.vct, "MemoryCredential", "VerifiableCredential"])
    text = f"""
leeway = 30
[issuers]
"{world.issuer}" = {kinds}
"{world.ed_issuer}" = {kinds}
"{world.user}" = ["{world.consent_vct}"]
[files]
status_lists = ["status.jwt", "bits.json"]
"""
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def checked(run, tmp_path, content: str, *options: str) -> tuple[int, dict]:
    file = tmp_path / "input"
    file.write_text(content, encoding="utf-8")
    status, out, _ = run("verify", str(file), "--json", *options)
    return status, json.loads(out)


def every_kind(world) -> dict[str, tuple[str, bool]]:
    """A valid file of each kind, with whether it needs a nonce and an audience."""
    from credentials import vc_jose
    from credentials.sd_jwt import parse, to_json

    vc_jwt = jws.sign(world.credential(issuer=world.issuer), world.issuer_signer, typ="vc+jwt")
    vp = vc_jose.present(
        [vc_jwt],
        world.user,
        world.user_signer,
        audience=world.audience,
        nonce=world.nonce,
        issued_at=world.now,
        life=60,
    )
    _, log = create("agent.example", {"id": "did:webvh:{SCID}:agent.example"}, world.ed_signer, now=world.now - 9)
    lst = token_list.issue(world.status_uri, bytes(64), world.issuer_signer, bits=1, now=world.now)
    bits = bitstring.build("https://a.example/l", bytes(16_384), issuer=world.ed_issuer, now=world.now, life=60, ttl=30)
    return {
        "credential": (world.issue(), False),
        "with status": (world.issue(status=(world.status_uri, 0)), False),
        "presentation": (world.present(), True),
        "json credential": (to_json(parse(world.issue()), general=True), False),
        "json presentation": (to_json(parse(world.present())), True),
        "consent": (world.consent(), False),
        "vc+di": (world.secured(), False),
        "vc+jwt": (vc_jwt, False),
        "vp+jwt": (vp, True),
        "did:webvh log": (log.decode(), False),
        "token status list": (lst, False),
        "bitstring status list": (json.dumps(world.prove(bits)), False),
    }


def extra(world, kind: str, bound: bool) -> list[str]:
    if kind == "consent":
        return ["--aud", world.grantee]
    return ["--nonce", world.nonce, "--aud", world.audience] if bound else []


KINDS = (
    "credential", "with status", "presentation", "json credential", "json presentation", "consent",
    "vc+di", "vc+jwt", "vp+jwt", "did:webvh log",
    "token status list", "bitstring status list",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_verify_accepts_each_kind_and_says_what_it_checked(run, tmp_path, world, policy, kind):
    content, bound = every_kind(world)[kind]
    options = ["--policy", str(policy), *extra(world, kind, bound)]
    status, answer = checked(run, tmp_path, content, *options)
    assert (status, answer["ok"], answer["code"]) == (0, True, None), answer
    assert all(check["ok"] for check in answer["checks"])
    assert answer["checks"]


@pytest.mark.parametrize("kind", KINDS)
def test_verify_refuses_each_kind_when_a_letter_changes(run, tmp_path, world, policy, kind):
    content, bound = every_kind(world)[kind]
    at = len(content) - 40
    changed = content[:at] + ("A" if content[at] != "A" else "B") + content[at + 1 :]
    options = ["--policy", str(policy), *extra(world, kind, bound)]
    status, answer = checked(run, tmp_path, changed, *options)
    assert (status, answer["ok"]) == (1, False)
    assert answer["code"] in {check.get("code") for check in answer["checks"]}


@pytest.mark.parametrize("kind", KINDS)
def test_inspect_shows_each_kind_without_believing_it(run, tmp_path, world, kind):
    file = tmp_path / "input"
    file.write_text(every_kind(world)[kind][0], encoding="utf-8")
    status, out, _ = run("inspect", str(file), "--json")
    assert status == 0
    assert json.loads(out)["verified"] is False
    status, out, _ = run("inspect", str(file))
    assert (status, "(not verified)" in out) == (0, True)


@pytest.mark.parametrize("proof_format", ["ldp_vc", "jwt_vc"])
def test_legacy_files_verify_where_the_extra_is(run, tmp_path, world, policy, proof_format):
    if find_spec("didkit") is None:
        pytest.skip("extra 'didkit' is not installed")
    from credentials.encoding import b64url_encode
    from mcp_memory_server.keys.didkit_engine import DidkitEngine

    engine = DidkitEngine(request_seconds=20)
    try:
        signed = engine.issue(
            json.dumps(
                {
                    "@context": ["https://www.w3.org/2018/credentials/v1"],
                    "type": ["VerifiableCredential"],
                    "issuer": world.ed_issuer,
                    "issuanceDate": "2026-01-01T00:00:00Z",
                    "credentialSubject": {"id": world.user},
                }
            ),
            proof_format=proof_format,
            jwk=json.dumps({**world.ed_key.public.to_jwk(), "d": b64url_encode(world.ed_key.secret)}),
            verification_method=world.ed_signer.kid,
        )
    finally:
        engine.close()
    status, answer = checked(run, tmp_path, signed, "--policy", str(policy))
    assert (status, answer["format"]) == (0, proof_format), answer
    assert run("inspect", str(tmp_path / "input"), "--json")[0] == 0
    assert checked(run, tmp_path, signed)[1]["code"] == "issuer_untrusted"


def test_nobody_is_trusted_without_a_policy(run, tmp_path, world):
    status, answer = checked(run, tmp_path, world.issue())
    assert (status, answer["code"]) == (1, "issuer_untrusted")
    assert [check["name"] for check in answer["checks"]] == ["size", "format", "structure", "issuer"]


def test_the_answer_for_people_ends_in_one_line_on_standard_error(run, tmp_path, world):
    file = tmp_path / "input"
    file.write_text(world.issue(), encoding="utf-8")
    status, out, err = run("verify", str(file))
    assert status == 1
    assert out.splitlines()[-2:] == ["refused issuer: issuer_untrusted", "refused: issuer_untrusted"]
    assert err.count("\n") == 1
    assert err.startswith("issuer_untrusted: ")


@pytest.mark.parametrize(
    ("options", "expected"),
    [(["--nonce", "n-0123456789"], "config_aud_missing"), (["--aud", "https://a.example"], "config_nonce_missing")],
)
def test_nonce_and_audience_come_together(run, tmp_path, world, options, expected):
    status, answer = checked(run, tmp_path, world.present(), *options)
    assert (status, answer["code"], answer["checks"]) == (1, expected, [])


def test_a_revoked_credential_is_found_in_the_list_beside_the_policy(run, tmp_path, world, policy):
    _, answer = checked(run, tmp_path, world.issue(status=(world.status_uri, 1)), "--policy", str(policy))
    assert answer["code"] == "status_revoked"
    _, answer = checked(run, tmp_path, world.issue(status=("https://a.example/other", 1)), "--policy", str(policy))
    assert answer["code"] == "status_unavailable"


def test_a_policy_can_require_more(run, tmp_path, world, policy):
    text = policy.read_text(encoding="utf-8")
    schema = text.replace("[files]", '[files]\nschemas = ["schema.json"]')
    policy.write_text(schema, encoding="utf-8")
    assert checked(run, tmp_path, world.issue(), "--policy", str(policy))[1]["ok"]
    bare = world.forge(world.claims())
    assert checked(run, tmp_path, bare, "--policy", str(policy))[1]["code"] == "schema_invalid"
    policy.write_text("require_exp = true\n" + text + "[status]\nrequired = true\n", encoding="utf-8")
    assert checked(run, tmp_path, world.issue(), "--policy", str(policy))[1]["code"] == "status_missing"
    endless = world.forge(world.claims(exp=...))
    assert checked(run, tmp_path, endless, "--policy", str(policy))[1]["code"] == "exp_missing"


def test_a_policy_can_require_a_consent(run, tmp_path, world, policy):
    (tmp_path / "consent.txt").write_text(world.consent(), encoding="utf-8")
    consent = f'[consent]\nfile = "consent.txt"\nvct = "{world.consent_vct}"\ngrantee = "{world.grantee}"\n'
    text = policy.read_text(encoding="utf-8") + consent
    bound = ("--policy", str(policy), "--nonce", world.nonce, "--aud", world.audience)
    policy.write_text(text + 'purpose = "dpv:ServicePersonalisation"\n', encoding="utf-8")
    assert checked(run, tmp_path, world.present(), *bound)[1]["ok"]
    policy.write_text(text + 'purpose = "dpv:CustomerCare"\n', encoding="utf-8")
    assert checked(run, tmp_path, world.present(), *bound)[1]["code"] == "consent_purpose_mismatch"


def test_documents_logs_and_metadata_are_read_from_files(run, tmp_path, world):
    from credentials.did.document import build_document
    from credentials.issuer_keys import build_metadata

    did, https = "did:web:agent.example", "https://agent.example"
    document = build_document(did, [("0", world.issuer_key.public)])
    metadata = build_metadata(https, {"0": world.issuer_key.public})
    state = build_document("did:webvh:{SCID}:agent.example", [("0", world.issuer_key.public)])
    webvh, log = create("agent.example", state, world.ed_signer, now=world.now - 9)
    (tmp_path / "did.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "did.jsonl").write_bytes(log)
    (tmp_path / "issuer.json").write_text(json.dumps(metadata), encoding="utf-8")
    settings = {
        "issuers": {did: [world.vct], https: [world.vct], webvh: [world.vct]},
        "files": {"documents": ["did.json"], "logs": ["did.jsonl"], "issuer_metadata": ["issuer.json"]},
    }
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    for iss, kid in ((did, f"{did}#0"), (https, "0"), (webvh, "0")):
        token = world.forge(world.claims(iss=iss), header={"kid": kid})
        assert checked(run, tmp_path, token, "--policy", str(path))[1]["ok"]


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        "unknown = 1",
        'issuers = "x"',
        '[issuers]\n"did:web:a.example" = "x"',
        "[files]\nunknown = []",
        '[files]\ndocuments = "x"',
        '[files]\ndocuments = ["absent.json"]',
        'leeway = "long"',
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused(run, tmp_path, world, text):
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    status, answer = checked(run, tmp_path, world.issue(), "--policy", str(path))
    assert (status, answer["code"]) == (1, "config_invalid")


def test_wrong_use_and_unreadable_files(run, tmp_path):
    assert run("verify", str(tmp_path / "absent"))[0] == 2
    assert run("verify")[0] == 2
    assert run("unknown")[0] == 2
    assert run("verify", "--help")[0] == 0
    file = tmp_path / "binary"
    file.write_bytes(b"\xff\xfe")
    status, _, err = run("inspect", str(file))
    assert (status, err.startswith("malformed: ")) == (1, True)


def test_the_json_form_is_bound_when_it_carries_a_key_binding(run, tmp_path, world, policy):
    from credentials.sd_jwt import parse, to_json

    shown = to_json(parse(world.present()))
    status, answer = checked(run, tmp_path, shown, "--policy", str(policy), "--aud", world.audience)
    assert (status, answer["code"]) == (1, "config_nonce_missing")
    status, answer = checked(run, tmp_path, '{"payload": 1}', "--policy", str(policy), "--aud", world.audience)
    assert (status, answer["code"]) == (1, "sd_json_member_missing")


def test_inspect_shows_every_signature_that_verify_would_refuse(run, tmp_path, world, policy):
    from credentials.sd_jwt import parse, to_json

    document = json.loads(to_json(parse(world.sd(world.claims())), general=True))
    text = json.dumps(document | {"signatures": document["signatures"] * 2})
    assert checked(run, tmp_path, text, "--policy", str(policy))[1]["code"] == "sd_json_signatures"
    shown = json.loads(run("inspect", str(tmp_path / "input"), "--json")[1])
    assert (shown["format"], len(shown["headers"])) == ("sd-jwt+json", 2)


def test_an_identity_is_made_shown_and_rotated(run):
    status, _, err = run("identity", "show")
    assert (status, "identity create" in err) == (1, True)
    status, out, _ = run("identity", "create", "--web", "agent.example:8443/agents/a", "--json")
    made = json.loads(out)
    assert (status, made["did"]) == (0, "did:web:agent.example%3A8443:agents:a")
    assert made["document"]["id"] == made["did"]
    assert made["issuer_metadata"]["issuer"] == "https://agent.example:8443/agents/a"
    assert run("identity", "create")[0] == 1
    rotated = json.loads(run("identity", "rotate", "--json")[1])
    assert [key["state"] for key in rotated["keys"]] == ["active", "retired"]
    assert rotated["did"] == made["did"]
    dropped = json.loads(run("identity", "rotate", "--drop-retired-days", "-1", "--json")[1])
    assert [key["state"] for key in dropped["keys"]] == ["active"]
    status, out, _ = run("identity", "show")
    assert (status, out.splitlines()[0]) == (0, made["did"])


def test_without_a_host_the_identifier_is_the_key(run):
    made = json.loads(run("identity", "create", "--ed25519", "--json")[1])
    assert made["did"].startswith("did:jwk:")
    assert "document" not in made
    assert [key["type"] for key in made["keys"]] == ["Ed25519"]


@pytest.mark.parametrize("web", ["localhost", "127.0.0.1", "agent.example:x", "agent.example/.."])
def test_a_host_that_nobody_could_resolve_is_refused(run, web):
    assert run("identity", "create", "--web", web)[0] == 1


def test_a_passphrase_may_come_from_a_file(run, tmp_path, monkeypatch):
    run("identity", "create")
    secret = tmp_path / "secret"
    secret.write_text("a passphrase for tests\n", encoding="utf-8")
    monkeypatch.delenv("MEMORY_VAULT_PASSPHRASE")
    monkeypatch.setenv("MEMORY_VAULT_PASSPHRASE_FILE", str(secret))
    assert run("identity", "show")[0] == 0
    secret.write_text("another", encoding="utf-8")
    status, _, err = run("identity", "show")
    assert (status, err.startswith("envelope_wrong_key: ")) == (1, True)


def test_without_passphrase_and_keyring_the_next_step_is_named(run, monkeypatch):
    import sys

    monkeypatch.delenv("MEMORY_VAULT_PASSPHRASE")
    monkeypatch.setitem(sys.modules, "keyring", None)
    status, _, err = run("identity", "create")
    assert (status, "MEMORY_VAULT_PASSPHRASE_FILE" in err) == (1, True)


def test_memory_texts_steer_no_terminal(run, tmp_path, world):
    world.memory = replace(world.memory, statement="red \x1b[31m text")
    file = tmp_path / "input"
    file.write_text(world.issue(), encoding="utf-8")
    assert "\x1b" not in run("inspect", str(file))[1]


def test_a_json_file_that_is_no_credential_is_shown(run, tmp_path):
    file = tmp_path / "input"
    file.write_bytes(json_encode({"id": "did:web:a.example"}))
    assert json.loads(run("inspect", str(file), "--json")[1])["format"] == "json"
