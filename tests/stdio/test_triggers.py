"""Triggers of a real server process: a command of the configuration, a webhook, and a result posted back over HTTP."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2

from tests.harness import call
from tests.stdio.pipe import pipe
from tests.stdio.test_http import serving
from tests.unit.delivery.conftest import Receiver

QUESTION = "How do I get a refund for my ticket?"
_PROGRAM = """
import json, pathlib, sys
fired = json.load(sys.stdin)
pathlib.Path(sys.argv[1]).write_text(json.dumps(fired), encoding="utf-8")
print(json.dumps({"result": f"asked {fired['count']} times"}))
"""


def environment_of(**trigger: Any) -> dict[str, str]:
    return {"MEMORY_TRIGGERS": json.dumps([{"name": "twice", "count": 2, **trigger}]), "MEMORY_EMBEDDER__KIND": "off"}


def eventually(check: Callable[[], Any]) -> Any:
    end = time.monotonic() + 60
    while not (found := check()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def test_a_command_is_run_once_and_what_it_prints_is_in_the_next_profile(data: Path, tmp_path: Path) -> None:
    program, told = tmp_path / "program.py", tmp_path / "told.json"
    program.write_text(_PROGRAM, encoding="utf-8")
    with pipe(data, env=environment_of(command=[sys.executable, str(program), str(told)])) as server:
        server.shake_hands()
        for session in ("a", "b"):
            answer = server.call("remember", said=QUESTION, session=session)["structuredContent"]
        (firing,) = answer["triggers"]
        results = eventually(lambda: server.call("get_profile")["structuredContent"]["trigger_results"])
        assert [one["result"] for one in results] == ["asked 2 times"]
        assert json.loads(told.read_text(encoding="utf-8"))["id"] == firing["id"]
        told.unlink()
        assert server.call("get_profile")["structuredContent"]["trigger_results"] == []
        server.call("remember", said=QUESTION, session="c")
        assert server.end() == 0
    assert not told.exists()


async def test_a_webhook_is_told_and_posts_its_result_back_over_http(data: Path) -> None:
    receiver = Receiver()
    try:
        with serving(data, environment_of(webhook=receiver.url)) as url:
            from mcp import Client

            async with Client(url) as client:
                for session in ("a", "b"):
                    await call(client, "remember", said=QUESTION, session=session)
                eventually(lambda: receiver.posts)
                path = receiver.posts[0]["body"]["result_path"]
                base = url.removesuffix("/mcp")
                posted = httpx2.post(base + path, json={"result": "On Tuesday."}, trust_env=False)
                assert posted.status_code == 200
                first = await call(client, "get_profile")
                assert [one["result"] for one in first.data["trigger_results"]] == ["On Tuesday."]
                assert (await call(client, "get_profile")).data["trigger_results"] == []
    finally:
        receiver.close()
    assert len(receiver.posts) == 1
