"""The real servers that `scripts/services start` runs: a test whose server is absent skips, but never in CI."""

from __future__ import annotations

import atexit
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest
from filelock import FileLock
from pydantic import SecretStr

from mcp_memory_server.keys.master_key import LocalMasterKey
from mcp_memory_server.keys.ports import UserKeys
from mcp_memory_server.keys.user_keys import FolderUserKeys
from mcp_memory_server.memory.ports import GraphIndex
from mcp_memory_server.settings import ArchiveSettings, Neo4jSettings, WeaviateSettings

if TYPE_CHECKING:
    from mcp_memory_server.bootstrap import WeaviatePart

_ROOT = Path(__file__).resolve().parent.parent
# Read when the tests are collected: later no variable of ours is left in the environment.
_GIVEN = {name: value for name, value in os.environ.items() if name.startswith("MEMORY_TEST_")}
PROFILE = _GIVEN.get("MEMORY_TEST_PROFILE", "embedded")  # what `tests.harness` uses: also "postgres", "server" (all)
_REQUIRED = bool(_GIVEN.get("MEMORY_TEST_SERVICES"))  # set by .ci/run


@cache
def _environment() -> dict[str, str]:
    """What `scripts/services env` prints, or what the environment says."""
    if "MEMORY_TEST_POSTGRES_URL" in _GIVEN:
        return _GIVEN
    command = [sys.executable, str(_ROOT / "scripts" / "services"), "env"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    words = (shlex.split(line)[-1] for line in found.stdout.splitlines() if line.startswith("export "))
    return {name: value for name, _, value in (word.partition("=") for word in words)} | _GIVEN


def variable(name: str) -> str:
    """A variable of a running server; skips the test when there is none, fails it where servers are required."""
    value = _environment().get(name)
    if not value:
        if _REQUIRED:
            pytest.fail(f"{name} is not set, and no server may be missing here")
        pytest.skip(f"{name} is not set: `scripts/services start` runs the servers")
    return value


@dataclass(frozen=True)
class Database:
    """A database of a test's own, and the folder in which its server keeps everything."""

    url: str
    data: Path


def _on_server(statement: str) -> None:
    import psycopg

    with psycopg.connect(variable("MEMORY_TEST_POSTGRES_URL"), autocommit=True) as connection:
        connection.execute(statement.encode())


def _drop(name: str) -> None:
    import psycopg

    with suppress(psycopg.OperationalError):
        _on_server(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _url(name: str) -> str:
    return f"{variable('MEMORY_TEST_POSTGRES_URL').rpartition('/')[0]}/{name}"


@cache
def _shared() -> str:
    """The database of all tests that only need an empty one; its tables are made once."""
    from mcp_memory_server.bootstrap import postgres_ledger

    name = f"shared_{uuid4().hex}"
    _on_server(f"CREATE DATABASE {name}")
    atexit.register(_drop, name)
    with tempfile.TemporaryDirectory() as folder:
        postgres_ledger(_url(name), FolderUserKeys(Path(folder), LocalMasterKey(bytes(32)))).close()
    return name


def known(file: Path) -> Database | None:
    """The database whose address a file holds, None where there is no file."""
    if not file.exists():
        return None
    return Database(file.read_text(encoding="utf-8"), Path(variable("MEMORY_TEST_POSTGRES_DATA")))


def emptied() -> Database:
    """A database with empty tables, one and the same for all who ask; emptying takes less than making one."""
    import psycopg

    from mcp_memory_server.storage.sql.tables import metadata

    url = _url(_shared())
    with psycopg.connect(url, autocommit=True) as connection:
        tables = ", ".join(f'"{name}"' for name in metadata.tables)
        connection.execute(f"TRUNCATE {tables} RESTART IDENTITY".encode())
    return Database(url, Path(variable("MEMORY_TEST_POSTGRES_DATA")))


@contextmanager
def postgres() -> Iterator[Database]:
    """A database of a test's own on the running server, without tables; dropped at the end."""
    name = f"test_{uuid4().hex}"
    _on_server(f"CREATE DATABASE {name}")
    try:
        yield Database(_url(name), Path(variable("MEMORY_TEST_POSTGRES_DATA")))
    finally:
        _drop(name)


@contextmanager
def bucket(*, versions: bool = False) -> Iterator[dict[str, str]]:
    """A bucket of a test's own: what `S3Objects` needs to reach it. Removed at the end, with all that is in it."""
    import boto3

    reach = {
        "url": variable("MEMORY_TEST_S3_URL"),
        "region": "us-east-1",
        "access_key": variable("MEMORY_TEST_S3_KEY"),
        "secret_key": variable("MEMORY_TEST_S3_SECRET"),
    }
    client = boto3.client(
        "s3", endpoint_url=reach["url"], region_name=reach["region"], aws_access_key_id=reach["access_key"],
        aws_secret_access_key=reach["secret_key"],
    )  # fmt: skip
    name = f"test-{uuid4().hex}"
    client.create_bucket(Bucket=name)
    if versions:
        client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    try:
        yield {"bucket": name, **reach}
    finally:
        for page in client.get_paginator("list_object_versions").paginate(Bucket=name):
            for one in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
                client.delete_object(Bucket=name, Key=one["Key"], VersionId=one["VersionId"])
        client.delete_bucket(Bucket=name)
        client.close()


@cache
def _shared_bucket() -> dict[str, str]:
    """The bucket of all tests that only need a place of their own in one."""
    opened = ExitStack()
    atexit.register(opened.close)
    return opened.enter_context(bucket())


def archive_settings(place: str) -> ArchiveSettings:
    """An archive on the running S3 server, under a prefix of a test's own."""
    reach = _shared_bucket()
    secrets = {name: SecretStr(reach[name]) for name in ("access_key", "secret_key")}
    prefix = sha256(place.encode()).hexdigest()[:16]
    return ArchiveSettings(
        kind="s3", url=reach["url"], bucket=reach["bucket"], region="us-east-1", prefix=prefix, **secrets
    )


def neo4j_settings() -> Neo4jSettings:
    """Settings of the running Neo4j server."""
    url, user = variable("MEMORY_TEST_NEO4J_URL"), variable("MEMORY_TEST_NEO4J_USER")
    return Neo4jSettings(url=url, user=user, password=SecretStr(variable("MEMORY_TEST_NEO4J_PASSWORD")))


@cache
def _graph() -> GraphIndex:
    """The graph of all tests that only need an empty one: preparing it takes seconds."""
    from mcp_memory_server.bootstrap import neo4j_graph

    made = neo4j_graph(neo4j_settings())
    atexit.register(made.close)
    return made


@contextmanager
def alone(variable_of_server: str) -> Iterator[None]:
    """Let no other test that asks for the same server in: some parts of a server cannot be had twice."""
    told = sha256(variable(variable_of_server).encode()).hexdigest()[:12]  # each run has servers of its own
    with FileLock(Path(tempfile.gettempdir()) / f"memory-test-{told}.lock"):
        yield


@contextmanager
def emptied_graph() -> Iterator[GraphIndex]:
    """The graph on the Neo4j server with nobody in it, for one test at a time: a server has one database."""
    with alone("MEMORY_TEST_NEO4J_URL"):
        yield _emptied()


def _emptied() -> GraphIndex:
    from neo4j import GraphDatabase

    chosen = neo4j_settings()
    assert chosen.password is not None
    auth = (chosen.user, chosen.password.get_secret_value())
    with GraphDatabase.driver(chosen.url, auth=auth) as driver:
        driver.execute_query("MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    return _graph()


@cache
def _collection() -> str:
    """The collection of all tests that only need tenants of their own; making one takes longer than most tests."""
    name = f"Shared_{uuid4().hex}"
    atexit.register(_drop_if_there, name)
    return name


def drop_collection(name: str) -> None:
    """Remove a collection, as somebody who manages the server would."""
    request = Request(
        f"{variable('MEMORY_TEST_WEAVIATE_URL')}/v1/schema/{name}",
        method="DELETE",
        headers={"Authorization": f"Bearer {variable('MEMORY_TEST_WEAVIATE_KEY')}"},
    )
    urlopen(request, timeout=20).close()


def _drop_if_there(name: str) -> None:
    with suppress(OSError):
        drop_collection(name)


def weaviate_settings() -> WeaviateSettings:
    """Where the running Weaviate is."""
    url, grpc, key = (variable(f"MEMORY_TEST_WEAVIATE_{name}") for name in ("URL", "GRPC", "KEY"))
    return WeaviateSettings(url=url, grpc=grpc, api_key=SecretStr(key))


@contextmanager
def weaviate(keys: UserKeys) -> Iterator[WeaviatePart]:
    """Indexes whose tenants are named under the keys of a test."""
    from mcp_memory_server.bootstrap import weaviate_part

    part = weaviate_part(weaviate_settings(), keys, collection=_collection())
    try:
        yield part
    finally:
        part.server.close()
