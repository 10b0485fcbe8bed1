"""The options that several commands share, so that they read and behave alike everywhere."""

from pathlib import Path
from typing import Annotated

import typer

from mcp_memory_server.tools import schemas

Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Configuration file (TOML).", rich_help_panel=None),
]
DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", metavar="DIR", help="Folder of the memory store.", rich_help_panel=None),
]
User = Annotated[str | None, typer.Option("--user", metavar="USER", help="Whose memory; default: the setting `user`.")]
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

Category = Annotated[
    str | None,
    typer.Option("--category", metavar="NAME", help=f"One of {', '.join(schemas.CATEGORIES)}."),
]
Kind = Annotated[str | None, typer.Option("--kind", metavar="NAME", help=f"One of {', '.join(schemas.KINDS)}.")]
EventType = Annotated[
    str | None,
    typer.Option("--event-type", metavar="NAME", help=f"One of {', '.join(schemas.EVENT_TYPES)}."),
]
Source = Annotated[str | None, typer.Option("--source", metavar="NAME", help=f"One of {', '.join(schemas.SOURCES)}.")]
Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="A conversation.")]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Said at or after (ISO 8601).")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Said before (ISO 8601).")]
MaxChars = Annotated[
    int | None, typer.Option("--max-chars", metavar="N", help="Longest answer, in characters of its JSON.")
]
Full = Annotated[bool, typer.Option("--full", help="Show everything that is known of each memory.")]
