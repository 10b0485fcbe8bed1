"""Jinja2 in a sandbox: the packaged templates, and in their place those of a folder that the user names."""

from __future__ import annotations

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

LANGUAGES = ("en", "zh")
NAMES = ("event", "session")


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
        """The template of that name and language; English where there is none in it. Raises InvalidArgumentError."""
        file = f"{name}_{lang if lang in LANGUAGES else LANGUAGES[0]}.j2"
        return self._rendered(file, self._source(file), slots)

    def text(self, source: str, slots: Mapping[str, Any]) -> str:
        """A template given as text. Raises InvalidArgumentError."""
        return self._rendered(source, source, slots)

    def check(self) -> None:
        """Compile every template. Raises InvalidArgumentError naming the first that is broken."""
        for file in (f"{name}_{lang}.j2" for name in NAMES for lang in LANGUAGES):
            self._compiled(file, self._source(file))

    def _source(self, file: str) -> str:
        if file in self._templates:
            return ""
        own = self._folder / file if self._folder is not None else None
        try:
            if own is not None and own.is_file():
                return own.read_text(encoding="utf-8")
            return files(__package__).joinpath("templates", file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidArgumentError(f"template {file}: {error}") from error

    def _compiled(self, key: str, source: str) -> Template:
        from jinja2 import TemplateError

        if key not in self._templates:
            try:
                self._templates[key] = self._environment.from_string(source)
            except TemplateError as error:
                raise InvalidArgumentError(f"template {key[:60]}: {error}", next_step="Correct the template") from error
        return self._templates[key]

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
