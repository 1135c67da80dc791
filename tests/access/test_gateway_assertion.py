"""A gateway's assertion is for one request, for a minute at most, and signed with a key that is known."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import time
from pathlib import Path

import pytest

from headwater.access import gateway_assertion as module
from headwater.access.errors import InvalidAssertion
from headwater.access.gateway_assertion import Gateway, GatewayAssertion, SignedRequest, WrongGateway
from tests.access.assertions import AUDIENCE, ISSUER, Signer, publish

REQUEST = SignedRequest("POST", "/api/v1/lineage", "a=1")


def verify(gateway: Gateway, token: str, now: float | None = None) -> GatewayAssertion:
    assertion = gateway.verify(token, REQUEST, now or time.time())
    assertion.check_body(b"{}")
    return assertion


@pytest.fixture
def signer() -> Signer:
    return Signer()


@pytest.fixture(params=["keys.toml", "keys.json"])
def gateway(tmp_path: Path, signer: Signer, request: pytest.FixtureRequest) -> Gateway:
    return Gateway(str(publish(tmp_path / request.param, signer)), ISSUER, AUDIENCE)


@pytest.mark.parametrize("changes", [{}, {"path": "/api/v1/lineage?a=1"}, {"aud": ["x", AUDIENCE]}, {"method": "post"}])
def test_good(gateway: Gateway, signer: Signer, changes: dict) -> None:
    claims = {"method": "POST", "path": "/api/v1/lineage", **changes, "tenantId": 7}
    assertion = verify(gateway, signer.sign(body=b"{}", **claims))
    assert (assertion.key_id, assertion.claims.tenantId) == ("one", 7)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"path": "/api/v1/lineage/batch"}, "another path"),
        ({"path": "/api/v1/lineage?a=2"}, "another path"),
        ({"method": "GET"}, "another method"),
        ({"body": b"{ }"}, "another body"),
        ({"iss": "somebody"}, "another issuer"),
        ({"aud": "somebody"}, "another audience"),
        ({"iat": -50, "exp": -1}, "has expired"),
        ({"iat": 400, "exp": 410}, "from the future"),
        ({"iat": 0, "exp": 600}, "more than 60 seconds"),
        ({"jti": ""}, "has no id"),
        ({"jti": None}, "cannot be read"),
        ({"body_sha256": None}, "cannot be read"),
        ({"tenantId": "seven"}, "cannot be read"),
        ({"head": {"alg": "none"}}, "not signed with EdDSA"),
        ({"head": {"alg": "HS256"}}, "not signed with EdDSA"),
        ({"head": {"kid": "two"}}, "not known"),
        ({"head": {"kid": None}}, "must be a string"),
        ({"head": {"kid": ["one"]}}, "must be a string"),
        ({"head": {"crit": ["b64"], "b64": False}}, "no JWT"),
        ({"head": {"crit": ["b64"], "b64": True}}, "must be understood"),
        ({"head": {"crit": ["audience"], "audience": 1}}, "critical extension"),
        ({"head": {"crit": []}}, "crit"),
        ({"head": {"crit": None}}, "crit"),
        ({"nbf": 30}, "not good yet"),
        ({"nbf": "soon"}, "cannot be read"),
    ],
)
def test_refused(gateway: Gateway, signer: Signer, changes: dict, said: str) -> None:
    now = time.time()
    times = {
        name: now + changes[name] for name in ("iat", "exp", "nbf") if isinstance(changes.get(name), int)
    }  # told from now on
    token = signer.sign(**{"method": "POST", "path": "/api/v1/lineage", "body": b"{}", **changes, **times})
    with pytest.raises(InvalidAssertion, match=said):
        verify(gateway, token, now)


_DIGEST = hashlib.sha256(b"{}").hexdigest()
NEARLY: dict[str, list[object]] = {
    # By claim: what is not ours, but begins, ends or looks like it, contains it, or says nothing.
    "aud": [
        f"{AUDIENCE}-test",
        f"not-{AUDIENCE}",
        AUDIENCE[:-1],
        AUDIENCE[1:],
        AUDIENCE.upper(),
        f" {AUDIENCE}",
        "",
        [],
        [f"{AUDIENCE}-test"],
        [[AUDIENCE]],
        [AUDIENCE[:4], AUDIENCE[4:]],
        f"{AUDIENCE},x",
        {AUDIENCE: 1},
        None,
    ],
    "iss": [f"{ISSUER}.evil", f"evil-{ISSUER}", ISSUER[:-1], ISSUER.upper(), "", [ISSUER], None],
    "body_sha256": [
        "",
        hashlib.sha256(b"").hexdigest(),
        _DIGEST[:8],
        _DIGEST + "00",
        " " + _DIGEST,
        "*",
        "0",
        None,
        _DIGEST.replace("a", "b"),
        [_DIGEST],
        {},
    ],
    "method": ["", "POS", "POST,GET", "*", ["POST"], None],
    "path": [
        "",
        "/",
        "/api/v1",
        "/api/v1/lineag",
        "/api/v1/lineage/",
        "/api/v1/lineage?",
        "/api/v1/lineage?a=1&b=2",
        "*",
        "/API/V1/LINEAGE",
        "//api/v1/lineage",
        "/api/v1/lineage?a=",
        ["/api/v1/lineage"],
        None,
    ],
    "iat": ["now", None],
    "exp": ["later", None],
}


@pytest.mark.parametrize(("claim", "said"), [(claim, value) for claim, values in NEARLY.items() for value in values])
def test_what_is_nearly_right(gateway: Gateway, signer: Signer, claim: str, said: object) -> None:
    good = {"method": "POST", "path": "/api/v1/lineage", "body_sha256": _DIGEST}
    verify(gateway, signer.sign(**good))
    with pytest.raises(InvalidAssertion):
        verify(gateway, signer.sign(**{**good, claim: said}))


@pytest.mark.parametrize("body", [b"", b"{}", b"{} ", b"\0" * 70_000])
def test_a_digest_is_of_the_whole_body(gateway: Gateway, signer: Signer, body: bytes) -> None:
    request = SignedRequest("POST", "/api/v1/lineage", "")
    for signed in (b"", b"{}", b"{} ", b"\0" * 70_000):
        token = signer.sign("POST", "/api/v1/lineage", signed)
        if signed == body:
            gateway.verify(token, request, time.time()).check_body(body)
        else:
            with pytest.raises(InvalidAssertion, match="another body"):
                gateway.verify(token, request, time.time()).check_body(body)


@pytest.mark.parametrize(
    ("iat", "exp", "is_good"),
    [
        (0, 60, True),
        (0, 60.5, False),
        (4, 20, True),
        (6, 20, False),
        (-30, 0.5, True),
        (-30, 0, False),
        (0, 0, False),
        (10, 5, False),
        (-1, 59, True),
        (-70, 10, False),
    ],
)
def test_how_long_an_assertion_is_good(gateway: Gateway, signer: Signer, iat: float, exp: float, is_good: bool) -> None:
    now = 1_800_000_000.0
    token = signer.sign("POST", "/api/v1/lineage", b"{}", iat=now + iat, exp=now + exp)
    if is_good:
        verify(gateway, token, now)
    else:
        with pytest.raises(InvalidAssertion):
            verify(gateway, token, now)


def test_signed_by_somebody_else(gateway: Gateway) -> None:
    with pytest.raises(InvalidAssertion, match="signature is wrong"):
        verify(gateway, Signer("one").sign("POST", "/api/v1/lineage", b"{}"))


def test_a_changed_claim(gateway: Gateway, signer: Signer) -> None:
    head, claims, signature = signer.sign("POST", "/api/v1/lineage", b"{}", tenantId=7).split(".")
    said = json.loads(base64.urlsafe_b64decode(claims + "=="))
    other = base64.urlsafe_b64encode(json.dumps({**said, "tenantId": 8}).encode()).rstrip(b"=").decode()
    with pytest.raises(InvalidAssertion, match="signature is wrong"):
        verify(gateway, f"{head}.{other}.{signature}")


_DEEP = base64.urlsafe_b64encode(b'{"kid":' + b"[" * 5000).rstrip(b"=").decode()
_LONG = base64.urlsafe_b64encode(b'{"kid":' + b"9" * 5000 + b"}").rstrip(b"=").decode()
_NO_TOKENS = [
    "",
    "a",
    "a.b",
    "a.b.c",
    "....",
    "é.b.c",
    "e30.e30.e30",
    "x" * 9000,
    f"{_DEEP}.e30.e30",
    f"{_LONG}.e30.e30",
]


@pytest.mark.parametrize("token", _NO_TOKENS)
def test_what_is_no_token(gateway: Gateway, token: str) -> None:
    with pytest.raises(InvalidAssertion):
        verify(gateway, token)


def test_keys_rotate_without_a_restart(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "_LOOK_AGAIN", 0.0)
    old, new = Signer("old"), Signer("new")
    file = publish(tmp_path / "keys.toml", old)
    gateway = Gateway(str(file), ISSUER, AUDIENCE)

    def check(signer: Signer) -> None:
        verify(gateway, signer.sign("POST", "/api/v1/lineage", b"{}"))

    check(old)
    publish(file, old, new)
    check(old)
    check(new)
    publish(file, new)
    os.utime(file, ns=(1, 1))
    check(new)
    with pytest.raises(InvalidAssertion, match="not known"):
        check(old)
    file.write_text("[keys")  # half written: what was known holds
    check(new)


@pytest.mark.parametrize("end", ["removed", "broken", "emptied"])
def test_keys_end_with_their_file(tmp_path: Path, monkeypatch, end: str) -> None:
    """At once if it says that there are none, else after a short time; and come back with it."""
    monkeypatch.setattr(module, "_LOOK_AGAIN", 0.0)
    signer = Signer()
    file = publish(tmp_path / "keys.toml", signer)
    gateway = Gateway(str(file), ISSUER, AUDIENCE)

    def check() -> None:
        verify(gateway, signer.sign("POST", "/api/v1/lineage", b"{}"))

    check()
    if end == "removed":
        file.unlink()
    else:
        file.write_text("[keys]\n" if end == "emptied" else "[keys")
    if end != "emptied":
        check()
        monkeypatch.setattr(module, "_HOLD", 0.0)
    for _ in range(2):
        with pytest.raises(InvalidAssertion, match="not known"):
            check()
    monkeypatch.setattr(module, "_HOLD", 30.0)
    publish(file, signer)
    check()


@pytest.mark.parametrize("text", ["", "[keys", "keys = 1", "[keys]\none = 'AAAA'", "[keys]\none = 5"])
def test_wrong_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "keys.toml").write_text(text)
    with pytest.raises(WrongGateway, match=r"keys\.toml"):
        Gateway(str(tmp_path / "keys.toml"), ISSUER, AUDIENCE)
    with pytest.raises(WrongGateway, match="cannot be read"):
        Gateway(str(tmp_path / "nowhere.toml"), ISSUER, AUDIENCE)


@pytest.mark.parametrize("module", ["jwt", "cryptography.hazmat.primitives.asymmetric.ed25519"])
def test_without_its_packages(tmp_path: Path, signer: Signer, monkeypatch, module: str) -> None:
    file = publish(tmp_path / "keys.toml", signer)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(WrongGateway, match="not installed") as error:
        Gateway(str(file), ISSUER, AUDIENCE)
    assert error.value.hint == "pip install 'headwater[gateway]'"
