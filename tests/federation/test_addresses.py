"""Which addresses may be reached. Threat row: SSRF (RFC 6890)."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from federation.addresses import checked, is_public
from federation.errors import FetchError

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "198.17.255.255",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "2001:4860::8",
]
NOT_PUBLIC = [
    "0.0.0.0", "0.1.2.3", "10.0.0.5", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.3", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.1.9",
    "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1",
    "255.255.255.255", "192.31.196.1", "192.52.193.1", "192.175.48.1",
    "::", "::1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::8.8.8.8", "::127.0.0.1",
    "64:ff9b::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "2620:4f:8000::1",
    "3ffe::1", "3fff::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "2606:4700::1%1",
    "fec0::1", "ff02::1", "4000::1", "8000::1",
]  # fmt: skip


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_pass(text: str) -> None:
    assert is_public(ip_address(text))
    assert checked([text], loopback=False) == [text]


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_other_addresses_are_refused(text: str) -> None:
    assert not is_public(ip_address(text))
    with pytest.raises(FetchError) as refused:
        checked([text], loopback=False)
    assert refused.value.code == "fetch_address"


@pytest.mark.parametrize("text", [one for one in NOT_PUBLIC if one not in ("127.0.0.1", "127.255.0.3", "::1")])
def test_test_mode_lets_nothing_through_but_loopback(text: str) -> None:
    with pytest.raises(FetchError, match="fetch_address"):
        checked([text], loopback=True)


def test_one_private_address_refuses_the_name() -> None:
    with pytest.raises(FetchError, match="fetch_address"):
        checked(["1.1.1.1", "10.0.0.5"], loopback=False)


def test_a_name_without_addresses_is_refused() -> None:
    with pytest.raises(FetchError, match="fetch_unresolved"):
        checked([], loopback=False)
    with pytest.raises(FetchError, match="fetch_address"):
        checked(["not an address"], loopback=False)


def test_the_list_is_never_wider_than_the_interpreters_own() -> None:
    """Python knows the registries too; where it says not global, we agree (5,000 addresses over the whole space)."""
    for number in range(0, 2**32, 2**32 // 5_000):
        address = ip_address(number)
        assert address.is_global or not is_public(address), address
