"""Checks that a browser's request comes from a page of this server, where no credential is needed or a cookie is one.

A browser sends requests to any address for any page that its user looks at. Only the browser itself writes `Host` (with
the name of a page that was made to lead here), `Origin` and `Sec-Fetch-Site`, so these are checked.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address

from headwater.access.errors import ForeignHost, ForeignSite
from headwater.api.http.body import Headers
from headwater.settings import Settings

__all__ = ["Sites"]

_LOOPBACK = {"localhost", "localhost.localdomain", "ip6-localhost", "host.docker.internal", "host.containers.internal"}
"""Names that no page can have: of this machine, also as containers on it call it."""
_OWN = (b"", b"none", b"same-origin")
_ANY = "*"


class Sites:
    """The names of this server, and the pages that may use it."""

    def __init__(self, settings: Settings) -> None:
        self._hosts = _words(settings.hosts) | _LOOPBACK | {settings.host.lower()}
        self._origins = _words(settings.origins)
        self.is_own_host = lru_cache(maxsize=256)(self._is_own_host)
        """Whether a `Host` is a name or an address of this server."""

    def is_trusted(self, method: str, headers: Headers) -> bool:
        if not self.is_own_host(headers.get(b"host", b"")):
            return False
        origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site", b"")
        if origin is None and site in _OWN:
            return True
        return self._is_own_page(method, origin, site, headers)

    def check(self, method: str, headers: Headers) -> None:
        """Raise unless the request is for this server by its name, and from no page of another one."""
        host = headers.get(b"host", b"")
        if not self.is_own_host(host):
            raise ForeignHost(
                f"{host.decode('latin-1')[:100]!r} is not known as a name of this server.",
                hint="Ask by its address or as localhost, name it in the setting `hosts`, or create keys.",
            )
        if not self.is_trusted(method, headers):
            raise ForeignSite(
                "A page of another site may not use this server.",
                hint="Name the page's origin in the setting `origins`, or create keys.",
            )

    def check_cookie(self, method: str, headers: Headers) -> None:
        """Raise unless a request with a session's cookie comes from a page of this server, by its browser's headers.

        Writes need such a header; reads must not have a different one. `*` in the setting `origins` does not count
        here.
        """
        origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site", b"")
        if origin is not None:
            is_own = self._is_own_origin(origin, headers)
        elif method in ("GET", "HEAD"):
            is_own = True  # SameSite=Strict keeps it from other sites, and without CORS no page reads the answer
        else:
            is_own = site == b"same-origin"
        if not is_own:
            raise ForeignSite(
                "A page of another site may not use this session.",
                hint="Send an API key instead of the cookie, or name the page's origin in the setting `origins`.",
            )

    def check_sign_in(self, headers: Headers) -> None:
        """Raise if a page of another site wants to sign somebody in here."""
        if headers.get(b"origin") is not None or headers.get(b"sec-fetch-site", b"") not in _OWN:
            self.check_cookie("POST", headers)

    def _is_own_host(self, host: bytes) -> bool:
        name = _name_of(host.decode("latin-1").strip().lower())
        if name == "" or _ANY in self._hosts or name in self._hosts or name.endswith(".localhost"):
            return True
        if any(known.startswith("*.") and name.endswith(known[1:]) for known in self._hosts):
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True

    def _is_own_page(self, method: str, origin: bytes | None, site: bytes, headers: Headers) -> bool:
        if _ANY in self._origins:
            return True
        if origin is not None:
            return self._is_own_origin(origin, headers)
        # A link that somebody followed shows the answer to that person, and to no page.
        is_followed = headers.get(b"sec-fetch-mode") == b"navigate" and headers.get(b"sec-fetch-dest") == b"document"
        return site in _OWN or (method in ("GET", "HEAD") and is_followed)

    def _is_own_origin(self, origin: bytes, headers: Headers) -> bool:
        origin_text = origin.decode("latin-1").strip().lower()
        own = headers.get(b"host", b"").decode("latin-1").strip().lower()
        return origin_text in self._origins - {_ANY} or origin_text in (f"http://{own}", f"https://{own}")


def _words(text: str) -> set[str]:
    return {word.strip().lower().rstrip("/") for word in text.split(",") if word.strip()}


def _name_of(host: str) -> str:
    """The name without the port.

    >>> [_name_of(host) for host in ("localhost:8580", "[::1]:8580", "::1", "example.com.")]
    ['localhost', '::1', '::1', 'example.com']
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host if host.count(":") > 1 else host.partition(":")[0].rstrip(".")
