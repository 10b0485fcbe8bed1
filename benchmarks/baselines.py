"""What the benchmarks compare with, written plainly."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from mcp_memory_server.memory.text import index_tokens, query_tokens

_K1, _B = 1.2, 0.75


class Bm25:
    """Okapi BM25 (Robertson and Zaragoza 2009) over stemmed words and Han bigrams."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(index_tokens(text)) for text in texts]
        lengths = [sum(count.values()) for count in counts]
        mean = sum(lengths) / max(1, len(lengths))
        self._norm = [_K1 * (1 - _B + _B * length / mean) for length in lengths]
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for index, count in enumerate(counts):
            for token, times in count.items():
                self._postings[token].append((index, times))
        self._size = len(texts)

    def best(self, query: str, limit: int) -> list[int]:
        """Positions of the best texts, best first."""
        scores: dict[int, float] = defaultdict(float)
        for token in query_tokens(query):
            found = self._postings.get(token, [])
            idf = math.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
            for index, times in found:
                scores[index] += idf * times * (_K1 + 1) / (times + self._norm[index])
        return sorted(scores, key=lambda index: (-scores[index], index))[:limit]
