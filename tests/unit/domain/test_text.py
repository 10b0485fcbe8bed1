"""Text as the memory sees it."""

from __future__ import annotations

import itertools

import pytest

from mcp_memory_server.memory import text as t


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("plain", ("plain", 0)),
        ("a\0b", ("a\ufffdb", 1)),
        ("a\ud800b", ("a\ufffdb", 1)),
        ("zero\u200bwidth", ("zero\u200bwidth", 1)),
        ("tag\U000e0061", ("tag\U000e0061", 1)),
        ("family 👩\u200d👧", ("family 👩\u200d👧", 0)),
        ("line\nbreak\ttab", ("line\nbreak\ttab", 0)),
        ("", ("", 0)),
    ],
)
def test_clean_replaces_what_no_store_holds_and_counts_what_is_hidden(given: str, expected: tuple[str, int]) -> None:
    assert t.clean(given) == expected


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u3000\u200b", "\0", "\u202e\ufeff", "\ue000"])
def test_what_shows_nothing_is_blank(blank: str) -> None:
    assert t.is_blank(blank)


@pytest.mark.parametrize("shown", ["a", "。", "✅", " . ", "\u0301"])
def test_what_shows_something_is_not_blank(shown: str) -> None:
    assert not t.is_blank(shown)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like Tea.", "i like tea"),
        ("Ｔｅａ　ｔｉｍｅ", "tea time"),
        ("我喜欢 喝茶。", "我喜欢喝茶"),
        ("tea,  coffee", "tea coffee"),
        ("It’s fine!", "Its fine"),
        ("cafe\u0301", "café"),
        ("te\u200ba", "tea"),
    ],
)
def test_texts_that_differ_in_form_only_share_a_key(one: str, other: str) -> None:
    assert t.key(one) == t.key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I know C", "I know C++"),
        ("5", "5%"),
        ("-3 degrees", "3 degrees"),
        ("1.5 litres", "15 litres"),
        ("Is it red?", "It is red"),
        ("10:30", "1030"),
        ("2024-05", "202405"),
        ("a/b", "ab"),
        ("我喜欢茶", "我不喜欢茶"),
        ("tea", "tee"),
        ("$5", "5"),
    ],
)
def test_texts_that_say_different_things_have_different_keys(one: str, other: str) -> None:
    assert t.key(one) != t.key(other)


@pytest.mark.parametrize(
    ("given", "lang"),
    [
        ("Where is my passport?", "en"),
        ("护照在哪里", "zh"),
        ("我在 Google 上班", "zh"),
        ("the word 茶 means tea in Chinese", "en"),
        ("", "en"),
        ("123", "en"),
        ("𠮷野家", "zh"),
    ],
)
def test_the_language_is_that_of_most_words(given: str, lang: str) -> None:
    assert t.language(given) == lang


def test_an_excerpt_is_cut_around_the_offset() -> None:
    words = "a" * 100 + "HERE" + "b" * 100
    piece, cut = t.excerpt(words, (100,), 30)
    assert cut
    assert "HERE" in piece
    assert piece.startswith("…")
    assert piece.endswith("…")
    assert t.excerpt(words, (), 30)[0].startswith("aaa")
    assert t.excerpt(words, (203,), 30)[0].endswith("b")
    assert t.excerpt("short", (), 30) == ("short", False)


@pytest.mark.parametrize(
    ("word", "stem"), [("running", "run"), ("gardens", "garden"), ("naïve", "naïve"), ("abc-712", "abc-712")]
)
def test_only_english_words_are_stemmed(word: str, stem: str) -> None:
    assert t.stem(word) == stem


def test_traditional_characters_are_folded_for_the_index_only() -> None:
    assert t.simplified("護照在書房") == "护照在书房"
    assert t.simplified("tea") == "tea"
    assert "护照" in t.index_tokens("護照")


@pytest.mark.parametrize(
    ("given", "tokens"),
    [
        ("Tea, and Cakes!", ["tea", "and", "cake"]),
        ("abc-712", ["abc", "712", "abc-712"]),
        ("C++", ["c", "c++"]),
        ("50%", ["50", "50%"]),
        ("don’t", ["don't"]),
        ("护照", ["护照", "护", "照"]),
        ("猫", ["猫"]),
        ("我的cat很好", ["我的", "我", "的", "cat", "很好", "很", "好"]),
        ("… — …", []),
        ("✅", ["✅"]),
        ("@orbit", ["orbit", "@orbit"]),
    ],
)
def test_index_tokens(given: str, tokens: list[str]) -> None:
    assert t.index_tokens(given) == tokens


@pytest.mark.parametrize(
    ("given", "tokens"),
    [
        ("Where is my passport?", ["passport"]),
        ("who are you", ["who", "are", "you"]),
        ("护照在哪里？", ["护照"]),
        ("豆豆今年几岁", ["豆豆", "豆今", "今年", "年几", "几岁"]),
        ("什么", ["什么"]),
        ("tea tea", ["tea"]),
        ("", []),
    ],
)
def test_query_tokens_leave_out_what_names_nothing(given: str, tokens: list[str]) -> None:
    assert t.query_tokens(given) == tokens


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("ticket ABC-712 please", ["abc-712"]),
        ("room 42", []),
        ("room 421", ["421"]),
        ("order #A7", ["a7"]),
        ("v4.2", ["v4.2"]),
        ("no such thing", []),
        ("编号12345", ["12345"]),
    ],
)
def test_identifiers_name_one_exact_thing(given: str, found: list[str]) -> None:
    assert t.identifiers(given) == found


def test_parts_cover_a_long_text_and_overlap() -> None:
    words = "".join(f"Sentence number {n} is here. " for n in range(100))
    ranges = t.parts(words, 400, 50)
    assert ranges[0][0] == 0
    assert ranges[-1][1] == len(words)
    for (_, end), (start, _) in itertools.pairwise(ranges):
        assert end - 50 <= start < end
    assert all(end - start <= 400 for start, end in ranges)
    assert all(words[end - 1] == " " for _, end in ranges[:-1])
    assert t.parts("short", 400, 50) == [(0, 5)]
    assert t.parts("x" * 1_000, 400, 50) == [(0, 400), (350, 750), (700, 1_000)]
