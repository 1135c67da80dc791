"""Schemas of a dataset, and the current one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from headwater.graph.facts import Evidence, Role, ShapeDataset

__all__ = ["SchemaUse", "current_schema", "schema_uses"]


class SchemaUse(Struct, frozen=True):
    """One schema of a dataset, over all jobs that used it."""

    schema: bytes
    first_seen: int | None
    last: bytes
    """Stamp of the newest interaction with it."""
    last_written: bytes
    roles: frozenset[int]


def schema_uses(parts: Iterable[ShapeDataset], evidence: Mapping[bytes, Evidence]) -> list[SchemaUse]:
    """Every schema that an interaction with the dataset had; a mere reference is none."""
    found: dict[bytes, SchemaUse] = {}
    for part in parts:
        if part.schema is None or part.role in (Role.REFERENCE, Role.JOB):
            continue
        own_evidence, known = evidence.get(part.shape), found.get(part.schema)
        last = own_evidence.last or b"" if own_evidence else b""
        times = (own_evidence.first_seen if own_evidence else None, known.first_seen if known else None)
        found[part.schema] = SchemaUse(
            part.schema,
            min((time for time in times if time is not None), default=None),
            max(last, known.last if known else b""),
            max(last if part.role != Role.INPUT else b"", known.last_written if known else b""),
            frozenset({part.role}) | (known.roles if known else frozenset()),
        )
    return sorted(found.values(), key=lambda use: (use.first_seen or 0, use.last, use.schema))


def current_schema(uses: list[SchemaUse]) -> tuple[bytes, str] | None:
    """The current schema: the only one, or that of the latest interaction.

    A writer knows the whole dataset, a reader perhaps only the columns it selected. So with both, the latest write
    decides.
    """
    if not uses:
        return None
    if len(uses) == 1:
        return uses[0].schema, "EXACT_MATCH"
    newest = max(uses, key=lambda use: (use.last_written, use.last, use.schema))
    return newest.schema, "LATEST_KNOWN"
