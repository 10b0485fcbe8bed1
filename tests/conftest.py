"""For all tests: no network, no sleeping on a real data folder, one event loop."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Generator
from typing import Any

import pytest

_LOCAL_NAMES = {"localhost", "", None}
_NOTHING_IS_SKIPPED = bool(os.environ.get("MEMORY_TEST_SERVICES"))  # set by .ci/run, which has installed everything


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that skips for want of a server, an extra or a tool fails in CI."""
    report = yield
    if _NOTHING_IS_SKIPPED and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"{item.nodeid} was skipped where nothing may be: {reason}"
    return report


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _is_local(host: Any) -> bool:
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(str(host).split("%")[0]).is_loopback
    except ValueError:
        return False


def _refusing(real: Any) -> Any:
    def connect(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
            raise AssertionError(f"a test must not open a connection to {address[0]}")
        return real(self, address)

    return connect


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that leaves this machine, but for tests marked `network`."""
    if request.node.get_closest_marker("network"):
        return
    monkeypatch.setattr(socket.socket, "connect", _refusing(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", _refusing(socket.socket.connect_ex))
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if not _is_local(name):
            raise AssertionError(f"a test must not look up {name}")
        return real(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test reads or writes the memory of whoever runs it."""
    for name in [name for name in os.environ if name.startswith("MEMORY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MEMORY_DATA_DIR", str(tmp_path_factory.getbasetemp() / "default-data"))
