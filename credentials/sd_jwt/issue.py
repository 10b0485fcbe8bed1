"""Issuing an SD-JWT: claims by path become digests, salts come from the caller's random source."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from typing import Any, Final

from credentials import jws
from credentials.encoding import b64url_bytes, b64url_encode, json_encode, json_text
from credentials.errors import ClaimsRefusedError, DisclosureError, LimitError, MalformedError
from credentials.limits import MAX_DISCLOSURES, MAX_JSON_DEPTH, MAX_TOKEN_BYTES, SALT_BYTES
from credentials.ports import Rng, Signer
from credentials.sd_jwt.disclosure import HASH_NAME, RESERVED
from credentials.sd_jwt.parse import VC_TYPE

Path = tuple[str | int, ...]
_DIGEST_BYTES: Final = 32
_CONTAINERS: Final = (dict, list)  # a tuple made once: a union would be built for every claim
_NOTHING: Final[frozenset[str | int]] = frozenset()
_SALT_LETTERS: Final = SALT_BYTES // 3 * 4

# SD-JWT VC section 2.2.2.2 and RFC 9901 section 9.7: hiding these would hide the validity.
ALWAYS_PLAIN: Final = frozenset({"iss", "nbf", "exp", "cnf", "vct", "vct#integrity", "aka_vcts", "status"})


def _salts(rng: Rng, count: int) -> Iterator[str]:
    """One draw for all salts: a system call per salt would dominate issuing."""
    drawn = rng(count * SALT_BYTES)
    if len(drawn) != count * SALT_BYTES:
        raise DisclosureError("salt_weak")
    letters = b64url_encode(drawn)
    return iter([letters[at : at + _SALT_LETTERS] for at in range(0, len(letters), _SALT_LETTERS)])


class _Issuer:
    def __init__(self, hidden: set[Path], salts: Iterator[str], decoys: list[str]) -> None:
        # By the object or array that they are in: a lookup for a claim needs no path of its own.
        self.hidden: dict[Path, set[str | int]] = {}
        for path in hidden:
            if path:  # the whole credential cannot be hidden: its path is met nowhere
                self.hidden.setdefault(path[:-1], set()).add(path[-1])
        self.salts = salts
        self.decoys = decoys
        self.disclosures: list[bytes] = []

    def digest(self, name: str | None, value: Any) -> str:
        salt = next(self.salts)
        if type(value) is str and name is not None:  # the usual case, worth its own short way
            content = f'["{salt}",{json_text(name)},{json_text(value)}]'.encode()
        else:
            content = json_encode([salt, value] if name is None else [salt, name, value])
        encoded = b64url_bytes(content)
        self.disclosures.append(encoded)
        return b64url_bytes(sha256(encoded).digest()).decode("ascii")

    def value(self, value: Any, path: Path, depth: int) -> Any:
        if not isinstance(value, _CONTAINERS):
            return value
        if depth == 0:
            raise LimitError("json_too_deep")
        if isinstance(value, list):
            return self.array(value, path, depth)
        return self.object(value, path, depth)

    def object(self, value: dict[str, Any], path: Path, depth: int) -> dict[str, Any]:
        if not RESERVED.isdisjoint(value):
            raise ClaimsRefusedError("disclosure_reserved_name")
        result: dict[str, Any] = {}
        digests: list[str] = []
        hidden = self.hidden.get(path, _NOTHING)
        for name, item in value.items():
            child = self.value(item, (*path, name), depth - 1) if isinstance(item, _CONTAINERS) else item
            if name in hidden:
                digests.append(self.digest(name, child))
            else:
                result[name] = child
        if digests:
            if not path:
                digests += self.decoys
            # RFC 9901 4.2.4.1: the order must not tell the order of the claims.
            result["_sd"] = sorted(digests)
        elif not path and self.decoys:
            result["_sd"] = sorted(self.decoys)
        return result

    def array(self, value: list[Any], path: Path, depth: int) -> list[Any]:
        result: list[Any] = []
        hidden = self.hidden.get(path, _NOTHING)
        for index, item in enumerate(value):
            child = self.value(item, (*path, index), depth - 1)
            result.append({"...": self.digest(None, child)} if index in hidden else child)
        return result


def issue(
    claims: dict[str, Any],
    disclosable: Iterable[Collection[str | int]],
    signer: Signer,
    *,
    rng: Rng,
    decoys: int = 0,
    typ: str = VC_TYPE,
    header: dict[str, Any] | None = None,
) -> str:
    """Issue an SD-JWT (RFC 9901 sections 4.1 to 4.2, SD-JWT VC section 2.2).

    ``disclosable`` are claim paths (names and array indexes); a path and its prefix may both be
    listed, which makes the disclosure recursive. ``decoys`` adds that many digests of nothing
    (RFC 9901 section 4.2.7). Salts have 144 bits from ``rng`` (section 9.3 asks for 128).
    """
    hidden = {tuple(path) for path in disclosable}
    if typ == VC_TYPE and not ALWAYS_PLAIN.isdisjoint([path[0] for path in hidden if path]):
        raise DisclosureError("claim_must_be_plain")
    if len(hidden) > MAX_DISCLOSURES or not 0 <= decoys <= MAX_DISCLOSURES:
        raise LimitError("too_many_disclosures")
    fakes: list[str] = []
    if decoys:
        noise = rng(decoys * _DIGEST_BYTES)
        fakes = [b64url_encode(noise[i : i + _DIGEST_BYTES]) for i in range(0, len(noise), _DIGEST_BYTES)]
        if len(noise) != decoys * _DIGEST_BYTES:
            raise DisclosureError("salt_weak")
    run = _Issuer(hidden, _salts(rng, len(hidden)), fakes)
    try:
        payload = run.value(claims, (), MAX_JSON_DEPTH)
    except UnicodeEncodeError as error:
        raise MalformedError("json_text") from error
    missing = len(hidden) - len(run.disclosures)  # each path is met at most once
    if missing:
        raise ClaimsRefusedError("claim_path_unknown", f"{missing} paths lead nowhere")
    if not isinstance(payload, dict):
        raise MalformedError("malformed", "claims are not an object")
    if hidden or decoys:
        payload["_sd_alg"] = HASH_NAME
    signed = jws.sign(payload, signer, typ=typ, header=header).encode("ascii")
    token = b"~".join((signed, *run.disclosures, b"")).decode("ascii")
    if len(token) > MAX_TOKEN_BYTES:
        raise LimitError("too_large", f"the credential would have {len(token)} bytes")
    return token
