"""A pool of connections to Neo4j; what goes wrong there becomes an error of ours, without a word of what was asked.

The driver is the asynchronous one, on an event loop of its own in a thread of its own: a call that a hanging server
does not answer can then be given up, which the synchronous driver has no way to do (decision 0022).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from neo4j import (
    READ_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncTransaction,
    NotificationMinimumSeverity,
    TrustCustomCAs,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    ConnectionPoolError,
    DatabaseUnavailable,
    DriverError,
    GqlError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from mcp_memory_server.errors import InvalidArgumentError, UnavailableError

CONNECTIONS: Final = 50  # at most open at once in one process
CONNECT_SECONDS: Final = 2.0  # how long a connection may take to come about
ACQUIRE_SECONDS: Final = 3.0  # how long a call waits for a connection of the pool, with the time to make one
IDLE_SECONDS: Final = 1.0  # a connection unused for so long is tried before it is used: the server may have restarted
READ_SECONDS: Final = 3.0  # after which a question is given up, here and on the server
WRITE_SECONDS: Final = 15.0  # after which a change is
WRITE_RETRY_SECONDS: Final = 5.0  # for so long a change is tried again that met another one or a server that restarts
CLOSE_SECONDS: Final = 3.0  # how long connections may take to end in order
GOODBYE_SECONDS: Final = 0.1  # for the last words of TLS, which the driver leaves to the loop
_SCHEMES = ("bolt", "bolt+s", "neo4j", "neo4j+s")  # +ssc trusts anybody, and is not among them
_AWAY = (ServiceUnavailable, SessionExpired, ConnectionPoolError, DatabaseUnavailable, AuthError, TimeoutError)

T = TypeVar("T")
Transaction = AsyncTransaction | AsyncManagedTransaction
Work = Callable[[Transaction], Awaitable[T]]


class Connection:
    """A database on a Neo4j server. Nothing is opened before the first call; any thread may call.

    `url` is `bolt[+s]://HOST:PORT` or `neo4j[+s]://…`; `ca` is a file with the certificates that the server's own
    has to be signed by, where those of the system are not meant.
    Raises InvalidArgumentError for an address that is none.
    """

    def __init__(self, url: str, user: str, password: str, ca: Path | None = None) -> None:
        if not _is_address(url) or (ca is not None and urlsplit(url).scheme.endswith("+s")):
            raise _no_address()
        trust: dict[str, Any] = {}
        if ca is not None:
            trust = {"encrypted": True, "trusted_certificates": TrustCustomCAs(str(ca))}
        try:
            self._driver: AsyncDriver = AsyncGraphDatabase.driver(
                url,
                auth=(user, password),
                max_connection_pool_size=CONNECTIONS,
                connection_timeout=CONNECT_SECONDS,
                connection_acquisition_timeout=ACQUIRE_SECONDS,
                liveness_check_timeout=IDLE_SECONDS,
                user_agent="consented-memory",
                telemetry_disabled=True,
                notifications_min_severity=NotificationMinimumSeverity.OFF,
                **trust,
            )
        except (ConfigurationError, ValueError, OSError):
            raise _no_address() from None  # the error may quote the address
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memory-neo4j", daemon=True)
        self.losses = 0  # how often the server did not answer; who sees a new number looks again at what is there

    def read(self, work: Work[T]) -> T:
        """What a transaction that only reads answers; it is tried once, since recall rather answers without the graph.

        Raises UnavailableError.
        """
        return self._wait(self._reading(work), READ_SECONDS)

    async def _reading(self, work: Work[T]) -> T:
        async with (
            self._driver.session(default_access_mode=READ_ACCESS) as session,
            await session.begin_transaction(timeout=READ_SECONDS) as transaction,
        ):
            return await work(transaction)

    def write(self, work: Work[T]) -> T:
        """What a transaction answers; it is run again after a transient error. Raises UnavailableError."""
        return self._wait(self._writing(work), WRITE_SECONDS)

    async def _writing(self, work: Work[T]) -> T:
        async with self._driver.session(max_transaction_retry_time=WRITE_RETRY_SECONDS) as session:
            return await session.execute_write(unit_of_work(timeout=WRITE_SECONDS)(work))

    def about(self) -> str:
        """The server's name and version, and whether the way there is encrypted. Raises UnavailableError."""
        agent = self._wait(self._driver.get_server_info(), READ_SECONDS).agent
        return f"{agent.replace('/', ' ')}, {'TLS' if self._driver.encrypted else 'without TLS'}"

    def close(self) -> None:
        """Close every connection."""
        if self._loop.is_closed():
            return
        with suppress(TimeoutError):  # of a server that hangs the connections end with the loop
            self._on_loop(self._end(), CLOSE_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        await self._driver.close()
        await asyncio.sleep(GOODBYE_SECONDS)

    def _wait(self, call: Coroutine[Any, Any, T], seconds: float) -> T:
        with self._watched():
            return self._on_loop(call, seconds)

    def _on_loop(self, call: Coroutine[Any, Any, T], seconds: float) -> T:
        """Run a call on the loop and wait for it. Raises TimeoutError, after which the call and its connection end."""
        with self._lock:
            if not self._thread.is_alive():
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(call, seconds), self._loop).result()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except _AWAY as error:
            with self._lock:
                self.losses += 1
            # A server's message quotes statements and names hosts: it stays in the chain, for the log.
            code = getattr(error, "code", None)
            text = f"the graph does not answer{f' ({code})' if code else ''}"
            raise UnavailableError(text, next_step="Try again later") from error
        except UnicodeEncodeError:
            raise InvalidArgumentError("a name or an id is no text that the graph can hold") from None
        except (Neo4jError, DriverError, GqlError) as error:
            kind = getattr(error, "code", None) or type(error).__name__
            raise UnavailableError(f"the graph failed ({kind})", next_step="Try again later") from error


def _is_address(url: str) -> bool:
    """Whether it names scheme, host and port, and nothing else: neither does a password belong into it."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.path.strip("/") or parts.query or parts.fragment)
    return parts.scheme in _SCHEMES and bool(parts.hostname) and port != 0 and plain


def _no_address() -> InvalidArgumentError:
    return InvalidArgumentError(
        "store.neo4j.url: not an address of a Neo4j server",
        next_step="Write it as bolt://HOST:PORT, or bolt+s:// for TLS by the system's certificates; "
        "user, password and ca are settings of their own",
    )
