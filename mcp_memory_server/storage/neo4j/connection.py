"""A pool of connections to Neo4j; what goes wrong there becomes an error of ours, without a word of what was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from neo4j import (
    READ_ACCESS,
    Driver,
    GraphDatabase,
    ManagedTransaction,
    NotificationMinimumSeverity,
    Transaction,
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
CONNECT_SECONDS: Final = 3.0  # how long a connection may take to come about
ACQUIRE_SECONDS: Final = 5.0  # how long a call waits for a connection of the pool, with the time to make one
IDLE_SECONDS: Final = 1.0  # a connection unused for so long is tried before it is used: the server may have restarted
READ_SECONDS: Final = 5.0  # after which the server ends a question
WRITE_SECONDS: Final = 30.0  # after which it ends a change
WRITE_RETRY_SECONDS: Final = 5.0  # for so long a change is tried again that met another one or a server that restarts
_SCHEMES = ("bolt", "bolt+s", "neo4j", "neo4j+s")  # +ssc trusts anybody, and is not among them
_AWAY = (ServiceUnavailable, SessionExpired, ConnectionPoolError, DatabaseUnavailable, AuthError)

T = TypeVar("T")
Work = Callable[[Transaction | ManagedTransaction], T]


class Connection:
    """A database on a Neo4j server. Nothing is opened before the first call.

    `url` is `bolt[+s]://HOST:PORT` or `neo4j[+s]://…`; `ca` is a file with the certificates that the server's own
    has to be signed by, where those of the system are not meant.
    Raises InvalidArgumentError for an address that is none.
    """

    def __init__(self, url: str, user: str, password: str, ca: Path | None = None) -> None:
        scheme, _, host = url.partition("://")
        if scheme not in _SCHEMES or not host or "@" in host or (ca is not None and scheme.endswith("+s")):
            raise _no_address()
        trust: dict[str, Any] = {}
        if ca is not None:
            trust = {"encrypted": True, "trusted_certificates": TrustCustomCAs(str(ca))}
        try:
            self._driver: Driver = GraphDatabase.driver(
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
        self.losses = (
            0  # how often the server has not answered; who sees a new number has to look again at what is there
        )

    def read(self, work: Work[T]) -> T:
        """What a transaction that only reads answers; it is tried once, since recall rather answers without the graph.

        Raises UnavailableError.
        """
        with (
            self._watched(),
            self._driver.session(default_access_mode=READ_ACCESS) as session,
            session.begin_transaction(timeout=READ_SECONDS) as transaction,
        ):
            return work(transaction)

    def write(self, work: Work[T]) -> T:
        """What a transaction answers; it is run again after a transient error. Raises UnavailableError."""
        with self._watched(), self._driver.session(max_transaction_retry_time=WRITE_RETRY_SECONDS) as session:
            return session.execute_write(unit_of_work(timeout=WRITE_SECONDS)(work))

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

    def about(self) -> str:
        """The server's name and version, and whether the way there is encrypted. Raises UnavailableError."""
        with self._watched():
            agent = self._driver.get_server_info().agent
        return f"{agent.replace('/', ' ')}, {'TLS' if self._driver.encrypted else 'without TLS'}"

    def close(self) -> None:
        """Close every connection."""
        self._driver.close()


def _no_address() -> InvalidArgumentError:
    return InvalidArgumentError(
        "store.neo4j.url: not an address of a Neo4j server",
        next_step="Write it as bolt://HOST:PORT, or bolt+s:// for TLS by the system's certificates; "
        "user, password and ca are settings of their own",
    )
