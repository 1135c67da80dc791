"""A gateway for tests: real Ed25519 keys, and assertions with anything wrong that a test wants."""

from __future__ import annotations

import base64
import hashlib
import json
import time
import uuid
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ISSUER, AUDIENCE = "gateway.example", "headwater"


class Signer:
    """Signs with one key; `publish` writes the file of public keys that Headwater reads."""

    def __init__(self, kid: str = "one") -> None:
        self.kid = kid
        self.private = Ed25519PrivateKey.generate()

    @property
    def raw(self) -> str:
        public = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return base64.b64encode(public).decode()

    @property
    def pem(self) -> str:
        return self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()

    def sign(self, method: str, path: str, body: bytes = b"", *, head: dict | None = None, **changes: Any) -> str:
        now = time.time()
        claims = {"iss": ISSUER, "aud": AUDIENCE, "iat": now, "exp": now + 20, "jti": str(uuid.uuid4())}
        claims |= {"method": method, "path": path, "body_sha256": hashlib.sha256(body).hexdigest(), **changes}
        claims = {name: value for name, value in claims.items() if value is not None}
        signed = f"{_part({'alg': 'EdDSA', 'kid': self.kid, **(head or {})})}.{_part(claims)}"
        return f"{signed}.{_encode(self.private.sign(signed.encode()))}"


def publish(file: Path, *signers: Signer) -> Path:
    if file.suffix == ".json":
        file.write_text(json.dumps({"keys": {signer.kid: signer.pem for signer in signers}}))
    else:
        lines = [f"{signer.kid} = {json.dumps(signer.raw)}" for signer in signers]
        file.write_text("\n".join(["[keys]", *lines]) + "\n")
    return file


def _part(value: Any) -> str:
    return _encode(json.dumps(value).encode())


def _encode(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
