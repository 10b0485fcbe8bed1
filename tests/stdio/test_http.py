"""The server over HTTP: many clients at once, and who is let in."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client

from tests.harness import MODES, call, environment
from tests.http_support import calling
from tests.stdio.pipe import COMMAND, command

CLIENTS = 8
CALLS = 200


@contextmanager
def serving(data: Path, env: Mapping[str, str] | None = None) -> Iterator[str]:
    """The address of a server that is gone at the end."""
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", "--json"],
        env=environment(data, env=env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        text = ""
        while '"url"' not in text:
            line = process.stdout.readline().decode()
            assert line, "the server ended"
            text += line
        found = re.search(r'"url":\s*"([^"]+)"', text)
        assert found
        yield found[1]
    finally:
        process.terminate()
        process.wait(30)
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.slow
async def test_eight_clients_at_once_lose_no_write_and_see_no_error(data: Path) -> None:
    told: dict[str, str] = {}

    async def work(url: str, number: int) -> None:
        async with Client(url, mode=MODES[number % 2]) as client:
            for turn in range(CALLS // 2):
                words = f"Client {number} put parcel {turn} on shelf {turn * 7 + number}."
                stored = await call(client, "remember", statements=[words])
                assert stored.error is None, stored.error
                told[stored.data["results"][0]["memory"]["id"]] = words
                found = await call(client, "recall", query=words, limit=3)
                assert found.error is None, found.error
                assert words in [one["statement"] for one in found.data["memories"]]

    with serving(data) as url:
        async with anyio.create_task_group() as group:
            for number in range(CLIENTS):
                group.start_soon(work, url, number)
        seen: dict[str, str] = {}
        async with Client(url) as client:
            cursor: dict[str, str] = {}
            while True:
                page = await call(client, "list_memories", limit=100, max_chars=200_000, kind="fact", **cursor)
                seen |= {one["id"]: one["statement"] for one in page.data["memories"]}
                if "next_cursor" not in page.data:
                    break
                cursor = {"cursor": page.data["next_cursor"]}
    assert len(told) == CLIENTS * CALLS // 2
    assert seen == told
    assert command(data, "verify").returncode == 0


def test_only_this_machine_gets_in_and_pages_of_other_places_do_not(data: Path) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        },
    }
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
    }
    with serving(data, {"MEMORY_EMBEDDER__KIND": "off"}) as url, httpx2.Client(trust_env=False) as client:
        assert client.post(url, json=body, headers=headers).status_code == 200
        assert client.post(url, json=body, headers={**headers, "origin": "https://evil.example"}).status_code == 403
        assert client.post(url, json=body, headers={**headers, "host": "evil.example"}).status_code == 421
        base = url.removesuffix("/mcp")
        assert client.get(f"{base}/healthz").json() == {"status": "ok"}
        assert client.get(f"{base}/readyz").status_code == 200


def test_no_other_address_is_bound_while_no_token_exists(data: Path) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        done = command(data, "serve", "--host", host, "--port", "0")
        assert done.returncode == 1
        assert b"not_allowed: " in done.stderr


def test_with_a_token_the_door_is_closed_to_all_without_one(data: Path) -> None:
    env = {"MEMORY_EMBEDDER__KIND": "off"}
    made = command(data, "token", "create", "laptop", "--json", env=env)
    assert made.returncode == 0, made.stderr
    secret = json.loads(made.stdout)["token"]
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
    headers = {"accept": "application/json, text/event-stream"}
    with serving(data, env) as url, httpx2.Client(trust_env=False) as client:
        assert client.post(url, json=body, headers=headers).status_code == 401
        for wrong in ("", "Bearer", "Bearer x", f"Basic {secret}", f"Bearer {secret}x"):
            assert client.post(url, json=body, headers={**headers, "authorization": wrong}).status_code == 401
        allowed = client.post(url, json=body, headers={**headers, "authorization": f"Bearer {secret}"})
        assert allowed.status_code != 401


def test_the_http_api_of_the_command_answers_with_and_without_a_token(data: Path) -> None:
    env = {"MEMORY_EMBEDDER__KIND": "off"}
    with serving(data, env) as url, calling(url.removesuffix("/mcp")) as client:
        stored = client.post("/api/memories", json={"said": "I moved to Porto in May. My phone is 13912345678."})
        assert stored.status_code == 200
        assert [one["kind"] for one in stored.json()["masked"]] == ["phone"]
        found = client.post("/api/recall", json={"query": "Where do I live?"}).json()["memories"]
        assert "Porto" in found[0]["statement"]
        assert client.get("/openapi.json").json()["openapi"].startswith("3.1")
        made = command(data, "token", "create", "laptop", "--user", "ann", "--json", env=env)
        assert made.returncode == 0, made.stderr
        secret = json.loads(made.stdout)["token"]
        anyio.run(anyio.sleep, 1.2)  # what is known of tokens serves for a second
        refused = client.get("/api/memories")
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unauthenticated")
        allowed = client.get("/api/memories", headers={"authorization": f"Bearer {secret}"})
        assert allowed.json()["total"] >= 1
    with serving(data, env) as url, calling(url.removesuffix("/mcp"), secret) as client:
        first = client.post("/api/erase", json={}).json()
        erased = client.post("/api/erase", json={"confirm": first["confirm"]}).json()
        assert (erased["state"], [one["pending"] for one in erased["receipts"]]) == ("forgotten", [[]])
        assert client.get("/api/memories").json()["total"] == 0
    assert command(data, "verify", env=env).returncode == 0
