"""The only wiring: settings to adapters to services to surfaces.

Tests build the application in process with overrides: a clock, an embedder, a failing adapter.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_memory_server.bootstrap.stores import (
    WeaviatePart,
    archive_of,
    backend_of,
    embedded_backend,
    neo4j_graph,
    postgres_ledger,
    s3_objects,
    user_keys,
    weaviate_part,
)
from mcp_memory_server.clock import Clock, SystemClock
from mcp_memory_server.delivery.command import Command
from mcp_memory_server.delivery.courier import Courier, CourierThread, Route
from mcp_memory_server.delivery.webhook import Webhook
from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.maintenance.reads import Reads
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.ids import Ids
from mcp_memory_server.memory.model import Said
from mcp_memory_server.memory.perceive import perceive, perceive_statement
from mcp_memory_server.memory.ports import Backend, Embedder, Tenancy
from mcp_memory_server.memory.refining.port import Refiner
from mcp_memory_server.memory.service import Context, MemoryService
from mcp_memory_server.memory.service.erase import finish
from mcp_memory_server.memory.triggers import TriggerRule
from mcp_memory_server.memory.vocabulary import Vocabulary
from mcp_memory_server.policy import Policy, load_policy
from mcp_memory_server.rendering.jinja import JinjaRenderer
from mcp_memory_server.settings import Settings, language_of, secret_in, time_zone_of
from mcp_memory_server.storage.guarded import Guards
from mcp_memory_server.storage.projector import Projector
from mcp_memory_server.storage.worker import Worker

if TYPE_CHECKING:
    from mcp_memory_server.keys.sealed_file import SealedFileVault

__all__ = [
    "Application",
    "Overrides",
    "WeaviatePart",
    "archive_of",
    "backend_of",
    "build",
    "embedded_backend",
    "embedder_of",
    "key_vault",
    "neo4j_graph",
    "postgres_ledger",
    "refiner_of",
    "renderer_of",
    "routes_of",
    "s3_objects",
    "trigger_rules",
    "user_keys",
    "warm_up",
    "weaviate_part",
]

_LOOK_EVERY = timedelta(minutes=10)  # between two looks at whether the daily run is due
_NOBODY = Tenancy("")  # no user has this name: asking for its rows shows whether a back end answers, and nothing else
_BUNDLED: Any = object()  # the default of an override whose value may be None


@dataclass(frozen=True, slots=True)
class Overrides:
    """Parts that a test puts in the place of the real ones. `embedder=None` switches vectors off."""

    clock: Clock | None = None
    embedder: Embedder | None = _BUNDLED
    refiner: Refiner | None = None
    ids: Ids | None = None
    backend: Callable[[Backend], Backend] | None = None
    archive: Callable[[Archive], Archive] | None = None


class Application:
    """A wired server: the service, the projector, and the worker that runs beside them."""

    def __init__(self, settings: Settings, overrides: Overrides | None = None) -> None:
        over = overrides or Overrides()
        self.settings = settings
        self.clock: Clock = over.clock or SystemClock()
        self.backend: Backend = backend_of(settings)
        if over.backend is not None:
            self.backend = over.backend(self.backend)
        self.archive = archive_of(settings)
        if over.archive is not None:
            self.archive = over.archive(self.archive)
        # What is not the ledger's own may be away or slow.
        self.guards = Guards()
        self.backend, self.archive = self.guards.backend(self.backend), self.guards.archive(self.archive)
        self.embedder = embedder_of(settings) if over.embedder is _BUNDLED else over.embedder
        self.refiner = over.refiner or refiner_of(settings)
        if over.embedder is _BUNDLED and self.embedder is not None and settings.embedder.kind == "openai-compatible":
            self.embedder = self.guards.embedder(self.embedder)
        policy = load_policy(settings.policy)
        self.renderer = renderer_of(settings, policy)
        self.projector = Projector(self.backend, self.embedder, self.clock, self.archive, self.guards.refuses)
        self.worker = Worker(
            self.projector,
            self.embedder,
            self.finish_erasures,
            self.warm_up,
            self.chores,
            self.guards.probe,
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
            archive=self.archive,
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
        if not self.backend.graph_index.transactional:  # a server that is away now is asked again when it is needed
            with contextlib.suppress(MemoryServerError):
                self.backend.graph_index.digests(_NOBODY)

    def flush_reads(self) -> None:
        """Write down which memories were shown."""
        for user, ids in self.reads.take().items():
            self.service.note_read(Tenancy(user), ids)

    def chores(self) -> None:
        """What a running server does beside its calls: note readings, and the daily run when it is due."""
        from mcp_memory_server.maintenance.run import keep_up_when_due

        self.flush_reads()
        self.settle_recalls()
        if self.clock.now() >= self._look_again:
            self._look_again = self.clock.now() + _LOOK_EVERY
            self.finish_erasures()  # what was away may be back
            if self.settings.upkeep:
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
