"""Verifying files: the policy as a file, and everything that it names read from beside it.

``credentials.verify`` does the checks; this adapter only reads. Nothing is fetched.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from credentials.data_integrity.contexts import VCDM1
from credentials.did.document import DidDocument
from credentials.did.resolve import StaticResolver
from credentials.did.webvh import verify_log
from credentials.encoding import json_decode, json_object
from credentials.errors import ConfigurationError, CredentialError, IssuerRefusedError
from credentials.formats import Format, detect
from credentials.issuer_keys import IssuerKeys, parse_metadata
from credentials.limits import LEEWAY_SECONDS, MAX_STATUS_TOKEN_BYTES, MAX_WEBVH_LOG_BYTES
from credentials.policy import ConsentPolicy, StatusPolicy, VerificationPolicy
from credentials.result import Trail
from credentials.schemas import TypeRegistry
from credentials.sd_jwt.json_form import parse_signatures
from credentials.sd_jwt.key_binding import KeyBindingPolicy
from credentials.status import bitstring, token_list
from credentials.status.bits import StatusList
from credentials.times import TimeRules
from credentials.trust import TrustList
from credentials.verify import verify
from mcp_memory_server.keys.didkit_engine import DidkitEngine

MAX_FILE_BYTES: Final = max(MAX_STATUS_TOKEN_BYTES, MAX_WEBVH_LOG_BYTES)
_KEYS: Final = frozenset({"issuers", "files", "status", "consent", "require_exp", "leeway", "contexts"})
_FILES: Final = frozenset({"documents", "logs", "issuer_metadata", "status_lists", "schemas"})


def read_limited(path: Path) -> bytes:
    """Read a file up to the largest thing that can be verified; more is cut and then refused as too large."""
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES + 1)


@dataclass(slots=True)
class _Loaded:
    documents: dict[str, DidDocument] = field(default_factory=dict)
    issuer_keys: dict[str, IssuerKeys] = field(default_factory=dict)
    lists: dict[str, StatusList] = field(default_factory=dict)


def _settings(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        data = read_limited(path)
        value = json_decode(data) if path.suffix == ".json" else tomllib.loads(data.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, CredentialError) as error:
        raise ConfigurationError("config_invalid", f"the policy {path.name} cannot be read") from error
    if not isinstance(value, dict) or not value.keys() <= _KEYS:
        raise ConfigurationError("config_invalid", f"unknown settings in {path.name}")
    if not _table(value, "files").keys() <= _FILES:
        raise ConfigurationError("config_invalid", f"unknown kinds of files in {path.name}")
    return value


def _table(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = settings.get(name, {})
    if not isinstance(value, dict):
        raise ConfigurationError("config_invalid", f"{name} is not a table")
    return value


def _each(settings: Mapping[str, Any], kind: str, base: Path) -> list[bytes]:
    names = _table(settings, "files").get(kind, [])
    if not isinstance(names, list):
        raise ConfigurationError("config_invalid", f"files.{kind} is not a list")
    try:
        return [read_limited(base / str(name)) for name in names]
    except OSError as error:
        raise ConfigurationError("config_invalid", f"files.{kind}: {error.strerror}") from error


def _last_did(data: bytes) -> str:
    lines = data.strip().splitlines()
    state = json_object(lines[-1]).get("state") if lines else None
    return str(state.get("id", "")) if isinstance(state, dict) else ""


def _load(settings: Mapping[str, Any], base: Path, *, now: int) -> _Loaded:
    loaded = _Loaded()
    for data in _each(settings, "documents", base):
        did = str(json_object(data).get("id", ""))
        loaded.documents[did] = DidDocument.parse(data, did)
    for data in _each(settings, "logs", base):
        history = verify_log(_last_did(data), data, now=now)
        loaded.documents[history.document.did] = history.document
    for data in _each(settings, "issuer_metadata", base):
        issuer = str(json_object(data).get("issuer", ""))
        loaded.issuer_keys[issuer] = parse_metadata(data, issuer)
    return loaded


def _status_list(data: bytes, policy: VerificationPolicy, *, now: int, trail: Trail) -> StatusList:
    """Verify a status list of either kind whose issuer the policy trusts."""
    text = data.decode("utf-8").strip()
    trail.begin("structure")
    if text.startswith("{"):
        document = json_object(text)
        uri, issuer = str(document.get("id", "")), document.get("issuer")
        trail.begin("credential")
        accepted = verify(text, policy, now=now).require()
        trail.begin("list")
        return bitstring.read(accepted.claims, uri=uri, issuer=str(issuer), now=now)
    token = token_list.parse(text)
    claims = token.claims()
    issuer = claims.get("iss") or (token.kid or "").split("#")[0]
    trail.begin("issuer")
    if not isinstance(issuer, str) or not issuer:
        raise IssuerRefusedError("issuer_missing")
    if policy.issuers is not None:
        policy.issuers.check(issuer, (token_list.TYPE,))
    trail.begin("key")
    key = policy.keys.issuer_key(issuer, token.kid)
    trail.begin("signature and list")
    return token_list.verify(token, key, uri=str(claims.get("sub", "")), issuer=issuer, now=now)


def _is_bound(text: str) -> bool:
    """Whether a file is a presentation, for which a nonce is needed with the audience."""
    text = text.strip()
    if "~" in text:
        return not text.endswith("~")
    try:
        kind = detect(text)
        if kind is Format.SD_JWT_JSON:
            return parse_signatures(text, typ=None)[0].key_binding is not None
        return kind in (Format.VP_DI, Format.VP_JWT)
    except CredentialError:
        return False


def _policy(path: Path | None, *, nonce: str | None, audience: str | None, now: int, bound: bool) -> VerificationPolicy:
    settings = _settings(path)
    base = path.parent if path is not None else Path()
    loaded = _load(settings, base, now=now)
    issuers = _table(settings, "issuers")
    if not all(isinstance(types, list) for types in issuers.values()):
        raise ConfigurationError("config_invalid", "issuers: each identifier needs a list of types")
    leeway = settings.get("leeway", LEEWAY_SECONDS)
    require = settings.get("require_exp", False)
    if not isinstance(leeway, int) or not isinstance(require, bool):
        raise ConfigurationError("config_invalid", "leeway or require_exp")
    schemas = {str(s.get("vct", "")): s.get("schema", s) for s in map(json_object, _each(settings, "schemas", base))}
    binding = None
    if nonce is not None or (audience is not None and bound):
        binding = KeyBindingPolicy(audience or "", nonce or "", leeway=leeway)
    # Lists are signed by the issuers themselves: trusting one for credentials is trusting its lists.
    kinds = [token_list.TYPE, bitstring.LIST_CREDENTIAL]
    policy = VerificationPolicy(
        issuers=TrustList({issuer: [*types, *kinds] for issuer, types in issuers.items()}),
        resolver=StaticResolver(loaded.documents),
        issuer_keys=loaded.issuer_keys,
        types=None,
        times=TimeRules(leeway=leeway, require_exp=require),
        key_binding=None,
        audience=audience,
        contexts=tuple(settings.get("contexts", ())),
        legacy=DidkitEngine() if find_spec("didkit") is not None else None,
    )
    for data in _each(settings, "status_lists", base):
        listing = _status_list(data, policy, now=now, trail=Trail())
        loaded.lists[listing.uri] = listing
    return _complete(policy, settings, base, loaded, schemas, binding)


def _complete(
    policy: VerificationPolicy,
    settings: Mapping[str, Any],
    base: Path,
    loaded: _Loaded,
    schemas: Mapping[str, Any],
    binding: KeyBindingPolicy | None,
) -> VerificationPolicy:
    status, consent = _table(settings, "status"), _table(settings, "consent")
    rule = None
    if consent:
        file = consent.get("file")
        signed = read_limited(base / str(file)).decode("utf-8").strip() if file else None
        rule = ConsentPolicy(signed, *(str(consent.get(name, "")) for name in ("vct", "grantee", "purpose")))
    return replace(
        policy,
        types=TypeRegistry(schemas) if schemas else None,
        key_binding=binding,
        consent=rule,
        status=StatusPolicy(
            lookup=loaded.lists.get,
            required=bool(status.get("required", False)),
            max_staleness=float(status.get("max_staleness", 0)),
        ),
    )


def verify_file(
    text: str, policy_file: Path | None, *, nonce: str | None, audience: str | None, now: int
) -> dict[str, Any]:
    """Verify the text of a file of any supported kind; ``{ok, code, checks[]}`` (contract section 1)."""
    policy = _policy(policy_file, nonce=nonce, audience=audience, now=now, bound=_is_bound(text))
    try:
        kind = _special(text.strip())
        if kind is None:
            return verify(text, policy, now=now).to_json()
        return _verify_special(kind, text.strip(), policy, now=now)
    finally:
        if isinstance(policy.legacy, DidkitEngine):
            policy.legacy.close()


def _special(text: str) -> str | None:
    """Files that are no credentials: did:webvh logs and status lists."""
    first = text.split("\n", 1)[0]
    if first.startswith("{") and '"versionId"' in first and '"parameters"' in first:
        return "did:webvh log"
    if text.startswith("{") and bitstring.LIST_CREDENTIAL in text and VCDM1 not in text:
        return "status list"
    if text.count(".") == 2 and "~" not in text and "{" not in text:
        try:
            token_list.parse(text)
        except CredentialError:
            return None
        return "status list"
    return None


def _verify_special(kind: str, text: str, policy: VerificationPolicy, *, now: int) -> dict[str, Any]:
    trail = Trail()
    answer: dict[str, Any] = {"ok": False, "code": None, "format": kind}
    try:
        if kind == "did:webvh log":
            trail.begin("log")
            history = verify_log(_last_did(text.encode()), text.encode(), now=now)
            answer |= {"did": history.document.did, "version": history.version_id}
        else:
            listing = _status_list(text.encode(), policy, now=now, trail=trail)
            answer |= {"uri": listing.uri, "issuer": listing.issuer, "entries": len(listing)}
        trail.done()
        answer["ok"] = True
    except CredentialError as error:
        trail.fail(error)
        answer["code"] = error.code
    answer["checks"] = [check.to_json() for check in trail.checks]
    return answer
