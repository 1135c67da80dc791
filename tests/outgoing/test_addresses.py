from __future__ import annotations

from ipaddress import ip_address

import pytest

from headwater.outgoing.addresses import is_allowed, is_within, read_networks


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "255.255.255.255", "224.0.0.1", "239.1.1.1", "240.0.0.1", "198.18.0.1", "192.0.2.1",
        "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1",
        "2002:7f00:1::1", "2002:a9fe:a9fe::", "2001:0:4136:e378:8000:63bf:80ff:fffe",
    ],
)  # fmt: skip
def test_special_addresses_are_refused(address: str) -> None:
    assert not is_allowed(ip_address(address), ())


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_allowed(ip_address(address), ())


def test_networks_that_the_operator_allows() -> None:
    private = read_networks("10.0.0.0/8, fd00::/8 , 127.0.0.1")
    assert is_allowed(ip_address("10.200.0.1"), private)
    assert is_allowed(ip_address("::ffff:10.200.0.1"), private)
    assert is_allowed(ip_address("fd12::1"), private)
    assert is_allowed(ip_address("127.0.0.1"), private)
    assert not is_allowed(ip_address("127.0.0.2"), private)
    assert not is_allowed(ip_address("169.254.169.254"), private)
    assert not is_within(ip_address("93.184.216.34"), private)


def test_a_word_that_is_no_network() -> None:
    with pytest.raises(ValueError, match=r"^example\.com$"):
        read_networks("10.0.0.0/8, example.com")
    assert read_networks("") == ()
