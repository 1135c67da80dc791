"""Declares routes of Marquez' API, which refuse in Marquez' words where Headwater has no reason of its own."""

from __future__ import annotations

from functools import partial

from headwater.api.declare import ErrorAnswer, declare
from headwater.api.marquez.records import MarquezError, MarquezErrors

__all__ = ["describe"]

describe = partial(declare, refusals=(MarquezError, MarquezErrors, ErrorAnswer, str), group="Marquez")
