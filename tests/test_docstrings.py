"""Examples in docstrings run, and give what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"


def modules() -> list[str]:
    """Modules with an example."""
    files = (path for path in SOURCE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))
    return sorted(".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__") for path in files)


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert (failed, tried > 0) == (0, True)
