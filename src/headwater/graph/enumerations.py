"""Enumerations of the facts: kinds of nodes, roles, status of runs, output types."""

from __future__ import annotations

from enum import IntEnum, IntFlag

__all__ = [
    "Activity",
    "NodeKind",
    "OutputType",
    "Role",
    "RunStatus",
    "Seen",
    "Sides",
]


class NodeKind(IntEnum):
    DATASET = 1
    JOB = 2


class Seen(IntFlag):
    """How a node was met. A dataset that was only ever a reference was never an input or output of any event."""

    REFERENCE = 1
    INPUT = 2
    OUTPUT = 4
    SUBJECT = 8
    """A dataset or job event was about it, or it ran."""
    SYMLINK = 16


class Role(IntEnum):
    """Role of a dataset in a shape."""

    __hash__ = int.__hash__  # that of enumerations takes ten times as long

    INPUT = 1
    OUTPUT = 2
    SUBJECT = 3
    REFERENCE = 4
    """Named as the source of a column, though not among the event's inputs."""
    JOB = 5
    """No dataset but a job, which a `lineage` facet names as source or target."""


class Sides(IntFlag):
    """Which ends of a data flow a shape names."""

    READS = 1
    """It has an input."""
    WRITES = 2
    """It has an output that is written, and not only dropped, altered, truncated or renamed."""


class RunStatus(IntEnum):
    """Numbered by precedence: an agent may send COMPLETE after FAIL, or START last."""

    UNKNOWN = 0
    STARTED = 1
    SUCCEEDED = 2
    KILLED = 3
    FAILED = 4


class Activity(IntFlag):
    """A run of a job, an operation inside such a run, or (an Airflow task, a Flink job) both."""

    RUN = 1
    OPERATION = 2


class OutputType(IntFlag):
    APPEND = 1
    CREATE = 2
    ALTER = 4
    RENAME = 8
    OVERWRITE = 16
    DROP = 32
    TRUNCATE = 64
    DELETE = 128
    UPDATE = 256
    MERGE = 512
