"""Keys are random, and good only whole, unexpired and unrevoked."""

from __future__ import annotations

import msgspec
import pytest

from headwater.access.api_key import check_key, new_key, split_key
from headwater.access.errors import InvalidKey
from headwater.store.access.keys import ApiKey

KEY_ID, TEXT, DIGEST = new_key()
KEY = ApiKey(id=KEY_ID, tenant_id=1, source="ANY", roles=("writer",), hash=DIGEST, name="", created_at=0)


def test_the_whole_key_is_good() -> None:
    key_id, secret = split_key(TEXT)
    assert key_id == KEY_ID
    assert len(secret) == 43
    assert check_key(KEY, secret, 1) is KEY
    assert check_key(msgspec.structs.replace(KEY, expires_at=2), secret, 1)
    assert secret.encode() not in msgspec.json.encode(KEY)


@pytest.mark.parametrize(
    ("changes", "secret", "said"),
    [
        ({}, "x", "not known"),
        ({"expires_at": 1}, None, "expired"),
        ({"revoked_at": 1}, None, "revoked"),
        ({"revoked_at": 1}, "x", "not known"),
        (None, None, "not known"),
    ],
)
def test_refused(changes: dict | None, secret: str | None, said: str) -> None:
    key = None if changes is None else msgspec.structs.replace(KEY, **changes)
    with pytest.raises(InvalidKey, match=said):
        check_key(key, secret or split_key(TEXT)[1], 1)


@pytest.mark.parametrize("text", ["", "hw", "hw_", "hw_a", "hw_a_", "hw__x", "xx_a_b", "hw_a_" + "x" * 300])
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(InvalidKey):
        split_key(text)


def test_no_two_are_alike() -> None:
    assert len({new_key()[1] for _ in range(100)}) == 100
