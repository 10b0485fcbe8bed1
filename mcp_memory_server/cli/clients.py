"""Where MCP clients keep their configuration, and how an entry for this server looks in it. Pure.

Nothing here looks at the machine: platform, environment and home are given, so that tests can stand
on Windows, macOS and Linux at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any

from mcp_memory_server.errors import InvalidArgumentError

NAME = "consented-memory"  # of the entry in a client's file
CLIENTS = ("claude-desktop", "claude-code", "cursor", "vscode")
TITLES = {"claude-desktop": "Claude Desktop", "claude-code": "Claude Code", "cursor": "Cursor", "vscode": "VS Code"}
_IN_PROJECT = {"claude-code": (".mcp.json",), "cursor": (".cursor", "mcp.json"), "vscode": (".vscode", "mcp.json")}
_OF_USER = {"claude-desktop": ("Claude", "claude_desktop_config.json"), "vscode": ("Code", "User", "mcp.json")}
# What stands between quotes is matched first, so that // inside a text is no comment.
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entry:
    """How a client starts the server."""

    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """A client's configuration with our entry in it."""

    text: str
    changed: bool
    had_comments: bool


def config_path(client: str, platform: str, env: Mapping[str, str], home: str, project: str | None = None) -> PurePath:
    """The file in which a client looks for servers: of the user, or of a project folder.

    `platform` is `sys.platform`. Raises InvalidArgumentError for a client that has no project file.
    """
    path = PureWindowsPath if platform == "win32" else PurePosixPath
    if project is not None:
        if client not in _IN_PROJECT:
            raise InvalidArgumentError(f"{TITLES[client]} has no configuration of a project")
        return path(project).joinpath(*_IN_PROJECT[client])
    if client == "claude-code":
        return path(env.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
    if client == "cursor":
        return path(home) / ".cursor" / "mcp.json"
    return _settings_folder(platform, env, path(home)).joinpath(*_OF_USER[client])


def _settings_folder(platform: str, env: Mapping[str, str], home: PurePath) -> PurePath:
    """Where programs keep the settings of a user."""
    if platform == "win32":
        return PureWindowsPath(env["APPDATA"]) if env.get("APPDATA") else home / "AppData" / "Roaming"
    if platform == "darwin":
        return home / "Library" / "Application Support"
    given = env.get("XDG_CONFIG_HOME", "")
    return PurePosixPath(given) if given.startswith("/") else home / ".config"


def section(client: str) -> str:
    """The name under which a client lists servers."""
    return "servers" if client == "vscode" else "mcpServers"


def entry_json(client: str, entry: Entry) -> dict[str, Any]:
    """An entry in a client's own form."""
    out: dict[str, Any] = {"type": "stdio"} if client in ("vscode", "claude-code") else {}
    out |= {"command": entry.command, "args": list(entry.args)}
    if entry.env:
        out["env"] = dict(entry.env)
    return out


def merged(client: str, before: str, entry: Entry) -> Merged:
    """A client's file with our entry in it; everything else in it stays. Raises InvalidArgumentError."""
    plain = _TRAILING_COMMA.sub(_keep_text, _COMMENT.sub(_keep_text, before.removeprefix("\ufeff")))
    try:
        config = json.loads(plain) if plain.strip() else {}
    except ValueError as error:
        raise InvalidArgumentError(
            f"the file is no JSON ({error})", next_step="Mend it, or add the entry that --print shows by hand"
        ) from error
    name = section(client)
    servers = config.setdefault(name, {}) if isinstance(config, dict) else None
    if not isinstance(servers, dict):
        raise InvalidArgumentError(
            f"the file has no table {name}", next_step="Add the entry that --print shows by hand"
        )
    wanted = entry_json(client, entry)
    changed = servers.get(NAME) != wanted
    servers[NAME] = wanted
    text = json.dumps(config, ensure_ascii=False, indent=2) + "\n"
    return Merged(text, changed, _has_comments(before))


def _keep_text(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith('"') else ""


def _has_comments(text: str) -> bool:
    return any(not found[0].startswith('"') for found in _COMMENT.finditer(text))


def command_of(
    program: str, python: str, platform: str, exists: Sequence[str] | set[str], uvx: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """The absolute path that starts this server, with its first arguments.

    `program` is what was started, `python` the interpreter, `exists` which candidates are there.
    Clients start with a nearly empty PATH, so a bare name would not do. A path inside uv's cache goes
    away when the cache is cleaned: there `uvx` itself is named.
    """
    path = PureWindowsPath if platform == "win32" else PurePosixPath
    folder = path(python).parent
    suffix = ".exe" if platform == "win32" else ""
    if uvx and any(part.startswith(("archive-v", "builds-v", "environments-v")) for part in path(python).parts):
        return uvx, (NAME,)
    for candidate in (program, str(folder / f"mcp-memory-server{suffix}")):
        stem = path(candidate).name.lower().removesuffix(".exe")
        if path(candidate).is_absolute() and candidate in exists and stem in ("mcp-memory-server", NAME):
            return candidate, ()
    return python, ("-m", "mcp_memory_server.cli.main")
