"""The only wiring: settings to adapters to services to surfaces.

Tests build the application in process with overrides: a clock, an embedder, a failing adapter.
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_memory_server.clock import Clock, SystemClock
from mcp_memory_server.delivery.command import Command
from mcp_memory_server.delivery.courier import Courier, CourierThread, Route
from mcp_memory_server.delivery.webhook import Webhook
from mcp_memory_server.errors import InvalidArgumentError, MemoryServerError, UnsupportedError
from mcp_memory_server.maintenance.reads import Reads
from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.ids import Ids
from mcp_memory_server.memory.model import Said
from mcp_memory_server.memory.perceive import perceive, perceive_statement
from mcp_memory_server.memory.ports import Backend, Embedder, Store, Tenancy, TextIndex, VectorIndex
from mcp_memory_server.memory.refining.port import Refiner
from mcp_memory_server.memory.service import Context, MemoryService
from mcp_memory_server.memory.service.erase import finish
from mcp_memory_server.memory.triggers import TriggerRule
from mcp_memory_server.memory.vocabulary import Vocabulary
from mcp_memory_server.policy import Policy, load_policy
from mcp_memory_server.rendering.jinja import JinjaRenderer
from mcp_memory_server.settings import Settings, WeaviateSettings, language_of, secret_in, time_zone_of
from mcp_memory_server.storage.projector import Projector, Worker

if TYPE_CHECKING:
    from mcp_memory_server.keys.ports import UserKeys
    from mcp_memory_server.keys.sealed_file import SealedFileVault
    from mcp_memory_server.storage.postgres.store import Beside
    from mcp_memory_server.storage.weaviate.server import WeaviateServer

_LOOK_EVERY = timedelta(minutes=10)  # between two looks at whether the daily run is due
_PROJECTIONS_FILE = "projections.db"  # beside a ledger that is on a server
_STORE_GUIDE = "See docs/guide/operate.md"
_BUNDLED: Any = object()  # the default of an override whose value may be None


@dataclass(frozen=True, slots=True)
class Overrides:
    """Parts that a test puts in the place of the real ones. `embedder=None` switches vectors off."""

    clock: Clock | None = None
    embedder: Embedder | None = _BUNDLED
    refiner: Refiner | None = None
    ids: Ids | None = None
    backend: Callable[[Backend], Backend] | None = None


class Application:
    """A wired server: the service, the projector, and the worker that runs beside them."""

    def __init__(self, settings: Settings, overrides: Overrides | None = None) -> None:
        over = overrides or Overrides()
        self.settings = settings
        self.clock: Clock = over.clock or SystemClock()
        self.backend: Backend = backend_of(settings)
        if over.backend is not None:
            self.backend = over.backend(self.backend)
        self.embedder = embedder_of(settings) if over.embedder is _BUNDLED else over.embedder
        self.refiner = over.refiner or refiner_of(settings)
        policy = load_policy(settings.policy)
        self.renderer = renderer_of(settings, policy)
        self.projector = Projector(self.backend, self.embedder, self.clock)
        self.worker = Worker(
            self.projector,
            self.embedder,
            self.finish_erasures,
            self.warm_up,
            self.chores,
        )
        self.reads = Reads()
        self.maintain_at = policy.maintain_at
        self._look_again = self.clock.now()
        self.context = Context(
            backend=self.backend,
            embedder=self.embedder,
            vocabulary=policy.vocabulary,
            half_lives=policy.half_lives,
            bindings=policy.bindings,
            prompt_rules=policy.prompt_rules,
            feedback=policy.feedback,
            links=policy.links,
            suggestions=policy.suggestions,
            clock=self.clock,
            ids=over.ids or Ids(),
            time_zone=time_zone_of(settings),
            language=language_of(settings),
            keep_utterances=settings.keep_utterances,
            refiner=self.refiner,
            refiner_share=settings.refiner.share,
            triggers=trigger_rules(settings),
            renderer=self.renderer,
            deferred=self.wake,
            wait_for_model=self.worker.wait_for_model,
            was_read=self.reads.add,
        )
        self.service = MemoryService(self.context)
        self.listeners: list[Callable[[str], None]] = []
        self.courier = Courier(self.context, routes_of(settings, self.clock), self.tell)
        self._courier_thread = CourierThread(self.courier)

    def start(self) -> None:
        """Start what runs beside the calls: the worker, and the courier where somebody outside is to be told."""
        self.worker.start()
        if any(rule.delivers for rule in self.context.triggers):
            self._courier_thread.start()

    def wake(self) -> None:
        """Look at the outbox now."""
        self.worker.wake()
        self._courier_thread.wake()

    def tell(self, user: str) -> None:
        """Tell the surfaces that something of a user has come in from outside."""
        for listener in list(self.listeners):
            listener(user)

    def finish_erasures(self) -> int:
        """Complete what was being forgotten when a process ended; answers how many are still pending."""
        with self.backend.store.system() as system:
            waiting = system.erasures(finished=False)
        left = 0
        for erasure in waiting:
            try:
                left += finish(self.context, erasure).finished_at is None
            except MemoryServerError:
                left += 1
        return left

    def warm_up(self) -> None:
        """Do once what would make the first call wait."""
        warm_up(self.context.vocabulary)
        self.renderer.warm_up()

    def flush_reads(self) -> None:
        """Write down which memories were shown."""
        for user, ids in self.reads.take().items():
            self.service.note_read(Tenancy(user), ids)

    def chores(self) -> None:
        """What a running server does beside its calls: note readings, and the daily run when it is due."""
        from mcp_memory_server.maintenance.run import keep_up_when_due

        self.flush_reads()
        self.settle_recalls()
        if self.settings.upkeep and self.clock.now() >= self._look_again:
            self._look_again = self.clock.now() + _LOOK_EVERY
            keep_up_when_due(self)

    def settle_recalls(self) -> int:
        """Write the recalls that wait, so that feedback can name them from any process; answers how many."""
        return self.context.recalls.settle(self.backend.store, self.clock.now())

    def close(self) -> None:
        """Stop the threads and release the store."""
        self._courier_thread.stop()
        self.worker.stop()
        with contextlib.suppress(MemoryServerError):
            self.flush_reads()
        with contextlib.suppress(MemoryServerError):
            self.settle_recalls()
        self.backend.store.close()


def renderer_of(settings: Settings, policy: Policy) -> JinjaRenderer:
    """The templates; those that the user wrote are tried once. Raises InvalidArgumentError naming a broken one."""
    renderer = JinjaRenderer(settings.templates)
    renderer.check()
    for suggestion in policy.suggestions if settings.policy is not None else ():
        for text in suggestion.texts.values():
            renderer.text(text, {"thing": "a", "state": "b", "at": "2026-01-02"})
    return renderer


def trigger_rules(settings: Settings) -> tuple[TriggerRule, ...]:
    """The patterns of the settings as the domain reads them."""
    return tuple(
        TriggerRule(
            one.name,
            frozenset(one.event_types),
            one.about,
            one.count,
            one.days,
            delivers=bool(one.webhook or one.command),
        )
        for one in settings.triggers
    )


def routes_of(settings: Settings, clock: Clock) -> dict[str, Route]:
    """Where each trigger's firings go. Raises InvalidArgumentError for a secret that cannot be read."""
    routes = {}
    for one in settings.triggers:
        if one.webhook:
            secret = secret_in(one.webhook_secret_file) if one.webhook_secret_file else ""
            routes[one.name] = Route(Webhook(one.webhook, clock, secret), one.words)
        elif one.command:
            routes[one.name] = Route(Command(one.command), one.words)
    return routes


def key_vault(folder: Path, passphrase: str) -> SealedFileVault:
    """The vault of signing keys in a folder: sealed by a passphrase, or without one by the system's keyring.

    Raises credentials.errors.ConfigurationError where neither is there.
    """
    if passphrase:
        from mcp_memory_server.keys.sealed_file import SealedFileVault

        return SealedFileVault(folder / "vault", passphrase.encode, passphrase=True)
    from mcp_memory_server.keys.os_keyring import open_keyring_vault

    return open_keyring_vault(folder / "vault", str(folder))


def warm_up(vocabulary: Vocabulary) -> None:
    """Read a sentence in each language, so that no call waits for patterns to be compiled."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    for text in ("My number is 555 0100 and I live in Porto.", "我的电话是 555 0100，我住在波尔图。"):
        said = Said(guard(text).text, moment, "UTC")
        perceive(said, vocabulary)
        perceive_statement(text, moment, "UTC", vocabulary)
        ground(text, said, vocabulary)


def build(settings: Settings, overrides: Overrides | None = None) -> Application:
    """The application of these settings. Opens (and if need be makes or migrates) the store.

    Raises StoreNewerError, UnavailableError, InvalidArgumentError.
    """
    return Application(settings, overrides)


def embedded_backend(folder: Path) -> Backend:
    """The embedded store in a data folder."""
    from mcp_memory_server.storage.sqlite.store import FILE_NAME, SqliteStore

    return SqliteStore(folder / FILE_NAME)


def backend_of(settings: Settings) -> Backend:
    """The store that the settings choose. Raises InvalidArgumentError, UnsupportedError, UnavailableError."""
    if settings.store.ledger == "embedded":
        if "weaviate" in (settings.store.vectors, settings.store.text):
            raise InvalidArgumentError(
                "store.vectors, store.text: an index on a server needs a ledger on a server, whose keys hide the words",
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
    beside = SqliteStore(settings.data_dir / _PROJECTIONS_FILE)  # first: it makes the data folder, for its owner alone
    try:
        keys = user_keys(chosen.keys or settings.data_dir / "keys", passphrase)
        far = weaviate_part(chosen.weaviate, keys) if "weaviate" in (chosen.vectors, chosen.text) else None
        parts: list[Beside] = [beside] if far is None else [beside, far.server]
        ledger = postgres_ledger(chosen.url.get_secret_value(), keys if far is None else far.keys, parts)
    except BaseException:
        beside.close()
        raise
    text = far.text if far is not None and chosen.text == "weaviate" else beside.text_index
    vectors = far.vectors if far is not None and chosen.vectors == "weaviate" else beside.vector_index
    return Composed(
        ledger,
        HashedTextIndex(text, keys.of),
        HashedVectorIndex(vectors, keys.of),
        HashedGraphIndex(beside.graph_index, keys.of),
        {one.name: far.server.about for one in (text, vectors) if far and one in (far.text, far.vectors)},
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


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that the settings choose; None when vectors are off."""
    chosen = settings.embedder
    if chosen.kind == "off":
        return None
    if chosen.kind == "bundled":
        from mcp_memory_server.embedding.bundled import bundled

        return bundled()
    prefixes = {"query_prefix": chosen.query_prefix, "document_prefix": chosen.document_prefix}
    if chosen.kind == "sentence-transformers":
        from mcp_memory_server.embedding.sentence_transformers import SentenceTransformerEmbedder

        return SentenceTransformerEmbedder(chosen.model, chosen.dimension, **prefixes)
    from mcp_memory_server.embedding.openai_compatible import OpenAICompatibleEmbedder

    key = chosen.api_key.get_secret_value() if chosen.api_key else None
    return OpenAICompatibleEmbedder(chosen.base_url, chosen.model, chosen.dimension, api_key=key, **prefixes)


def refiner_of(settings: Settings) -> Refiner | None:
    """The refiner that the settings choose; None when there is none."""
    chosen = settings.refiner
    if chosen.kind == "off":
        return None
    from mcp_memory_server.refiner.openai_compatible import OpenAICompatibleRefiner

    key = chosen.api_key.get_secret_value() if chosen.api_key else None
    return OpenAICompatibleRefiner(chosen.base_url, chosen.model, api_key=key, seconds=chosen.seconds)
