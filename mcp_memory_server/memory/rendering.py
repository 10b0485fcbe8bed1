"""The port of what turns slots into text. Templates are data: what is in no slot gets into no text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Renderer(Protocol):
    """Renders one line of text, the same for the same slots."""

    def render(self, name: str, lang: str, slots: Mapping[str, Any]) -> str:
        """The template of that name and language. Raises InvalidArgumentError for a template that is broken."""
        ...

    def text(self, source: str, slots: Mapping[str, Any]) -> str:
        """A template given as text. Raises InvalidArgumentError."""
        ...
