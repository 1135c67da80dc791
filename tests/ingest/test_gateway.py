"""A gateway's assertion is for one request, for a minute at most, and signed with a key that is known."""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from pathlib import Path

import pytest

from headwater.ingest import gateway as module
from headwater.ingest.errors import InvalidAssertion
from headwater.ingest.gateway import Gateway, SignedRequest, WrongGateway
from tests.ingest.assertions import AUDIENCE, ISSUER, Signer, publish

REQUEST = SignedRequest("POST", "/api/v1/lineage", "a=1", b"{}")


@pytest.fixture
def signer() -> Signer:
    return Signer()


@pytest.fixture(params=["keys.toml", "keys.json"])
def gateway(tmp_path: Path, signer: Signer, request: pytest.FixtureRequest) -> Gateway:
    return Gateway(str(publish(tmp_path / request.param, signer)), ISSUER, AUDIENCE)


@pytest.mark.parametrize("changes", [{}, {"path": "/api/v1/lineage?a=1"}, {"aud": ["x", AUDIENCE]}, {"method": "post"}])
def test_good(gateway: Gateway, signer: Signer, changes: dict) -> None:
    claims = {"method": "POST", "path": "/api/v1/lineage", **changes, "tenantId": 7}
    key_id, said = gateway.verify(signer.sign(body=b"{}", **claims), REQUEST, time.time())
    assert (key_id, said.tenantId) == ("one", 7)


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
    ],
)
def test_refused(gateway: Gateway, signer: Signer, changes: dict, said: str) -> None:
    now = time.time()
    times = {name: now + changes[name] for name in ("iat", "exp") if name in changes}  # told from now on
    token = signer.sign(**{"method": "POST", "path": "/api/v1/lineage", "body": b"{}", **changes, **times})
    with pytest.raises(InvalidAssertion, match=said):
        gateway.verify(token, REQUEST, now)


def test_signed_by_somebody_else(gateway: Gateway) -> None:
    with pytest.raises(InvalidAssertion, match="signature is wrong"):
        gateway.verify(Signer("one").sign("POST", "/api/v1/lineage", b"{}"), REQUEST, time.time())


def test_a_changed_claim(gateway: Gateway, signer: Signer) -> None:
    head, claims, signature = signer.sign("POST", "/api/v1/lineage", b"{}", tenantId=7).split(".")
    said = json.loads(base64.urlsafe_b64decode(claims + "=="))
    other = base64.urlsafe_b64encode(json.dumps({**said, "tenantId": 8}).encode()).rstrip(b"=").decode()
    with pytest.raises(InvalidAssertion, match="signature is wrong"):
        gateway.verify(f"{head}.{other}.{signature}", REQUEST, time.time())


@pytest.mark.parametrize("token", ["", "a", "a.b", "a.b.c", "....", "é.b.c", "e30.e30.e30", "x" * 9000])
def test_what_is_no_token(gateway: Gateway, token: str) -> None:
    with pytest.raises(InvalidAssertion):
        gateway.verify(token, REQUEST, time.time())


def test_keys_rotate_without_a_restart(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "_LOOK_AGAIN", 0.0)
    old, new = Signer("old"), Signer("new")
    file = publish(tmp_path / "keys.toml", old)
    gateway = Gateway(str(file), ISSUER, AUDIENCE)

    def verify(signer: Signer) -> None:
        gateway.verify(signer.sign("POST", "/api/v1/lineage", b"{}"), REQUEST, time.time())

    verify(old)
    publish(file, old, new)
    verify(old)
    verify(new)
    publish(file, new)
    os.utime(file, ns=(1, 1))
    verify(new)
    with pytest.raises(InvalidAssertion, match="not known"):
        verify(old)
    file.write_text("[keys")  # half written: what was known holds
    verify(new)


@pytest.mark.parametrize("text", ["", "[keys", "keys = 1", "[keys]\none = 'AAAA'", "[keys]\none = 5"])
def test_wrong_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "keys.toml").write_text(text)
    with pytest.raises(WrongGateway, match=r"keys\.toml"):
        Gateway(str(tmp_path / "keys.toml"), ISSUER, AUDIENCE)
    with pytest.raises(WrongGateway, match="cannot be read"):
        Gateway(str(tmp_path / "nowhere.toml"), ISSUER, AUDIENCE)


def test_without_cryptography(tmp_path: Path, signer: Signer, monkeypatch) -> None:
    file = publish(tmp_path / "keys.toml", signer)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    with pytest.raises(WrongGateway, match="not installed") as error:
        Gateway(str(file), ISSUER, AUDIENCE)
    assert error.value.hint == "pip install 'headwater[gateway]'"
