"""Objects on any S3-compatible endpoint (extra `s3`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from mcp_memory_server.errors import DamagedError, UnavailableError
from mcp_memory_server.storage.archive.objects import ObjectStore

CONNECT_SECONDS = 3.0  # to reach the endpoint
READ_SECONDS = 10.0  # for each answer of it
ATTEMPTS = 2  # of one request, the first included; the outbox and the circuit breaker do the rest
CONNECTIONS = 10  # of one process
_DELETED_AT_A_TIME = 1_000  # objects in one request: the protocol's limit
_NO_VERSIONS = frozenset({"NotImplemented", "MethodNotAllowed", "XNotImplemented"})
_NOT_THERE = frozenset({"NoSuchKey", "404"})
_GUIDE = "See docs/guide/operate.md"


class S3Objects:
    """Objects of a bucket below `prefix`. Without keys, boto3 looks for credentials where it always does.

    The endpoint is asked to check the SHA-256 of what it is sent, and gives it back with what it answers.
    """

    def __init__(
        self,
        bucket: str,
        *,
        url: str = "",
        region: str = "",
        access_key: str = "",
        secret_key: str = "",
        prefix: str = "",
    ) -> None:
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        with _answering():
            self._client: Any = boto3.session.Session().client(
                "s3",
                endpoint_url=url or None,
                region_name=region or None,
                aws_access_key_id=access_key or None,
                aws_secret_access_key=secret_key or None,
                config=Config(
                    connect_timeout=CONNECT_SECONDS,
                    read_timeout=READ_SECONDS,
                    retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
                    max_pool_connections=CONNECTIONS,
                    # Names of buckets in the path: endpoints of one's own have no wildcard names.
                    s3={"addressing_style": "path" if url else "auto"},
                ),
            )
        self._versions = True  # until the endpoint says that it knows none

    def put(self, key: str, body: bytes) -> None:
        """Write an object; the endpoint refuses it where it arrives with another SHA-256."""
        with _answering():
            self._client.put_object(
                Bucket=self._bucket, Key=self._prefix + key, Body=body, ChecksumAlgorithm="SHA256",
                ContentType="application/octet-stream",
            )  # fmt: skip

    def get(self, key: str) -> bytes | None:
        """The content of an object. Raises DamagedError where it is not what the endpoint's own checksum says."""
        with _answering():
            try:
                found = self._client.get_object(Bucket=self._bucket, Key=self._prefix + key, ChecksumMode="ENABLED")
                return bytes(found["Body"].read())
            except ClientError as error:
                if _code(error) in _NOT_THERE:
                    return None
                raise

    def keys(self, prefix: str) -> list[str]:
        """Names of all objects below a prefix."""
        with _answering():
            return [one["Key"].removeprefix(self._prefix) for one in self._listed(prefix)]

    def remove(self, prefix: str, but: str = "") -> None:
        """Remove all objects below a prefix but one, with all their versions."""
        kept = self._prefix + but if but else None
        with _answering():
            doomed = [one for one in self._present(prefix) if one["Key"] != kept]
            for start in range(0, len(doomed), _DELETED_AT_A_TIME):
                part = {"Objects": doomed[start : start + _DELETED_AT_A_TIME], "Quiet": True}
                answer = self._client.delete_objects(Bucket=self._bucket, Delete=part)
                if answer.get("Errors"):
                    raise UnavailableError(f"S3 did not delete everything ({answer['Errors'][0].get('Code', '')})")

    def _listed(self, prefix: str) -> Iterator[dict[str, Any]]:
        pages = self._client.get_paginator("list_objects_v2")
        for page in pages.paginate(Bucket=self._bucket, Prefix=self._prefix + prefix):
            yield from page.get("Contents", ())

    def _present(self, prefix: str) -> list[dict[str, str]]:
        """All versions and markers below a prefix, in a bucket that keeps some; else the objects."""
        if self._versions:
            try:
                pages = self._client.get_paginator("list_object_versions")
                return [
                    {"Key": one["Key"], "VersionId": one["VersionId"]}
                    for page in pages.paginate(Bucket=self._bucket, Prefix=self._prefix + prefix)
                    for one in (*page.get("Versions", ()), *page.get("DeleteMarkers", ()))
                ]
            except ClientError as error:
                if _code(error) not in _NO_VERSIONS:
                    raise
                self._versions = False
        return [{"Key": one["Key"]} for one in self._listed(prefix)]


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def _answering() -> Iterator[None]:
    """Turns what the client raises into errors of ours; its texts may name keys and are left out."""
    from botocore.exceptions import FlexibleChecksumError

    try:
        yield
    except FlexibleChecksumError as error:
        raise DamagedError("S3 answered with content that is not what its checksum says") from error
    except ClientError as error:
        raise UnavailableError(f"S3 refused ({_code(error)})", next_step=_GUIDE) from error
    except (BotoCoreError, HTTPClientError, ValueError) as error:
        raise UnavailableError(f"S3 does not answer ({type(error).__name__})", next_step=_GUIDE) from error


_PORT: type[ObjectStore] = S3Objects  # the type checker holds the adapter to its port
