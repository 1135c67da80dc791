"""Threads for work on large bodies, apart from those that query the database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

__all__ = ["in_large_event_thread"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
_threads = ThreadPoolExecutor(2, "headwater-large")
"""Few: however many large events come, small ones and everybody's keys do not wait for them."""


async def in_large_event_thread(work: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T:
    return await asyncio.get_running_loop().run_in_executor(_threads, partial(work, *arguments, **options))
