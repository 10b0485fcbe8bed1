"""The memory claim credential: one shared memory, every part of it selectively disclosable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from credentials.algorithms import SIGNING
from credentials.errors import ClaimsRefusedError, ConfigurationError, KeyRefusedError
from credentials.keys import PublicKey
from credentials.ports import Rng, Signer
from credentials.sd_jwt.issue import Path, issue

MAX_LIFE_SECONDS: Final = 30 * 86_400
MAX_STATEMENT_CHARS: Final = 2_000
MAX_VALUE_CHARS: Final = 2_000
MAX_TERM_CHARS: Final = 200
DECOYS: Final = 4  # digests of nothing, so that the number of digests does not tell what is hidden

OBJECT_TYPES: Final = ("text", "entity", "number", "money", "date", "period", "boolean")
SOURCES: Final = ("user", "rule", "assistant", "import", "credential", "reviewer")
# A date as it was said: YYYY, YYYY-MM, a day, or a moment with its zone.
_WHEN: Final = r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?)?$"


def memory_vct(origin: str) -> str:
    """The type identifier under an origin (SD-JWT VC section 3.2.2.1: collision-resistant)."""
    return f"{checked_origin(origin)}/vct/memory/v1"


def checked_origin(origin: str) -> str:
    """Require an https origin without a slash at the end (SD-JWT VC section 3.2.2.1)."""
    if not origin.startswith("https://") or origin.endswith("/") or len(origin) > MAX_TERM_CHARS:
        raise ConfigurationError("config_invalid", "an origin is https:// and a host, no slash at the end")
    return origin


def _term() -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": MAX_TERM_CHARS}


def memory_schema(vct: str) -> dict[str, Any]:
    """JSON Schema of the processed claims (SD-JWT VC section 6.2); what is hidden may be absent."""
    when = {"type": "string", "pattern": _WHEN}
    confidence = {"type": "number", "minimum": 0, "maximum": 1}
    properties = {
        "predicate": _term(),
        "object": {
            "type": "object",
            "properties": {
                "type": {"enum": list(OBJECT_TYPES)},
                "value": {"type": "string", "maxLength": MAX_VALUE_CHARS},
                "unit": _term(),
                "scope": _term(),
            },
            "required": ["type", "value"],
            "additionalProperties": False,
        },
        "polarity": {"enum": ["positive", "negative"]},
        "statement": {"type": "string", "minLength": 1, "maxLength": MAX_STATEMENT_CHARS},
        "category": _term(),
        "confidence": confidence,
        "valid_from": when,
        "valid_to": when,
        "recorded_at": when,
        "provenance": {
            "type": "object",
            "properties": {
                "source": {"enum": list(SOURCES)},
                "grounding": {"enum": ["grounded", "unverified"]},
                "said_at": when,
                "quote": {"type": "string", "maxLength": MAX_STATEMENT_CHARS},
                "agent": _term(),
            },
            "additionalProperties": False,
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Shared memory",
        "type": "object",
        "properties": {
            "vct": {"const": vct},
            "iss": {"type": "string", "minLength": 1},
            "sub": {"type": "string", "minLength": 1},
            "exp": {"type": "number"},
            "cnf": {"type": "object"},
            "memory": {"type": "object", "properties": properties, "additionalProperties": False},
        },
        "required": ["vct", "iss", "exp", "cnf"],
    }


def memory_type_metadata(origin: str) -> dict[str, Any]:
    """Type metadata (SD-JWT VC section 6) with a display for each claim in English and Chinese."""
    labels = {
        "predicate": ("Relation", "关系"),
        "object": ("Value", "值"),
        "polarity": ("Polarity", "肯定或否定"),
        "statement": ("Statement", "陈述"),
        "category": ("Category", "类别"),
        "confidence": ("Confidence", "可信度"),
        "valid_from": ("True since", "生效时间"),
        "valid_to": ("True until", "失效时间"),
        "recorded_at": ("Recorded", "记录时间"),
        "provenance": ("Source", "来源"),
    }
    vct = memory_vct(origin)
    claims = [
        {
            "path": ["memory", name],
            "display": [{"locale": "en", "label": english}, {"locale": "zh-CN", "label": chinese}],
            "sd": "always",
        }
        for name, (english, chinese) in labels.items()
    ]
    return {
        "vct": vct,
        "name": "Shared memory",
        "description": "One memory that a person shares with a named agent for a named purpose.",
        "display": [
            {"locale": "en", "name": "Shared memory"},
            {"locale": "zh-CN", "name": "共享的记忆"},
        ],
        "claims": claims,
        "schema": memory_schema(vct),
    }


@dataclass(frozen=True, slots=True)
class MemoryClaim:
    """One memory as it is shared; ``None`` and empty parts are left out."""

    predicate: str
    object: Mapping[str, str]
    statement: str
    category: str
    confidence: float
    polarity: str = "positive"
    valid_from: str | None = None
    valid_to: str | None = None
    recorded_at: str | None = None
    provenance: Mapping[str, str] = field(default_factory=dict)

    def to_claim(self) -> dict[str, Any]:
        """The ``memory`` claim (SD-JWT VC section 6.2, schema of ``memory_schema``)."""
        parts: dict[str, Any] = {
            "predicate": self.predicate,
            "object": dict(self.object),
            "polarity": self.polarity,
            "statement": self.statement,
            "category": self.category,
            "confidence": self.confidence,
            "valid_from": self.valid_from,
            "valid_to": self.valid_to,
            "recorded_at": self.recorded_at,
            "provenance": dict(self.provenance),
        }
        return {name: value for name, value in parts.items() if value not in (None, "", {})}


def issue_memory(
    memory: MemoryClaim,
    signer: Signer,
    *,
    vct: str,
    issuer: str,
    subject: str,
    holder: PublicKey,
    issued_at: int,
    life: int,
    rng: Rng,
    status: tuple[str, int] | None = None,
) -> str:
    """Issue one memory as an SD-JWT VC (SD-JWT VC section 3.2, RFC 9901 section 4).

    ``cnf`` is the holder's key, ``life`` at most 30 days, ``status`` the list address and index.
    The subject is plain, so that consent can be checked against it.
    """
    if not 0 < life <= MAX_LIFE_SECONDS:
        raise ConfigurationError("config_invalid", f"a life of at most {MAX_LIFE_SECONDS} seconds")
    content = memory.to_claim()
    if "statement" not in content or "object" not in content:
        raise ClaimsRefusedError("claim_missing", "a memory has a statement and an object")
    if holder.key_type not in SIGNING:
        raise KeyRefusedError("key_curve_refused", "holders have P-256 or Ed25519 keys")
    claims: dict[str, Any] = {
        "iss": issuer,
        "iat": issued_at,
        "exp": issued_at + life,
        "vct": vct,
        "sub": subject,
        "cnf": {"jwk": holder.to_jwk()},
        "memory": content,
    }
    if status is not None:
        claims["status"] = {"status_list": {"uri": status[0], "idx": status[1]}}
    hidden: list[Path] = [("memory", name) for name in content]
    hidden += [("memory", "provenance", name) for name in content.get("provenance", {})]
    return issue(claims, hidden, signer, rng=rng, decoys=DECOYS)
