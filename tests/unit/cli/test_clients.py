from __future__ import annotations

import json
from pathlib import PurePosixPath, PureWindowsPath

import pytest

from mcp_memory_server.cli.clients import NAME, Entry, command_of, config_path, merged
from mcp_memory_server.errors import InvalidArgumentError

_HOME = {"linux": "/home/ann", "darwin": "/Users/ann", "win32": r"C:\Users\ann"}
_ENV = {"linux": {}, "darwin": {}, "win32": {"APPDATA": r"C:\Users\ann\AppData\Roaming"}}
ENTRY = Entry("/opt/memory/bin/mcp-memory-server")


@pytest.mark.parametrize(
    ("client", "platform", "path"),
    [
        ("claude-desktop", "linux", "/home/ann/.config/Claude/claude_desktop_config.json"),
        ("claude-desktop", "darwin", "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", r"C:\Users\ann\AppData\Roaming\Claude\claude_desktop_config.json"),
        ("claude-code", "linux", "/home/ann/.claude.json"),
        ("claude-code", "win32", r"C:\Users\ann\.claude.json"),
        ("cursor", "darwin", "/Users/ann/.cursor/mcp.json"),
        ("cursor", "win32", r"C:\Users\ann\.cursor\mcp.json"),
        ("vscode", "linux", "/home/ann/.config/Code/User/mcp.json"),
        ("vscode", "darwin", "/Users/ann/Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", r"C:\Users\ann\AppData\Roaming\Code\User\mcp.json"),
    ],
)
def test_each_client_has_its_file_on_each_platform(client: str, platform: str, path: str) -> None:
    found = config_path(client, platform, _ENV[platform], _HOME[platform])
    assert str(found) == path


def test_variables_that_move_settings_are_followed() -> None:
    assert str(config_path("vscode", "linux", {"XDG_CONFIG_HOME": "/cfg"}, "/h")) == "/cfg/Code/User/mcp.json"
    assert str(config_path("vscode", "linux", {"XDG_CONFIG_HOME": "rel"}, "/h")) == "/h/.config/Code/User/mcp.json"
    assert str(config_path("claude-code", "darwin", {"CLAUDE_CONFIG_DIR": "/c"}, "/h")) == "/c/.claude.json"
    without = config_path("claude-desktop", "win32", {}, r"C:\Users\ann")
    assert without == PureWindowsPath(r"C:\Users\ann\AppData\Roaming\Claude\claude_desktop_config.json")


def test_a_project_has_files_of_its_own() -> None:
    assert config_path("vscode", "linux", {}, "/h", "/p") == PurePosixPath("/p/.vscode/mcp.json")
    assert config_path("claude-code", "linux", {}, "/h", "/p") == PurePosixPath("/p/.mcp.json")
    assert config_path("cursor", "win32", {}, "C:\\h", "D:\\p") == PureWindowsPath("D:\\p\\.cursor\\mcp.json")
    with pytest.raises(InvalidArgumentError):
        config_path("claude-desktop", "linux", {}, "/h", "/p")


def test_merging_keeps_everything_else() -> None:
    before = json.dumps({"theme": "dark", "mcpServers": {"other": {"command": "x"}, NAME: {"command": "old"}}})
    found = merged("cursor", before, ENTRY)
    config = json.loads(found.text)
    assert found.changed
    assert config["theme"] == "dark"
    assert config["mcpServers"]["other"] == {"command": "x"}
    assert config["mcpServers"][NAME] == {"command": ENTRY.command, "args": []}
    assert not merged("cursor", found.text, ENTRY).changed


def test_vs_code_has_another_table_and_comments() -> None:
    before = '\ufeff{\n // mine\n "servers": {"a": {"url": "http://x//y", "t": "/* no */", },},\n}'
    found = merged("vscode", before, Entry("c", ("--data-dir", "d"), (("MEMORY_USER", "ann"),)))
    servers = json.loads(found.text)["servers"]
    assert servers["a"] == {"url": "http://x//y", "t": "/* no */"}
    assert servers[NAME] == {
        "type": "stdio",
        "command": "c",
        "args": ["--data-dir", "d"],
        "env": {"MEMORY_USER": "ann"},
    }
    assert found.had_comments
    assert not merged("vscode", found.text, ENTRY).had_comments


@pytest.mark.parametrize("before", ["{", "[]", '{"mcpServers": []}', '"text"'])
def test_a_file_that_is_not_understood_is_refused(before: str) -> None:
    with pytest.raises(InvalidArgumentError):
        merged("cursor", before, ENTRY)


@pytest.mark.parametrize("before", ["", "  \n", "{}"])
def test_an_empty_file_is_a_beginning(before: str) -> None:
    assert NAME in json.loads(merged("claude-code", before, ENTRY).text)["mcpServers"]


def test_the_command_is_an_absolute_path() -> None:
    python = "/venv/bin/python"
    script = "/venv/bin/mcp-memory-server"
    assert command_of(script, python, "linux", {script}) == (script, ())
    assert command_of("/x/pytest", python, "linux", {"/x/pytest", script}) == (script, ())
    assert command_of("", python, "linux", set()) == (python, ("-m", "mcp_memory_server.cli.main"))
    windows = r"C:\venv\Scripts\mcp-memory-server.exe"
    assert command_of("", r"C:\venv\Scripts\python.exe", "win32", {windows}) == (windows, ())


def test_a_path_in_the_cache_of_uv_is_not_written() -> None:
    python = "/home/ann/.cache/uv/archive-v0/abc/bin/python"
    assert command_of("/x/consented-memory", python, "linux", {"/x/consented-memory"}, "/usr/bin/uvx") == (
        "/usr/bin/uvx",
        (NAME,),
    )
