"""A server that is asked instead of a data folder: one small HTTP client for all commands, on the standard library."""

from __future__ import annotations

import json
import os
from typing import Any

from headwater.errors import HeadwaterError

__all__ = ["ServerError", "ask_server", "get_json", "server_of"]

_SECONDS = 60


class ServerError(HeadwaterError):
    code = "server_error"
    errors: tuple[dict[str, Any], ...] = ()
    """All errors, if the server gave several; of very many the first ones."""
    errors_total: int = 0

    @classmethod
    def told(cls, said: dict[str, Any], *, otherwise: str, hint: str | None = None) -> ServerError:
        """The error of a server's answer, with its own message where it has one."""
        found = cls(said.get("message") or otherwise, path=said.get("path"), hint=said.get("hint") or hint)
        errors = said.get("errors")
        found.errors = tuple(item for item in errors if isinstance(item, dict)) if isinstance(errors, list) else ()
        total = said.get("errors_total")
        found.errors_total = total if isinstance(total, int) else len(found.errors)
        return found


def server_of(url: str | None, data: str | None) -> str | None:
    """The server to ask: the one named, else, unless a folder is named, the one of the environment."""
    return url or (os.environ.get("HEADWATER_URL") if data is None else None)


def get_json(url: str, path: str, parameters: dict[str, Any] | None = None) -> Any:
    """The answer of a server as JSON. Parameters that are None are left out; a list is sent as several values."""
    with ask_server(url, path, parameters or {}) as answer:
        try:
            return json.load(answer)
        except ValueError:
            raise ServerError(f"{url}{path} did not answer with JSON.", hint="Is this a Headwater server?") from None


def ask_server(url: str, path: str, parameters: dict[str, Any], method: str = "GET", body: bytes | None = None) -> Any:
    """Ask a server; gives the open response, to be read as a stream. The key is that of HEADWATER_API_KEY."""
    from urllib.error import HTTPError, URLError
    from urllib.parse import urlencode
    from urllib.request import Request, urlopen

    if not url.startswith(("http://", "https://")):
        raise ServerError(f"{url!r} is not the address of a server.", hint="For example http://127.0.0.1:8580.")
    query = urlencode({name: value for name, value in parameters.items() if value is not None}, doseq=True)
    address = f"{url.rstrip('/')}{path}" + (f"?{query}" if query else "")
    request = Request(address, body, method=method)  # noqa: S310 - checked above
    key = os.environ.get("HEADWATER_API_KEY")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    try:
        return urlopen(request, timeout=_SECONDS)  # noqa: S310
    except HTTPError as error:
        raise _refusal(error.code, error.read()) from None
    except (URLError, TimeoutError, OSError) as error:
        reason = getattr(error, "reason", error)
        raise ServerError(f"{url} does not answer: {reason}.", hint="Is `headwater up` running there?") from None


def _refusal(status: int, body: bytes) -> ServerError:
    """The error of the server's answer, with its own message where it has one."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = {}
    members = answer if isinstance(answer, dict) else {}
    hint = "Set HEADWATER_API_KEY to a key that may ask this." if status in (401, 403) else None
    return ServerError.told(members, otherwise=f"The server answered {status}.", hint=hint)
