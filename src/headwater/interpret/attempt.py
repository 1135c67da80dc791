"""Interpretation that never fails: an event is kept even if it cannot be interpreted."""

from __future__ import annotations

from collections.abc import Callable

from headwater.bounded_cache import BoundedCache
from headwater.interpret.describe import Description
from headwater.interpret.interpret import Interpretation, interpret
from headwater.openlineage.event import Event, EventWarning

__all__ = ["attempt"]


def attempt(
    event: Event, tenant: int, cache: BoundedCache[Description], on_failure: Callable[[Event, Exception], None]
) -> Interpretation | None:
    """Facts of an event; None, and a warning on the event, after a defect in Headwater."""
    try:
        return interpret(event, tenant, cache)
    except Exception as error:  # noqa: BLE001 - a defect here must not lose the event
        on_failure(event, error)
        event.warnings.append(EventWarning("$", "kept, but not interpreted: a defect of Headwater"))
        return None
