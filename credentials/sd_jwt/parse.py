"""The tilde-separated form of an SD-JWT, taken apart and not yet trusted (RFC 9901 section 4)."""

from __future__ import annotations

from dataclasses import dataclass

from credentials import jws
from credentials.errors import LimitError, MalformedError
from credentials.jws import Jws
from credentials.limits import MAX_DISCLOSURES, MAX_TOKEN_BYTES
from credentials.sd_jwt.disclosure import digest

VC_TYPE = "dc+sd-jwt"
KB_TYPE = "kb+jwt"


@dataclass(frozen=True, slots=True)
class SdJwt:
    """An SD-JWT in its parts: issuer-signed JWT, encoded disclosures, key binding JWT or ``None``."""

    issuer_jwt: str
    jws: Jws
    disclosures: tuple[str, ...]
    key_binding: str | None

    @property
    def presented(self) -> str:
        """What ``sd_hash`` covers: everything up to and with the last tilde (RFC 9901 section 4.3.1)."""
        return "~".join((self.issuer_jwt, *self.disclosures, ""))

    @property
    def sd_hash(self) -> str:
        """The hash that the key binding JWT must carry (RFC 9901 section 4.3.1)."""
        return digest(self.presented)

    def compact(self) -> str:
        """The compact form (RFC 9901 section 4)."""
        return self.presented + (self.key_binding or "")


def parse(token: str, *, typ: str | None = VC_TYPE, limit: int = MAX_TOKEN_BYTES) -> SdJwt:
    """Split an SD-JWT or SD-JWT+KB (RFC 9901 section 7.1 step 1) in its compact form; ``json_form`` has the other."""
    if len(token) > limit:
        raise LimitError("too_large", f"more than {limit} characters")
    if not token.isascii():
        raise MalformedError("malformed", "not ASCII")
    tildes = token.count("~")
    if tildes < 1:
        raise MalformedError("malformed", "no tilde")
    if tildes - 1 > MAX_DISCLOSURES:
        raise LimitError("too_many_disclosures", f"more than {MAX_DISCLOSURES}")
    parts = token.split("~")
    disclosures = tuple(parts[1:-1])
    if "" in disclosures:
        raise MalformedError("malformed", "an empty disclosure")
    return SdJwt(parts[0], jws.parse(parts[0], typ=typ, limit=limit), disclosures, parts[-1] or None)
