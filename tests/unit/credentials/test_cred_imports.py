"""The package is pure: it imports none of ours, and no module that reaches outside the process."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import credentials

ROOT = Path(credentials.__file__).parent
REACHING = """
    socket ssl http urllib.request ftplib smtplib asyncio selectors httpx requests aiohttp
    os io pathlib shutil tempfile glob subprocess multiprocessing threading signal importlib ctypes sqlite3
    random secrets time mcp_memory_server federation
"""
FORBIDDEN = set(REACHING.split())
# Imported only inside a function, where an optional extra is asked for.
LAZY = {"eth_account", "webauthn", "didkit", "keyring"}


def modules() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def imports(path: Path) -> list[tuple[str, bool]]:
    """Imported modules with whether the import is at the top of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = []
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            names = [node.module or ""]
        found += [(name, node in tree.body) for name in names]
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_module_imports_nothing_that_reaches_outside(path):
    for name, at_top in imports(path):
        prefixes = {name} | {name[:index] for index, char in enumerate(name) if char == "."}
        assert not prefixes & FORBIDDEN, f"{path.name} imports {name}"
        if prefixes & LAZY:
            assert not at_top, f"{path.name} needs the extra {name} at import"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_module_asks_for_no_file_clock_or_randomness_of_its_own(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    banned = {
        "open",
        "input",
        "print",
        "exec",
        "eval",
        "__import__",
        "datetime.now",
        "datetime.utcnow",
        "date.today",
    }
    assert not banned & set(calls)


def test_importing_every_module_opens_nothing():
    script = """
import sys
events = []
watched = ("socket.", "subprocess.", "os.system")
sys.addaudithook(lambda name, args: events.append(name) if name.startswith(watched) else None)
import credentials, pkgutil, importlib
for module in pkgutil.walk_packages(credentials.__path__, "credentials."):
    importlib.import_module(module.name)
assert not events, events
foreign = {"mcp_memory_server", "federation", "eth_account", "webauthn", "didkit"}
assert not foreign & {name.split(".")[0] for name in sys.modules}
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def public_callables():
    for module in pkgutil.walk_packages(credentials.__path__, "credentials."):
        loaded = import_module(module.name)
        for name, item in vars(loaded).items():
            if name.startswith("_") or getattr(item, "__module__", None) != module.name:
                continue
            if inspect.isfunction(item):
                yield f"{module.name}.{name}", item
            elif inspect.isclass(item):
                for part, member in vars(item).items():
                    function = getattr(member, "__func__", member)
                    if not part.startswith("_") and inspect.isfunction(function):
                        yield f"{module.name}.{name}.{part}", function


CITATION = re.compile(
    r"RFC \d{4}|VCDM|DID 1\.0|did:\w+|Data Integrity|vc-di-|SD-JWT VC|OpenID4V|Token Status List|Bitstring"
    r"|TS 27560|EIP-|CAIP-|WebAuthn|VC-JOSE-COSE|Controlled Identifiers|CID 1\.0|NIST SP|section \d|clause \d"
)


def test_every_public_function_cites_the_section_it_implements():
    missing = [name for name, item in public_callables() if not CITATION.search(inspect.getdoc(item) or "")]
    assert missing == []


def test_no_module_is_long():
    lengths = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in modules())
    assert lengths[-1] <= 500
    assert lengths[len(lengths) // 2] < 200


def test_the_guide_names_every_command_and_the_readme_every_folder():
    repository = ROOT.parent
    guide = (repository / "docs/guide/credentials.md").read_text(encoding="utf-8")
    for command in ("identity create", "identity show", "identity rotate", "inspect FILE", "verify FILE"):
        assert f"`memory-federation {command}`" in guide
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for folder in (path for path in ROOT.iterdir() if (path / "__init__.py").is_file()):
        assert f"`{folder.name}/`" in readme
