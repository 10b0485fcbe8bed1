"""Which ledger, projections and archive the settings choose: the only place that knows every back end."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_memory_server.errors import InvalidArgumentError, UnsupportedError
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.ports import Backend, Store, TextIndex, VectorIndex
from mcp_memory_server.settings import ArchiveSettings, Neo4jSettings, Settings, WeaviateSettings

if TYPE_CHECKING:
    from mcp_memory_server.keys.ports import UserKeys
    from mcp_memory_server.storage.archive.objects import ObjectStore
    from mcp_memory_server.storage.neo4j.graph_index import Neo4jGraphIndex
    from mcp_memory_server.storage.postgres.store import Beside
    from mcp_memory_server.storage.weaviate.server import WeaviateServer

_PROJECTIONS_FILE = "projections.db"  # beside a ledger that is on a server
_ARCHIVE_FOLDER = "archive"  # in the data folder
_STORE_GUIDE = "See docs/guide/operate.md"


def embedded_backend(folder: Path) -> Backend:
    """The embedded store in a data folder."""
    from mcp_memory_server.storage.sqlite.store import FILE_NAME, SqliteStore

    return SqliteStore(folder / FILE_NAME)


def backend_of(settings: Settings) -> Backend:
    """The store that the settings choose. Raises InvalidArgumentError, UnsupportedError, UnavailableError."""
    if settings.store.ledger == "embedded":
        chosen = settings.store
        if chosen.graph != "embedded" or {chosen.vectors, chosen.text} != {"embedded"}:
            raise InvalidArgumentError(
                "store.graph, store.vectors, store.text: an index on a server needs a ledger on a server, "
                "whose keys hide the words",
                next_step=_STORE_GUIDE,
            )
        return embedded_backend(settings.data_dir)
    return _sealed_backend(settings)


def _sealed_backend(settings: Settings) -> Backend:
    """A ledger on a server; projections on servers or in files of this machine, which see keyed hashes only."""
    from mcp_memory_server.storage.composed import Composed
    from mcp_memory_server.storage.hashed import HashedGraphIndex, HashedTextIndex, HashedVectorIndex
    from mcp_memory_server.storage.sqlite.store import SqliteStore

    chosen = settings.store
    if chosen.url is None:
        raise InvalidArgumentError("store.url: a ledger on a server needs its address", next_step=_STORE_GUIDE)
    passphrase = chosen.passphrase.get_secret_value() if chosen.passphrase else ""
    with contextlib.ExitStack() as opened:  # what is open is closed again where the next part cannot be opened
        # First the files beside: they make the data folder, for its owner alone.
        beside = SqliteStore(settings.data_dir / _PROJECTIONS_FILE)
        opened.callback(beside.close)
        keys = user_keys(chosen.keys or settings.data_dir / "keys", passphrase)
        parts: list[Beside] = [beside]
        far = weaviate_part(chosen.weaviate, keys) if "weaviate" in (chosen.vectors, chosen.text) else None
        if far:
            opened.callback(far.server.close)
            parts.append(far.server)
        graph = neo4j_graph(chosen.neo4j) if chosen.graph == "neo4j" else None
        if graph:
            opened.callback(graph.close)
            parts.append(graph)
        ledger = postgres_ledger(chosen.url.get_secret_value(), far.keys if far else keys, parts)
        opened.pop_all()
    text = far.text if far is not None and chosen.text == "weaviate" else beside.text_index
    vectors = far.vectors if far is not None and chosen.vectors == "weaviate" else beside.vector_index
    readable = graph is not None and chosen.neo4j.readable
    engines = {one.name: far.server.about for one in (text, vectors) if far and one in (far.text, far.vectors)}
    if graph:
        engines[graph.name] = graph.about
    return Composed(
        ledger,
        HashedTextIndex(text, keys.of),
        HashedVectorIndex(vectors, keys.of),
        graph if graph and readable else HashedGraphIndex(graph or beside.graph_index, keys.of),
        engines,
    )


def archive_of(settings: Settings) -> Archive:
    """The archive that the settings choose; with a ledger on a server its content is sealed under the users' keys.

    Raises InvalidArgumentError, UnsupportedError, UnavailableError.
    """
    from mcp_memory_server.storage.archive.objects import ObjectArchive

    store, chosen = settings.store, settings.store.archive
    on_server = store.ledger != "embedded"
    objects: ObjectStore
    if chosen.kind == "s3":
        if not on_server:
            raise InvalidArgumentError(
                "store.archive: on S3 it needs a ledger on a server, whose keys seal what goes there",
                next_step=_STORE_GUIDE,
            )
        objects = s3_objects(chosen)
    else:
        from mcp_memory_server.storage.archive.files import FileObjects

        objects = FileObjects(settings.data_dir / _ARCHIVE_FOLDER)
    if not on_server:
        return ObjectArchive(objects)
    passphrase = store.passphrase.get_secret_value() if store.passphrase else ""
    # Opened when the first copy is written: most processes never come to that.
    keys = functools.cache(lambda: user_keys(store.keys or settings.data_dir / "keys", passphrase))
    return ObjectArchive(objects, lambda user: keys().of(user))


def s3_objects(chosen: ArchiveSettings) -> ObjectStore:
    """A bucket for the archive (extra `s3`). Raises UnsupportedError without the extra, UnavailableError."""
    if importlib.util.find_spec("boto3") is None:
        raise UnsupportedError("S3 needs the extra 's3'", next_step="pip install 'consented-memory[s3]'")
    from mcp_memory_server.storage.archive.s3 import S3Objects

    secrets = [one.get_secret_value() if one else "" for one in (chosen.access_key, chosen.secret_key)]
    return S3Objects(
        chosen.bucket,
        url=chosen.url,
        region=chosen.region,
        access_key=secrets[0],
        secret_key=secrets[1],
        prefix=chosen.prefix,
    )


def user_keys(folder: Path, passphrase: str) -> UserKeys:
    """The keys of users in a folder, wrapped by a master key: of a passphrase, or without one of the keyring."""
    from mcp_memory_server.keys.master_key import master_from_file, master_from_keyring
    from mcp_memory_server.keys.user_keys import FolderUserKeys

    # A file that a passphrase seals is made at once; the keyring needs no file.
    master = master_from_file(folder, passphrase.encode()) if passphrase else master_from_keyring(f"master {folder}")
    return FolderUserKeys(folder, master)


def postgres_ledger(url: str, keys: UserKeys, beside: Sequence[Beside] = ()) -> Store:
    """The ledger in a PostgreSQL database, sealed under the keys of its users (extra `postgres`).

    Its backups are single files of the embedded store, whose rows stay sealed. `beside` is kept in order
    and closed with it.
    Raises UnsupportedError without the extra, InvalidArgumentError, UnavailableError, StoreNewerError.
    """
    if importlib.util.find_spec("psycopg") is None:
        raise UnsupportedError(
            "PostgreSQL needs the extra 'postgres'", next_step="pip install 'consented-memory[postgres]'"
        )
    from mcp_memory_server.storage.postgres.store import PostgresStore
    from mcp_memory_server.storage.sqlite.store import single_file

    return PostgresStore(url, keys, single_file, beside)


def neo4j_graph(chosen: Neo4jSettings) -> Neo4jGraphIndex:
    """The graph on a Neo4j server (extra `neo4j`), which is connected to at the first call.

    Raises UnsupportedError without the extra, InvalidArgumentError.
    """
    if importlib.util.find_spec("neo4j") is None:
        raise UnsupportedError("Neo4j needs the extra 'neo4j'", next_step="pip install 'consented-memory[neo4j]'")
    from mcp_memory_server.storage.neo4j.connection import Connection
    from mcp_memory_server.storage.neo4j.graph_index import Neo4jGraphIndex

    if chosen.password is None:
        raise InvalidArgumentError("store.neo4j.password: a server is asked with a password", next_step=_STORE_GUIDE)
    return Neo4jGraphIndex(Connection(chosen.url, chosen.user, chosen.password.get_secret_value(), chosen.ca))


@dataclass(frozen=True, slots=True)
class WeaviatePart:
    """What Weaviate keeps of a store. `keys` are the keys of users, which take their tenants with them."""

    server: WeaviateServer
    text: TextIndex
    vectors: VectorIndex
    keys: UserKeys


def weaviate_part(chosen: WeaviateSettings, keys: UserKeys, **options: Any) -> WeaviatePart:
    """Full text and vectors on a Weaviate server (extra `weaviate`), which is connected to at the first call.

    Raises UnsupportedError without the extra, InvalidArgumentError.
    """
    if importlib.util.find_spec("weaviate") is None:
        raise UnsupportedError(
            "Weaviate needs the extra 'weaviate'", next_step="pip install 'consented-memory[weaviate]'"
        )
    from mcp_memory_server.storage.weaviate.server import WeaviateServer, address
    from mcp_memory_server.storage.weaviate.tenants import KeysWithTenants, tenants_by
    from mcp_memory_server.storage.weaviate.text_index import WeaviateTextIndex
    from mcp_memory_server.storage.weaviate.vector_index import WeaviateVectorIndex

    if chosen.api_key is None:
        raise InvalidArgumentError("store.weaviate.api_key: a server is asked with a key", next_step=_STORE_GUIDE)
    where, key = address(chosen.url, chosen.grpc), chosen.api_key.get_secret_value()
    server = WeaviateServer(where, key, ca=chosen.ca, **options)
    tenant_of = tenants_by(keys.of)
    return WeaviatePart(
        server,
        WeaviateTextIndex(server, tenant_of),
        WeaviateVectorIndex(server, tenant_of),
        KeysWithTenants(keys, server),
    )
