"""Jinja2 in a sandbox: the packaged templates, and in their place those of a folder that the user names."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.limits import RENDERED_CHARS

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_log = logging.getLogger(__name__)
LANGUAGES = ("en", "zh")
NAMES = ("event", "session")
_SAMPLES: dict[str, dict[str, Any]] = {
    "event": {"type": "question", "count": 2, "keywords": ["a", "b", "c"], "words": "a b c"},
    "session": {
        "date": "2026-01-02",
        "first_date": "2026-01-01",
        "utterances": 2,
        "facts": 1,
        "events": {"question": 2},
        "keywords": ["a", "b", "c"],
    },
}


class JinjaRenderer:
    """The Renderer port. A template sees its slots and nothing else; what it makes is one line of limited length."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._templates: dict[str, Template] = {}

    @cached_property
    def _environment(self) -> ImmutableSandboxedEnvironment:
        from jinja2 import StrictUndefined
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        # The texts go to models and terminals, not into HTML: escaping would change what was said.
        return ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False, trim_blocks=True)

    def render(self, name: str, lang: str, slots: Mapping[str, Any]) -> str:
        """The template of that name and language; English where there is none in it.

        Where one of the user's fails, the packaged one stands in for it: a slip in a template must not cost an answer.
        """
        file = f"{name}_{lang if lang in LANGUAGES else LANGUAGES[0]}.j2"
        own = self._own(file)
        if own is not None:
            try:
                return self._rendered(f"own {file}", own, slots)
            except InvalidArgumentError as error:
                _log.warning("%s", error.message)
        return self._rendered(file, self._packaged(file), slots)

    def text(self, source: str, slots: Mapping[str, Any]) -> str:
        """A template given as text. Raises InvalidArgumentError."""
        return self._rendered(source, source, slots)

    def warm_up(self) -> None:
        """Render every template once, so that no call waits for the library to load."""
        for name in NAMES:
            for lang in LANGUAGES:
                self.render(name, lang, _SAMPLES[name])

    def check(self) -> None:
        """Render every template of the user's once. Raises InvalidArgumentError naming the first that is broken."""
        for name in NAMES:
            for file in (f"{name}_{lang}.j2" for lang in LANGUAGES):
                if (own := self._own(file)) is not None:
                    self._rendered(f"own {file}", own, _SAMPLES[name])

    def _own(self, file: str) -> str | None:
        """The user's template of that name."""
        if self._folder is None:
            return None
        try:
            return (self._folder / file).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidArgumentError(f"template {file}: {type(error).__name__}") from error

    @staticmethod
    def _packaged(file: str) -> str:
        return files(__package__).joinpath("templates", file).read_text(encoding="utf-8")

    def _compiled(self, key: str, source: str) -> Template:
        from jinja2 import TemplateError

        if source not in self._templates:
            try:
                self._templates[source] = self._environment.from_string(source)
            except TemplateError as error:
                raise InvalidArgumentError(f"template {key[:60]}: {error}", next_step="Correct the template") from error
        return self._templates[source]

    def _rendered(self, key: str, source: str, slots: Mapping[str, Any]) -> str:
        template = self._compiled(key, source)
        try:
            made = template.render(**slots)
        except Exception as error:  # whatever a template of the user does wrong is a fault of the template
            raise InvalidArgumentError(
                f"template {key[:60]}: {type(error).__name__}", next_step="Correct the template"
            ) from error
        line = " ".join(made.split())
        return line if len(line) <= RENDERED_CHARS else line[: RENDERED_CHARS - 1] + "…"
