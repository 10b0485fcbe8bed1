"""did:webvh: writing, rotating, pre-rotation, moving, witnesses, and every way a log can lie."""

from __future__ import annotations

import json

import pytest

from credentials.algorithms import KeyType
from credentials.data_integrity.proof import create_proof
from credentials.did import webvh_log as log
from credentials.did.local import did_key, did_key_url
from credentials.did.webvh import History, entry_hash, key_hash, scid_of, verify_log
from credentials.did.webvh_write import create, update
from credentials.keys import PrivateKey
from credentials.vault import LocalSigner

LOCATION = "agent.example"


@pytest.fixture
def signers(seeded) -> list[LocalSigner]:
    return [LocalSigner(PrivateKey.generate(KeyType.ED25519, rng=seeded(f"update {n}"))) for n in range(4)]


def template(location: str = LOCATION) -> dict:
    return {"@context": ["https://www.w3.org/ns/did/v1"], "id": f"did:webvh:{{SCID}}:{location}"}


def start(world, signer, **parameters) -> tuple[str, bytes]:
    return create(LOCATION, template(), signer, now=world.now - 1_000, parameters=parameters)


def follow(world, did, data, signer, parameters=None, *, document=None, now=None) -> bytes:
    history = verify_log(did, data, now=world.now)
    changed = document or dict(history.document.source)
    return data + update(history, changed, signer, now=now or history.version_time + 10, parameters=parameters)


def check(world, did, data, **options) -> History:
    return verify_log(did, data, now=world.now, **options)


def test_a_log_is_made_updated_and_verified(world, signers):
    did, data = start(world, signers[0])
    assert log.log_url(did) == "https://agent.example/.well-known/did.jsonl"
    data = follow(
        world, did, data, signers[0], document={**template(), "id": did, "alsoKnownAs": ["did:web:agent.example"]}
    )
    history = check(world, did, data)
    assert history.version_id.startswith("2-")
    assert history.document.source["alsoKnownAs"] == ["did:web:agent.example"]
    first = json.loads(data.splitlines()[0])
    assert scid_of(first, history.parameters.scid) == history.parameters.scid


def test_a_rotated_key_is_needed_from_the_next_version_on(world, code, signers):
    did, data = start(world, signers[0])
    data = follow(world, did, data, signers[0], {"updateKeys": [signers[1].public.to_multikey()]})
    by_old, by_new = (follow(world, did, data, signer) for signer in signers[:2])
    assert code(lambda: check(world, did, by_old)) == "webvh_key_not_authorized"
    assert check(world, did, by_new).version_id.startswith("3-")


def test_with_pre_rotation_only_a_committed_key_continues(world, code, signers):
    multikeys = [signer.public.to_multikey() for signer in signers]
    did, data = start(world, signers[0], nextKeyHashes=[key_hash(multikeys[1])])
    good = {"updateKeys": [multikeys[1]], "nextKeyHashes": [key_hash(multikeys[2])]}
    assert check(world, did, follow(world, did, data, signers[1], good)).parameters.update_keys == (multikeys[1],)
    other = {"updateKeys": [multikeys[2]], "nextKeyHashes": []}
    assert code(lambda: check(world, did, follow(world, did, data, signers[2], other))) == "webvh_prerotation"
    for silent in ({}, {"updateKeys": [multikeys[1]]}):
        assert (
            code(lambda silent=silent: check(world, did, follow(world, did, data, signers[0], silent)))
            == "webvh_prerotation"
        )


def test_pre_rotation_can_be_ended(world, signers):
    multikeys = [signer.public.to_multikey() for signer in signers]
    did, data = start(world, signers[0], nextKeyHashes=[key_hash(multikeys[1])])
    data = follow(world, did, data, signers[1], {"updateKeys": [multikeys[1]], "nextKeyHashes": []})
    assert check(world, did, follow(world, did, data, signers[1])).version_id.startswith("3-")


def moved(did: str, host: str) -> dict:
    scid = did.split(":")[2]
    return {"id": f"did:webvh:{scid}:{host}", "alsoKnownAs": [did]}


def test_only_a_portable_identifier_may_move(world, code, signers):
    did, data = start(world, signers[0], portable=True)
    new = moved(did, "new.example")
    data = follow(world, did, data, signers[0], document=new)
    assert check(world, new["id"], data).document.did == new["id"]
    assert code(lambda: check(world, did, data)) == "did_document_mismatch"
    did, data = start(world, signers[0])
    fixed = follow(world, did, data, signers[0], document=moved(did, "new.example"))
    assert code(lambda: check(world, did, fixed)) == "webvh_parameters"


def test_a_document_may_not_take_another_scid(world, code, signers):
    did, data = start(world, signers[0], portable=True)
    other = {"id": f"did:webvh:{'Q' * 46}:{LOCATION}"}
    swapped = follow(world, did, data, signers[0], document=other)
    assert code(lambda: check(world, other["id"], swapped)) == "webvh_scid_mismatch"
    assert code(lambda: check(world, did, data.replace(b'"id":"did:webvh', b'"x":"did:webvh'))) == "webvh_scid_mismatch"


def test_deactivation_is_the_end(world, code, signers):
    did, data = start(world, signers[0])
    ended = follow(world, did, data, signers[0], {"deactivated": True, "updateKeys": []})
    assert code(lambda: check(world, did, ended)) == "webvh_deactivated"
    alive = check(world, did, data)
    entries = tuple(log.parse_log(ended))
    history = History(alive.document, entries[-1].version_id, entries[-1].time, alive.parameters, entries)
    after = ended + update(history, {"id": did}, signers[0], now=world.now - 100)
    assert code(lambda: check(world, did, after)) == "webvh_deactivated"


# --- witnesses ---------------------------------------------------------------------------------------
def witnessed(world, version: str, *signers: LocalSigner, tampered: bool = False) -> dict:
    document = {"versionId": version}
    proofs = [
        create_proof(
            {"versionId": "1-other"} if tampered else document,
            signer,
            verification_method=did_key_url(signer.public),
            purpose="assertionMethod",
            created=world.now,
        )
        for signer in signers
    ]
    return {**document, "proof": proofs}


@pytest.fixture
def witness_world(world, signers):
    one, two = signers[2:]
    rule = {"threshold": 2, "witnesses": [{"id": did_key(signer.public)} for signer in (one, two)]}
    did, data = start(world, signers[0], witness=rule)
    return did, data, json.loads(data)["versionId"], one, two


def test_witnesses_have_to_reach_the_threshold(world, code, witness_world):
    did, data, version, one, two = witness_world

    def outcome(records):
        return code(lambda: check(world, did, data, witnesses=json.dumps(records).encode()))

    assert outcome([witnessed(world, version, one, two)]) is None
    assert outcome([witnessed(world, version, one), witnessed(world, version, two)]) is None
    assert outcome([witnessed(world, version, one)]) == "webvh_witness_missing"
    assert outcome([witnessed(world, version, one, one)]) == "webvh_witness_missing"
    assert outcome([witnessed(world, version, one, two, tampered=True)]) == "webvh_witness_missing"
    assert outcome([witnessed(world, "1-" + "Q" * 46, one, two)]) == "webvh_witness_missing"
    assert outcome([{"versionId": 5}]) == "webvh_log_malformed"
    assert outcome({"versionId": version}) == "webvh_log_malformed"


def test_large_witness_files_are_refused(world, code, witness_world):
    did, data, *_ = witness_world
    assert code(lambda: check(world, did, data, witnesses=b" " * 600_000)) == "too_large"


def test_a_stranger_is_no_witness(world, code, signers, witness_world):
    did, data, version, one, _ = witness_world
    records = [witnessed(world, version, one, signers[1])]
    assert code(lambda: check(world, did, data, witnesses=json.dumps(records).encode())) == "webvh_witness_missing"


@pytest.mark.parametrize(
    "rule",
    [
        {"threshold": 0, "witnesses": [{"id": "did:key:z1"}]},
        {"threshold": 2, "witnesses": [{"id": "did:key:z1"}]},
        {"threshold": True, "witnesses": [{"id": "did:key:z1"}]},
        {"threshold": 1, "witnesses": [{"id": "did:key:z1"}, {"id": "did:key:z1"}]},
        {"threshold": 1, "witnesses": [{"id": "did:web:w.example"}]},
        {"threshold": 1, "witnesses": ["did:key:z1"]},
        {"threshold": 1, "witnesses": [{"id": f"did:key:z{n}"} for n in range(33)]},
        {"threshold": 1},
        [],
    ],
)
def test_witness_rules_are_checked(world, code, signers, rule):
    did, data = start(world, signers[0], witness=rule)
    assert code(lambda: check(world, did, data)) == "webvh_parameters"


# --- parameters --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "parameters",
    [
        {"method": "did:webvh:0.5"},
        {"updateKeys": []},
        {"updateKeys": "z6Mk"},
        {"updateKeys": [5]},
        {"nextKeyHashes": 5},
        {"portable": "yes"},
        {"deactivated": 1},
        {"unknown": 1},
        {"scid": "short"},
        {"scid": 5},
    ],
)
def test_first_parameters_are_checked(world, code, signers, parameters):
    did, data = start(world, signers[0])
    entry = json.loads(data)
    entry["parameters"] |= parameters
    assert code(lambda: check(world, did, json.dumps(entry).encode())) == "webvh_parameters"


@pytest.mark.parametrize(
    "parameters",
    [{"method": "did:webvh:2.0"}, {"scid": "Q" * 46}, {"portable": True}, {"updateKeys": []}, {"witness": 5}],
)
def test_later_parameters_are_checked(world, code, signers, parameters):
    did, data = start(world, signers[0])
    assert code(lambda: check(world, did, follow(world, did, data, signers[0], parameters))) == "webvh_parameters"


# --- entries -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "change",
    [
        {"versionId": "0-" + "Q" * 46},
        {"versionId": "1-short"},
        {"versionId": 1},
        {"versionTime": "yesterday"},
        {"parameters": []},
        {"state": None},
        {"extra": 1},
    ],
)
def test_malformed_entries(world, code, signers, change):
    did, data = start(world, signers[0])
    line = json.dumps(json.loads(data) | change).encode()
    assert code(lambda: check(world, did, line)) == "webvh_log_malformed"


@pytest.mark.parametrize(
    "change",
    [
        {"cryptosuite": "ecdsa-jcs-2019"},
        {"cryptosuite": "eddsa-rdfc-2022"},
        {"proofPurpose": "authentication"},
        {"verificationMethod": "did:web:agent.example#k"},
        {"proofValue": "zzz"},
    ],
)
def test_an_entry_without_a_valid_proof(world, code, signers, change):
    did, data = start(world, signers[0])
    entry = json.loads(data)
    entry["proof"][0] |= change
    assert code(lambda: check(world, did, json.dumps(entry).encode())) == "webvh_proof_invalid"


def test_body_and_fragment_of_a_proofs_key_have_to_agree(world, code, signers):
    did, data = start(world, signers[0])
    entry = json.loads(data)
    other = did_key_url(signers[1].public)
    entry["proof"][0]["verificationMethod"] = other.split("#")[0] + "#" + signers[0].public.to_multikey()
    assert code(lambda: check(world, did, json.dumps(entry).encode())) == "webvh_proof_invalid"


def test_a_proof_may_stand_alone_or_in_a_list(world, signers):
    did, data = start(world, signers[0])
    entry = json.loads(data)
    entry["proof"] = entry["proof"][0]
    assert check(world, did, json.dumps(entry).encode()).version_id == entry["versionId"]


def test_a_log_from_the_future_is_refused(world, code, signers):
    did, data = create(LOCATION, template(), signers[0], now=world.now + 60)
    assert code(lambda: check(world, did, data)) == "webvh_time_order"


@pytest.mark.parametrize("data", [b" " * 600_000, b"{}\n" * 1_001])
def test_logs_have_limits(code, data):
    assert code(lambda: log.parse_log(data)) == "too_large"


def test_an_empty_log_is_none(world, code, signers):
    did, _ = start(world, signers[0])
    assert code(lambda: check(world, did, b"")) == "json_malformed"


# --- identifiers and addresses -----------------------------------------------------------------------
SCID = "QmUQVmu7yyX6x9jCUH863pBacUmg8Wuu4ZZtsdfv7Uv5iD"


def test_addresses_of_log_and_witness_proofs():
    assert log.log_url(f"did:webvh:{SCID}:a.example%3A8443:x:y") == "https://a.example:8443/x/y/did.jsonl"
    assert log.witness_url(f"did:webvh:{SCID}:a.example") == "https://a.example/.well-known/did-witness.json"


@pytest.mark.parametrize(
    ("did", "expected"),
    [
        ("did:web:a.example", "did_malformed"),
        (f"did:webvh:{SCID}", "did_malformed"),
        ("did:webvh:short:a.example", "did_malformed"),
        (f"did:webvh:{SCID}:127.0.0.1", "did_host_refused"),
        (f"did:webvh:{SCID}:127%2E0%2E0%2E1", "did_malformed"),
        (f"did:webvh:{SCID}:a.example:..:b", "did_malformed"),
        (f"did:webvh:{SCID}:a.example:%2E%2E:b", "did_malformed"),
        (f"did:webvh:{SCID}:localhost%3a8080", "did_host_refused"),
        (f"did:webvh:{SCID}:a.example#key", "did_malformed"),
    ],
)
def test_identifiers_that_the_negative_vectors_describe_are_refused(code, did, expected):
    assert code(lambda: log.log_url(did)) == expected


def test_writing_is_checked(world, code, signers):
    assert code(lambda: create("other.example", template(), signers[0], now=world.now)) == "config_invalid"
    did, data = start(world, signers[0])
    history = check(world, did, data)
    assert code(lambda: update(history, {}, signers[0], now=history.version_time)) == "config_invalid"
    assert entry_hash(json.loads(data), history.parameters.scid) == history.version_id.split("-")[1]


def test_only_ed25519_signs_a_log(world, code):
    assert code(lambda: create(LOCATION, template(), world.issuer_signer, now=world.now)) == "alg_key_mismatch"
