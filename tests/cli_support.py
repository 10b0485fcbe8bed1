"""Running a command line in process, as its user would, without a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The code on the last line of standard error."""
        return self.err.strip().splitlines()[-1].partition(":")[0]


Cli = Callable[..., Ran]
