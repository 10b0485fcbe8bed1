"""``LegacyEngine`` over a didkit worker: time-out, restart, never more than one request at a time.

Why a process: didkit is archived upstream, its native threads crash interpreters at exit, and a hang
inside it could not be ended from within. Only signatures are asked of it; dates, issuer, status and
inner credentials are checked by ``credentials``.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from credentials.errors import ConfigurationError, ProofError

REQUEST_SECONDS: Final = 2.0
START_SECONDS: Final = 20.0
_WORKER: Final = Path(__file__).with_name("didkit_worker.py")


class DidkitEngine:
    """Starts the worker at first use and again after a time-out or a crash."""

    def __init__(
        self,
        *,
        request_seconds: float = REQUEST_SECONDS,
        command: list[str] | None = None,
    ) -> None:
        self._seconds = request_seconds
        self._command = command
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def verify(self, credential: str, *, proof_format: str) -> None:
        """Check the signature of a VCDM 1.1 credential; ``legacy_refused`` or ``legacy_unavailable``."""
        answer = self._ask({"do": "verify", "credential": credential, "proof_format": proof_format})
        if answer.get("ok") is not True:
            raise ProofError("legacy_refused")

    def issue(self, credential: str, *, proof_format: str, jwk: str, verification_method: str) -> str:
        """Sign a VCDM 1.1 credential; the key goes to the worker and nowhere else."""
        answer = self._ask(
            {
                "do": "issue",
                "credential": credential,
                "proof_format": proof_format,
                "jwk": jwk,
                "verification_method": verification_method,
            }
        )
        if answer.get("ok") is not True or not isinstance(answer.get("credential"), str):
            raise ProofError("legacy_refused")
        signed: str = answer["credential"]
        return signed

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            self._stop()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            process = self._running()
            try:
                assert process.stdin is not None  # noqa: S101 - opened as a pipe below
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
            except OSError as error:
                self._stop()
                raise ProofError("legacy_unavailable", "the worker has ended") from error
            return self._read(self._seconds)

    def _read(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty as error:
            # A late answer would be taken for the next one, so the worker has to go.
            self._stop()
            raise ProofError("legacy_unavailable", f"no answer within {seconds:g} s") from error
        if line is None:
            self._stop()
            raise ProofError("legacy_unavailable", "the worker has ended")
        try:
            answer = json.loads(line)
        except ValueError as error:
            self._stop()
            raise ProofError("legacy_unavailable", "not an answer") from error
        return answer if isinstance(answer, dict) else {}

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        if self._command is None and find_spec("didkit") is None:
            raise ConfigurationError("extra_missing", hint="install the extra 'didkit'")
        command = self._command or [sys.executable, str(_WORKER)]
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and file, no shell
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(process, lines), daemon=True).start()
        self._process, self._lines = process, lines
        if "ready" not in self._read(START_SECONDS):
            self._stop()
            raise ProofError("legacy_unavailable", "the worker did not start")
        return process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # the pipe of a killed process may hold unsent bytes
                    continue


def _pump(process: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]) -> None:
    """Hand lines over until the worker ends; ``None`` marks the end."""
    try:
        for line in process.stdout or ():
            lines.put(line)
    except (OSError, ValueError):  # closed while reading
        pass
    finally:
        lines.put(None)
