"""From digests and disclosures to claims: RFC 9901 section 7.1 step 3, every rule with its own code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from credentials.errors import DisclosureError, LimitError
from credentials.limits import MAX_DIGESTS, MAX_JSON_DEPTH
from credentials.sd_jwt.disclosure import HASH_NAME, Disclosure, decode, digest


@dataclass(frozen=True, slots=True)
class Processed:
    """The processed payload and where each disclosure went."""

    claims: dict[str, Any]
    paths: dict[str, tuple[str | int, ...]]  # encoded disclosure -> claim path
    disclosed_names: frozenset[str]  # names of top-level claims that came from a disclosure


@dataclass(slots=True)
class _Run:
    by_digest: dict[str, Disclosure]
    seen: set[str] = field(default_factory=set)
    paths: dict[str, tuple[str | int, ...]] = field(default_factory=dict)

    def claim_digest(self, value: object) -> Disclosure | None:
        """Note one digest; a digest may occur once in payload and disclosures together (step 4)."""
        if not isinstance(value, str):
            raise DisclosureError("sd_structure", "a digest is not a text")
        if value in self.seen:
            raise DisclosureError("digest_duplicate")
        if len(self.seen) >= MAX_DIGESTS:
            raise LimitError("too_many_disclosures", f"more than {MAX_DIGESTS} digests")
        self.seen.add(value)
        return self.by_digest.get(value)

    def place(self, disclosure: Disclosure, path: tuple[str | int, ...], depth: int) -> Any:
        self.paths[disclosure.encoded] = path
        return self.value(disclosure.value, path, depth)

    def value(self, value: Any, path: tuple[str | int, ...], depth: int) -> Any:
        if isinstance(value, dict):
            return self.object(value, path, depth)
        if isinstance(value, list):
            return self.array(value, path, depth)
        return value

    def object(self, value: dict[str, Any], path: tuple[str | int, ...], depth: int) -> dict[str, Any]:
        if depth == 0:  # disclosures inside disclosures may nest deeper than each of them alone
            raise LimitError("json_too_deep")
        if "..." in value or (path and "_sd_alg" in value):
            raise DisclosureError("sd_structure")
        result = {name: self.value(child, (*path, name), depth - 1) for name, child in value.items() if name != "_sd"}
        if "_sd" in value:
            digests = value["_sd"]
            if not isinstance(digests, list):
                raise DisclosureError("sd_structure", "_sd is not a list")
            for item in digests:
                found = self.claim_digest(item)
                if found is None:
                    continue
                if found.name is None:
                    raise DisclosureError("sd_structure", "an array element stands for a property")
                if found.name in result:
                    raise DisclosureError("disclosure_duplicate_claim")
                result[found.name] = self.place(found, (*path, found.name), depth - 1)
        return result

    def array(self, value: list[Any], path: tuple[str | int, ...], depth: int) -> list[Any]:
        if depth == 0:
            raise LimitError("json_too_deep")
        result: list[Any] = []
        for index, item in enumerate(value):
            if not (isinstance(item, dict) and "..." in item):
                result.append(self.value(item, (*path, index), depth - 1))
                continue
            if len(item) != 1:
                raise DisclosureError("sd_structure", "an array digest has other members")
            found = self.claim_digest(item["..."])
            if found is None:
                continue
            if found.name is not None:
                raise DisclosureError("sd_structure", "a property stands for an array element")
            # The index is that of the issuer's array, so that a path means the same whatever is hidden.
            result.append(self.place(found, (*path, index), depth - 1))
        return result


def decode_all(encoded: tuple[str, ...]) -> dict[str, Disclosure]:
    """Decode the disclosures by digest (RFC 9901 section 7.1 step 3.a); each may be sent once."""
    by_digest: dict[str, Disclosure] = {}
    for text in encoded:
        key = digest(text)
        if key in by_digest:
            raise DisclosureError("disclosure_duplicate")
        by_digest[key] = decode(text)
    return by_digest


def process(payload: Mapping[str, Any], encoded: tuple[str, ...]) -> Processed:
    """Rebuild the claims from payload and disclosures (RFC 9901 section 7.1 steps 3 to 5).

    Refused: hash functions but SHA-256, reserved or repeated names, repeated digests, disclosures
    of the wrong kind for their place, disclosures that nothing refers to, keywords out of place.
    """
    algorithm = payload.get("_sd_alg", HASH_NAME)
    if algorithm != HASH_NAME:
        raise DisclosureError("sd_hash_algorithm")
    run = _Run(decode_all(encoded))
    claims = run.object(dict(payload), (), MAX_JSON_DEPTH)
    claims.pop("_sd_alg", None)
    if len(run.paths) != len(run.by_digest):
        raise DisclosureError("disclosure_unreferenced")
    names = frozenset(str(path[0]) for path in run.paths.values() if len(path) == 1)
    return Processed(claims, run.paths, names)
