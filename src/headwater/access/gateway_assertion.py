"""Gateway assertions: short-lived JWTs, signed with Ed25519, bound to one request."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from headwater.access.errors import InvalidAssertion
from headwater.errors import HeadwaterError

__all__ = ["Claims", "Gateway", "GatewayAssertion", "SignedRequest", "WrongGateway"]

_log = logging.getLogger(__name__)

_LONGEST_LIFE = 60
_CLOCK_SKEW = 5
_LOOK_AGAIN = 5.0
"""Seconds after which the file of keys is looked at again: keys come and go without a restart."""
_HOLD = 30.0
"""Seconds for which keys hold while their file is gone or cannot be read, be it that it is just being written."""
_LONGEST_TOKEN = 8192
_ALGORITHM = "EdDSA"


class WrongGateway(HeadwaterError):
    code = "wrong_gateway"


class SignedRequest(Struct, frozen=True):
    """Request of an assertion, known before the body is read."""

    method: str
    path: str
    query: str


class Claims(Struct, frozen=True, kw_only=True):
    """A gateway's claims about a caller."""

    iss: str
    aud: str | list[str]
    iat: float
    exp: float
    jti: str
    method: str
    path: str
    body_sha256: str
    nbf: float | None = None
    tenantId: int | None = None  # noqa: N815 - as gateways send it
    tenantCode: str | None = None  # noqa: N815
    tenantName: str | None = None  # noqa: N815
    source: str | None = None
    roles: list[str] | None = None


class GatewayAssertion(Struct, frozen=True):
    """The word of a gateway that is good for a request, if the request has the body that was signed for."""

    key_id: str
    claims: Claims

    def check_body(self, body: bytes) -> None:
        digest = hashlib.sha256(body).hexdigest()
        if not hmac.compare_digest(self.claims.body_sha256.lower().encode(), digest.encode()):
            raise _invalid("it is for another body")


_claims = msgspec.json.Decoder(Claims)


class Gateway:
    """Knows the public keys of a gateway, by key id."""

    def __init__(self, keys: str, issuer: str, audience: str) -> None:
        self._file, self._issuer, self._audience = Path(keys), issuer, audience
        self._keys: dict[str, Any] = {}
        self._changed: tuple[int, int] | None = None
        self._look_at = self._good_at = 0.0
        self._load()

    def verify(self, token: str, request: SignedRequest, now: float) -> GatewayAssertion:
        """Claims and signing key. The body and reuse are checked later."""
        if time.monotonic() >= self._look_at:
            self._reload()
        key_id, claims = _verified(token, self._keys)
        audiences = [claims.aud] if isinstance(claims.aud, str) else claims.aud
        for is_wrong, why in (
            (claims.iss != self._issuer, "it is of another issuer"),
            (self._audience not in audiences, "it is for another audience"),
            (claims.iat > now + _CLOCK_SKEW, "it is from the future"),
            (claims.nbf is not None and claims.nbf > now + _CLOCK_SKEW, "it is not good yet"),
            (claims.exp <= now, "it has expired"),
            (not 0 < claims.exp - claims.iat <= _LONGEST_LIFE, f"it is good for more than {_LONGEST_LIFE} seconds"),
            (not claims.jti, "it has no id"),
            (claims.method.upper() != request.method, "it is for another method"),
            (claims.path not in _paths(request), "it is for another path"),
        ):
            if is_wrong:
                raise _invalid(why)
        return GatewayAssertion(key_id, claims)

    def _reload(self) -> None:
        """Keys whose file was removed, or cannot be read any more, are trusted for a short time and not for ever."""
        try:
            self._load()
        except WrongGateway as error:
            now = time.monotonic()
            if now - self._good_at < _HOLD:
                self._look_at = now + _LOOK_AGAIN
            elif self._keys:
                _log.error("the gateway's keys are trusted no more", extra={"reason": error.message})
                self._keys, self._changed = {}, None

    def _load(self) -> None:
        try:
            status = self._file.stat()
            changed = (status.st_mtime_ns, status.st_size)
            if changed != self._changed:
                self._keys = _read_keys(self._file.read_text(encoding="utf-8"), self._file.name)
                self._changed = changed
        except (OSError, UnicodeDecodeError) as error:
            raise WrongGateway(
                f"The gateway's keys cannot be read from {self._file}: {error}.", hint="Check the setting gateway_keys."
            ) from None
        self._good_at = time.monotonic()
        self._look_at = self._good_at + _LOOK_AGAIN


def _read_keys(text: str, name: str) -> dict[str, Any]:
    """Public keys by id: `[keys]` in TOML, or {"keys": {...}} in JSON; each PEM, or the 32 bytes in base64."""
    try:
        members = json.loads(text) if name.endswith(".json") else tomllib.loads(text)
        keys = members["keys"].items()
        return {key_id: _public_key(value) for key_id, value in keys}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise WrongGateway(
            f"The gateway's keys in {name} cannot be read: {error or type(error).__name__}.",
            hint='Write [keys] and then ID = "PEM or base64 of an Ed25519 public key" for each.',
        ) from None


def _public_key(text: str) -> Any:
    try:
        import jwt as _  # noqa: F401, PLC0415 - an extra; the signature is checked with it
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415
    except ModuleNotFoundError:
        raise WrongGateway(
            "A gateway's signatures cannot be checked: the packages pyjwt and cryptography are not installed.",
            hint="pip install 'headwater[gateway]'",
        ) from None
    if "BEGIN" not in text:
        return Ed25519PublicKey.from_public_bytes(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_"))
    key = load_pem_public_key(text.encode())
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("a key that is not Ed25519")  # noqa: TRY004 - of a value in a file
    return key


def _verified(token: str, keys: Mapping[str, Any]) -> tuple[str, Claims]:
    """The id of the key and the claims of a token whose signature is good."""
    from jwt import DecodeError, InvalidSignatureError, PyJWS, PyJWTError  # noqa: PLC0415 - an extra

    if len(token) > _LONGEST_TOKEN:
        raise _invalid(f"it is longer than {_LONGEST_TOKEN} characters")
    parser = PyJWS(algorithms=[_ALGORITHM])
    try:
        head = parser.get_unverified_header(token)
        key_id = str(head.get("kid"))
        if head.get("alg") != _ALGORITHM:
            raise _invalid(f"it is not signed with {_ALGORITHM}")
        if "crit" in head:  # also the extension b64 that the library knows: bodies are not sent in tokens
            raise _invalid("it has an extension that must be understood (crit)")
        if key_id not in keys:
            raise _invalid("the id of its key is not known")
        return key_id, _claims.decode(parser.decode(token, keys[key_id], algorithms=[_ALGORITHM]))
    except InvalidSignatureError:
        raise _invalid("its signature is wrong") from None
    except DecodeError:
        raise _invalid("it is no JWT") from None
    except PyJWTError as error:
        raise _invalid(f"{error}") from None
    except msgspec.DecodeError as error:
        raise _invalid(f"its claims cannot be read ({error})") from None


def _paths(request: SignedRequest) -> tuple[str, ...]:
    """The path alone, or with the query, which is then signed as well."""
    return (request.path, f"{request.path}?{request.query}")


def _invalid(why: str) -> InvalidAssertion:
    return InvalidAssertion(
        f"The gateway's assertion is refused: {why}.",
        hint="X-Gateway-Assertion is a JWT for exactly this request: method, path and SHA-256 of the body as sent.",
    )
