"""A process that archives what it was told, and is killed at a certain moment: `python -m ... FOLDER MOMENT`."""

from __future__ import annotations

import os
import signal
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from mcp_memory_server.bootstrap import Overrides, build
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.service import RememberRequest
from mcp_memory_server.storage.archive import files
from mcp_memory_server.storage.archive.objects import ObjectArchive
from tests.fakes import HashEmbedder, noon
from tests.harness import settings_for

LATER = timedelta(days=900)
SAID = "I like oolong tea."


def die(*_given: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: Path, moment: str) -> None:
    clock = noon()
    app = build(settings_for(folder), Overrides(clock=clock, embedder=HashEmbedder()))
    app.service.remember(Principal("ann", "tests", "tests"), RememberRequest(said=SAID))
    app.projector.drain()
    clock.advance(LATER)
    app.service.keep_up(Tenancy("ann"))
    if moment == "half a copy":
        files.Path.replace = die  # type: ignore[method-assign, assignment]
    elif moment == "copies, no ledger":
        put = ObjectArchive.put

        def put_and_die(self: Any, *given: Any) -> None:
            put(self, *given)
            die()

        ObjectArchive.put = put_and_die  # type: ignore[method-assign]
    elif moment == "half removed":
        app.projector.drain()
        files.Path.unlink = die  # type: ignore[method-assign, assignment]
        app.service.erase_user(Principal("ann", "tests", "tests"))
    app.projector.drain()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
