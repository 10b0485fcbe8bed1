"""One maintenance run at a time on a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

_NAME = "maintain.lock"


@contextmanager
def alone(data_dir: Path) -> Iterator[bool]:
    """Whether this is the only run. The lock ends with the process, so a crash leaves nothing behind."""
    lock = FileLock(data_dir / _NAME, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
