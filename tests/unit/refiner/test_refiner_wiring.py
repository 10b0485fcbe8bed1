"""Settings, wiring, doctor, and the tool over a real endpoint."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from mcp_memory_server import limits
from mcp_memory_server.bootstrap import Overrides, refiner_of
from mcp_memory_server.cli.checks import of_refiner
from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.refiner.openai_compatible import OpenAICompatibleRefiner
from mcp_memory_server.settings import RefinerSettings, load
from tests.fakes import HashEmbedder, noon, seeded_ids
from tests.fakes.local_server import send
from tests.fakes.refiners import Endpoint, FakeRefiner, completion, fact, sending
from tests.harness import call, house


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    found = Endpoint()
    yield found
    found.close()


def chosen(url: str, **more: Any) -> RefinerSettings:
    return RefinerSettings(**({"kind": "openai-compatible", "base_url": url, "model": "some-model"} | more))


def overrides(refiner: Any = None) -> Overrides:
    return Overrides(clock=noon(), embedder=HashEmbedder(), ids=seeded_ids(), refiner=refiner)


def test_it_is_off_by_default() -> None:
    settings = load({}, {})
    assert settings.refiner.kind == "off"
    assert (settings.refiner.share, settings.refiner.seconds) == (limits.REFINER_SHARE, limits.REFINER_SECONDS)
    assert refiner_of(settings) is None


def test_the_environment_chooses_one_with_its_key_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k-secret\n", encoding="utf-8")
    settings = load(
        {},
        {
            "MEMORY_REFINER__KIND": "openai-compatible",
            "MEMORY_REFINER__BASE_URL": "http://127.0.0.1:8000/v1",
            "MEMORY_REFINER__MODEL": "small",
            "MEMORY_REFINER__API_KEY_FILE": str(tmp_path / "key"),
            "MEMORY_REFINER__SHARE": "0.5",
            "MEMORY_REFINER__SECONDS": "2.5",
        },
    )
    assert (settings.refiner.share, settings.refiner.seconds) == (0.5, 2.5)
    assert settings.refiner.api_key is not None
    assert settings.refiner.api_key.get_secret_value() == "k-secret"
    assert "k-secret" not in repr(settings)
    found = refiner_of(settings)
    assert isinstance(found, OpenAICompatibleRefiner)
    assert found.model == "openai-compatible/small"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"base_url": ""}, "base_url"),
        ({"base_url": "file:///etc/passwd"}, "base_url"),
        ({"base_url": "http://ann:pass-word@127.0.0.1/v1"}, "base_url"),
        ({"base_url": "http://127.0.0.1/v1?key=pass-word"}, "base_url"),
        ({"model": ""}, "model"),
        ({"share": "1.5"}, "share"),
        ({"seconds": "0"}, "seconds"),
        ({"kind": "magic"}, "kind"),
    ],
)
def test_a_wrong_setting_is_named_and_never_repeated(values: dict[str, str], told: str) -> None:
    env = {"kind": "openai-compatible", "base_url": "http://127.0.0.1:1/v1", "model": "m"} | values
    with pytest.raises(InvalidArgumentError) as found:
        load({}, {f"MEMORY_REFINER__{name.upper()}": value for name, value in env.items()})
    assert told in str(found.value)
    assert "pass-word" not in str(found.value)


def test_doctor_says_off_fine_plain_and_broken(endpoint: Endpoint, tmp_path: Path) -> None:
    with house(tmp_path / "a", overrides()) as off:
        assert (of_refiner(off.app).state, of_refiner(off.app).detail) == ("ok", "off")
    with house(tmp_path / "b", overrides(), refiner=chosen(endpoint.url, seconds=60)) as on:
        found = of_refiner(on.app)
        assert (found.state, found.next) == ("ok", "")
        assert "some-model" in found.detail
        endpoint.answer = sending(500, {})
        broken = of_refiner(on.app)
        assert (broken.state, broken.next) == ("warn", "next_refiner")
    far = overrides(FakeRefiner())
    with house(tmp_path / "c", far, refiner=chosen("http://models.example/v1")) as plain:
        assert of_refiner(plain.app).next == "next_refiner_plain"
    with house(tmp_path / "d", far, refiner=chosen("https://models.example/v1")) as sealed:
        assert of_refiner(sealed.app).state == "ok"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_tool_says_what_the_refiner_did(endpoint: Endpoint, tmp_path: Path, mode: str) -> None:
    endpoint.answer = sending(200, completion({"facts": [fact(), fact(value="Paris", quote="I dwell in Paris")]}))
    with house(tmp_path / "x", overrides(), refiner=chosen(endpoint.url, seconds=60)) as home:
        async with home.client(mode=mode) as client:
            reply = await call(client, "remember", said="I dwell in Galway.")
            assert reply.data["refiner"] == {"proposed": 2, "kept": 1, "dropped": [{"reason": "quote", "count": 1}]}
            assert [one["memory"]["object"]["value"] for one in reply.data["results"]] == ["Galway"]
            assert "Paris" not in reply.text
            endpoint.answer = sending(200, b"no json")
            reply = await call(client, "remember", said="I fold paper cranes with patience.")
            assert reply.data["degraded"] == ["refiner"]
            assert reply.data["refiner"]["failed"] == "not_json"


async def test_other_calls_go_on_while_it_is_waited_for(endpoint: Endpoint, tmp_path: Path) -> None:
    waiting = threading.Event()

    def slow(handler: Any, _asked: dict[str, Any]) -> None:
        waiting.set()
        endpoint.release.wait(30)
        send(handler, 200, json.dumps(completion({"facts": [fact()]})).encode())

    endpoint.answer = slow
    with house(tmp_path / "x", overrides(), refiner=chosen(endpoint.url, seconds=60)) as home:
        async with home.client() as client, anyio.create_task_group() as group:
            answers: list[Any] = []

            async def remember() -> None:
                answers.append(await call(client, "remember", said="I dwell in Galway."))

            group.start_soon(remember)
            await anyio.to_thread.run_sync(waiting.wait)
            stored = await call(client, "remember", said="I live in Graz.")
            found = await call(client, "recall", query="Where do I live?")
            assert stored.data["results"][0]["outcome"] == "stored"
            assert found.data["memories"]
            assert answers == []
            endpoint.release.set()
        assert answers[0].data["refiner"]["kept"] == 1


async def test_case_num_01_a_unit_cannot_be_exchanged(tmp_path: Path) -> None:
    from mcp_memory_server.memory.model import ValueType
    from tests.fakes.refiners import proposal

    said = "The can holds 3 litres and costs CHF 40."
    invented = FakeRefiner(
        proposal("The can holds 3 gallons", "owns", "3 gallons"),
        proposal(said, "spent", "SEK 40", value_type=ValueType.MONEY),
        proposal(said, "budget_max", "SEK 40", value_type=ValueType.MONEY),
    )
    with house(tmp_path / "x", overrides(invented), refiner=RefinerSettings(share=1.0)) as home:
        async with home.client() as client:
            reply = await call(client, "remember", said=said)
            assert reply.data["refiner"]["kept"] == 0
            listed = await call(client, "list_memories", status="any")
            assert "gallons" not in listed.text
            assert "SEK" not in listed.text
            assert "litres" in listed.text
            assert "CHF" in listed.text
