"""Identity numbers of several countries are known by their check, and nothing passes without it."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest

from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.guarding import checksums


def completed(head: str, tails: list[str], check) -> tuple[str, str]:
    """A number that passes and one that does not."""
    passing = [head + tail for tail in tails if check(head + tail)]
    failing = [head + tail for tail in tails if not check(head + tail)]
    assert passing
    assert failing
    return passing[0], failing[0]


DIGITS = [str(n) for n in range(10)]
LETTERS = [chr(n) for n in range(65, 91)]
PAIRS = [f"{n:02d}" for n in range(100)]
CASES = [
    ("S1234567", LETTERS, checksums.singapore_id, "{}"),
    ("12345678", list("TRWAGMYFPDXBNJZSQVHLCKE"), checksums.spanish_id, "{}"),
    ("X1234567", list("TRWAGMYFPDXBNJZSQVHLCKE"), checksums.spanish_id, "{}"),
    ("23412341234", DIGITS, checksums.aadhaar, "my aadhaar number is {}"),
    ("4405140135", DIGITS, checksums.polish_id, "PESEL {}"),
    ("1850775123456", PAIRS, checksums.french_id, "{}"),
    ("11010519491231002", [*DIGITS, "X"], checksums.chinese_id, "{}"),
]


@pytest.mark.parametrize(("head", "tails", "check", "frame"), CASES)
def test_a_number_with_the_right_check_is_masked(head: str, tails: list[str], check, frame: str) -> None:
    good, _ = completed(head, tails, check)
    assert [mask.kind for mask in guard(frame.format(good)).masks] == ["national_id"]


@pytest.mark.parametrize(("head", "tails", "check", "frame"), [case for case in CASES if case[3] == "{}"])
def test_a_number_with_a_wrong_check_is_no_identity_number(head: str, tails: list[str], check, frame: str) -> None:
    _, wrong = completed(head, tails, check)
    assert "national_id" not in [mask.kind for mask in guard(frame.format(wrong)).masks]


def test_other_forms_have_their_checks() -> None:
    assert checksums.brazilian_id("52998224725")
    assert not checksums.brazilian_id("52998224724")
    assert not checksums.brazilian_id("11111111111")
    assert checksums.hong_kong_id("A123456(3)")
    assert not checksums.hong_kong_id("A123456(4)")
    assert guard("CPF 529.982.247-25").masks[0].kind == "national_id"
    assert checksums.social_security("123-45-6789")
    assert not checksums.social_security("666-45-6789")
    assert not checksums.chinese_id("110105194913310021")
    assert not checksums.iban("DE00")
    assert not checksums.luhn("0000000000000000")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("My passphrase: correct horse battery staple.", ["password"]), ("my password is Sunflower.", ["password"]), ("my password is 'open sesame 1'", ["password"]),
        ("口令：芝麻开门", ["password"]), ("密码是我的生日", []), ("the password is stored in the vault", []), ("password must have 12 characters", []), ("My PIN is 12.", []),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", ["api_key"]), ("secret = aB3dE5gH7jK9mN1pQ3", ["api_key"]), ("Use Bearer abcdef", []),
        ("8843xk is the door code", ["password"]), ("use 8843xk as the door code", ["password"]), ("Call me on 020 7946 0958", ["phone"]), ("010-62345678", ["phone"]),
        ("Tel. 06 12 34 56 78", ["phone"]), ("DE89 3704 0044 0532 0130 01", []), ("passport and visa are ready", []), ("card 4111 1111 1111 1112", []),
    ],
)  # fmt: skip
def test_words_around_a_value_decide(text: str, kinds: list[str]) -> None:
    assert [mask.kind for mask in guard(text).masks] == kinds
