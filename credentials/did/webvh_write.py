"""did:webvh 1.0: writing the log of our own agents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from credentials.data_integrity.jcs import canonicalize
from credentials.data_integrity.proof import create_proof
from credentials.did import webvh_log as log
from credentials.did.local import did_key_url
from credentials.did.webvh import History, entry_hash
from credentials.encoding import json_encode
from credentials.errors import ConfigurationError
from credentials.multibase import base58_multihash
from credentials.ports import Signer
from credentials.times import to_timestamp


def _signed(entry: dict[str, Any], signer: Signer, now: float) -> bytes:
    proof = create_proof(
        entry,
        signer,
        verification_method=did_key_url(signer.public),
        purpose="assertionMethod",
        created=now,
    )
    return json_encode(entry | {"proof": [proof]}) + b"\n"


def create(
    location: str,
    document: Mapping[str, Any],
    signer: Signer,
    *,
    now: float,
    parameters: Mapping[str, Any] | None = None,
) -> tuple[str, bytes]:
    """Start a log (did:webvh 1.0, "Create (Register)"); returns the identifier and the first line.

    ``location`` is ``host[%3Aport][:path…]``. In ``document`` the text ``{SCID}`` stands for the
    identifier that is computed here, and its id must be ``did:webvh:{SCID}:`` plus the location.
    """
    did = f"did:webvh:{log.PLACEHOLDER}:{location}"
    if document.get("id") != did:
        raise ConfigurationError("config_invalid", "the document is not about this location")
    entry: dict[str, Any] = {
        "versionId": log.PLACEHOLDER,
        "versionTime": to_timestamp(now),
        "parameters": {
            "method": log.METHOD,
            "scid": log.PLACEHOLDER,
            "updateKeys": [signer.public.to_multikey()],
            **(parameters or {}),
        },
        "state": dict(document),
    }
    scid = base58_multihash(canonicalize(entry))
    entry = json.loads(json.dumps(entry, ensure_ascii=False).replace(log.PLACEHOLDER, scid))
    log.split(entry["state"]["id"])
    entry["versionId"] = f"1-{entry_hash(entry, scid)}"
    return entry["state"]["id"], _signed(entry, signer, now)


def update(
    history: History,
    document: Mapping[str, Any],
    signer: Signer,
    *,
    now: float,
    parameters: Mapping[str, Any] | None = None,
) -> bytes:
    """Make the next line of a verified log (did:webvh 1.0, "Update (Rotate)").

    With pre-rotation ``signer`` is the new key and ``parameters`` state ``updateKeys`` and
    ``nextKeyHashes``; else it is a key in force.
    """
    if now <= history.version_time:
        raise ConfigurationError("config_invalid", "the time does not advance")
    number = history.entries[-1].number + 1
    entry: dict[str, Any] = {
        "versionId": history.version_id,
        "versionTime": to_timestamp(now),
        "parameters": dict(parameters or {}),
        "state": dict(document),
    }
    entry["versionId"] = f"{number}-{entry_hash(entry, history.version_id)}"
    return _signed(entry, signer, now)
