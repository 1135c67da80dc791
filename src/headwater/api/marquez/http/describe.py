"""Declares routes of Marquez' API, which refuse in Marquez' words where Headwater has no reason of its own."""

from __future__ import annotations

from functools import partial

from headwater.api.marquez.http.records import MarquezError, MarquezErrors
from headwater.api.openapi.declare import ErrorAnswer, declare

__all__ = ["describe"]

describe = partial(declare, refusals=(MarquezError, MarquezErrors, ErrorAnswer, str), group="Marquez")
