"""The web page: files built by `make web`, held in memory, with headers for caching and security.

Every path of a page leads to the same file, which draws the view of that path. Files with a digest in their name never
change; the others are revalidated each time, mostly with 304.
"""

from __future__ import annotations

import hashlib
import mimetypes
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "Web", "WebFile", "is_page_path", "load_files"]

FOLDER = Path(__file__).resolve().parent.parent / "web"
_INDEX = "/index.html"
_HASHED = "/assets/"
_PACKED = {".br": b"br", ".gz": b"gzip"}
_NO_PAGES = ("/api/", "/health/", "/assets/", "/metrics", "/openapi.json", "/openlineage/", "/docs")
_CONTENT = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    b"connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class WebFile:
    path: str
    media: bytes
    bodies: dict[bytes, bytes]
    """By encoding; `identity` is always there."""
    digest: str

    def headers(self, encoding: bytes) -> list[tuple[bytes, bytes]]:
        cache = b"public, max-age=31536000, immutable" if self.path.startswith(_HASHED) else b"no-cache"
        headers = [
            (b"content-type", self.media),
            (b"content-security-policy", _CONTENT),
            (b"cache-control", cache),
            (b"etag", self.tag(encoding)),
            (b"vary", b"Accept, Accept-Encoding"),
        ]
        return headers if encoding == b"identity" else [*headers, (b"content-encoding", encoding)]

    def tag(self, encoding: bytes) -> bytes:
        return b'"%s-%s"' % (self.digest.encode(), encoding)

    def encoding_for(self, accepted: bytes) -> bytes:
        """The smallest that the client takes."""
        taken = _encodings(accepted)
        return next((known for known in (b"br", b"gzip") if known in taken and known in self.bodies), b"identity")


class Web:
    """Answers requests for the page and its files."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = load_files(folder)

    @property
    def is_built(self) -> bool:
        return _INDEX in self._files

    def find(self, scope: Any) -> WebFile | None:
        """The file that a request asks for, or None if it is for the API."""
        if scope["method"] not in ("GET", "HEAD"):
            return None
        path = scope["path"]
        file = self._files.get(path)
        if file is not None:
            return file
        if not self.is_built or not is_page_path(path):
            return None
        accepted = dict(scope["headers"]).get(b"accept", b"")
        return self._files[_INDEX] if b"text/html" in accepted else None

    async def answer(self, file: WebFile, scope: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        encoding = file.encoding_for(headers.get(b"accept-encoding", b""))
        known = {tag.strip().removeprefix(b"W/") for tag in headers.get(b"if-none-match", b"").split(b",")}
        answer_headers, body, status = file.headers(encoding), file.bodies[encoding], 200
        if file.tag(encoding) in known or b"*" in known:
            status, body = 304, b""
        else:
            answer_headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": answer_headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def is_page_path(path: str) -> bool:
    """Whether the page draws this path, rather than the API answering it.

    >>> [is_page_path(path) for path in ("/", "/datasets", "/api/v2/datasets", "/metrics", "/docs", "/documents")]
    [True, True, False, False, False, True]
    """
    return not any(
        path == path_prefix.rstrip("/") or path.startswith(path_prefix.rstrip("/") + "/") for path_prefix in _NO_PAGES
    )


def load_files(folder: Path) -> dict[str, WebFile]:
    """Every file of a folder by its path in an URL, with its packed forms."""
    found: dict[str, WebFile] = {}
    if not folder.is_dir():
        return found
    for path_prefix in sorted(folder.rglob("*")):
        if not path_prefix.is_file() or path_prefix.suffix in _PACKED:
            continue
        path, plain = "/" + path_prefix.relative_to(folder).as_posix(), path_prefix.read_bytes()
        packed = {name: path_prefix.with_name(path_prefix.name + end) for end, name in _PACKED.items()}
        bodies = {name: other.read_bytes() for name, other in packed.items() if other.is_file()}
        digest = hashlib.sha256(plain).hexdigest()[:20]
        found[path] = WebFile(path, _media_of(path_prefix.name), {b"identity": plain, **bodies}, digest)
    return found


def _media_of(name: str) -> bytes:
    kind = {".js": "text/javascript", ".svg": "image/svg+xml"}.get(Path(name).suffix) or mimetypes.guess_type(name)[0]
    text = kind is not None and (kind.startswith("text/") or kind.endswith("+xml"))
    return f"{kind or 'application/octet-stream'}{'; charset=utf-8' if text else ''}".encode()


@lru_cache(maxsize=64)
def _encodings(accepted: bytes) -> frozenset[bytes]:
    """Encodings that a client accepts; those with a weight of 0 it does not."""
    taken = set()
    for part in accepted.lower().split(b","):
        name, _, weight = part.partition(b";")
        if weight.strip().replace(b" ", b"") not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000"):
            taken.add(name.strip())
    return frozenset(taken)
