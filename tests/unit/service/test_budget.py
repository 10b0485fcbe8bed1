"""An answer never has more characters than its reader can take."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mcp_memory_server.memory.service.budget import fit, size

TEXT = st.text('ab界"\n', max_size=40)


@given(related=st.lists(TEXT, max_size=4), questions=st.lists(TEXT, max_size=3), statements=st.lists(TEXT, max_size=4))
def test_a_budget_that_can_be_kept_is_kept(related: list[str], questions: list[str], statements: list[str]) -> None:
    def answer() -> dict[str, Any]:
        memories = [{"id": "m", "statement": one} for one in statements]
        return {"memories": memories, "related": list(related), "open_questions": list(questions), "truncated": False}

    whole = size(answer())
    shortest = {"memories": answer()["memories"][:1], "related": [], "open_questions": [], "truncated": True}
    least = size(shortest) if related or questions or statements[1:] else whole
    for budget in range(least, whole + 1):
        found = fit(answer(), budget, ("related", "open_questions", "memories"))
        assert size(found) <= budget
        assert found["truncated"] == (budget < whole)
