"""Intervals and bounds of workers."""

from __future__ import annotations

from msgspec import Struct

from headwater.settings import Settings, seconds_of
from headwater.tasks.schedule import DELAYS

__all__ = ["WorkerOptions", "options_of"]


class WorkerOptions(Struct, frozen=True, kw_only=True):
    """Times are seconds."""

    threads: int = 4
    """Batches that run at once."""
    lease: float = 120.0
    """How long a worker has a task without a word; renewed in thirds."""
    longest_batch: float = 900.0
    """After this the leases of a batch are renewed no more."""
    poll: float = 1.0
    """Time between two reads of the tables for tasks that nobody pushed."""
    delays: tuple[float, ...] = DELAYS
    """Before each further attempt."""
    channel: int = 10_000
    """Tasks that wait in memory."""
    channel_of_tenant: int = 2_000
    notes: int = 256
    """Notes that are planned together."""
    recovered: int = 500
    """Due tasks that one transaction makes wait again."""
    history: float = 30 * 86_400.0
    """How long batches are kept, and attempts of tasks that succeeded."""
    follows_assets: bool = False
    """Whether to bring the asset graph up to date first, where no server does so."""


def options_of(settings: Settings, *, follows_assets: bool = False) -> WorkerOptions:
    """Options from the settings."""
    return WorkerOptions(
        threads=settings.task_threads,
        lease=settings.task_lease_seconds,
        poll=settings.task_poll_seconds,
        delays=seconds_of(settings.task_retry_seconds),
        follows_assets=follows_assets,
    )
