"""The connection to Weaviate: opened when it is first needed, impatient, its errors ours.

The client of the vendor repeats a gRPC call that nobody answers for a minute. A recall cannot wait for that, and
the outbox repeats what matters: here every call is made once.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from grpc import ChannelCredentials, RpcError, StatusCode, ssl_channel_credentials
from weaviate import WeaviateClient
from weaviate.auth import Auth
from weaviate.classes.init import AdditionalConfig, Timeout
from weaviate.collections import Collection
from weaviate.config import ConnectionConfig, GrpcConfig
from weaviate.connect import ConnectionParams
from weaviate.exceptions import (
    UnexpectedStatusCodeError,
    WeaviateBaseError,
    WeaviateConnectionError,
    WeaviateStartUpError,
    WeaviateTimeoutError,
)

from mcp_memory_server.errors import InvalidArgumentError, UnavailableError
from mcp_memory_server.storage.weaviate.layout import COLLECTION, definition, vector_config, vector_name

_INIT_SECONDS = 3  # to read the server's version when a connection is opened
_QUERY_SECONDS = 3  # for one answer to a question
_WRITE_SECONDS = 10  # for one batch of objects, one deletion, or one change of the collection
_RECONNECT_MS = 1000  # at most between two attempts to reach a server that was away
_BATCH = 200  # objects of one write
_SURELY = 1_000  # objects that one deletion reaches on any server; of more, one that is set up so leaves some
_GRPC_PORT = 50_051  # where a server listens unless told otherwise
_NEXT = "See docs/guide/operate.md"

T = TypeVar("T")


_GIVEN_UP = (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED)


class _AwayError(Exception):
    """Nobody answers, or not in time; not a gRPC error, since the client would repeat the call."""


class _Impatient:
    """A gRPC stub each of whose calls is made once."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._stub, name)

        def once(*values: Any, **named: Any) -> Any:
            try:
                return call(*values, **named)
            except RpcError as error:
                if getattr(error, "code", lambda: None)() in _GIVEN_UP:
                    raise _AwayError from error
                raise

        return once


@contextmanager
def translated() -> Iterator[None]:
    """Turn foreign errors into UnavailableError; their messages quote objects and hosts, so only kinds are said."""
    try:
        yield
    except UnexpectedStatusCodeError as error:
        if error.status_code in (401, 403):
            raise UnavailableError("Weaviate does not accept the key", next_step=_NEXT) from error
        raise UnavailableError(f"Weaviate failed (status {error.status_code})") from error
    except (httpx.HTTPError, _AwayError, WeaviateConnectionError, WeaviateTimeoutError, WeaviateStartUpError) as error:
        raise UnavailableError("Weaviate does not answer", next_step=_NEXT) from error
    except (WeaviateBaseError, RpcError) as error:
        raise UnavailableError(f"Weaviate failed ({type(error).__name__})", next_step=_NEXT) from error


def address(url: str, grpc: str) -> ConnectionParams:
    """Where a server listens. Without `grpc` (HOST:PORT): the host of `url`, port 50051. TLS for both, or for none.

    Raises InvalidArgumentError that quotes neither.
    """
    try:
        http, rpc = urlsplit(url), urlsplit(f"//{grpc}")
        if http.scheme not in ("http", "https") or not http.hostname or http.username or http.path.strip("/"):
            raise ValueError
        secure = http.scheme == "https"
        return ConnectionParams.from_params(
            http.hostname, http.port or (443 if secure else 80), secure, rpc.hostname or http.hostname,
            rpc.port or _GRPC_PORT, secure,
        )  # fmt: skip
    except ValueError:
        raise InvalidArgumentError(
            "store.weaviate: not the address of a server",
            next_step="Write url as https://HOST:PORT and grpc as HOST:PORT, both without a path",
        ) from None  # the error quotes what was given


def _authority(file: Path) -> str:
    try:
        text = file.read_text(encoding="ascii")
        ssl.create_default_context(cadata=text)
    except (OSError, ValueError) as error:  # a certificate that is none is an OSError too
        raise InvalidArgumentError(f"store.weaviate.ca: {file} holds no certificates that can be read") from error
    return text


class WeaviateServer:
    """One collection of a server. Safe to use from several threads; nothing is connected before the first call."""

    def __init__(self, where: ConnectionParams, key: str, collection: str = COLLECTION, ca: Path | None = None) -> None:
        """`ca`: a PEM file of who signed the server's certificate. Raises InvalidArgumentError for one that is none."""
        self._where = where
        self._key = key
        self._authority = None if ca is None else _authority(ca)
        self._name = collection
        self._lock = threading.Lock()
        self._open: WeaviateClient | None = None
        self._known: frozenset[str] = frozenset()  # the named vectors that the collection is known to have

    def _credentials(self) -> ChannelCredentials | None:
        return None if self._authority is None else ssl_channel_credentials(self._authority.encode())

    def _trusting(self, _colour: str) -> dict[str, httpx.HTTPTransport]:
        context = ssl.create_default_context(cadata=self._authority)
        return {"https://": httpx.HTTPTransport(verify=context)}

    def _client(self) -> WeaviateClient:
        with self._lock:
            if self._open is None:
                options = (("grpc.enable_retries", 0), ("grpc.initial_reconnect_backoff_ms", _RECONNECT_MS),
                           ("grpc.max_reconnect_backoff_ms", _RECONNECT_MS))  # fmt: skip
                config = AdditionalConfig(
                    timeout=Timeout(init=_INIT_SECONDS, query=_QUERY_SECONDS, insert=_WRITE_SECONDS),
                    connection=ConnectionConfig(session_pool_max_retries=0),
                    grpc_config=GrpcConfig(channel_options=options, credentials=self._credentials()),
                )
                # Without `skip_init_checks` the client would ask a package index for its newest version.
                client = WeaviateClient(
                    self._where, auth_client_secret=Auth.api_key(self._key), additional_config=config,
                    skip_init_checks=True,
                )  # fmt: skip
                connection: Any = client._connection
                if self._authority is not None:
                    connection._make_mounts = self._trusting
                try:
                    client.connect()
                except BaseException:
                    client.close()
                    raise
                connection._grpc_stub = _Impatient(connection._grpc_stub)
                self._open = client
            return self._open

    # -- asking ----------------------------------------------------------------------------------
    def ask(
        self, tenant: str | None, question: Callable[[Collection[Any, Any]], T], nothing: T, model: str | None = None
    ) -> T:
        """The answer of a tenant; `nothing` where there is no such tenant, or no vector of the model.

        Raises UnavailableError.
        """
        with translated():
            client = self._client()
            if tenant is None:
                client.get_meta()  # it must not look as if a server that is away had no answer
                return nothing
            try:
                return question(client.collections.use(self._name).with_tenant(tenant))
            except WeaviateBaseError:  # an error is not told by its words, which another version may change
                if self._has(client, tenant) and (model is None or self._has_model(client, model)):
                    raise
                return nothing

    def _has(self, client: WeaviateClient, tenant: str) -> bool:
        return client.collections.exists(self._name) and client.collections.use(self._name).tenants.exists(tenant)

    def _has_model(self, client: WeaviateClient, model: str) -> bool:
        return vector_name(model) in (client.collections.use(self._name).config.get().vector_config or {})

    def about(self) -> str:
        """The server's version, and whether the connection is encrypted. Raises UnavailableError."""
        with translated():
            version = self._client().get_meta()["version"]
        return f"Weaviate {version}, {'TLS' if self._where.http.secure else 'without TLS'}"

    # -- writing ---------------------------------------------------------------------------------
    def insert(self, tenant: str, objects: Sequence[Any], model: str | None = None) -> None:
        """Write objects over those with the same ids; the tenant is made if need be. Raises UnavailableError."""
        with translated():
            client = self._client()
            self._prepare(client, model)
            collection = client.collections.use(self._name).with_tenant(tenant)
            for start in range(0, len(objects), _BATCH):
                failed = collection.data.insert_many(objects[start : start + _BATCH]).errors
                if failed:
                    self._known = frozenset()  # the collection may have been dropped and made anew
                    raise UnavailableError(f"Weaviate did not take {len(failed)} of {len(objects)} objects")

    def remove(self, tenant: str, where: Any) -> None:
        """Remove the objects of a tenant that match; a tenant that is not there is not made.

        Raises UnavailableError.
        """
        with translated():
            client = self._client()
            collection = client.collections.use(self._name).with_tenant(tenant)
            while True:
                try:
                    done = collection.data.delete_many(where)
                except WeaviateBaseError:
                    if self._has(client, tenant):
                        raise
                    return
                if done.failed:
                    raise UnavailableError(f"Weaviate did not remove {done.failed} objects")
                if done.matches < _SURELY:
                    return

    def drop(self, tenant: str) -> None:
        """Remove a tenant with all that it holds; one that is not there is passed over. Raises UnavailableError."""
        with translated():
            client = self._client()
            if self._has(client, tenant):
                client.collections.use(self._name).tenants.remove([tenant])
                if self._has(client, tenant):
                    raise UnavailableError("Weaviate has not removed a tenant")

    def _prepare(self, client: WeaviateClient, model: str | None) -> None:
        """Make the collection, and the vector of a model; another process may do so at the same moment."""
        if not client.collections.exists(self._name):
            self._known = frozenset()
            try:
                client.collections.create(**definition(self._name))
            except WeaviateBaseError:
                if not client.collections.exists(self._name):
                    raise
        if model is None or model in self._known:
            return
        if not self._has_model(client, model):
            try:
                client.collections.use(self._name).config.add_vector(vector_config=vector_config(vector_name(model)))
            except WeaviateBaseError:
                if not self._has_model(client, model):
                    raise
        self._known |= {model}

    # -- as a part of a store --------------------------------------------------------------------
    def scrub(self) -> bool:
        """Nothing is put off here."""
        return True

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            client, self._open = self._open, None
        if client is not None:
            with suppress(WeaviateBaseError, httpx.HTTPError):
                client.close()
