"""The only way out, against real TLS servers. Threat row: SSRF; case DID-01."""

from __future__ import annotations

import gzip
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio
import pytest

from federation.errors import FetchError
from federation.fetch import Fetched, Fetcher, system_resolve
from federation.settings import AgentSettings, FederationSettings, TestMode
from tests.federation.conftest import HOST
from tests.federation.servers import Authority, Handler, RawServer, answer

SETTINGS = FederationSettings("https://wealth.example", (AgentSettings("wealth", "Wealth"),))
TESTING = replace(SETTINGS, test_mode=TestMode())
PLAIN = replace(SETTINGS, test_mode=TestMode(plain_http=True))
SECONDS = 3.0

Serve = Callable[..., RawServer]


class Names:
    """A name service whose answers change from one question to the next."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append((host, port))
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


LOOPBACK = ["127.0.0.1"]


def fetcher(authority: Authority, names: Names | None = None, **change: Any) -> Fetcher:
    options = {"resolve": names or Names(LOOPBACK), "context": authority.trusted(), "seconds": SECONDS} | change
    return Fetcher(TESTING, **options)


async def refused(call: Any) -> str:
    with pytest.raises(FetchError) as found:
        await call
    return found.value.code


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every connection that is tried; none is made."""
    tried: list[Any] = []

    async def connect(*args: Any, **more: Any) -> Any:
        tried.append((args, more))
        raise OSError("no connection in this test")

    monkeypatch.setattr(anyio, "connect_tcp", connect)
    return tried


# --- what is fetched ----------------------------------------------------------------------------------
async def test_a_document_over_tls(serve: Serve, authority: Authority) -> None:
    server = serve(answer(body=b'{"a":1}', Content_Type="Application/JSON; charset=utf-8", Cache_Control="max-age=60"))
    got = await fetcher(authority).get(f"https://{HOST}:{server.port}/x?y=1")
    assert (got.status, got.media_type, got.body, got.max_age) == (200, "application/json", b'{"a":1}', 60)
    head = server.requests[0].decode().lower()
    assert head.startswith("get /x?y=1 http/1.1")
    assert f"host: {HOST}:{server.port}" in head
    assert "accept-encoding: identity" in head
    assert "cookie" not in head
    assert "authorization" not in head
    assert server.names == [HOST]


async def test_a_post_gives_whatever_status_came(serve: Serve, authority: Authority) -> None:
    server = serve(answer("409 Conflict", b'{"error":{}}'))
    got = await fetcher(authority).post(f"https://{HOST}:{server.port}/inbox", b"{}", {"X-A": "1"})
    assert got.status == 409
    assert b"X-A: 1" in server.requests[0]
    assert b"Content-Length: 2" in server.requests[0]


async def test_tls_is_verified_for_the_name(serve: Serve, authority: Authority) -> None:
    server = serve(answer(), "somebody-else.example")
    assert await refused(fetcher(authority).get(f"https://{HOST}:{server.port}/")) == "fetch_failed"
    assert not server.requests


async def test_an_unknown_authority_is_refused(serve: Serve, authority: Authority) -> None:
    server = serve(answer())
    asked = fetcher(authority, context=ssl.create_default_context()).get(f"https://{HOST}:{server.port}/")
    assert await refused(asked) == "fetch_failed"
    assert not server.requests


# --- addresses ----------------------------------------------------------------------------------------
async def test_the_name_is_resolved_once_and_the_address_pinned(serve: Serve, authority: Authority) -> None:
    """DNS rebinding: the second answer would lead inside; it is never asked for."""
    server = serve(answer())
    names = Names(LOOPBACK, ["10.0.0.5"])
    await fetcher(authority, names).get(f"https://{HOST}:{server.port}/")
    assert names.asked == [(HOST, server.port)]


async def test_a_name_that_changes_to_a_private_address_is_refused_the_next_time(
    serve: Serve, authority: Authority
) -> None:
    server = serve(answer())
    names = Names(LOOPBACK, ["10.0.0.5"])
    fetch = fetcher(authority, names)
    await fetch.get(f"https://{HOST}:{server.port}/")
    assert await refused(fetch.get(f"https://{HOST}:{server.port}/")) == "fetch_address"
    assert len(server.requests) == 1


@pytest.mark.parametrize("mode", [None, TestMode(), TestMode(plain_http=True)], ids=["production", "test", "plain"])
@pytest.mark.parametrize("address", ["192.168.1.9", "10.0.0.5", "169.254.169.254", "::ffff:10.0.0.1", "fd00::1"])
async def test_a_name_that_leads_inside_is_refused(mode: TestMode | None, address: str, connections: list[Any]) -> None:
    fetch = Fetcher(replace(SETTINGS, test_mode=mode), resolve=Names([address]))
    assert await refused(fetch.get("https://internal.example/")) == "fetch_address"
    assert not connections


async def test_loopback_is_refused_without_test_mode(connections: list[Any]) -> None:
    for address in ("127.0.0.1", "::1"):
        fetch = Fetcher(SETTINGS, resolve=Names([address]))
        assert await refused(fetch.get("https://internal.example/")) == "fetch_address"
    assert not connections


async def test_a_public_address_is_connected_to_as_such(connections: list[Any]) -> None:
    fetch = Fetcher(SETTINGS, resolve=Names(["1.1.1.1", "1.0.0.1"]))
    assert await refused(fetch.get("https://ok.example/")) == "fetch_failed"
    assert [(more["remote_host"], more["remote_port"]) for _, more in connections] == [
        ("1.1.1.1", 443),
        ("1.0.0.1", 443),
    ]


URLS = [
    "http://ok.example/", "ftp://ok.example/", "file:///etc/passwd", "//ok.example/", "https://", "https:///x", "",
    "https://user@ok.example/", "https://user:pw@ok.example/", "https://ok.example/#part", "https://ok.example\\@evil/",
    "https://ok.example/ x", "https://ok.example/\r\nX: 1", "https://ok.example:0x50/", "https://ok.example:99999/",
    "https://ok.example:8443/", "https://localhost/", "https://LOCALHOST/", "https://127.0.0.1/", "https://[::1]/",
    "https://2130706433/", "https://0x7f.1/", "https://127.1/", "https://10.0.0.5/", "https://printer.local/",
    "https://metadata.internal/", "https://intranet/", "https://ok.example./", "https://\u2460\u2461.example/",
    "https://ok.example/\u00e9", "https://" + "a" * 2_100 + ".example/", "https://ok..example/", "https://ok_.example/",
]  # fmt: skip


@pytest.mark.parametrize("url", URLS)
async def test_other_addresses_than_https_to_a_public_name_are_refused(url: str, connections: list[Any]) -> None:
    names = Names(["1.1.1.1"])
    assert await refused(Fetcher(SETTINGS, resolve=names).get(url)) == "fetch_url"
    assert not names.asked
    assert not connections


async def test_plain_http_needs_the_mode_and_stays_on_loopback(serve: Serve, connections: list[Any]) -> None:
    assert await refused(Fetcher(TESTING, resolve=Names(LOOPBACK)).get("http://ok.example/")) == "fetch_url"
    assert await refused(Fetcher(PLAIN, resolve=Names(["1.1.1.1"])).get("http://ok.example/")) == "fetch_address"
    assert not connections


async def test_plain_http_to_loopback_in_test_mode(serve: Serve) -> None:
    server = serve(answer(), None)
    got = await Fetcher(PLAIN).get(f"http://127.0.0.1:{server.port}/")
    assert got.body == b"{}"


async def test_a_name_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert await refused(system_resolve("no-such-name.invalid", 443)) == "fetch_unresolved"


async def test_nobody_listens(authority: Authority) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert await refused(fetcher(authority).get(f"https://{HOST}:{port}/")) == "fetch_failed"


# --- answers --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
async def test_redirects_are_not_followed(serve: Serve, authority: Authority, status: str) -> None:
    target = serve(answer())
    server = serve(answer(status, b"", Location=f"https://{HOST}:{target.port}/"))
    assert await refused(fetcher(authority).get(f"https://{HOST}:{server.port}/")) == "fetch_redirect"
    posted = fetcher(authority).post(f"https://{HOST}:{server.port}/", b"{}", {})
    assert await refused(posted) == "fetch_redirect"
    assert not target.requests


@pytest.mark.parametrize(
    ("handler", "code"),
    [
        (answer("404 Not Found"), "fetch_status"),
        (answer("500 Oops"), "fetch_status"),
        (answer("204 No Content", b"", Content_Length=""), "fetch_status"),
        (answer(Content_Type="text/html"), "fetch_type"),
        (answer(Content_Type=""), "fetch_type"),
        (answer(body=b"x" * 1_001), "fetch_too_large"),
        (answer(body=gzip.compress(b"0" * 10_000_000)[:900], Content_Encoding="gzip"), "fetch_encoded"),
        (answer(body=b"{}", Content_Encoding="br"), "fetch_encoded"),
        (answer(body=b"{}", Content_Length="5"), "fetch_failed"),
        (answer(**{f"X-{number}": "1" for number in range(99)}), "fetch_too_large"),
    ],
)
async def test_other_answers_are_refused(serve: Serve, authority: Authority, handler: Handler, code: str) -> None:
    server = serve(handler)
    assert await refused(fetcher(authority).get(f"https://{HOST}:{server.port}/", limit=1_000)) == code


def raw(data: bytes) -> Handler:
    return lambda connection, _request: connection.sendall(data)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"not http at all\r\n\r\n", "fetch_failed"),
        (b"", "fetch_failed"),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 9\r\n\r\n{", "fetch_failed"),
        (HEAD + b"X: " + b"a" * 300_000 + b"\r\n\r\n", "fetch_failed"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "fetch_failed"),
    ],
)
async def test_bytes_that_are_no_answer(serve: Serve, authority: Authority, data: bytes, code: str) -> None:
    server = serve(raw(data))
    assert await refused(fetcher(authority).get(f"https://{HOST}:{server.port}/")) == code


async def test_a_chunked_body_that_never_ends_is_cut_at_the_limit(serve: Serve, authority: Authority) -> None:
    sent: list[int] = []

    def endless(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"400\r\n" + b"x" * 1_024 + b"\r\n")
            sent.append(1_024)

    server = serve(endless)
    assert await refused(fetcher(authority).get(f"https://{HOST}:{server.port}/", limit=10_000)) == "fetch_too_large"
    server.close()
    assert sum(sent) < 20_000_000


@pytest.mark.parametrize("head", [b"", HEAD, HEAD + b"Content-Length: 1000\r\n\r\n"], ids=["status", "fields", "body"])
async def test_an_answer_that_drips_is_cut_at_the_time(serve: Serve, authority: Authority, head: bytes) -> None:
    """Each byte comes in time, the whole does not."""

    def drip(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(b"H")
            time.sleep(0.05)

    server = serve(drip)
    began = time.monotonic()
    asked = fetcher(authority, seconds=0.5).get(f"https://{HOST}:{server.port}/")
    assert await refused(asked) in ("fetch_timeout", "fetch_failed")
    assert time.monotonic() - began < 5


async def test_a_name_service_that_hangs_is_cut_at_the_time(authority: Authority) -> None:
    class Hanging(Names):
        async def __call__(self, host: str, port: int) -> list[str]:
            await anyio.sleep(60)
            return LOOPBACK

    assert await refused(fetcher(authority, Hanging(), seconds=0.2).get(f"https://{HOST}/")) == "fetch_timeout"


async def test_an_endless_body_of_a_post_answer(serve: Serve, authority: Authority) -> None:
    server = serve(answer(body=b"x" * 70_000))
    posted = fetcher(authority).post(f"https://{HOST}:{server.port}/", b"{}", {})
    assert await refused(posted) == "fetch_too_large"


def test_max_age_is_read_strictly() -> None:
    def age(text: str) -> int | None:
        return Fetched("", 200, "", b"", {"cache-control": text}).max_age

    assert age("public, max-age=30") == 30
    assert age("Max-Age=5,public") == 5
    assert age("s-max-age=9") is None
    assert age("no-store") is None
