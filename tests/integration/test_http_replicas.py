"""Two servers of the HTTP API on one ledger: it does not matter which of them answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mcp_memory_server.bootstrap import Application
from tests.http_support import calling, serving
from tests.integration.support import application
from tests.services import Database


class _Open:
    """What `serving` needs of a house."""

    def __init__(self, app: Application) -> None:
        self.app, self.settings = app, app.settings


@pytest.fixture
def replicas(database: Database, tmp_path: Path) -> Iterator[tuple[httpx2.Client, httpx2.Client]]:
    one, two = (application(database.url, tmp_path / "keys", tmp_path / "data") for _ in range(2))
    first: Any = _Open(one)
    second: Any = _Open(two)
    try:
        with serving(first) as here, serving(second) as there, calling(here) as a, calling(there) as b:
            yield a, b
    finally:
        one.close()
        two.close()


def test_what_one_began_the_other_goes_on_with(replicas: tuple[httpx2.Client, httpx2.Client]) -> None:
    a, b = replicas
    for client, said in ((a, "My budget for trains is 500 euros."), (b, "My budget for trains is 800 euros.")):
        assert client.post("/api/memories", json={"said": said, "session": "s"}).status_code == 200
    (question,) = a.get("/api/questions").json()["questions"]
    assert b.patch(f"/api/questions/{question['id']}", json={"verdict": "keep_second"}).status_code == 200
    assert a.get("/api/questions").json()["questions"] == []
    assert a.get("/api/sessions/s").json() == b.get("/api/sessions/s").json()
    entries = a.get("/api/audit").json()["entries"]
    assert [one["previous"] for one in entries] == [*(one["hash"] for one in entries[1:]), ""]
    page = a.get("/api/memories", params={"limit": "1", "kind": "any", "status": "any"}).json()
    query = {"limit": "100", "kind": "any", "status": "any", "cursor": page["next_cursor"]}
    assert len(b.get("/api/memories", params=query).json()["memories"]) == page["total"] - 1
    confirm = a.post("/api/erase", json={}).json()["confirm"]
    erased = b.post("/api/erase", json={"confirm": confirm}).json()
    assert erased["state"] == "forgotten"
    assert "key" in erased["receipts"][-1]["places"]
    assert a.get("/api/memories", params={"kind": "any", "status": "any"}).json()["total"] == 0
    assert a.post("/api/erase", json={"confirm": confirm}).status_code == 409
    for client in replicas:
        assert client.get("/readyz").json()["back_ends"]["ledger"] == {"state": "ok"}
