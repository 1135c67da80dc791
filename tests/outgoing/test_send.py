"""Requests to a peer that behaves, and to many that do not."""

from __future__ import annotations

import gzip
import ssl
import time
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from headwater.outgoing.addresses import Address
from headwater.outgoing.errors import OutgoingFailed
from headwater.outgoing.send import Outgoing
from headwater.outgoing.tls import TlsOptions
from tests.outgoing.certificates import Authority
from tests.outgoing.peer import Peer, answer

_LOCAL = Outgoing("127.0.0.0/8")
_SECRET = "hunter2"


def refused(outgoing: Outgoing, url: str, **options: Any) -> OutgoingFailed:
    with pytest.raises(OutgoingFailed) as failed:
        outgoing.send("POST", url, body=_SECRET.encode(), headers={"authorization": f"Bearer {_SECRET}"}, **options)
    text = f"{failed.value.message} {failed.value.hint}"
    assert _SECRET not in text
    assert "token=" not in text
    return failed.value


def test_a_request_and_its_answer() -> None:
    with Peer(answer(b'{"ok": true}', "201 Created", "X-Left: 5")) as peer:
        got = _LOCAL.send("POST", f"{peer.url}/v1/embeddings?x=1", body=b"abc", headers={"Authorization": "Bearer k"})
    assert (got.status, got.body, got.headers["x-left"]) == (201, b'{"ok": true}', "5")
    head, _, body = peer.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/embeddings?x=1 HTTP/1.1\r\n")
    assert f"host: 127.0.0.1:{peer.port}".encode() in head
    assert b"authorization: Bearer k" in head
    assert b"accept-encoding: identity" in head
    assert head.lower().count(b"host:") == 1
    assert body == b"abc"


@pytest.mark.parametrize("status", ["400 Bad Request", "401 Unauthorized", "429 Too Many Requests", "500 Oh"])
def test_every_status_but_a_redirect_is_an_answer(status: str) -> None:
    with Peer(answer(b"why", status, "Retry-After: 7")) as peer:
        got = _LOCAL.send("GET", peer.url)
    assert (got.status, got.body, got.headers["retry-after"]) == (int(status[:3]), b"why", "7")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    with Peer(answer()) as other, Peer(answer(b"", f"{status} Go", f"Location: {other.url}/token={_SECRET}")) as peer:
        failed = refused(_LOCAL, peer.url)
    assert failed.reason == "redirect"
    assert other.requests == []


def test_private_addresses_need_a_permission() -> None:
    with Peer(answer()) as peer:
        assert refused(Outgoing(), peer.url).reason == "address"
        assert refused(Outgoing("10.0.0.0/8"), peer.url).reason == "address"
        assert refused(Outgoing(), f"http://localhost:{peer.port}/?token={_SECRET}").reason == "address"
        assert refused(Outgoing(), f"http://[::ffff:127.0.0.1]:{peer.port}").reason == "address"
    assert peer.requests == []


def test_without_tls_only_to_allowed_networks() -> None:
    failed = refused(_LOCAL, "http://93.184.216.34/")
    assert (failed.reason, "https" in (failed.hint or "")) == ("url", True)
    with pytest.raises(OutgoingFailed, match="without TLS"):
        _LOCAL.check("http://93.184.216.34/")
    _LOCAL.check("https://93.184.216.34/")
    _LOCAL.check("https://models.example.com/v1")


def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    """A name that changes its address between the check and the connection (DNS rebinding)."""
    asked: list[str] = []

    def look_up(host: str, port: int, seconds: float) -> list[Address]:
        asked.append(host)
        return [ip_address("127.0.0.1" if len(asked) == 1 else "169.254.169.254")]

    with Peer(answer(b"here")) as peer:  # nobody can resolve this name, so a second look-up of any kind would fail
        got = Outgoing("127.0.0.0/8", look_up=look_up).send("GET", f"http://rebind.invalid:{peer.port}/")
    assert got.body == b"here"
    assert asked == ["rebind.invalid"]
    assert f"host: rebind.invalid:{peer.port}".encode() in peer.requests[0]


def test_of_several_addresses_only_those_allowed_are_connected_to() -> None:
    with Peer(answer(b"here")) as peer, Peer(answer()) as forbidden:
        some = [ip_address("169.254.169.254"), ip_address("127.0.0.2"), ip_address("127.0.0.1")]
        got = Outgoing("127.0.0.1", look_up=lambda *_: some).send("GET", f"http://many.invalid:{peer.port}/")
        assert got.body == b"here"
        failed = refused(Outgoing("127.0.0.9", look_up=lambda *_: some), f"http://many.invalid:{forbidden.port}/")
    assert failed.reason == "address"
    assert forbidden.requests == []


def test_names_that_cannot_be_resolved() -> None:
    assert refused(Outgoing(), "https://does-not-exist.invalid/").reason == "name"

    def hangs(host: str, port: int, seconds: float) -> list[Address]:
        time.sleep(max(0.0, seconds))
        raise TimeoutError

    assert refused(Outgoing(look_up=hangs), "https://slow.invalid/", seconds=0.1).reason == "timeout"


@pytest.mark.alone
@pytest.mark.parametrize(
    "parts",
    [
        (b"", b"HTTP/1.1 200 OK\r\n"),  # says nothing for long
        tuple(bytes([byte]) for byte in b"HTTP/1.1 200 OK\r\nx-slow: yes\r\n"),  # its head byte by byte
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n", *([b"x"] * 100)),  # its body byte by byte
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", *([b"1\r\nx\r\n"] * 100)),
        tuple([b"HTTP/1.1 100 Continue\r\n\r\n"] * 100),
    ],
)
def test_one_time_limit_for_everything(parts: tuple[bytes, ...]) -> None:
    began = time.monotonic()
    with Peer(*parts, pause=0.3 if len(parts) > 2 else 1.5) as peer:
        assert refused(_LOCAL, peer.url, seconds=0.5).reason == "timeout"
        assert time.monotonic() - began < 5
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    "parts",
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n", b"x" * 5000),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 5000),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", *([b"3e8\r\n" + b"x" * 1000 + b"\r\n"] * 5)),
    ],
)
def test_answers_that_are_too_large(parts: tuple[bytes, ...]) -> None:
    with Peer(*parts) as peer:
        assert refused(_LOCAL, peer.url, max_bytes=4999).reason == "size"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000 + b"\r\n\r\n",
        answer(gzip.compress(b"{}", mtime=0), "200 OK", "content-encoding: gzip"),
    ],
)
def test_what_is_no_answer(sent: bytes) -> None:
    with Peer(sent) as peer:
        assert refused(_LOCAL, peer.url).reason == "protocol"


def test_nobody_listens() -> None:
    with Peer() as peer:
        port = peer.port
    assert refused(_LOCAL, f"http://127.0.0.1:{port}/").reason == "connect"


@pytest.mark.parametrize(
    "url",
    [
        "", "models.example.com", "ftp://example.com/", "file:///etc/passwd", "https://", "https://user:hunter2@example.com/",
        "https://hunter2@example.com", "https://exa mple.com", "https://example.com:99999/", "https://example.com:0/",
        "https://example.com\\@10.0.0.1/", "https://example.com/\r\nx: y", "https://[::1", "https://fe80::1%25eth0/",
        "https://bücher.example/", "https://example.com/" + "x" * 3000,
    ],
)  # fmt: skip
def test_addresses_that_are_refused(url: str) -> None:
    with pytest.raises(OutgoingFailed) as failed:
        Outgoing().check(url)
    assert failed.value.reason == "url"
    assert _SECRET not in failed.value.message


@pytest.mark.parametrize(
    ("name", "value"),
    [("x", f"{_SECRET}\r\ny: z"), ("x\r\ny", _SECRET), ("", _SECRET), ("Host", "other"), ("x y", "z"), ("x", "ü")],
)
def test_headers_that_cannot_be_sent(name: str, value: str) -> None:
    with pytest.raises(OutgoingFailed) as failed:
        _LOCAL.send("GET", "http://127.0.0.1:9/", headers={name: value})
    assert _SECRET not in failed.value.message


def test_tls_with_an_authority_of_our_own(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*authority.sign("server"))
    stranger = Authority(tmp_path, "stranger")
    with Peer(answer(b"safe"), context=server) as peer:
        tls = TlsOptions(ca=str(authority.ca))
        assert _LOCAL.send("GET", peer.url, tls=tls).body == b"safe"
        local = Outgoing("127.0.0.1", look_up=lambda *_: [ip_address("127.0.0.1")])
        assert local.send("GET", f"https://models.test:{peer.port}/", tls=tls).body == b"safe"
        assert refused(local, f"https://other.test:{peer.port}/", tls=tls).reason == "tls"  # another name
        assert refused(_LOCAL, peer.url).reason == "tls"  # the system's authorities
        assert refused(_LOCAL, peer.url, tls=TlsOptions(ca=str(stranger.ca))).reason == "tls"
    assert len(peer.requests) == 2


def test_a_client_certificate(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*authority.sign("server"))
    server.load_verify_locations(authority.ca)
    server.verify_mode = ssl.CERT_REQUIRED
    certificate, key = authority.sign("client")
    with Peer(answer(b"known"), context=server) as peer:
        tls = TlsOptions(str(authority.ca), str(certificate), str(key))
        assert _LOCAL.send("GET", peer.url, tls=tls).body == b"known"
        assert refused(_LOCAL, peer.url, tls=TlsOptions(ca=str(authority.ca))).reason in ("tls", "protocol")
    assert len(peer.requests) == 1


def test_wrong_tls_files(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.sign("client", password=b"word")
    (tmp_path / "bad.pem").write_text("no pem")
    for options in (
        TlsOptions(ca=str(tmp_path / "none.pem")),
        TlsOptions(ca=str(tmp_path / "bad.pem")),
        TlsOptions(key=str(key)),
        TlsOptions(certificate=str(certificate), key=str(key)),  # it has a pass phrase
        TlsOptions(certificate=str(tmp_path / "bad.pem")),
    ):
        assert refused(_LOCAL, "https://127.0.0.1:9/", tls=options).reason == "tls"


def test_what_does_not_speak_tls() -> None:
    with Peer(answer()) as peer:
        assert refused(_LOCAL, peer.url.replace("http", "https"), seconds=0.5).reason in ("tls", "timeout")


def test_a_body_that_comes_after_its_head() -> None:
    """A server that closes the connection afterwards, as each is asked to."""
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\n"
    with Peer(head, b"ab", b"cd", pause=0.05) as peer:
        assert Outgoing("127.0.0.0/8").send("POST", f"{peer.url}/", body=b"x").body == b"abcd"
