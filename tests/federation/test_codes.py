"""The codes are a public contract: the guide lists exactly these, and each is raised somewhere."""

from __future__ import annotations

import re
from pathlib import Path

from federation.errors import CODES
from federation.messaging.inbox import status_of

ROOT = Path(__file__).resolve().parents[2]


def test_the_guide_lists_exactly_the_codes_with_their_meanings() -> None:
    page = (ROOT / "docs" / "guide" / "federation.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z_0-9]+)` \| ([^|]+) \|$", page.partition("## Codes")[2], re.MULTILINE)
    assert listed == list(CODES.items())


def test_each_code_is_raised_somewhere_and_tested() -> None:
    sources = [path for path in (ROOT / "federation").rglob("*.py") if path.name != "errors.py"]
    source = "".join(path.read_text(encoding="utf-8") for path in sources)
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert [code for code in CODES if f'"{code}"' not in source] == []
    assert [code for code in CODES if code not in tests] == []


def test_every_refusal_of_an_inbox_has_a_status() -> None:
    from federation.errors import FederationError

    for code in CODES:
        assert 400 <= status_of(FederationError(code)) <= 503
