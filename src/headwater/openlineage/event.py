"""The three kinds of OpenLineage event as records. Facets stay raw bytes until somebody needs one."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Raw, Struct

__all__ = ["NO_FACETS", "Dataset", "Event", "EventKind", "EventWarning", "Facets", "Job"]

Facets = dict[str, Raw]
NO_FACETS: Facets = {}


class EventKind(StrEnum):
    __hash__ = str.__hash__  # that of enumerations takes ten times as long

    RUN = "RUN_EVENT"
    DATASET = "DATASET_EVENT"
    JOB = "JOB_EVENT"


class EventWarning(Struct, frozen=True, gc=False):
    """Something in the event that was set aside; the rest of the event counts."""

    path: str
    message: str


class Job(Struct, frozen=True, gc=False):
    namespace: str
    name: str
    facets: Facets = NO_FACETS


class Dataset(Struct, frozen=True, gc=False):
    namespace: str
    name: str
    facets: Facets = NO_FACETS
    role_facets: Facets = NO_FACETS
    """`inputFacets` of an input, `outputFacets` of an output."""


class Event(Struct, frozen=True, gc=False):
    """One event, decoded down to its facets, with its bytes."""

    kind: EventKind
    time: int
    """Microseconds since 1970, UTC."""
    fingerprint: bytes
    body: bytes
    event_type: str | None = None
    """Upper case; None when the producer sent none."""
    run_id: bytes | None = None
    """The 16 bytes of the run's UUID."""
    run_id_sent: str | None = None
    """The run id as sent, when it was no UUID."""
    run_facets: Facets = NO_FACETS
    job: Job | None = None
    dataset: Dataset | None = None
    inputs: tuple[Dataset, ...] = ()
    outputs: tuple[Dataset, ...] = ()
    producer: str | None = None
    warnings: list[EventWarning] = []
    """Appended to while the event is interpreted."""
    policy_counts: tuple[int, int] = (0, 0)
    """Parts that the facet policy removed, and values that it redacted."""
