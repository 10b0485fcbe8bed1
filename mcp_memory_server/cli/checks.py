"""The checks of `doctor`: each looks at one thing and says what to do about it."""

from __future__ import annotations

import importlib.metadata
import ipaddress
import os
import platform
import re
import shutil
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp_memory_server import __version__
from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.refining.port import choices_of
from mcp_memory_server.settings import Settings, language_of, time_zone_of

if TYPE_CHECKING:
    from mcp_memory_server.bootstrap import Application

OK, WARN, FAIL = "ok", "warn", "fail"
_LOW_DISK = 500 * 1024 * 1024  # bytes free below which writing may soon fail
_BACKLOG = 1_000  # memories waiting for a vector above which something is wrong
_PROBE = "I live by the sea."  # what a refiner is asked here; nothing of anybody's memory
_TRIGGER = "trigger/"  # begins the names under which deliveries wait
_DISTRIBUTION = "consented-memory"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `next` is the name of a message that says what to do, empty when all is well."""

    name: str
    state: str
    detail: str
    next: str = ""


def of_machine(settings: Settings, config: Path | None) -> Iterator[Check]:
    """What can be said before the store is opened."""
    yield Check("version", OK, f"consented-memory {__version__}, Python {platform.python_version()}, {sys.platform}")
    yield Check("packages", OK, ", ".join(_versions()))
    source = str(config or os.environ.get("MEMORY_CONFIG") or "-")
    zone = time_zone_of(settings)
    yield Check(
        "configuration", OK, f"{source}; user {settings.user}, language {language_of(settings)}, time zone {zone}"
    )
    yield _folder(settings.data_dir)
    yield _disk(settings.data_dir)


def _versions() -> Iterator[str]:
    """The installed versions of what this program needs, extras left out."""
    for line in importlib.metadata.requires(_DISTRIBUTION) or ():
        name = _NAME.match(line)
        if name is None or "extra ==" in line:
            continue
        try:
            yield f"{name[0]} {importlib.metadata.version(name[0])}"
        except importlib.metadata.PackageNotFoundError:
            continue  # for other platforms


def _folder(folder: Path) -> Check:
    if not folder.exists():
        return Check("folder", OK, f"{folder} (will be made)")
    if not folder.is_dir():
        return Check("folder", FAIL, f"{folder} is no folder", "next_folder")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return Check("folder", FAIL, f"{folder} cannot be written", "next_folder")
    return _private("folder", folder, 0o700)


def _private(name: str, path: Path, wanted: int) -> Check:
    """Whether nobody else can enter or read; Windows keeps its rights elsewhere."""
    if sys.platform == "win32":
        return Check(name, OK, str(path))
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Check(name, WARN, f"{path} has mode {mode:04o}, not {wanted:04o}", f"next_mode_{wanted:o}")
    return Check(name, OK, f"{path} ({mode:04o})")


def _disk(folder: Path) -> Check:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    detail = f"{free // (1024 * 1024)} MiB free"
    return Check("disk", OK, detail) if free > _LOW_DISK else Check("disk", WARN, detail, "next_disk")


def of_store(app: Application) -> Iterator[Check]:
    """What the opened store says of itself."""
    about = app.backend.store.about()
    yield Check("store", OK, f"{about['engine']}, schema {about['schema']}")
    if "file" in about:
        yield _private("file", Path(about["file"]), 0o600)
    if app.settings.store.ledger != "embedded":
        folder = app.settings.store.keys or app.settings.data_dir / "keys"
        if folder.is_dir():  # with a keyring there is none before the first user
            yield _private("keys", folder, 0o700)
    for name, ask in getattr(app.backend, "engines", {}).items():
        yield _engine(name, ask)
    for look in (_models, _outbox, _triggers, _erasures, _backups, _tokens):
        yield _guarded(look, app)


def _engine(name: str, ask: Callable[[], str]) -> Check:
    """Which server keeps a projection, and whether it answers."""
    try:
        return Check(f"{name}-server", OK, ask())
    except MemoryServerError as error:
        return Check(f"{name}-server", WARN, str(error), "next_server")


def _guarded(look: Callable[[Application], Check], app: Application) -> Check:
    try:
        return look(app)
    except MemoryServerError as error:
        return Check(look.__name__.strip("_"), FAIL, str(error), "next_verify")


def of_model(app: Application) -> Check:
    """Whether the embedding model loads, and how long that takes."""
    if app.embedder is None:
        return Check("model", OK, "off")
    began = time.monotonic()
    try:
        app.embedder.load()
        app.embedder.query("probe", "en", "en")
    except MemoryServerError as error:
        return Check("model", FAIL, f"{app.embedder.model}: {error.message}", "next_model")
    return Check("model", OK, f"{app.embedder.model}, {app.embedder.dimension}-d, {time.monotonic() - began:.1f} s")


def of_refiner(app: Application) -> Check:
    """Whether the refiner answers as it should, and whether others could read along."""
    if app.refiner is None:
        return Check("refiner", OK, "off")
    began = time.monotonic()
    try:
        app.refiner.propose(_PROBE, choices_of(app.context.vocabulary))
    except MemoryServerError as error:
        return Check("refiner", WARN, f"{app.refiner.model}: {error.message}", "next_refiner")
    detail = f"{app.refiner.model}, {time.monotonic() - began:.1f} s, below {app.context.refiner_share:g}"
    where = urlsplit(app.settings.refiner.base_url)
    if where.scheme == "http" and not _is_here(where.hostname or ""):
        return Check("refiner", WARN, detail, "next_refiner_plain")
    return Check("refiner", OK, detail)


def _is_here(host: str) -> bool:
    """Whether a host is this machine, so that nobody else reads what is sent to it."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _models(app: Application) -> Check:
    """Whether all vectors are of the configured model."""
    found: Counter[str] = Counter()
    with app.backend.store.system() as system:
        users = system.users()
    for user in users:
        found.update(app.backend.vector_index.models(Tenancy(user)))
    wanted = app.embedder.model if app.embedder else None
    held = ", ".join(f"{model}: {count}" for model, count in sorted(found.items())) or "-"
    if wanted is not None and set(found) - {wanted}:
        return Check("vectors", WARN, f"configured {wanted}; in the store {held}", "next_reindex")
    return Check("vectors", OK, held)


def _outbox(app: Application) -> Check:
    with app.backend.store.system() as system:
        waiting = sum(system.backlog().values())
    late = waiting >= _BACKLOG
    return Check("outbox", WARN if late else OK, str(waiting), "next_maintain" if late else "")


def _triggers(app: Application) -> Check:
    """Whether what has fired gets to where the configuration sends it."""
    rules = app.context.triggers
    with app.backend.store.system() as system:
        backlog = system.backlog()
    waiting = {name.removeprefix(_TRIGGER): n for name, n in backlog.items() if name.startswith(_TRIGGER)}
    orphans = sorted(set(waiting) - {rule.name for rule in rules if rule.delivers})
    if orphans:
        return Check("triggers", WARN, ", ".join(f"{name}: {waiting[name]}" for name in orphans), "next_triggers")
    return Check("triggers", OK, ", ".join(f"{rule.name}: {waiting.get(rule.name, 0)}" for rule in rules) or "-")


def _erasures(app: Application) -> Check:
    with app.backend.store.system() as system:
        left = system.erasures(finished=False)
    if not left:
        return Check("erasures", OK, "0")
    places = sorted({place for erasure in left for place in erasure.pending})
    return Check("erasures", WARN, f"{len(left)}: {', '.join(places) or '-'}", "next_maintain")


def _backups(app: Application) -> Check:
    with app.backend.store.system() as system:
        known = system.backups()
    missing = [path for path in known if not Path(path).is_file()]
    if missing:
        return Check("backups", WARN, ", ".join(missing), "next_backup")
    return Check("backups", OK, ", ".join(known) or "-")


def _tokens(app: Application) -> Check:
    from mcp_memory_server.identity.bearer import is_valid

    with app.backend.store.system() as system:
        found = system.tokens()
    valid = sum(is_valid(token, app.clock.now()) for token in found)
    server = app.settings.server
    return Check("serve", OK, f"{server.host}:{server.port}, tokens: {valid}/{len(found)}")
