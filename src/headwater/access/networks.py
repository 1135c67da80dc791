"""Networks from which a key may be used."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from headwater.access.errors import ForeignNetwork

__all__ = ["check_network", "network_text"]


def network_text(text: str) -> str:
    """A network in its one spelling; an address alone is a network of one. Raises ValueError for anything else.

    >>> network_text("10.1.2.3/8"), network_text("::1")
    ('10.0.0.0/8', '::1/128')
    """
    return str(ip_network(text.strip(), strict=False))


def check_network(networks: Iterable[str], address: str, key_id: str | None) -> None:
    """Raise unless an address is in one of the networks."""
    if not _is_within(tuple(networks), address):
        raise ForeignNetwork(
            f"The key {key_id} may not be used from this address.",
            hint="It is for certain networks only. Behind a proxy, name the proxy in the setting `proxies`.",
        )


@lru_cache(maxsize=4096)
def _is_within(networks: tuple[str, ...], address: str) -> bool:
    try:
        found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in _network(network) for network in networks)


@lru_cache(maxsize=4096)
def _network(text: str) -> IPv4Network | IPv6Network:
    return ip_network(text)
