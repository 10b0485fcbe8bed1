"""Word tables of the vocabulary as compiled patterns, made once for each vocabulary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.vocabulary import Vocabulary

T = TypeVar("T")


def once(vocabulary: Vocabulary, name: object, make: Callable[[Vocabulary], T]) -> T:
    """What `make` builds from a vocabulary, built at the first use and kept with it."""
    made = vocabulary.made
    if name not in made:
        made[name] = make(vocabulary)
    return made[name]  # type: ignore[return-value]  # a name always holds what its own `make` built


def alternation(words: Iterable[str]) -> str:
    """A pattern for any of the words, longer ones first.

    Words with the same beginning share it: `re` tries the branches of an alternation one after the other, and a
    table of some hundred words would be tried in full at every character of a text.
    """
    tree: _Tree = {}
    for word in set(words):
        node = tree
        for char in word:
            node = node.setdefault(char, {})
        node[_END] = {}
    return _pattern(tree)[0] if tree else r"(?!)"


_END = ""  # a word ends here
_Tree = dict[str, "_Tree"]


def _pattern(node: _Tree) -> tuple[str, int]:
    """The pattern of what may follow, and the length of the longest."""
    branches: list[tuple[int, str]] = []
    for char in sorted(node.keys() - {_END}):
        rest, length = _pattern(node[char])
        branches.append((1 + length, re.escape(char) + rest))
    branches.sort(key=lambda branch: -branch[0])
    if not branches:
        return "", 0
    if len(branches) == 1 and _END not in node:
        return branches[0][1], branches[0][0]
    pattern = f"(?:{'|'.join(text for _, text in branches)})"
    return pattern + "?" * (_END in node), branches[0][0]


_TABLE = re.compile(r"⟨(?:(en|zh) )?(\w+)⟩")


def templated(vocabulary: Vocabulary, lang: str, template: str, flags: int = 0) -> Rx:
    """The pattern of a template in which `⟨name⟩` stands for the words of a table, `⟨en name⟩` of an English one.

    A template is one constant: the pattern, of some thousand characters, is not put together at each call.
    """
    made = vocabulary.made
    if (template, flags) not in made:

        def words(match: re.Match[str]) -> str:
            return alternation(vocabulary.words(match[1] or lang, match[2]))

        made[template, flags] = Rx(_TABLE.sub(words, template), flags)
    return made[template, flags]  # type: ignore[return-value]  # made just above, or by this function before


def english(words: Iterable[str]) -> Rx:
    """Any of the words as whole words."""
    return Rx(rf"(?<![A-Za-z'])(?:{alternation(words)})(?![A-Za-z])", re.IGNORECASE)


def chinese(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words anywhere."""
    return re.compile(alternation(words), re.IGNORECASE)
