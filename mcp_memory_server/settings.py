"""Settings: defaults < TOML file < environment (`MEMORY_…`, nested with `__`) < flags.

Nothing here is read at import. A secret may come from a file: `MEMORY_EMBEDDER__API_KEY_FILE`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from mcp_memory_server import limits
from mcp_memory_server.errors import InvalidArgumentError

PREFIX = "MEMORY_"
_SECRET_SUFFIX = "_file"  # noqa: S105 - the name of a setting, not a secret


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbedderSettings(_Table):
    """Which model turns text into vectors."""

    kind: Literal["bundled", "sentence-transformers", "openai-compatible", "off"] = "bundled"
    model: str = ""
    dimension: int = Field(default=384, ge=1, le=16_384)
    base_url: str = ""
    api_key: SecretStr | None = None
    query_prefix: str = ""
    document_prefix: str = ""


class RefinerSettings(_Table):
    """Which model reads again what the rules hardly covered; off by default."""

    kind: Literal["off", "openai-compatible"] = "off"
    model: str = ""
    base_url: str = ""
    api_key: SecretStr | None = None
    share: float = Field(default=limits.REFINER_SHARE, ge=0, le=1)
    seconds: float = Field(default=limits.REFINER_SECONDS, gt=0, le=120)

    @model_validator(mode="after")
    def _whole(self) -> RefinerSettings:
        if self.kind == "off":
            return self
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url: an http or https address is needed")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("base_url: scheme, host, port and path only; a key belongs into api_key")
        if not self.model:
            raise ValueError("model: the name of a model is needed")
        return self


class ArchiveSettings(_Table):
    """Where copies of archived memories are kept. What follows `kind` counts for S3 only."""

    kind: Literal["files", "s3"] = "files"
    url: str = ""
    bucket: str = ""
    region: str = ""
    access_key: SecretStr | None = None
    secret_key: SecretStr | None = None
    prefix: str = Field(default="", max_length=200)

    @model_validator(mode="after")
    def _whole(self) -> ArchiveSettings:
        if self.kind != "s3":
            return self
        parts = urlsplit(self.url)
        if self.url and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("url: an http or https address is needed")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("url: scheme, host and port only; keys belong into access_key and secret_key")
        if not self.bucket:
            raise ValueError("bucket: the name of a bucket is needed")
        if (self.access_key is None) != (self.secret_key is None):
            raise ValueError("access_key and secret_key: both, or neither for the credentials of the machine")
        return self


class Neo4jSettings(_Table):
    """A Neo4j server. `readable`: it is given names and the life of facts as they are, not keyed hashes."""

    url: str = ""
    user: str = "neo4j"
    password: SecretStr | None = None
    ca: Path | None = None
    readable: bool = False


class WeaviateSettings(_Table):
    """A Weaviate server. `grpc` is HOST:PORT; without it, the host of `url` and the usual port."""

    url: str = ""
    grpc: str = ""
    ca: Path | None = None
    api_key: SecretStr | None = None


class StoreSettings(_Table):
    """Where memories are kept. What follows `ledger` counts for a ledger on a server only."""

    ledger: Literal["embedded", "postgres"] = "embedded"
    url: SecretStr | None = None
    keys: Path | None = None
    passphrase: SecretStr | None = None
    archive: ArchiveSettings = ArchiveSettings()
    graph: Literal["embedded", "neo4j"] = "embedded"
    neo4j: Neo4jSettings = Neo4jSettings()
    vectors: Literal["embedded", "weaviate"] = "embedded"
    text: Literal["embedded", "weaviate"] = "embedded"
    weaviate: WeaviateSettings = WeaviateSettings()


class ServerSettings(_Table):
    """The HTTP server."""

    host: str = "127.0.0.1"
    port: int = Field(default=8765, ge=0, le=65_535)
    allowed_hosts: list[str] = []
    allowed_origins: list[str] = []


class TriggerSettings(_Table):
    """A pattern over events, and whom to tell when it is complete. Without webhook and command: MCP clients only."""

    name: str = Field(pattern=r"^[a-z0-9_-]{1,40}$")
    event_types: list[str] = Field(default=["question"], min_length=1)
    about: str = Field(default="", max_length=200)
    count: int = Field(default=3, ge=1, le=1_000)
    days: float | None = Field(default=None, gt=0, le=3_650)
    webhook: str = Field(default="", max_length=2_000)
    webhook_secret_file: Path | None = None
    command: list[str] = Field(default=[], max_length=50)
    words: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> TriggerSettings:
        from mcp_memory_server.delivery.command import check_command
        from mcp_memory_server.delivery.webhook import check_url
        from mcp_memory_server.memory.model import EventType

        # Imported only where there are triggers: this module is on the way to the server's first answer.
        known = [kind.value for kind in EventType]
        if unknown := [kind for kind in self.event_types if kind not in known]:
            raise ValueError(f"event_types: {unknown[0]!r} is none of {', '.join(known)}")
        if self.webhook and self.command:
            raise ValueError("webhook or command, not both: make two triggers")
        if self.webhook:
            check_url(self.webhook)
        if self.command:
            check_command(self.command)
        return self


class Settings(_Table):
    """Everything that an installation can choose."""

    data_dir: Path
    user: str = Field(default="me", min_length=1, max_length=200)
    channel: str | None = None
    language: Literal["auto", "en", "zh"] = "auto"
    time_zone: str = ""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    policy: Path | None = None
    keep_utterances: bool = True
    upkeep: bool = True
    templates: Path | None = None
    triggers: list[TriggerSettings] = Field(default=[], max_length=limits.TRIGGERS)
    store: StoreSettings = StoreSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    refiner: RefinerSettings = RefinerSettings()
    server: ServerSettings = ServerSettings()

    @model_validator(mode="after")
    def _names_once(self) -> Settings:
        names = [trigger.name for trigger in self.triggers]
        if len(set(names)) < len(names):
            raise ValueError("triggers: a name is given twice")
        return self


def default_data_dir() -> Path:
    """The folder for data of this user on this platform."""
    import platformdirs

    return Path(platformdirs.user_data_dir("consented-memory", appauthor=False))


def load(
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    config: Path | None = None,
) -> Settings:
    """The settings of a process. Raises InvalidArgumentError naming the setting."""
    env = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    path = config or (Path(env["MEMORY_CONFIG"]) if env.get("MEMORY_CONFIG") else None)
    if path is not None:
        _lay(values, _from_file(path))
    _lay(values, _from_environment(env))
    _lay(values, {name: value for name, value in (flags or {}).items() if value is not None})
    if "data_dir" not in values:
        values["data_dir"] = default_data_dir()
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InvalidArgumentError(
            f"setting {name}: {first['msg']}", next_step="See docs/guide/configuration.md"
        ) from error


def _from_file(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidArgumentError(f"configuration file {path}: {error}") from error
    # Paths in a file are meant from where the file lies.
    triggers = values.get("triggers")
    tables = [values, *(one for one in (triggers if isinstance(triggers, list) else ()) if isinstance(one, dict))]
    for table in tables:
        for name in ("data_dir", "policy", "templates", "webhook_secret_file"):
            if isinstance(table.get(name), str):
                table[name] = path.parent / Path(table[name]).expanduser()
    given = values.get("store")
    store: dict[str, Any] = given if isinstance(given, dict) else {}
    for part, name in ((store, "keys"), (store.get("neo4j"), "ca"), (store.get("weaviate"), "ca")):
        if isinstance(part, dict) and isinstance(part.get(name), str):
            part[name] = path.parent / Path(part[name]).expanduser()
    return values


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    """Settings from `MEMORY_…`; names that are no setting belong to somebody else and are passed over."""
    values: dict[str, Any] = {}
    for name, text in env.items():
        if not name.startswith(PREFIX) or not text:
            continue
        path = name.removeprefix(PREFIX).lower().split("__")
        value: Any = text
        if not _is_setting(path) and path[-1].endswith(_SECRET_SUFFIX):
            path[-1] = path[-1].removesuffix(_SECRET_SUFFIX)
            value = _secret(name, text) if _is_setting(path) else text
        if _is_setting(path):
            table = values
            for part in path[:-1]:
                table = table.setdefault(part, {})
            table[path[-1]] = _listed(path, value)
    return values


def _listed(path: list[str], value: str) -> Any:
    if path == ["triggers"]:
        try:
            return json.loads(value)
        except ValueError as error:
            raise InvalidArgumentError(
                "MEMORY_TRIGGERS: is no JSON list", next_step="Use the configuration file"
            ) from error
    return [part.strip() for part in value.split(",") if part.strip()] if path[-1].startswith("allowed_") else value


def _secret(name: str, path: str) -> str:
    return secret_in(Path(path), name)


def secret_in(path: Path, name: str = "webhook_secret_file") -> str:
    """The secret that a file holds. Raises InvalidArgumentError naming the setting."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise InvalidArgumentError(f"{name}: {error.strerror}", next_step="Check the path of the file") from error


def _is_setting(path: list[str]) -> bool:
    model: Any = Settings
    for part in path:
        fields = getattr(model, "model_fields", None)
        if fields is None or part not in fields:
            return False
        model = fields[part].annotation
    return not hasattr(model, "model_fields")


def _lay(base: dict[str, Any], over: Mapping[str, Any]) -> None:
    for name, value in over.items():
        if isinstance(value, Mapping) and isinstance(base.get(name), dict):
            _lay(base[name], value)
        else:
            base[name] = dict(value) if isinstance(value, Mapping) else value


def language_of(settings: Settings) -> str:
    """`zh` or `en`: the setting, else the language of the environment."""
    if settings.language != "auto":
        return settings.language
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    if sys.platform == "win32":
        import locale

        return "zh" if (locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"
    return "en"


def time_zone_of(settings: Settings) -> str:
    """The IANA name of the zone that times without an offset are in."""
    if settings.time_zone:
        return settings.time_zone
    import tzlocal

    try:
        return tzlocal.get_localzone_name() or "UTC"
    except Exception:  # noqa: BLE001 - a broken system zone must not stop the server; UTC is always right for offsets given
        return "UTC"
