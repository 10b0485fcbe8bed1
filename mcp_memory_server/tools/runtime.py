"""The application behind a server: opened in a worker after the first answer, or by the first call."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from mcp_memory_server.errors import InternalError, MemoryServerError

if TYPE_CHECKING:
    from mcp_memory_server.bootstrap import Application, Overrides
    from mcp_memory_server.settings import Settings

_log = logging.getLogger(__name__)


class Runtime:
    """Opens the application once, whoever asks first. Importing this module imports none of it."""

    def __init__(self, settings: Settings, overrides: Overrides | None = None) -> None:
        self.settings = settings
        self._overrides = overrides
        self._lock = threading.Lock()
        self._application: Application | None = None
        self._closed = False
        self._prepared = False

    def application(self) -> Application:
        """The application, opened if need be. Raises StoreNewerError, UnavailableError, InvalidArgumentError."""
        with self._lock:
            if self._closed:
                raise InternalError("the server is closing")
            if self._application is None:
                from mcp_memory_server.bootstrap import build

                self._application = build(self.settings, self._overrides)
                self._application.start()
            return self._application

    def prepare(self) -> None:
        """Open the application in a thread of its own, once; a failure is told to the first call instead."""
        if self._prepared:
            return
        self._prepared = True
        threading.Thread(target=self._prepare, name="memory-open", daemon=True).start()

    def _prepare(self) -> None:
        try:
            self.application()
        except MemoryServerError as error:
            _log.error("the store could not be opened: %s", error)
        except Exception:  # noqa: BLE001 - a thread's fault must end in the log; the first call meets it again
            _log.exception("the store could not be opened")

    def close(self) -> None:
        """Close what was opened."""
        with self._lock:
            self._closed = True
            application, self._application = self._application, None
        if application is not None:
            application.close()
