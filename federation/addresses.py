"""Which network addresses may be reached: public unicast ones, listed here so that no Python version decides.

The lists are those of RFC 6890 and the registries that it founded. Ranges that carry an IPv4 address inside
an IPv6 one (mapped, compatible, NAT64, 6to4, Teredo) are refused whole: what they lead to is decided by a
translator that we do not know.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from federation.errors import FetchError

_V4: Final = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by carriers
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, and where clouds keep their metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_GLOBAL_V6: Final = IPv6Network("2000::/3")  # everything else is no global unicast (RFC 4291 section 2.4)
_V6: Final = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks, AMT
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
        "3ffe::/16",  # the old 6bone
    )
)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is a public unicast one (RFC 6890)."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _V4)
    if address.scope_id is not None:
        return False
    return address in _GLOBAL_V6 and not any(address in network for network in _V6)


def is_loopback(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is 127.0.0.0/8 or ::1, as such and not inside another one."""
    return address.is_loopback and getattr(address, "ipv4_mapped", None) is None


def checked(texts: list[str], *, loopback: bool) -> list[str]:
    """The addresses of a name, all of which have to be public; with ``loopback`` that is let through too.

    One address that is not refuses the name: a name of both kinds is an attack or a mistake.
    Raises FetchError (``fetch_unresolved``, ``fetch_address``).
    """
    if not texts:
        raise FetchError("fetch_unresolved")
    for text in texts:
        try:
            address = ip_address(text)
        except ValueError as error:
            raise FetchError("fetch_address", "not an address") from error
        if not is_public(address) and not (loopback and is_loopback(address)):
            raise FetchError("fetch_address")
    return texts
