"""Services for signing in, made once per process."""

from __future__ import annotations

from msgspec import Struct

from headwater.access.authenticate import Authenticator
from headwater.api.authentication.allowed_sites import Sites
from headwater.api.authentication.wrong_keys import WrongKeys
from headwater.api.http.connections import ConnectionLimits

__all__ = ["SignIn"]


class SignIn(Struct, frozen=True):
    authenticator: Authenticator
    sites: Sites
    limits: ConnectionLimits
    wrong_keys: WrongKeys
    features: tuple[str, ...]
    """Parts of this server that are switched on."""
