"""The only way out: one request to one public address, checked before the connection is made.

1. the address is https, with a host name, an allowed port, no user, no fragment;
2. the name is resolved once, and each of its addresses has to be public;
3. the connection goes to one of just these addresses; TLS is verified for the name;
4. no redirect is followed, no compression accepted, no cookie or credential kept, no proxy used;
5. status, content type, size and time have to be within what was asked for.

Test mode lets loopback through in step 2, and plain http to it in step 1; the rest is the same code.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import anyio
import httpcore2

from credentials.did.web import check_host
from credentials.errors import CredentialError
from federation.addresses import checked
from federation.errors import FetchError
from federation.limits import (
    ADDRESSES_TRIED,
    CONNECT_SECONDS,
    FETCH_BYTES,
    FETCH_SECONDS,
    RESPONSE_HEADERS,
    URL_CHARS,
)
from federation.settings import HTTPS_PORT, FederationSettings

Resolve = Callable[[str, int], Awaitable[list[str]]]
JSON_TYPES: Final = ("application/json",)
_HTTP_PORT: Final = 80
# RFC 3986 without what browsers and libraries read in different ways (spaces, backslashes, controls).
_URL: Final = re.compile(r"https?://[A-Za-z0-9._:\[\]-]+(/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(\?[\x21-\x7e]*)?\Z")
_AGENT: Final = b"consented-memory"
_MAX_AGE: Final = re.compile(r"(?:^|[,\s])max-age=([0-9]{1,9})(?:$|[,\s])", re.IGNORECASE)


async def system_resolve(host: str, port: int) -> list[str]:
    """All addresses of a name by the system's resolver. Raises FetchError (``fetch_unresolved``)."""
    try:
        found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise FetchError("fetch_unresolved") from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer: its body as sent, its content type in lower case without parameters, its fields."""

    url: str
    status: int
    media_type: str
    body: bytes
    headers: Mapping[str, str]

    @property
    def max_age(self) -> int | None:
        """How many seconds the answer may be kept (RFC 9111 section 5.2.2.1), where it says so."""
        found = _MAX_AGE.search(self.headers.get("cache-control", ""))
        return int(found[1]) if found else None


class _Pinned(httpcore2.AsyncNetworkBackend):
    """Connects to the addresses that were checked, whatever name it is given."""

    def __init__(self, addresses: list[str]) -> None:
        self._addresses = addresses[:ADDRESSES_TRIED]
        self._real = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the library's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        failure: Exception = FetchError("fetch_unresolved")
        for address in self._addresses:
            try:
                return await self._real.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        await self._real.sleep(seconds)


class Fetcher:
    """Fetches and posts. ``context`` verifies servers; by default with the system's authorities.

    ``seconds`` bounds one whole fetch. One instance may be used by many tasks; it keeps no connection.
    """

    def __init__(
        self,
        settings: FederationSettings,
        *,
        resolve: Resolve = system_resolve,
        context: ssl.SSLContext | None = None,
        seconds: float = FETCH_SECONDS,
    ) -> None:
        self._test = settings.test_mode
        self._ports = settings.ports
        self._resolve = resolve
        self._context = context or httpcore2.default_ssl_context()
        self._seconds = seconds

    async def get(self, url: str, *, types: Iterable[str] = JSON_TYPES, limit: int = FETCH_BYTES) -> Fetched:
        """Get a document of one of the content types, at most ``limit`` bytes.

        Raises FetchError with a code that begins with ``fetch_``.
        """
        accepted = tuple(types)
        answer = await self._send("GET", url, {"Accept": ", ".join(accepted)}, None, limit)
        if answer.status != 200:
            raise FetchError("fetch_status", f"status {answer.status}")
        if answer.media_type not in accepted:
            raise FetchError("fetch_type")
        return answer

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], *, limit: int = FETCH_BYTES) -> Fetched:
        """Post a body with its fields and give whatever answer came: the caller reads its status.

        Raises FetchError with a code that begins with ``fetch_``; redirects are refused here too.
        """
        return await self._send("POST", url, headers, body, limit)

    def _checked_url(self, url: str) -> SplitResult:
        if len(url) > URL_CHARS or _URL.match(url) is None:
            raise FetchError("fetch_url")
        try:
            parts = urlsplit(url)
            port = _port(parts)
        except ValueError as error:
            raise FetchError("fetch_url") from error
        if parts.scheme != "https" and not (self._test and self._test.plain_http):
            raise FetchError("fetch_url", "not https")
        host = parts.hostname or ""
        if self._test is None or not _loopback_literal(host):
            try:
                check_host(host)
            except CredentialError as error:
                raise FetchError("fetch_url", error.code) from error
        if self._test is None and port not in self._ports:
            raise FetchError("fetch_url", "the port is not on the list")
        return parts

    async def _send(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, limit: int) -> Fetched:
        parts = self._checked_url(url)
        try:
            with anyio.fail_after(self._seconds):
                host, port = str(parts.hostname), _port(parts)
                found = [host] if _loopback_literal(host) else await self._resolve(host, port)
                loopback_only = parts.scheme == "http"
                addresses = checked(found, loopback=self._test is not None)
                if loopback_only and not all(ip_address(one).is_loopback for one in addresses):
                    raise FetchError("fetch_address", "plain http goes to loopback only")
                return await self._exchange(method, url, headers, body, limit, _Pinned(addresses))
        except (TimeoutError, httpcore2.TimeoutException) as error:
            raise FetchError("fetch_timeout") from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError) as error:
            raise FetchError("fetch_failed") from error

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, limit: int, pinned: _Pinned
    ) -> Fetched:
        fields = [(b"Host", urlsplit(url).netloc.encode("ascii")), (b"User-Agent", _AGENT)]
        fields += [(b"Accept-Encoding", b"identity"), (b"Connection", b"close")]
        fields += [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
        if body is not None:
            fields.append((b"Content-Length", str(len(body)).encode("ascii")))
        times = {"connect": CONNECT_SECONDS, "read": self._seconds, "write": self._seconds, "pool": self._seconds}
        async with (
            httpcore2.AsyncConnectionPool(
                ssl_context=self._context, network_backend=pinned, max_connections=1, retries=0
            ) as pool,
            pool.stream(method, url, headers=fields, content=body, extensions={"timeout": times}) as response,
        ):
            answered = _fields(response.headers)
            if 300 <= response.status < 400:
                raise FetchError("fetch_redirect")
            if answered.get("content-encoding", "identity").lower() != "identity":
                raise FetchError("fetch_encoded")
            stated = answered.get("content-length", "")
            if stated.isdigit() and int(stated) > limit:
                raise FetchError("fetch_too_large", f"more than {limit} bytes")
            content = bytearray()
            async for part in response.aiter_stream():
                content += part
                if len(content) > limit:
                    raise FetchError("fetch_too_large", f"more than {limit} bytes")
            media_type = answered.get("content-type", "").partition(";")[0].strip().lower()
            return Fetched(url, response.status, media_type, bytes(content), answered)


def _port(parts: SplitResult) -> int:
    return parts.port or (HTTPS_PORT if parts.scheme == "https" else _HTTP_PORT)


def _loopback_literal(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _fields(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    if len(raw) > RESPONSE_HEADERS:
        raise FetchError("fetch_too_large", f"more than {RESPONSE_HEADERS} header fields")
    found: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1").lower()
        text = value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found
