"""did:webvh 1.0: identifiers, log entries and parameters, before any of it is believed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from credentials.did.web import split_authority, split_path
from credentials.encoding import json_object
from credentials.errors import CredentialError, DidError, LimitError
from credentials.limits import MAX_DID_BYTES, MAX_WEBVH_ENTRIES, MAX_WEBVH_LOG_BYTES, MAX_WITNESSES
from credentials.times import timestamp

METHOD: Final = "did:webvh:1.0"
PLACEHOLDER: Final = "{SCID}"
_PREFIX: Final = "did:webvh:"
_SCID: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{46}\Z")
_VERSION: Final = re.compile(r"([1-9][0-9]{0,8})-([1-9A-HJ-NP-Za-km-z]{46})\Z")
_ENTRY: Final = frozenset({"versionId", "versionTime", "parameters", "state", "proof"})
_PARAMETERS: Final = frozenset(
    {"method", "scid", "updateKeys", "nextKeyHashes", "portable", "witness", "watchers", "deactivated", "ttl"}
)


def split(did: str) -> tuple[str, str, list[str]]:
    """The SCID, host and path of an identifier (did:webvh 1.0, "Method-Specific Identifier")."""
    if not did.startswith(_PREFIX) or len(did) > MAX_DID_BYTES:
        raise DidError("did_malformed")
    scid, _, rest = did.removeprefix(_PREFIX).partition(":")
    if _SCID.match(scid) is None or not rest:
        raise DidError("did_malformed", "no self-certifying identifier")
    authority, *segments = rest.split(":")
    host = split_authority(authority)
    split_path(segments)
    return scid, host, segments


def log_url(did: str) -> str:
    """The address of the log (did:webvh 1.0, "The DID to HTTPS Transformation")."""
    _, host, segments = split(did)
    path = "/".join(segments) if segments else ".well-known"
    return f"https://{host}/{path}/did.jsonl"


def witness_url(did: str) -> str:
    """The address of the witness proofs (did:webvh 1.0, "The Witness Proofs File")."""
    return log_url(did).removesuffix("did.jsonl") + "did-witness.json"


@dataclass(frozen=True, slots=True)
class WitnessRule:
    """How many of which witnesses must approve; an empty rule asks for none."""

    threshold: int
    ids: frozenset[str]


NO_WITNESS: Final = WitnessRule(0, frozenset())


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters in force after an entry (did:webvh 1.0, "DID Method Processing Parameters")."""

    scid: str
    update_keys: tuple[str, ...]
    next_key_hashes: tuple[str, ...]
    portable: bool
    witness: WitnessRule
    deactivated: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log."""

    number: int
    entry_hash: str
    source: Mapping[str, Any]
    parameters: Mapping[str, Any]
    state: Mapping[str, Any]
    time: float

    @property
    def version_id(self) -> str:
        """The version identifier as written."""
        return f"{self.number}-{self.entry_hash}"


def parse_log(data: bytes) -> list[Entry]:
    """Read the lines of a log (did:webvh 1.0, "The DID Log File") within its limits."""
    if len(data) > MAX_WEBVH_LOG_BYTES:
        raise LimitError("too_large", f"more than {MAX_WEBVH_LOG_BYTES} bytes")
    lines = data.removesuffix(b"\n").split(b"\n")
    if len(lines) > MAX_WEBVH_ENTRIES:
        raise LimitError("too_large", f"more than {MAX_WEBVH_ENTRIES} entries")
    return [_entry(line) for line in lines]


def _entry(line: bytes) -> Entry:
    source = json_object(line)
    version, parameters, state = (source.get(name) for name in ("versionId", "parameters", "state"))
    match = _VERSION.match(version) if isinstance(version, str) else None
    if source.keys() != _ENTRY or match is None:
        raise DidError("webvh_log_malformed")
    if not isinstance(parameters, dict) or not isinstance(state, dict):
        raise DidError("webvh_log_malformed")
    if not parameters.keys() <= _PARAMETERS:
        raise DidError("webvh_parameters", "an unknown parameter")
    try:
        time = timestamp(source["versionTime"], "versionTime")
    except CredentialError as error:
        raise DidError("webvh_log_malformed", "versionTime") from error
    return Entry(int(match[1]), match[2], source, parameters, state, time)


def _texts(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise DidError("webvh_parameters", f"{name} is not a list of texts")
    return tuple(value)


def _witness(value: object) -> WitnessRule:
    if value in (None, {}):
        return NO_WITNESS
    if not isinstance(value, dict) or not isinstance(value.get("witnesses"), list):
        raise DidError("webvh_parameters", "witness")
    ids = [item.get("id") if isinstance(item, dict) else None for item in value["witnesses"]]
    threshold = value.get("threshold")
    if not all(isinstance(item, str) and item.startswith("did:key:") for item in ids):
        raise DidError("webvh_parameters", "a witness is not a did:key")
    if len(set(ids)) != len(ids) or len(ids) > MAX_WITNESSES:
        raise DidError("webvh_parameters", "a witness is there twice, or too many are")
    if not isinstance(threshold, int) or isinstance(threshold, bool) or not 1 <= threshold <= len(ids):
        raise DidError("webvh_parameters", "witness threshold")
    return WitnessRule(threshold, frozenset(str(item) for item in ids))


def _flag(source: Mapping[str, Any], name: str, default: bool) -> bool:
    value = source.get(name, default)
    if not isinstance(value, bool):
        raise DidError("webvh_parameters", f"{name} is not true or false")
    return value


def first_parameters(source: Mapping[str, Any]) -> Parameters:
    """Parameters of the first entry, where method, scid and updateKeys are required (did:webvh 1.0)."""
    scid = source.get("scid")
    if source.get("method") != METHOD:
        raise DidError("webvh_parameters", "another version of the method")
    if not isinstance(scid, str) or _SCID.match(scid) is None:
        raise DidError("webvh_parameters", "scid")
    keys = _texts(source.get("updateKeys"), "updateKeys")
    if not keys:
        raise DidError("webvh_parameters", "no update key")
    return Parameters(
        scid,
        keys,
        _texts(source.get("nextKeyHashes", []), "nextKeyHashes"),
        _flag(source, "portable", False),
        _witness(source.get("witness")),
        _flag(source, "deactivated", False),
    )


def next_parameters(old: Parameters, source: Mapping[str, Any]) -> Parameters:
    """Parameters after a later entry: what is absent stays, some may not change (did:webvh 1.0)."""
    if source.get("method", METHOD) != METHOD:
        raise DidError("webvh_parameters", "another version of the method")
    if source.get("scid", old.scid) != old.scid:
        raise DidError("webvh_parameters", "scid may not change")
    if _flag(source, "portable", old.portable) and not old.portable:
        raise DidError("webvh_parameters", "portable only from the first entry on")
    # With pre-rotation in force both lists must be stated; leaving them out would keep stolen keys in use.
    if old.next_key_hashes and not {"updateKeys", "nextKeyHashes"} <= source.keys():
        raise DidError("webvh_prerotation", "updateKeys and nextKeyHashes must be stated")
    deactivated = _flag(source, "deactivated", old.deactivated)
    keys = _texts(source.get("updateKeys", list(old.update_keys)), "updateKeys")
    if not keys and not deactivated:
        raise DidError("webvh_parameters", "no update key")
    return Parameters(
        old.scid,
        keys,
        _texts(source.get("nextKeyHashes", list(old.next_key_hashes)), "nextKeyHashes"),
        _flag(source, "portable", old.portable),
        _witness(source["witness"]) if "witness" in source else old.witness,
        deactivated,
    )
