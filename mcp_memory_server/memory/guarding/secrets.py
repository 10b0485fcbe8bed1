"""All detectors together: which spans of a text are to be masked, in order and without overlap."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.guarding import credentials_text, identifiers, phones
from mcp_memory_server.memory.guarding.spans import Found, fold


def find(text: str) -> list[Found]:
    """Every secret and identifier; where two claim the same words, the surer detector wins."""
    folded = fold(text)
    taken: list[Found] = []
    for item in _all(folded):
        if item.end > item.start and not any(item.overlaps(other) for other in taken):
            taken.append(item)
    return sorted(taken, key=lambda item: item.start)


def _all(text: str) -> Iterator[Found]:
    # Checked forms first; a password, which has no form of its own, after them; phones are the vaguest.
    yield from credentials_text.api_keys(text)
    yield from identifiers.emails(text)
    has_digit = any(char.isdigit() for char in text)
    if has_digit:
        yield from identifiers.ibans(text)
        yield from identifiers.national_ids(text)
        yield from identifiers.passports(text)
        yield from identifiers.bank_cards(text)
    yield from credentials_text.passwords(text)
    if has_digit:
        yield from phones.phones(text)
