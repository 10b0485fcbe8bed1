"""The demo and `serve` as a person starts them: real processes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.stdio, pytest.mark.slow]

_COMMAND = [sys.executable, "-m", "mcp_memory_server.cli.main"]


def run(*arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "MEMORY_DATA_DIR": str(folder), "MEMORY_LANGUAGE": "en", **variables}
    return subprocess.run([*_COMMAND, *arguments], capture_output=True, timeout=110, env=env, check=False)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_demo_does_what_it_says(lang: str, tmp_path: Path) -> None:
    ran = run("demo", "--language", lang, "--json", folder=tmp_path / "own", PYTHONUTF8="1")
    assert ran.returncode == 0, ran.stderr.decode()
    report = json.loads(ran.stdout)
    assert report["steps"] == ["remember", "guess", "recall", "share", "contradict", "forget"]
    assert report["processes"] == 3
    assert not (tmp_path / "own").exists()  # the memory of whoever runs it is not touched


def test_the_demo_reads_well_on_an_old_console(tmp_path: Path) -> None:
    ran = run("demo", "--data-dir", str(tmp_path / "kept"), folder=tmp_path, PYTHONIOENCODING="cp1252")
    assert ran.returncode == 0, ran.stderr.decode()
    shown = ran.stdout.decode("cp1252")
    assert "6. Forget, with your confirmation" in shown
    assert str(tmp_path / "kept") in shown
    assert (tmp_path / "kept" / "memory.db").exists()
    assert run("demo", "--data-dir", str(tmp_path / "kept"), folder=tmp_path).returncode == 2


def test_the_demo_fails_when_a_step_does_not_do_what_it_says(tmp_path: Path) -> None:
    config = tmp_path / "no-evidence.toml"
    config.write_text("keep_utterances = false\n", encoding="utf-8")  # then there is no evidence to show
    ran = run("demo", "--config", str(config), folder=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.decode().startswith("internal: ")


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A server over HTTP on a free port; its address."""
    env = {**os.environ, "MEMORY_DATA_DIR": str(folder), "MEMORY_LANGUAGE": "en"}
    command = [*_COMMAND, "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env) as process:
        assert process.stdout is not None
        try:
            text = b""
            while b"}" not in text:
                line = process.stdout.readline()
                assert line, "the server ended"
                text += line
            yield json.loads(text)["url"]
        finally:
            process.terminate()
            assert process.wait(20) == (1 if sys.platform == "win32" else 0)


async def remembered(url: str, mode: Any, token: str = "") -> Any:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        result = await client.call_tool("remember", {"said": "I live in Rome."})
        return result.structured_content


@pytest.mark.anyio
async def test_serve_asks_for_a_token_and_opens_the_memory_of_its_user(tmp_path: Path) -> None:
    with serving(tmp_path) as url:
        assert (await remembered(url, "auto"))["results"][0]["outcome"] == "stored"
        made = run("token", "create", "laptop", "--user", "ben", "--json", folder=tmp_path)
        token = json.loads(made.stdout)["token"]
        deadline = time.monotonic() + 20
        while True:
            try:
                await remembered(url, "auto")
            except Exception:
                break
            assert time.monotonic() < deadline, "the server went on without a token"
        for mode in ("auto", "legacy"):
            assert (await remembered(url, mode, token))["results"][0]["outcome"] in ("stored", "restated")
    listed = json.loads(run("list", "--kind", "fact", "--json", "--user", "ben", folder=tmp_path).stdout)
    assert [one["statement"] for one in listed["memories"]] == ["I live in Rome"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
def test_the_maintenance_daemon_ends_on_terminate(tmp_path: Path) -> None:
    env = {**os.environ, "MEMORY_DATA_DIR": str(tmp_path), "MEMORY_EMBEDDER__KIND": "off", "MEMORY_LANGUAGE": "en"}
    with subprocess.Popen([*_COMMAND, "maintain", "--daemon"], stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Done")
        process.terminate()
        assert process.wait(20) == 0


def test_an_address_in_use_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = run("serve", "--port", str(taken.getsockname()[1]), folder=tmp_path, MEMORY_EMBEDDER__KIND="off")
    assert ran.returncode == 1
    assert ran.stderr.decode().splitlines()[-1].startswith("unavailable: ")


def test_two_commands_on_one_store_lose_nothing(tmp_path: Path) -> None:
    env = {**os.environ, "MEMORY_DATA_DIR": str(tmp_path), "MEMORY_EMBEDDER__KIND": "off"}
    started = [
        subprocess.Popen([*_COMMAND, "remember", "-s", f"I like number {n}."], env=env, stdout=subprocess.DEVNULL)
        for n in range(4)
    ]
    assert [process.wait(60) for process in started] == [0] * 4
    assert json.loads(run("list", "--json", folder=tmp_path).stdout)["total"] == 4
    assert run("verify", folder=tmp_path, MEMORY_EMBEDDER__KIND="off").returncode == 0
