"""The certificate of a server that speaks TLS by itself, read again when its files change."""

from __future__ import annotations

import logging
import ssl
from pathlib import Path

from headwater.settings import Settings, WrongSettings

__all__ = ["Certificate", "certificate_of"]

_log = logging.getLogger(__name__)


class Certificate:
    """`context` is good for as long as the server runs: connections that begin later get the certificate of then."""

    def __init__(self, certificate: str, key: str) -> None:
        self._files = (Path(certificate), Path(key))
        self._seen = self._changed()
        try:
            self.context = self._load()
        except (OSError, ssl.SSLError) as error:
            raise WrongSettings(
                f"The certificate {certificate} or its key {key} cannot be used: {error}.",
                hint="Both are PEM files: the certificate with its chain, its own first, and a key without a password.",
            ) from None

    async def look_again(self) -> None:
        """Read the files if they changed.

        Unreadable ones, for example with only one of the two written, are not used.
        """
        changed = self._changed()
        if changed == self._seen:
            return
        self._seen = changed
        try:
            self._load()
            self.context.load_cert_chain(*self._files)
        except (OSError, ssl.SSLError) as error:
            _log.error("the new certificate cannot be used, so the old one stays", extra={"reason": str(error)})
        else:
            _log.info("the certificate was read again", extra={"file": str(self._files[0])})

    def _load(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(*self._files, password=_no_password)
        return context

    def _changed(self) -> tuple[tuple[int, int, int], ...]:
        try:
            statuses = [file.stat() for file in self._files]
        except OSError:
            return ()
        return tuple((status.st_mtime_ns, status.st_size, status.st_ino) for status in statuses)


def certificate_of(settings: Settings) -> Certificate | None:
    return Certificate(settings.tls_cert, settings.tls_key) if settings.tls_cert else None


def _no_password() -> str:
    """Instead of asking at the terminal."""
    return ""
