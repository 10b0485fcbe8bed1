"""`/metrics`: counts in the text format that monitoring systems read (exposition format 0.0.4)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping

from mcp_memory_server import __version__
from mcp_memory_server.web.health import CLOSED, OFF, OK, Look

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "consented_memory_"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class Metrics:
    """Counts of one process. Labels are paths and names of ours, never anything that a caller chose."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: Counter[tuple[str, str, int]] = Counter()
        self._seconds: Counter[tuple[str, str]] = Counter()

    def count(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count one call of the HTTP API."""
        with self._lock:
            self._calls[method, path, status] += 1
            self._seconds[method, path] += seconds  # type: ignore[assignment]  # a Counter adds any number

    def text(self, look: Look, in_progress: int) -> str:
        """Everything as text, with what a look at the back ends has found."""
        with self._lock:
            calls, seconds = dict(self._calls), dict(self._seconds)
        totals: Counter[tuple[str, str]] = Counter()
        for (method, path, _), number in calls.items():
            totals[method, path] += number
        lines: list[str] = []
        lines += _family("info", "gauge", "The version that runs.", [({"version": __version__}, 1)])
        lines += _family(
            "back_end_up", "gauge", "1: the back end answers.",
            [({"back_end": name}, int(state == OK)) for name, state in look.states.items() if state != OFF],
        )  # fmt: skip
        lines += _family(
            "outbox_rows", "gauge", "Work that waits for a projection or a delivery.",
            [({"for": name}, number) for name, number in sorted(look.waiting.items())],
        )  # fmt: skip
        lines += _family(
            "outbox_set_aside_rows", "gauge", "Work that failed too often and is tried again by rebuild.",
            [({"for": name}, number) for name, number in sorted(look.aside.items())],
        )  # fmt: skip
        lines += _family(
            "circuit_open", "gauge", "1: the back end is left alone for a while.",
            [({"back_end": name}, int(view.circuit != CLOSED)) for name, view in look.circuits.items()],
        )  # fmt: skip
        lines += _family(
            "circuit_opened_total", "counter", "How often a back end was left alone.",
            [({"back_end": name}, view.opened) for name, view in look.circuits.items()],
        )  # fmt: skip
        lines += _family("erasures_pending", "gauge", "Forgettings that are not finished.", [({}, look.erasures)])
        lines += _family("http_requests_in_progress", "gauge", "Calls of the HTTP API at work.", [({}, in_progress)])
        lines += _family(
            "http_requests_total", "counter", "Calls of the HTTP API.",
            [({"method": m, "path": p, "status": str(code)}, n) for (m, p, code), n in sorted(calls.items())],
        )  # fmt: skip
        lines += _summary("http_request_seconds", "Time taken by calls of the HTTP API.", seconds, totals)
        return "\n".join(lines) + "\n"


def _family(name: str, kind: str, about: str, rows: Iterable[tuple[Mapping[str, str], float]]) -> list[str]:
    return [f"# HELP {_PREFIX}{name} {about}", f"# TYPE {_PREFIX}{name} {kind}", *(_row(name, *row) for row in rows)]


def _summary(
    name: str, about: str, seconds: Mapping[tuple[str, str], float], calls: Mapping[tuple[str, str], int]
) -> list[str]:
    lines = _family(name, "summary", about, [])
    for method, path in sorted(calls):
        labels = {"method": method, "path": path}
        lines.append(_row(f"{name}_sum", labels, round(seconds[method, path], 6)))
        lines.append(_row(f"{name}_count", labels, calls[method, path]))
    return lines


def _row(name: str, labels: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{key}="{text.translate(_ESCAPES)}"' for key, text in labels.items())
    return f"{_PREFIX}{name}{{{inside}}} {value}" if inside else f"{_PREFIX}{name} {value}"
