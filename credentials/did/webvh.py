"""did:webvh 1.0: verifying a log, entry by entry, from its bytes.

For each entry
(1) the version number is one more than the last, the time later and not in the future;
(2) parameters are acceptable after the earlier ones;
(3) the first entry's SCID is the hash of that entry;
(4) the entry hash chains to the version before;
(5) pre-rotated keys were committed to;
(6) a key that was authorized signed it (``eddsa-jcs-2022``);
(7) the document keeps its SCID, and its name unless portable.
Then (8) witnesses approved where parameters ask for it, (9) the newest document is the one asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from credentials.data_integrity.jcs import canonicalize
from credentials.data_integrity.proof import EDDSA, check_form, verify_proof
from credentials.did import webvh_log as log
from credentials.did.document import DidDocument, did_of
from credentials.did.local import key_document
from credentials.encoding import json_decode
from credentials.errors import CredentialError, DidError, LimitError
from credentials.keys import PublicKey
from credentials.limits import LEEWAY_SECONDS, MAX_WEBVH_LOG_BYTES
from credentials.multibase import base58_multihash


@dataclass(frozen=True, slots=True)
class History:
    """A verified log: the newest document, its version and the parameters in force."""

    document: DidDocument
    version_id: str
    version_time: float
    parameters: log.Parameters
    entries: tuple[log.Entry, ...]


def entry_hash(source: Mapping[str, Any], previous: str) -> str:
    """Hash of an entry that follows version ``previous`` (did:webvh 1.0, "Entry Hash Generation")."""
    bare = {name: value for name, value in source.items() if name != "proof"}
    return base58_multihash(canonicalize(bare | {"versionId": previous}))


def scid_of(source: Mapping[str, Any], scid: str) -> str:
    """Recompute the SCID from the first entry (did:webvh 1.0, "SCID Generation and Verification")."""
    bare = {name: value for name, value in source.items() if name != "proof"}
    bare["versionId"] = log.PLACEHOLDER
    text = json.dumps(bare, ensure_ascii=False).replace(scid, log.PLACEHOLDER)
    return base58_multihash(canonicalize(json.loads(text)))


def key_hash(multikey: str) -> str:
    """The commitment to a later update key (did:webvh 1.0, "Pre-Rotation Key Hash Generation")."""
    return base58_multihash(multikey.encode("utf-8"))


def _proof_key(proof: Mapping[str, Any]) -> tuple[str, PublicKey]:
    """The did:key of a proof; body and fragment must be the same key."""
    url = proof["verificationMethod"]
    did = did_of(url)
    if not did.startswith("did:key:") or url != f"{did}#{did.removeprefix('did:key:')}":
        raise DidError("webvh_proof_invalid", "the proof does not name a did:key")
    return did, key_document(did).key(url, "assertionMethod")


def _verify_one(document: Mapping[str, Any], proof: object) -> str | None:
    """The did:key that validly signed, or ``None``: an entry may also carry proofs of others."""
    try:
        form = check_form(proof)
        if form["cryptosuite"] != EDDSA or form.get("proofPurpose") != "assertionMethod":
            return None
        did, key = _proof_key(form)
        verify_proof(document, form, key)
    except CredentialError:
        return None
    return did


def _proofs(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _check_signed(entry: log.Entry, authorized: tuple[str, ...]) -> None:
    bare = {name: value for name, value in entry.source.items() if name != "proof"}
    signers = [_verify_one(bare, proof) for proof in _proofs(entry.source["proof"])]
    if not any(signers):
        raise DidError("webvh_proof_invalid")
    if not any(did is not None and did.removeprefix("did:key:") in authorized for did in signers):
        raise DidError("webvh_key_not_authorized")


def _check_order(entry: log.Entry, previous: log.Entry | None, now: float) -> None:
    if entry.number != (previous.number + 1 if previous else 1):
        raise DidError("webvh_version_order")
    if previous is not None and entry.time <= previous.time:
        raise DidError("webvh_time_order")
    if entry.time > now + LEEWAY_SECONDS:
        raise DidError("webvh_time_order", "an entry lies in the future")


def _check_state(entry: log.Entry, previous: log.Entry | None, parameters: log.Parameters) -> None:
    did = entry.state.get("id")
    if not isinstance(did, str) or log.split(did)[0] != parameters.scid:
        raise DidError("webvh_scid_mismatch", "the document has another SCID")
    if previous is not None and did != previous.state["id"] and not parameters.portable:
        raise DidError("webvh_parameters", "the identifier moved and is not portable")


def _step(entry: log.Entry, previous: log.Entry | None, old: log.Parameters | None, now: float) -> log.Parameters:
    _check_order(entry, previous, now)  # (1)
    if previous is None or old is None:
        parameters = log.first_parameters(entry.parameters)  # (2)
        if scid_of(entry.source, parameters.scid) != parameters.scid:  # (3)
            raise DidError("webvh_scid_mismatch")
        authorized, before = parameters.update_keys, parameters.scid
    else:
        if old.deactivated:
            raise DidError("webvh_deactivated", "an entry after deactivation")
        parameters = log.next_parameters(old, entry.parameters)  # (2)
        before = previous.version_id
        authorized = parameters.update_keys if old.next_key_hashes else old.update_keys
    if entry_hash(entry.source, before) != entry.entry_hash:  # (4)
        raise DidError("webvh_hash_mismatch")
    committed = old.next_key_hashes if old is not None else ()
    if committed and not all(key_hash(key) in committed for key in parameters.update_keys):  # (5)
        raise DidError("webvh_prerotation")
    _check_signed(entry, authorized)  # (6)
    _check_state(entry, previous, parameters)  # (7)
    return parameters


def _witness_versions(data: bytes | None, entries: list[log.Entry]) -> dict[str, int]:
    """For each witness the highest published version that it validly approved."""
    if data is None:
        return {}
    if len(data) > MAX_WEBVH_LOG_BYTES:
        raise LimitError("too_large", f"more than {MAX_WEBVH_LOG_BYTES} bytes")
    published = {entry.version_id: entry.number for entry in entries}
    approved: dict[str, int] = {}
    records = json_decode(data)
    for record in records if isinstance(records, list) else [None]:
        if not isinstance(record, dict) or not isinstance(record.get("versionId"), str):
            raise DidError("webvh_log_malformed", "witness proofs")
        version: str = record["versionId"]
        if version not in published:
            continue  # approved before publication, or of another identifier's log: counts for nothing here
        for proof in _proofs(record.get("proof")):
            did = _verify_one({"versionId": version}, proof)
            if did is not None:
                approved[did] = max(approved.get(did, 0), published[version])
    return approved


def verify_log(did: str, data: bytes, *, now: float, witnesses: bytes | None = None) -> History:
    """Verify a log (and witness proofs) for ``did`` (did:webvh 1.0, "Read (Resolve)").

    Returns the newest state; ``webvh_deactivated`` when the identifier has ended.
    """
    scid, _, _ = log.split(did)
    entries = log.parse_log(data)
    parameters = _step(entries[0], None, None, now)  # there is a first entry, or parse_log has refused the log
    rules = [parameters.witness]
    for before, entry in pairwise(entries):
        old, parameters = parameters, _step(entry, before, parameters, now)
        # A changed witness list takes effect after the entry that changes it.
        rules.append(old.witness if old.witness.ids else parameters.witness)
    approved = _witness_versions(witnesses, entries) if any(rule.ids for rule in rules) else {}
    for entry, rule in zip(entries, rules, strict=True):  # (8)
        count = sum(1 for witness in rule.ids if approved.get(witness, 0) >= entry.number)
        if count < rule.threshold:
            raise DidError("webvh_witness_missing")
    newest = entries[-1]
    if parameters.scid != scid or newest.state["id"] != did:  # (9)
        raise DidError("did_document_mismatch")
    if parameters.deactivated:
        raise DidError("webvh_deactivated")
    document = DidDocument(newest.state, did)
    return History(document, newest.version_id, newest.time, parameters, tuple(entries))
