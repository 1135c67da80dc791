"""Which addresses may be connected to: public ones, and private networks that the operator allows."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

__all__ = ["Address", "Network", "is_allowed", "is_within", "read_networks"]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")


def read_networks(text: str) -> tuple[Network, ...]:
    """Addresses and networks with commas between them. Raises ValueError with the word that is neither."""
    found: list[Network] = []
    for word in filter(None, map(str.strip, text.split(","))):
        try:
            found.append(ip_network(word, strict=False))
        except ValueError:
            raise ValueError(word) from None
    return tuple(found)


def is_allowed(address: Address, private: tuple[Network, ...]) -> bool:
    """Whether a connection may be made: to a public address, or to one in a network that was allowed.

    >>> is_allowed(ip_address("93.184.216.34"), ()), is_allowed(ip_address("::ffff:10.0.0.1"), ())
    (True, False)
    >>> is_allowed(ip_address("10.0.0.1"), read_networks("10.0.0.0/8"))
    True
    """
    plain = _unmapped(address)
    return is_within(plain, private) or all(_is_public(inner) for inner in (plain, *_inner(plain)))


def is_within(address: Address, networks: tuple[Network, ...]) -> bool:
    """Whether an address is in one of these networks; IPv4 that is written as IPv6 counts as IPv4."""
    return any(_unmapped(address) in network for network in networks)


def _unmapped(address: Address) -> Address:
    return (address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address


def _is_public(address: Address) -> bool:
    if address in _NAT64:
        return True  # what counts is the address behind it
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _inner(address: Address) -> Iterator[Address]:
    """IPv4 addresses that an IPv6 address leads to: compatible, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _COMPATIBLE or address in _NAT64:
        yield ip_address(int(address) & 0xFFFFFFFF)
