"""What the Weaviate adapter does without a server: names, ids, samples, keys, and how it fails."""

from __future__ import annotations

import importlib.util
import random
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import grpc
import pytest
from pydantic import SecretStr
from weaviate.classes.query import Filter

from mcp_memory_server.bootstrap import backend_of, weaviate_part
from mcp_memory_server.errors import InvalidArgumentError, UnavailableError, UnsupportedError
from mcp_memory_server.keys.master_key import LocalMasterKey
from mcp_memory_server.keys.user_keys import FolderUserKeys
from mcp_memory_server.memory.ports import Hit, Tenancy, TextDocument
from mcp_memory_server.settings import StoreSettings, WeaviateSettings, load
from mcp_memory_server.storage.weaviate import layout
from mcp_memory_server.storage.weaviate.server import WeaviateServer, _Impatient, address, translated
from mcp_memory_server.storage.weaviate.tenants import KeysWithTenants, still_theirs, tenants_by
from mcp_memory_server.storage.weaviate.vector_index import _Sampler
from tests.harness import settings_for

ANN = Tenancy("ann")


def keys_in(folder: Path) -> FolderUserKeys:
    return FolderUserKeys(folder, LocalMasterKey(bytes(32)))


def settings(**changes: Any) -> WeaviateSettings:
    return WeaviateSettings(**{"url": "http://127.0.0.1:8080", "api_key": SecretStr("of a test"), **changes})


class Tenants:
    """A server that notes which tenants it drops."""

    def __init__(self) -> None:
        self.dropped: list[str] = []
        self.away = False

    def drop(self, tenant: str) -> None:
        if self.away:
            raise UnavailableError("away")
        self.dropped.append(tenant)


# -- settings ------------------------------------------------------------------------------------
def test_an_address_names_both_ports_and_whether_they_are_encrypted() -> None:
    plain = address("http://vectors.example", "")
    assert (plain.http.port, plain.grpc.host, plain.grpc.port, plain.grpc.secure) == (
        80,
        "vectors.example",
        50051,
        False,
    )
    other = address("https://vectors.example:8443", "rpc.example:443")
    assert (other.http.port, other.grpc.host, other.grpc.port, other.grpc.secure) == (8443, "rpc.example", 443, True)


@pytest.mark.parametrize(
    ("url", "grpc_address"),
    [
        ("", ""),
        ("hunter2", ""),
        ("ftp://hunter2", ""),
        ("http://me:hunter2@127.0.0.1", ""),
        ("http://127.0.0.1/hunter2", ""),
        ("http://127.0.0.1:8080", "127.0.0.1:hunter2"),
        ("http://127.0.0.1:8080", "127.0.0.1:8080"),
    ],
)
def test_an_address_that_is_none_is_refused_without_quoting_it(tmp_path: Path, url: str, grpc_address: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"store\.weaviate") as refused:
        weaviate_part(settings(url=url, grpc=grpc_address), keys_in(tmp_path))
    assert "hunter2" not in str(refused.value)


def test_a_server_without_a_key_is_not_asked(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="api_key"):
        weaviate_part(settings(api_key=None), keys_in(tmp_path))


def test_certificates_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    for file in (tmp_path / "not there", tmp_path / "none"):
        (tmp_path / "none").write_text("no certificate", encoding="utf-8")
        with pytest.raises(InvalidArgumentError, match=r"store\.weaviate\.ca"):
            weaviate_part(settings(url="https://127.0.0.1:8080", ca=file), keys_in(tmp_path))


def test_without_the_extra_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "weaviate" else real(name))
    with pytest.raises(UnsupportedError, match="weaviate") as refused:
        weaviate_part(settings(), keys_in(tmp_path))
    assert "pip install" in refused.value.next_step


@pytest.mark.parametrize("which", ["vectors", "text"])
def test_beside_an_embedded_ledger_there_are_no_keys_to_hide_words_under(tmp_path: Path, which: str) -> None:
    store = StoreSettings.model_validate({which: "weaviate", "weaviate": settings()})
    with pytest.raises(InvalidArgumentError, match=r"store\.vectors, store\.text"):
        backend_of(settings_for(tmp_path / "data", store=store))


def test_the_key_may_lie_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("of a file\n", encoding="utf-8")
    env = {
        "MEMORY_DATA_DIR": str(tmp_path),
        "MEMORY_STORE__TEXT": "weaviate",
        "MEMORY_STORE__WEAVIATE__URL": "https://vectors.example",
        "MEMORY_STORE__WEAVIATE__API_KEY_FILE": str(tmp_path / "key"),
    }
    store = load({}, env).store
    assert (store.text, store.vectors, store.weaviate.url) == ("weaviate", "embedded", "https://vectors.example")
    assert store.weaviate.api_key is not None
    assert store.weaviate.api_key.get_secret_value() == "of a file"


def test_a_start_without_weaviate_imports_nothing_of_it() -> None:
    program = (
        "import sys, mcp_memory_server.bootstrap\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('weaviate', 'grpc', 'httpx')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- names and ids -------------------------------------------------------------------------------
def test_a_tenant_tells_nothing_of_its_user_and_ends_with_the_key() -> None:
    one, other = bytes(32), bytes([1]) * 32
    names = {layout.tenant_name(key, user) for key in (one, other) for user in ("ann", "Ann", "安", "\ud800")}
    assert len(names) == 8
    assert layout.tenant_name(one, "ann") == layout.tenant_name(one, "ann")
    assert all(len(name) == 32 and name.isascii() and name.isalnum() and "ann" not in name for name in names)


def test_ids_are_made_from_what_they_stand_for_and_lie_in_one_range() -> None:
    ranges = [layout.WORDS, layout.vectors_of("fake-a"), layout.vectors_of("fake-b")]
    ids = [(own, own.id_of(memory, part)) for own in ranges for memory in ("m_1", "m_2") for part in (0, 1)]
    assert len({uuid for _, uuid in ids}) == 12
    for own, uuid in ids:
        assert [other for other in ranges if other.holds(uuid)] == [own]
        assert own.start < uuid
    assert layout.WORDS.id_of("m_1") == layout.WORDS.id_of("m_1")
    assert max(uuid for own, uuid in ids if own is layout.WORDS) < min(one.start for one in ranges[1:])


def test_spread_numbers_are_even() -> None:
    numbers = [layout.spread_of(layout.vectors_of("fake-a").id_of(f"m_{number}")) for number in range(4000)]
    quarters = [sum(number * 4 // layout.SPREAD_STEPS == quarter for number in numbers) for quarter in range(4)]
    assert sum(quarters) == 4000
    assert all(850 < count < 1150 for count in quarters)


# -- samples -------------------------------------------------------------------------------------
@pytest.mark.parametrize("count", [220, 3_000, 40_000])
def test_a_sample_says_what_all_the_scores_are_like(count: int) -> None:
    source = random.Random(count)
    rows = [(f"m_{number}", source.gauss(0.2, 0.1), source.randrange(layout.SPREAD_STEPS)) for number in range(count)]
    asked = []

    def near(share: Any) -> list[tuple[str, float]]:
        asked.append(share.value)
        matching = sorted((row for row in rows if row[2] < share.value), key=lambda row: -row[1])
        return [(memory_id, score) for memory_id, score, _ in matching[:300]]

    sampler = _Sampler()
    for _ in range(2):
        found = sampler.summed_up(("tenant", "fake-a", "en"), (Hit("m_1", 0.9),), near)
        assert found.hits == (Hit("m_1", 0.9),)
        assert found.mean == pytest.approx(0.2, abs=0.05)
        assert found.deviation == pytest.approx(0.1, abs=0.03)
        assert found.count == pytest.approx(count, rel=0.4)
        first = len(asked)
    assert len(asked) == first, "the second time the share is known"
    assert asked[-1] == asked[-2] or len(asked) == 2


def test_a_share_is_an_operand_of_a_filter() -> None:
    assert Filter.by_property(layout.SPREAD).less_than(5).value == 5  # what the test above leans on


# -- keys and tenants ----------------------------------------------------------------------------
def test_a_key_takes_its_tenant_with_it(tmp_path: Path) -> None:
    keys, server = keys_in(tmp_path), Tenants()
    both: Any = KeysWithTenants(keys, server)  # type: ignore[arg-type]
    name = layout.tenant_name(both.make("ann"), "ann")
    assert both.destroy("ann") is True
    assert set(server.dropped) == {name}
    assert both.of("ann") is None
    assert both.destroy("ann") is False


def test_a_key_stays_as_long_as_its_tenant_may_be_there(tmp_path: Path) -> None:
    keys, server = keys_in(tmp_path), Tenants()
    both: Any = KeysWithTenants(keys, server)  # type: ignore[arg-type]
    key = both.make("ann")
    server.away = True
    with pytest.raises(UnavailableError):
        both.destroy("ann")
    assert both.of("ann") == key
    server.away = False
    assert both.destroy("ann") is True


@pytest.mark.parametrize("fails", [False, True])
def test_who_wrote_while_the_key_was_destroyed_takes_it_back(tmp_path: Path, fails: bool) -> None:
    keys, server = keys_in(tmp_path), Tenants()
    keys.make("ann")
    tenant_of = tenants_by(keys.of)
    tenant = tenant_of("ann")
    assert tenant is not None
    with still_theirs(server, "ann", tenant, tenant_of):  # type: ignore[arg-type]
        pass
    assert server.dropped == []
    try:
        with still_theirs(server, "ann", tenant, tenant_of):  # type: ignore[arg-type]
            keys.destroy("ann")
            keys.make("ann")  # a new beginning has another tenant
            if fails:
                raise UnavailableError("half of it arrived")
    except UnavailableError:
        assert fails
    assert server.dropped == [tenant]


# -- failures ------------------------------------------------------------------------------------
class _Error(grpc.RpcError):  # type: ignore[misc]
    def __init__(self, code: grpc.StatusCode) -> None:
        super().__init__("hunter2")
        self._code = code

    def code(self) -> grpc.StatusCode:
        return self._code


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED])
def test_a_call_that_nobody_answers_is_made_once_and_ends_as_unavailable(code: grpc.StatusCode) -> None:
    calls = []

    class Stub:
        def Search(self, *_: Any, **__: Any) -> None:
            calls.append(1)
            raise _Error(code)

    with pytest.raises(UnavailableError, match="does not answer") as failed, translated():
        _Impatient(Stub()).Search("request", timeout=1)
    assert calls == [1]
    assert "hunter2" not in str(failed.value)


def test_a_server_that_is_not_there_is_unavailable_at_once(tmp_path: Path) -> None:
    keys = keys_in(tmp_path)
    keys.make("ann")
    with socket.socket() as taken, socket.socket() as other:  # bound and not listening: nothing answers there
        for one in (taken, other):
            one.bind(("127.0.0.1", 0))
        url, rpc = (f"127.0.0.1:{one.getsockname()[1]}" for one in (taken, other))
        part = weaviate_part(settings(url=f"http://{url}", grpc=rpc), keys)
        began = time.monotonic()
        for call in (
            lambda: part.text.search(ANN, ["tea"], 5),
            lambda: part.text.upsert(ANN, [TextDocument("m_1", ("tea",), "digest")]),
            lambda: part.text.digests(Tenancy("nobody")),
            lambda: part.vectors.models(ANN),
            part.server.about,
        ):
            with pytest.raises(UnavailableError) as away:
                call()
            assert url not in str(away.value)
        assert time.monotonic() - began < 5
        assert part.server.scrub() is True
        part.server.close()


def test_closing_what_was_never_opened_is_nothing() -> None:
    server = WeaviateServer(address("http://127.0.0.1:1", ""), "key")
    server.close()
    server.close()
