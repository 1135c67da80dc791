"""Numbers that are in databases: one that changes gives all that was written before another meaning."""

from __future__ import annotations

from enum import IntEnum, IntFlag

import pytest

from headwater.graph.facts import Activity, NodeKind, OutputType, Role, RunStatus, Seen
from headwater.graph.search.documents import DocumentKind, SearchField

STORED: dict[type[IntEnum | IntFlag], list[tuple[int, str]]] = {
    Activity: [(1, "RUN"), (2, "OPERATION")],
    NodeKind: [(1, "DATASET"), (2, "JOB")],
    Role: [(1, "INPUT"), (2, "OUTPUT"), (3, "SUBJECT"), (4, "REFERENCE"), (5, "JOB")],
    RunStatus: [(0, "UNKNOWN"), (1, "STARTED"), (2, "SUCCEEDED"), (3, "KILLED"), (4, "FAILED")],
    Seen: [(1, "REFERENCE"), (2, "INPUT"), (4, "OUTPUT"), (8, "SUBJECT"), (16, "SYMLINK")],
    DocumentKind: [(1, "DATASET"), (2, "JOB"), (3, "SQL"), (4, "LOCATION")],
    SearchField: [(1, "NAME"), (2, "COLUMN"), (4, "DESCRIPTION"), (8, "TAG"), (16, "OWNER"), (32, "SQL")],
    OutputType: [
        (1, "APPEND"),
        (2, "CREATE"),
        (4, "ALTER"),
        (8, "RENAME"),
        (16, "OVERWRITE"),
        (32, "DROP"),
        (64, "TRUNCATE"),
        (128, "DELETE"),
        (256, "UPDATE"),
        (512, "MERGE"),
    ],
}


@pytest.mark.parametrize("kind", STORED, ids=lambda kind: kind.__name__)
def test_what_a_number_means_stays(kind: type[IntEnum | IntFlag]) -> None:
    assert [(number, kind(number).name) for number, _ in STORED[kind]] == STORED[kind]
    if issubclass(kind, IntFlag):
        assert all(int(member).bit_count() == 1 for member in kind)
