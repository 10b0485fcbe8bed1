"""Strict base64url, JSON, multibase, times: one value has one spelling."""

from __future__ import annotations

import json

import pytest

from credentials import encoding, multibase
from credentials.encoding import b64url_decode, b64url_encode, json_decode, json_encode, json_object
from credentials.errors import CredentialError
from credentials.times import TimeRules, check_claims, check_window, numeric_date, timestamp, to_timestamp


@pytest.mark.parametrize("data", [b"", b"a", b"ab", b"abc", bytes(range(256))])
def test_base64url_round_trip(data):
    assert b64url_decode(b64url_encode(data)) == data


@pytest.mark.parametrize("text", ["YQ==", "Y", "YR", "YWI/", "YWI+", "YW I", "YWJé", "YWJjZA\n"])
def test_base64url_of_another_spelling_is_refused(code, text):
    assert code(lambda: b64url_decode(text)) == "base64_malformed"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":1,"a":1}', "json_duplicate_key"),
        ('{"b":{"a":1,"a":2}}', "json_duplicate_key"),
        ("[NaN]", "json_number"),
        ("[Infinity]", "json_number"),
        ("[-Infinity]", "json_number"),
        ("[1e999]", "json_number"),
        ("[" + "9" * 5_000 + "]", "json_malformed"),
        ('"\\udc00"', "json_text"),
        ("[" * 17 + "]" * 17, "json_too_deep"),
        ('{"a":1}}', "json_malformed"),
        ("", "json_malformed"),
    ],
)
def test_doubtful_json_is_refused_by_name(code, text, expected):
    assert code(lambda: json_decode(text)) == expected
    assert code(lambda: json_decode(text.encode())) == expected


def test_bytes_that_are_not_utf8_are_refused(code):
    assert code(lambda: json_decode(b'"\xff"')) == "json_malformed"


def test_brackets_inside_texts_do_not_count_as_nesting():
    assert json_decode('["' + "[{" * 50 + '\\"]"]') == ["[{" * 50 + '"]']
    assert json_decode("[" * 16 + "]" * 16)


def test_an_object_is_required_where_one_is_expected(code):
    assert code(lambda: json_object("[1]")) == "json_malformed"
    assert json_object('{"k":"\\u00e9中"}') == {"k": "é中"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [(float("nan"), "json_malformed"), ({1, 2}, "json_malformed"), ("\ud800", "json_text")],
)
def test_values_without_a_json_form_are_not_written(code, value, expected):
    assert code(lambda: json_encode(value)) == expected


@pytest.mark.parametrize("data", [b"", b"\0", b"\0\0a", b"hello", bytes(range(64))])
def test_base58_and_multibase_round_trip(data):
    assert multibase.base58_decode(multibase.base58_encode(data)) == data
    assert multibase.multibase_decode(multibase.multibase_encode(data)) == data
    assert multibase.multibase_decode(multibase.multibase_encode(data, "u")) == data


@pytest.mark.parametrize("text", ["z0", "zIl", "x11", "", "z" + "2" * 600])
def test_foreign_multibase_is_refused(code, text):
    assert code(lambda: multibase.multibase_decode(text)) == "malformed"


@pytest.mark.parametrize("value", [True, "1", None, -1, 1e12, [1]])
def test_a_date_claim_is_a_number_of_seconds(code, value):
    assert code(lambda: numeric_date({"exp": value}, "exp")) == "time_malformed"


def test_an_absent_date_is_none_and_zero_is_a_date():
    assert numeric_date({}, "exp") is None
    assert numeric_date({"exp": 0}, "exp") == 0
    assert numeric_date({"exp": 1.5}, "exp") == 1.5


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.5Z", 0.5),
        ("1970-01-01T00:00:00.123456789Z", 0.123456),
        ("1970-01-01T08:00:00+08:00", 0),
    ],
)
def test_timestamps_with_a_zone(text, seconds):
    assert timestamp(text, "t") == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    [
        "1970-01-01T00:00:00",
        "1970-01-01",
        "1970-13-01T00:00:00Z",
        "1970-01-01T25:00:00Z",
        5,
        "१९७०-01-01T00:00:00Z",
    ],
)
def test_other_timestamps_are_refused(code, text):
    assert code(lambda: timestamp(text, "t")) == "time_malformed"


def test_timestamps_are_written_in_utc():
    assert to_timestamp(1_790_000_000.9) == "2026-09-21T14:13:20Z"


def test_a_window_is_open_at_its_end():
    check_window(now=99, begin=50, end=100, leeway=0)
    with pytest.raises(CredentialError) as refusal:
        check_window(now=100, begin=50, end=100, leeway=0)
    assert refusal.value.code == "expired"


def test_a_maximum_age_counts_from_iat(code):
    rules = TimeRules(max_age=300)
    check_claims({"iat": 700}, now=1_000, rules=rules)
    assert code(lambda: check_claims({"iat": 600}, now=1_000, rules=rules)) == "issued_too_long_ago"


def test_an_interpreter_without_the_c_encoder_writes_the_same(monkeypatch):
    value = {"text": 'é\u2028"', "list": [1, 2.5, None, True, {}], "中": {"a": []}}
    quick = encoding.json_encode(value)
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)
    assert encoding._fast_encoder() is None
    monkeypatch.setattr(encoding, "_FAST", None)
    assert encoding.json_encode(value) == quick
