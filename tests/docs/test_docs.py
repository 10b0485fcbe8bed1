from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel

from mcp_memory_server.cli import app
from mcp_memory_server.cli.clients import CLIENTS
from mcp_memory_server.policy import load_policy
from mcp_memory_server.settings import Settings, load
from mcp_memory_server.tools import resources, schemas
from mcp_memory_server.web.answers import STATUS
from mcp_memory_server.web.api.endpoints import ENDPOINTS, Endpoint

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide"
_SECRETS = ("store.url", "store.passphrase", ".access_key", ".secret_key", ".password")
_LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def commands(command: Any, path: str = "") -> list[tuple[str, Any]]:
    below = getattr(command, "commands", {})
    if not below:
        return [(path, command)]
    return [found for name, one in below.items() for found in commands(one, f"{path} {name}".strip())]


COMMANDS = dict(commands(typer.main.get_command(app.build())))


def settings(model: type[BaseModel] = Settings, prefix: str = "") -> list[str]:
    out = []
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            out += settings(inner, f"{prefix}{name}.")
        else:
            out.append(prefix + name)
    return out


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_documented_with_all_its_options(name: str) -> None:
    page = text(GUIDE / "command-line.md")
    assert re.search(rf"`{name}[ `]", page)
    for parameter in COMMANDS[name].params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert option in page, f"{name} {option}"


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help_of_each_command_works(
    name: str, lang: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORY_LANGUAGE", lang)
    assert app.main([*name.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    for option in ("--help", "--config", "--data-dir"):
        assert option in shown
    assert bool(re.search(r"[\u4e00-\u9fff]", shown)) == (lang == "zh")


@pytest.mark.parametrize("name", settings())
def test_each_setting_is_documented(name: str) -> None:
    page = text(GUIDE / "configuration.md")
    variable = "MEMORY_" + name.upper().replace(".", "__")
    assert f"| `{name}` | `{variable}` |" in page


def test_no_setting_is_documented_that_is_not_there() -> None:
    documented = re.findall(r"^\| `([a-z0-9_.]+)` \| `MEMORY_", text(GUIDE / "configuration.md"), re.MULTILINE)
    assert sorted(documented) == sorted(settings())


@pytest.mark.parametrize("name", schemas.INPUTS)
def test_each_tool_is_documented_with_all_its_arguments(name: str) -> None:
    row = next(line for line in text(GUIDE / "tools.md").splitlines() if line.startswith(f"| `{name}` |"))
    for argument in schemas.INPUTS[name]["properties"]:
        assert f"`{argument}`" in row, argument


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
def test_each_path_of_the_http_api_is_documented(endpoint: Endpoint) -> None:
    page = text(GUIDE / "http-api.md")
    assert f"| `{endpoint.method} {endpoint.path}` |" in page


def test_no_path_is_documented_that_is_not_there_and_each_code_has_its_status() -> None:
    page = text(GUIDE / "http-api.md")
    rows = re.findall(r"^\| `([A-Z]+ /api/[^`]+)` \|", page, re.MULTILINE)
    assert sorted(rows) == sorted(["GET /api/export", *(f"{one.method} {one.path}" for one in ENDPOINTS)])
    for code, status in STATUS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| {status} |"))
        assert f"`{code}`" in row


def test_each_verdict_section_and_resource_is_documented() -> None:
    page = text(GUIDE / "tools.md")
    for verdict in schemas.VERDICTS:
        assert f"`{verdict}`" in page
    for section in schemas.SECTIONS:
        assert section in page
    for uri in [str(one.uri) for one in resources.RESOURCES]:
        assert f"`{uri}`" in page
    for template in resources.TEMPLATES:
        assert f"`{template.uri_template.removesuffix('{?format}')}`" in page


@pytest.mark.anyio
async def test_each_prompt_is_documented(tmp_path: Path) -> None:
    from mcp_memory_server.tools.runtime import Runtime
    from mcp_memory_server.tools.server import build_server

    server = build_server(Runtime(Settings(data_dir=tmp_path)))
    for prompt in await server.list_prompts():
        assert f"`{prompt.name}`" in text(GUIDE / "tools.md")


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_is_documented(client: str) -> None:
    assert f"| `{client}` |" in text(GUIDE / "clients.md")


def test_the_embedded_configuration_is_that_of_the_defaults(tmp_path: Path) -> None:
    found = load({"data_dir": tmp_path}, {}, ROOT / "configs" / "embedded.toml")
    default = load({"data_dir": tmp_path}, {})
    assert found.policy == ROOT / "configs" / "policy.toml"
    assert found.model_copy(update={"policy": None}) == default


def test_every_setting_stands_in_the_embedded_configuration() -> None:
    page = text(ROOT / "configs" / "embedded.toml")
    for name in settings():
        if not name.endswith(".api_key") and not name.endswith(_SECRETS):  # in files
            assert re.search(rf"^(?:# )?{name.rpartition('.')[2]} = ", page, re.MULTILINE), name


def test_the_server_configuration_wants_only_secrets_besides(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql://memory:word@127.0.0.1/memory\n", encoding="utf-8")
    environment = {"MEMORY_STORE__URL_FILE": str(tmp_path / "url"), "MEMORY_STORE__PASSPHRASE": "words"}
    found = load({"data_dir": tmp_path}, environment, ROOT / "configs" / "server.toml")
    assert found.store.ledger == "postgres"
    assert (found.store.graph, found.store.vectors, found.store.text) == ("neo4j", "weaviate", "weaviate")
    assert found.store.archive.kind == "s3"
    assert found.store.url is not None
    assert found.store.url.get_secret_value() == "postgresql://memory:word@127.0.0.1/memory"
    assert "memory:word" not in repr(found)


def test_compose_starts_the_versions_that_the_tests_use() -> None:
    page = text(ROOT / "configs" / "compose.yaml")
    servers = ROOT / "scripts" / "servers"
    tested = re.findall(r'package = "postgresql-(\d+)"', text(servers / "postgres.py"))
    assert re.findall(r"image: postgres:(\d+)", page) == tested
    assert re.findall(r'- "([^"]*):5432"', page) == ["127.0.0.1:5432"]
    tested = re.findall(r'_VERSION = "([\d.]+)"', text(servers / "s3.py"))
    assert re.findall(r"image: versity/versitygw:v([\d.]+)", page) == tested
    assert re.findall(r'- "([^"]*):7070"', page) == ["127.0.0.1:7070"]
    lines = re.findall(r'VERSION = "(\d+\.\d+)\.\d+"', text(servers / "neo4j.py"))
    assert re.findall(r"image: neo4j:(\d+\.\d+)-community", page) == lines
    assert re.findall(r'- "([^"]*):7687"', page) == ["127.0.0.1:7687"]
    assert re.findall(r"weaviate:([\d.]+)", page) == re.findall(
        r'^VERSION = "(.*)"', text(servers / "weaviate.py"), re.M
    )
    assert re.findall(r'- "([^"]*):(?:8080|50051)"', page) == ["127.0.0.1:8080", "127.0.0.1:50051"]


def test_the_policy_in_configs_is_the_packaged_one() -> None:
    shown = tomllib.loads(text(ROOT / "configs" / "policy.toml"))
    packaged = tomllib.loads(files("mcp_memory_server.defaults").joinpath("policy.toml").read_text(encoding="utf-8"))
    assert shown == packaged
    assert load_policy(ROOT / "configs" / "policy.toml").half_lives == load_policy().half_lives


PAGES = [
    ROOT / "README.md",
    ROOT / "federation" / "README.md",
    *(ROOT / "docs").rglob("*.md"),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(text(page)):
        assert (page.parent / target).exists(), target


def test_the_map_names_every_package_of_the_server() -> None:
    page = text(ROOT / "docs" / "map.md")
    for folder in (ROOT / "mcp_memory_server").iterdir():
        if (folder / "__init__.py").exists():
            assert f"`mcp_memory_server/{folder.name}/`" in page, folder.name


def test_the_two_commands_of_the_readme_end_as_promised() -> None:
    blocks = re.findall(r"```sh\n(.*?)\n```", text(ROOT / "README.md"), re.DOTALL)
    assert blocks[0].endswith("uv run mcp-memory-server demo")
    assert blocks[1].endswith("uv run pytest")
    assert blocks[0].removesuffix("mcp-memory-server demo") == blocks[1].removesuffix("pytest")
