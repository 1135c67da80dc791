"""Records of tasks, as they are planned, claimed and settled."""

from __future__ import annotations

from enum import IntEnum, StrEnum

from msgspec import Struct

__all__ = ["LONGEST_ERROR", "NewTask", "NoteKind", "TaskNote", "TaskOutcome", "TaskState", "Work"]

LONGEST_ERROR = 1024
"""Characters of an error's text that are kept."""


class TaskState(StrEnum):
    """State of a task. Also of an attempt (all but PENDING and DEAD), and of a batch (RUNNING, SUCCEEDED, FAILED)."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    """Waits for its next attempt."""
    DEAD = "DEAD"
    """Had its last attempt; a person may reset it."""
    CANCELED = "CANCELED"


class NoteKind(IntEnum):
    """Kind of a note."""

    ASSET = 1
    """A node of the asset graph that is new, or whose properties changed; named by its key in `asset_node`."""


class TaskNote(Struct, frozen=True):
    """Something new from which tasks may follow."""

    kind: int
    node: bytes


class NewTask(Struct, frozen=True):
    """A task to be created, unless there is one with the same type, resource, content and model."""

    task_type: str
    """EMBEDDING or SQL_SUMMARY; at most 32 characters."""
    resource_type: str
    """Label of the node, such as Table or SQL; at most 32 characters."""
    resource_id: str
    """At most 128 characters; for a node the hexadecimal form of its key."""
    content_hash: str
    """Of exactly the text that is embedded or summarised; at most 64 characters."""
    fingerprint: str
    """Of the model, with the versions of prompt and template; at most 256 characters."""
    priority: int = 100
    """Lower ones come first."""


class Work(Struct, frozen=True):
    """One claimed task, as a handler sees it."""

    task: int
    resource_type: str
    resource_id: str
    content_hash: str
    attempt: int = 1
    """Number of this attempt, from 1."""


class TaskOutcome(Struct, frozen=True):
    """Result of one piece of work."""

    task: int
    ok: bool
    error_type: str = ""
    """A stable word, at most 128 characters."""
    error: str = ""
    """Cut at 1,024 characters; holds neither bodies nor secrets."""
    result: object | None = None
    """Stored by the handler's `write` in the transaction that makes the task SUCCEEDED."""
    is_needless: bool = False
    """The node is gone, or says something else by now: the task is removed, and made again if it says this again."""
