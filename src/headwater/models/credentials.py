"""Credentials by reference, resolved only inside the operator's grant to the tenant."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from headwater.credential_grants import Grant
from headwater.errors import HeadwaterError

__all__ = ["CredentialRefused", "resolve_credential"]

_LONGEST = 16_384


class CredentialRefused(HeadwaterError):
    """A reference that this tenant may not use, or that leads nowhere."""

    code = "credential_refused"


def resolve_credential(
    tenant: str, reference: str, endpoint: str, grants: tuple[Grant, ...], environment: Mapping[str, str]
) -> str:
    """The secret of a reference. Messages name the reference, never the secret."""
    host = (urlsplit(endpoint).hostname or "").lower()
    place = reference
    if reference.startswith("file:"):  # neither .. nor a link leads out of what was granted
        place = "file:" + os.path.realpath(reference.removeprefix("file:"))
    if not any(_resolved(grant).covers(tenant, place, host) for grant in grants):
        raise CredentialRefused(
            f"The tenant {tenant} may not use {reference} for {host}.",
            hint=f"An operator grants it with the setting model_credentials: {tenant}={reference}@{host}.",
        )
    if reference.startswith("env:"):
        secret = environment.get(reference.removeprefix("env:"))
        if not secret:
            raise CredentialRefused(f"The variable of {reference} is not set where this process runs.")
    else:
        secret = _read(reference, Path(place.removeprefix("file:")))
    secret = secret.strip()
    if not secret or len(secret) > _LONGEST or not secret.isascii() or not secret.isprintable():
        raise CredentialRefused(f"What is behind {reference} cannot be sent: it is empty, or not one line of ASCII.")
    return secret


def _resolved(grant: Grant) -> Grant:
    if not grant.reference.startswith("file:"):
        return grant
    path = grant.reference.removeprefix("file:")
    return Grant(
        grant.tenant, "file:" + os.path.realpath(path).rstrip("/") + ("/" if path.endswith("/") else ""), grant.host
    )


def _read(reference: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST + 2).decode()
    except (OSError, UnicodeDecodeError):
        raise CredentialRefused(f"{reference} cannot be read.") from None
