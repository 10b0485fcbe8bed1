"""Names of files that every platform can hold."""

from __future__ import annotations

import hashlib
import re

_KEPT_CHARS = 40  # characters of the root that the name still shows
_UNSAFE = re.compile(r"[^\w-]+")  # a dot too: `CON.db` is a device on Windows


def file_name_for(root: str) -> str:
    """One file name for a path or other root text: readable, safe on Windows too, and different for different roots.

    No separators, colons, quotes or wildcards, no device name such as `CON`, no dot or space.
    """
    digest = hashlib.blake2b(root.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    readable = _UNSAFE.sub("-", root)[-_KEPT_CHARS:].strip("-")
    return f"{readable}-{digest}" if readable else f"store-{digest}"
