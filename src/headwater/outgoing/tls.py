"""TLS of outgoing requests: certificates are always checked, against the system's or the operator's authorities."""

from __future__ import annotations

import ssl

from msgspec import Struct

from headwater.outgoing.errors import OutgoingFailed

__all__ = ["TlsOptions", "tls_context"]


class TlsOptions(Struct, frozen=True):
    """Files (PEM) for connections to one server; empty for none."""

    ca: str = ""
    """Certificates of authorities that are trusted instead of the system's."""
    certificate: str = ""
    """Our certificate with its chain, where the server asks for one."""
    key: str = ""
    """The key of that certificate; empty if it is in the same file."""


def tls_context(options: TlsOptions | None) -> ssl.SSLContext:
    """A context that checks certificate and name, from TLS 1.2 on. Raises `OutgoingFailed` for files that are wrong."""
    wanted = options or TlsOptions()
    if wanted.key and not wanted.certificate:
        raise OutgoingFailed("A client key is named, but no client certificate.", "tls", hint="Name both.")
    try:
        context = ssl.create_default_context(cafile=wanted.ca or None)
    except (OSError, ValueError) as error:
        raise OutgoingFailed(f"The authorities' certificates cannot be read: {_reason(error)}.", "tls") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if wanted.certificate:
        try:
            context.load_cert_chain(wanted.certificate, wanted.key or None, password=_no_password)
        except (OSError, ValueError) as error:
            raise OutgoingFailed(f"The client certificate cannot be used: {_reason(error)}.", "tls") from None
    return context


def _no_password() -> str:
    """Keys with a pass phrase are refused; OpenSSL would ask for it on the terminal."""
    return ""


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "not valid PEM").lower().replace("_", " ")
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
