"""The version of the definitions of derived rows: rows of another version are computed again."""

from __future__ import annotations

import hashlib
import inspect
from functools import cache

from headwater import __version__
from headwater.graph import derived
from headwater.graph.current import run_around
from headwater.graph.rollup import rollup, summarize, totals, usage
from headwater.pipeline.rollup import affected_runs, changed_keys, changes

__all__ = ["definitions"]

_MODULES = (derived, run_around, rollup, summarize, totals, usage, affected_runs, changed_keys, changes)


@cache
def definitions() -> str:
    """Digest of the source code that defines derived rows."""
    try:
        text = "".join(map(inspect.getsource, _MODULES))
    except OSError:  # an installation without sources
        text = __version__
    return hashlib.sha256(text.encode()).hexdigest()[:32]
