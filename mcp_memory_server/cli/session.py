"""What a command works with: settings, the opened application, the principal, and where it prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_memory_server.cli.output import Output
from mcp_memory_server.cli.stdio import prepare_process
from mcp_memory_server.errors import InvalidArgumentError, MemoryServerError, UnavailableError
from mcp_memory_server.settings import Settings, language_of, load

if TYPE_CHECKING:
    from mcp_memory_server.bootstrap import Application
    from mcp_memory_server.identity.principal import Principal
    from mcp_memory_server.memory.service import MemoryService

AGENT = "cli"
_SETTLED = 200  # memories that a command embeds on the way


class WrongUseError(MemoryServerError):
    """The command was called in a wrong way: exit code 2."""

    code = "invalid_argument"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a command on an opened store."""

    app: Application
    principal: Principal
    out: Output

    @property
    def service(self) -> MemoryService:
        """The application's use cases."""
        return self.app.service

    def settle(self) -> None:
        """Embed the little that calls have left for later, so that the next one finds it by meaning too.

        A long queue (after an import, or with a new model) is left to `maintain`: nobody waits for it here.
        """
        if self.app.embedder is None or not self.app.embedder.ready():
            return
        with self.app.backend.store.system() as system:
            waiting = sum(system.backlog().values())
        if waiting <= _SETTLED:
            self.app.projector.drain()


def settings_of(config: Path | None, data_dir: Path | None, **flags: Any) -> Settings:
    """The settings of a command. Raises InvalidArgumentError."""
    return load({"data_dir": data_dir, **flags}, config=config)


def output_of(settings: Settings, *, as_json: bool = False) -> Output:
    """Where a command with these settings prints."""
    return Output(language_of(settings), as_json=as_json)


@contextmanager
def calling(
    config: Path | None,
    data_dir: Path | None,
    *,
    user: str | None = None,
    as_json: bool = False,
    model: bool = False,
) -> Iterator[Call]:
    """Open the store for one command; with `model` also load the embedding model.

    A model that cannot be loaded only degrades the call, as in the server.
    Raises InvalidArgumentError, UnavailableError, StoreNewerError.
    """
    settings = settings_of(config, data_dir, user=user)
    out = output_of(settings, as_json=as_json)
    prepare_process()
    from mcp_memory_server.bootstrap import build
    from mcp_memory_server.identity.principal import Principal

    app = build(settings)
    try:
        if model and app.embedder is not None:
            try:
                app.embedder.load()
            except UnavailableError as error:
                out.note("model_missing", details=error.message)
        yield Call(app, Principal(settings.user, AGENT, settings.channel or AGENT), out)
    finally:
        app.close()


def arguments(tool: str, **given: Any) -> dict[str, Any]:
    """Arguments checked by the rules of the tool of that name. Raises WrongUseError, TooLargeError."""
    from mcp_memory_server.tools.arguments import checked

    try:
        return checked(tool, {name: value for name, value in given.items() if value is not None})
    except InvalidArgumentError as error:
        name = error.message.partition(":")[0].partition("[")[0]
        option = f"--{name.replace('_', '-')}"
        raise WrongUseError(error.message.replace(name, option, 1), next_step=error.next_step) from error
