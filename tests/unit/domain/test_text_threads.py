"""Text is read by several threads at once in every server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import snowballstemmer

from mcp_memory_server.memory import text

WORDS = [f"{start}{end}" for start in ("relat", "connect", "general", "hop", "run", "fly", "quick") for end in (
    "ing", "ed", "s", "ational", "iveness", "ness", "ization", "ly", "er", "ies")]  # fmt: skip


def test_threads_do_not_disturb_each_others_stems() -> None:
    plain = snowballstemmer.stemmer("english")
    expected = [plain.stemWord(word) for word in WORDS]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            text.stem.cache_clear()
            for found in pool.map(lambda _: [text.stem.__wrapped__(word) for word in WORDS], range(16)):
                assert found == expected
