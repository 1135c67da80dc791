"""The text of an API key: `hw_<id>_<secret>`. Only the digest of the secret is ever stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from headwater.access.errors import InvalidKey
from headwater.store.access.keys import ApiKey

__all__ = ["check_key", "check_not_ended", "digest_secret", "new_key", "split_key"]

_PREFIX = "hw"


def new_key() -> tuple[str, str, bytes]:
    """An id, the whole text to hand out, and the digest to keep."""
    key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    return key_id, f"{_PREFIX}_{key_id}_{secret}", digest_secret(secret)


def digest_secret(secret: str) -> bytes:
    """32 random bytes need no slow hash: nobody can guess them."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def split_key(text: str) -> tuple[str, str]:
    """The id and the secret.

    >>> split_key("hw_1a2b_se_cret")
    ('1a2b', 'se_cret')
    """
    prefix, _, rest = text.partition("_")
    key_id, _, secret = rest.partition("_")
    if prefix != _PREFIX or not key_id or not secret or len(text) > 200:
        raise _unknown()
    return key_id, secret


def check_key(key: ApiKey | None, secret: str, now: int) -> ApiKey:
    """The key, if the secret is right and the key valid. Only a caller with the right secret learns why it is not."""
    kept = key.hash if key is not None else b"\0" * 32
    if not hmac.compare_digest(kept, digest_secret(secret)) or key is None:
        raise _unknown()
    return check_not_ended(key, now)


def check_not_ended(key: ApiKey, now: int) -> ApiKey:
    """The key, unless it was revoked or has expired."""
    if key.revoked_at is not None:
        raise InvalidKey(f"The API key {key.id} was revoked.", hint="Ask an administrator for a new one.")
    if key.expires_at is not None and key.expires_at <= now:
        raise InvalidKey(f"The API key {key.id} has expired.", hint="Ask an administrator for a new one.")
    return key


def _unknown() -> InvalidKey:
    return InvalidKey(
        "The API key is not known.", hint="Keys look like hw_ID_SECRET, and are shown once, when they are created."
    )
