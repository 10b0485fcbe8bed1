"""Status lists from one table: both forms, freshness, order of bits, limits."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest

from credentials.encoding import b64url_encode
from credentials.limits import MIN_STATUS_ENTRIES
from credentials.status import StatusTable, bitstring, token_list
from credentials.status.bits import StatusList, deflate, inflate
from credentials.trust import TrustList


def table(world, **options) -> StatusTable:
    return StatusTable.create(rng=world.rng, **({"decoys": 16} | options))


def test_one_table_feeds_both_lists_and_both_say_the_same(world):
    made = table(world)
    given = [made.allocate(rng=world.rng) for _ in range(20)]
    revoked = set(given[:5])
    for index in revoked:
        made.set(index, 1)
    token = StatusList("u", "i", made.token_list(), 1, False, world.now, None, None)
    bits = StatusList("u", "i", made.bitstring(), 1, True, world.now, None, None)
    for index in given:
        assert token.at(index) == bits.at(index) == made.get(index) == (index in revoked)
    assert len(token) == len(bits) == MIN_STATUS_ENTRIES


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_widths_keep_neighbours_apart(world, bits):
    made = StatusTable(131_072, bits, bytearray(131_072 * bits // 8), bytearray(b"\xff" * 16_384))
    highest = (1 << bits) - 1
    made.set(9, highest)
    made.set(11, 1)
    listing = StatusList("u", "i", made.token_list(), bits, False, world.now, None, None)
    assert [listing.at(index) for index in (8, 9, 10, 11, 12)] == [0, highest, 0, 1, 0]
    made.set(9, 0)
    assert made.get(9) == 0
    only_revoked = StatusList("u", "i", made.bitstring(lambda value: value == 1), 1, True, world.now, None, None)
    assert [only_revoked.at(index) for index in (9, 10, 11)] == [0, 0, 1]


def test_decoys_are_set_for_a_half_and_belong_to_nobody(world):
    made = table(world, decoys=100)
    assert sum(byte.bit_count() for byte in made.token_list()) == 50
    given = {made.allocate(rng=world.rng) for _ in range(500)}
    assert all(made.get(index) == 0 for index in given)


def test_a_table_survives_storage(world, code):
    made = table(world, bits=2)
    index = made.allocate(rng=world.rng)
    made.set(index, 2)
    again = StatusTable.from_bytes(made.to_bytes())
    assert again.token_list() == made.token_list()
    assert again.is_allocated(index)
    assert code(lambda: again.set(index, 4)) == "config_invalid"
    for data in (b"", b"x" * 40, made.to_bytes()[:-4], made.to_bytes().replace(b"\x01\x02", b"\x01\x03", 1)):
        assert code(lambda data=data: StatusTable.from_bytes(data)) == "status_list_malformed"
    short = made.to_bytes()[:18] + deflate(b"short", gzip=False)
    assert code(lambda: StatusTable.from_bytes(short)) == "status_list_malformed"


def test_only_given_indexes_are_set(world, code):
    made = table(world, decoys=0)
    assert code(lambda: made.set(0, 1)) == "status_index_out_of_range"
    assert code(lambda: made.get(MIN_STATUS_ENTRIES)) == "status_index_out_of_range"
    assert not made.is_allocated(-1)


@pytest.mark.parametrize(
    "options", [{"size": 8}, {"bits": 3}, {"size": 131_073}, {"size": 2**26}, {"decoys": -1}, {"decoys": 20_000}]
)
def test_tables_are_large_enough_and_not_too_large(world, code, options):
    assert code(lambda: table(world, **options)) == "config_invalid"


def test_a_draw_outside_the_uniform_range_is_repeated(world):
    draws = iter([b"\xff" * 8, b"\0" * 7 + b"\x05"])
    made = StatusTable(131_080, 1, bytearray(16_385), bytearray(16_385))
    assert made.allocate(rng=lambda count: next(draws)) == 5
    draws = iter([b"\0" * 7 + b"\x05", b"\0" * 7 + b"\x06"])
    assert made.allocate(rng=lambda count: next(draws)) == 6


# --- Token Status List -------------------------------------------------------------------------------
URI = "https://memory.example/status/1"


def token(world, **change):
    options = {"bits": 1, "now": world.now, "issuer": world.issuer} | change
    signer = options.pop("signer", world.issuer_signer)
    return token_list.issue(options.pop("uri", URI), options.pop("data", bytes(16_384)), signer, **options)


def verified(world, text, **change) -> StatusList:
    options = {"uri": URI, "issuer": world.issuer, "now": world.now} | change
    return token_list.verify(token_list.parse(text), world.issuer_key.public, **options)


def test_a_status_list_token_is_issued_and_verified(world):
    listing = verified(world, token(world, data=b"\x04" + bytes(16_383)))
    assert (listing.at(2), listing.at(3), listing.ttl, listing.expires) == (1, 0, 300, world.now + 86_400)
    assert verified(world, token(world, issuer=None)).issuer == world.issuer


@pytest.mark.parametrize(
    ("change", "options", "expected"),
    [
        ({"uri": URI + "0"}, {}, "status_wrong_subject"),
        ({"issuer": "did:web:other.example"}, {}, "status_wrong_issuer"),
        ({}, {"now": 1_790_000_000 + 86_400 + 30}, "expired"),
        ({"now": 1_790_000_000 + 60}, {}, "issued_in_future"),
    ],
)
def test_a_token_for_something_else_is_refused(world, code, change, options, expected):
    assert code(lambda: verified(world, token(world, **change), **options)) == expected


def test_a_token_by_another_key_or_of_another_type_is_refused(world, code):
    text = token(world)
    other = world.other_key.public
    assert (
        code(lambda: token_list.verify(token_list.parse(text), other, uri=URI, issuer=world.issuer, now=world.now))
        == "signature_invalid"
    )
    plain = world.jwt(b"{}", {"alg": "ES256", "typ": "jwt"})
    assert code(lambda: token_list.parse(plain)) == "typ_mismatch"


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": URI},
        {"sub": URI, "iat": 1_790_000_000},
        {"sub": URI, "iat": 1_790_000_000, "status_list": []},
        {"sub": URI, "iat": 1_790_000_000, "status_list": {"bits": 3, "lst": "AA"}},
        {"sub": URI, "iat": 1_790_000_000, "status_list": {"bits": True, "lst": "AA"}},
        {"sub": URI, "iat": 1_790_000_000, "status_list": {"bits": 1, "lst": "="}},
        {"sub": URI, "iat": 1_790_000_000, "status_list": {"bits": 1, "lst": 5}},
    ],
)
def test_malformed_tokens(world, code, claims):
    from credentials import jws

    text = jws.sign(claims, world.issuer_signer, typ="statuslist+jwt")
    assert code(lambda: verified(world, text)) == "status_list_malformed"


@pytest.mark.parametrize("data", [zlib.compress(b"x")[:-2], zlib.compress(b"x") + b"more", b""])
def test_only_one_whole_stream_is_a_list(code, data):
    assert code(lambda: inflate(data, gzip=False)) == "status_list_malformed"


def test_the_wrong_container_is_refused(code):
    assert code(lambda: inflate(deflate(b"x", gzip=True), gzip=False)) == "status_list_malformed"
    assert inflate(deflate(b"x", gzip=True), gzip=True) == b"x"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"status_list": {"idx": 1}}, "status_index_malformed"),
        ({"status_list": "x"}, "status_unsupported"),
        ("x", "status_unsupported"),
    ],
)
def test_malformed_references(world, code, status, expected):
    assert code(lambda: token_list.reference({"status": status})) == expected


# --- Bitstring ---------------------------------------------------------------------------------------
def document(world, **change):
    options = {"issuer": world.ed_issuer, "now": world.now, "life": 3_600, "ttl": 300} | change
    return bitstring.build(URI, options.pop("data", bytes(16_384)), **options)


def read(world, value, **change) -> StatusList:
    return bitstring.read(value, **({"uri": URI, "issuer": world.ed_issuer, "now": world.now} | change))


def test_a_credential_is_checked_against_a_list_credential(world):
    data = bytes([0x40]) + bytes(16_383)
    secured = world.verify_vc(
        json.dumps(world.prove(document(world, data=data))),
        issuers=TrustList({world.ed_issuer: [bitstring.LIST_CREDENTIAL]}),
    )
    listing = read(world, secured.require().claims)
    assert (listing.ttl, listing.purposes, listing.msb_first) == (300, ("revocation",), True)
    for index, expected in ((1, "status_revoked"), (0, None), (2, None)):
        signed = world.secured(credentialStatus=bitstring.entry(URI, index))
        assert world.verify_vc(signed, status=world.status(listing)).code == expected
    two = [bitstring.entry(URI, 0), bitstring.entry(URI, 1)]
    assert world.verify_vc(world.secured(credentialStatus=two), status=world.status(listing)).code == "status_revoked"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"type": "OtherEntry"}, "status_unsupported"),
        ({"statusListIndex": 5}, "status_index_malformed"),
        ({"statusListIndex": "05"}, "status_index_malformed"),
        ({"statusListIndex": "-1"}, "status_index_malformed"),
        ({"statusListCredential": 5}, "status_index_malformed"),
        ({"statusPurpose": None}, "status_index_malformed"),
        ({"statusPurpose": "suspension"}, "status_purpose_mismatch"),
        ({"statusListIndex": "131072"}, "status_index_out_of_range"),
    ],
)
def test_entries_are_checked(world, change, expected):
    listing = read(world, document(world))
    signed = world.secured(credentialStatus=bitstring.entry(URI, 1) | change)
    assert world.verify_vc(signed, status=world.status(listing)).code == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"id": "https://other.example"}, "status_wrong_subject"),
        ({"type": ["VerifiableCredential"]}, "status_list_malformed"),
        ({"credentialSubject": []}, "status_list_malformed"),
        ({"credentialSubject": {"type": "Other"}}, "status_list_malformed"),
    ],
)
def test_list_credentials_are_checked(world, code, change, expected):
    assert code(lambda: read(world, document(world) | change)) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"encodedList": "z11"}, "status_list_malformed"),
        ({"encodedList": "u="}, "status_list_malformed"),
        ({"encodedList": 5}, "status_list_malformed"),
        ({"encodedList": "u" + b64url_encode(b"junk")}, "status_list_malformed"),
        ({"statusSize": 2}, "status_unsupported"),
        ({"ttl": "soon"}, "status_list_malformed"),
        ({"ttl": True}, "status_list_malformed"),
    ],
)
def test_list_subjects_are_checked(world, code, change, expected):
    value = document(world)
    value["credentialSubject"] |= change
    assert code(lambda: read(world, value)) == expected


def _bit(index: int, size: int = 16_384) -> bytes:
    """A list with one entry set, leftmost bit first (Bitstring Status List 1.0 section 3.3)."""
    data = bytearray(size)
    data[index // 8] = 0x80 >> index % 8
    return bytes(data)


@pytest.mark.parametrize("index", [0, 1, 7, 8, 15, 65_535, 131_064, 131_071])
def test_one_set_bit_revokes_one_index_and_no_neighbour(world, code, index):
    listing = read(world, document(world, data=_bit(index)))
    for other in {index - 1, index, index + 1, index ^ 7} & set(range(131_072)):
        found = code(lambda other=other: bitstring.check(listing, other, "revocation"))
        assert found == ("status_revoked" if other == index else None)
    assert code(lambda: bitstring.check(listing, 131_072, "revocation")) == "status_index_out_of_range"


@pytest.mark.parametrize(
    ("data", "expected"),
    [(bytes(16_384), None), (bytes(16_383), "status_list_too_short"), (b"", "status_list_too_short")],
)
def test_a_list_has_at_least_the_minimum(world, code, data, expected):
    assert code(lambda: read(world, document(world, data=data))) == expected


GZIP = gzip.compress(bytes(16_384), mtime=0)


@pytest.mark.parametrize(
    ("packed", "expected"),
    [
        (GZIP, None),
        (gzip.compress(bytes(16_384), compresslevel=1, mtime=0), None),
        (GZIP[:-1], "status_list_malformed"),  # cut in the trailer
        (GZIP[:-8], "status_list_malformed"),  # without its checksum
        (GZIP[:-5] + bytes([GZIP[-5] ^ 1]) + GZIP[-4:], "status_list_malformed"),  # another checksum
        (GZIP[:-1] + bytes([GZIP[-1] ^ 1]), "status_list_malformed"),  # another length
        (GZIP + GZIP, "status_list_malformed"),  # two members
        (GZIP + b"\0", "status_list_malformed"),
        (zlib.compress(bytes(16_384)), "status_list_malformed"),  # the container of the other kind of list
        (bytes(16_384), "status_list_malformed"),  # not compressed
        (b"", "status_list_malformed"),
        (gzip.compress(bytes(2_097_153), mtime=0), "status_list_too_large"),
    ],
)
def test_only_one_whole_gzip_member_is_a_bitstring(world, code, packed, expected):
    value = document(world)
    value["credentialSubject"]["encodedList"] = "u" + b64url_encode(packed)
    assert code(lambda: read(world, value)) == expected


@pytest.mark.parametrize("change", [str.upper, lambda text: text[1:], lambda text: text + "=", lambda text: " " + text])
def test_the_text_of_a_bitstring_is_multibase_base64url(world, code, change):
    value = document(world)
    value["credentialSubject"]["encodedList"] = change(value["credentialSubject"]["encodedList"])
    assert code(lambda: read(world, value)) == "status_list_malformed"


def test_a_list_may_have_several_purposes_and_each_entry_has_one(world, code):
    value = document(world, data=_bit(9))
    value["credentialSubject"]["statusPurpose"] = ["revocation", "suspension"]
    listing = read(world, value)
    assert code(lambda: bitstring.check(listing, 9, "suspension")) == "status_suspended"
    assert code(lambda: bitstring.check(listing, 9, "revocation")) == "status_revoked"
    assert code(lambda: bitstring.check(listing, 8, "revocation")) is None
    assert code(lambda: bitstring.check(listing, 9, "refresh")) == "status_purpose_mismatch"


def test_a_list_without_ttl_or_end_lasts_until_it_is_replaced(world):
    value = document(world)
    del value["credentialSubject"]["ttl"], value["validUntil"]
    read(world, value).check_fresh(now=world.now + 10**7)


@pytest.mark.parametrize(("purpose", "expected"), [("suspension", "status_suspended"), ("message", "status_other")])
def test_purposes_have_their_codes(world, code, purpose, expected):
    listing = read(world, document(world, data=b"\x80" + bytes(16_383), purpose=purpose))
    assert code(lambda: bitstring.check(listing, 0, purpose)) == expected


def test_a_trusted_status_issuer_may_sign_for_others(world):
    text = world.issue(status=(world.status_uri, 3))
    listing = world.listing(issuer="did:web:status.example")
    assert world.verify(text, status=world.status(listing)).code == "status_wrong_issuer"
    trusting = world.status(listing, issuers=frozenset({"did:web:status.example"}))
    assert world.verify(text, status=trusting).ok
