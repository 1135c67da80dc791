"""Secrets of overlays and sinks: files in a folder that the operator keeps, one below it for each tenant.

A configuration names a file, never a path or a variable, so that no tenant can have others' secrets sent anywhere.
"""

from __future__ import annotations

from pathlib import Path

from headwater.emit.configuration import Overlay, Sink
from headwater.emit.errors import WrongEmitConfiguration
from headwater.emit.overlay_client import Access
from headwater.outgoing.tls import TlsOptions

__all__ = ["access_of"]

_LARGEST = 16 << 10


def access_of(peer: Overlay | Sink, tenant_code: str, folder: str) -> Access:
    """Token and TLS files of an overlay or sink. Raises `WrongEmitConfiguration` if one is missing."""
    files = [_path(folder, tenant_code, name) if name else "" for name in (peer.ca, peer.certificate, peer.key)]
    token = _read(_path(folder, tenant_code, peer.token), peer.token) if peer.token else ""
    return Access(token, TlsOptions(*files) if any(files) else None)


def _path(folder: str, tenant_code: str, name: str) -> str:
    if not folder:
        raise WrongEmitConfiguration(
            f"The secret {name!r} cannot be read: there is no folder for secrets.",
            hint="An operator names one with the setting emit_secrets, and puts it into emit_secrets/TENANT.",
        )
    place = Path(folder) / tenant_code
    if tenant_code in (".", "..") or "/" in tenant_code or "\\" in tenant_code:
        raise WrongEmitConfiguration(f"The tenant {tenant_code!r} cannot have secrets.")
    found = place / name
    if not found.is_file() or found.resolve().parent != place.resolve():
        raise WrongEmitConfiguration(
            f"There is no secret {name!r} for the tenant {tenant_code}.",
            hint=f"An operator puts it into the file {tenant_code}/{name} of the folder emit_secrets.",
        )
    return str(found)


def _read(path: str, name: str) -> str:
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(_LARGEST).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise WrongEmitConfiguration(f"The secret {name!r} cannot be read: {reason}.") from None
    if not text or not text.isascii() or not text.isprintable():
        raise WrongEmitConfiguration(f"The secret {name!r} is empty, or no single line of ASCII.")
    return text
