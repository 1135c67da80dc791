"""Measures of a run per dataset: rows, bytes, files, versions, quality."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.fact import Fact
from headwater.graph.facts import Assertion, Quality, Role, RunDataset
from headwater.openlineage.event import Dataset, Event, EventWarning
from headwater.openlineage.facets import (
    Assertions,
    QualityMetrics,
    Statistics,
    Tests,
    Version,
    read_facet,
    read_members,
)
from headwater.openlineage.identity import digest
from headwater.openlineage.naming import clean

__all__ = ["measure", "measure_tests"]

_LIMIT = 2**63 - 1
_INPUT = Role.INPUT
_ROLES = {role: int(role) for role in Role}
_UNCOUNTED = (None, None, None)
Numbers = tuple[int | None, int | None, int | None]
"""Rows, bytes and files."""
_RARE = frozenset(("version", "subset", "dataQualityAssertions", "dataQualityMetrics"))
"""Measures that only few datasets have."""
NO_DATASET = bytes(16)
"""A run's test without a dataset."""


class ScanMetrics(Struct, frozen=True, gc=False):
    resultDataFiles: int | None = None
    totalFileSizeInBytes: int | None = None


class ScanReport(Struct, frozen=True, gc=False):
    scanMetrics: ScanMetrics | None = None


class CommitMetrics(Struct, frozen=True, gc=False):
    addedRecords: int | None = None
    addedDataFiles: int | None = None
    addedFilesSizeInBytes: int | None = None


class CommitReport(Struct, frozen=True, gc=False):
    commitMetrics: CommitMetrics | None = None


def measure(
    tenant: int, event: Event, run: bytes, dataset: Dataset, name: bytes, role: Role, index: int, stamp: bytes
) -> list[Fact]:
    """All that this event measured on one of its inputs or outputs."""
    facets, role_facets = dataset.facets, dataset.role_facets
    numbers = _statistics(role_facets, role, index, event.warnings) if role_facets else None
    if _RARE.isdisjoint(facets) and _RARE.isdisjoint(role_facets):
        return [RunDataset(tenant, run, name, _ROLES[role], *numbers)] if numbers else []
    return _measure_more(tenant, event, run, dataset, name, role, _path(role, index), stamp, numbers)


def _measure_more(
    tenant: int,
    event: Event,
    run: bytes,
    dataset: Dataset,
    name: bytes,
    role: Role,
    path: str,
    stamp: bytes,
    numbers: Numbers | None,
) -> list[Fact]:
    facts: list[Fact] = []
    facets, role_facets, warnings = dataset.facets, dataset.role_facets, event.warnings
    version = read_facet(Version, facets, "version", f"{path}.facets", warnings) if "version" in facets else None
    stated = version.datasetVersion if version else None
    subset = _subset(role_facets, path, warnings) if "subset" in role_facets else None
    if numbers or stated or subset:
        latest_version = (stamp, clean(stated)) if stated else None
        latest_subset = (stamp, subset) if subset else None
        facts.append(
            RunDataset(tenant, run, name, _ROLES[role], *(numbers or _UNCOUNTED), latest_version, latest_subset)
        )
    for source in (facets, role_facets):
        if "dataQualityAssertions" in source:
            facts += _assertions(tenant, event, run, source, name, path, stamp)
        if "dataQualityMetrics" in source:
            facts += _quality(tenant, event, run, source, name, path, stamp)
    return facts


def measure_tests(tenant: int, event: Event, run: bytes, stamp: bytes) -> list[Fact]:
    """The `test` run facet: checks that name no dataset."""
    facet = read_facet(Tests, event.run_facets, "test", "$.run.facets", event.warnings)
    facts: list[Fact] = []
    for test in (facet.tests or ()) if facet else ():
        failed = {"pass": 0, "fail": 1}.get((test.status or "").lower())
        details = {"type": test.type, "description": test.description, "expected": test.expected}
        details |= {"actual": test.actual, "content": test.content, "params": test.params}
        key = digest("assertion", clean(test.name), "")
        facts.append(
            Assertion(
                tenant,
                run,
                NO_DATASET,
                key,
                name=clean(test.name),
                severity=test.severity and clean(test.severity),
                failed=(stamp, failed) if failed is not None else None,
                details=_json(stamp, details),
            )
        )
    return facts


def _count(number: int | None) -> int | None:
    """Agents send -1 and the greatest number there is for "unknown"."""
    return number if number is not None and 0 <= number < _LIMIT else None


@lru_cache(maxsize=1024)
def _path(role: Role, index: int) -> str:
    return f"$.{'inputs' if role is _INPUT else 'outputs'}[{index}]"


@lru_cache(maxsize=1024)
def _slot(role: Role, index: int) -> str:
    return f"{_path(role, index)}.{'input' if role is _INPUT else 'output'}Facets"


def _statistics(facets: dict[str, msgspec.Raw], role: Role, index: int, warnings: list[EventWarning]) -> Numbers | None:
    slot, name = _slot(role, index), "inputStatistics" if role is _INPUT else "outputStatistics"
    rows = size = files = None
    sent = read_facet(Statistics, facets, name, slot, warnings)
    if sent is not None:
        rows, size, files = _count(sent.rowCount), _count(sent.size), _count(sent.fileCount)
    if role is _INPUT and "icebergScanReport" in facets:
        scan = read_facet(ScanReport, facets, "icebergScanReport", slot, warnings)
        if scan and scan.scanMetrics:
            size = size if size is not None else _count(scan.scanMetrics.totalFileSizeInBytes)
            files = files if files is not None else _count(scan.scanMetrics.resultDataFiles)
    elif "icebergCommitReport" in facets:
        commit = read_facet(CommitReport, facets, "icebergCommitReport", slot, warnings)
        if commit and commit.commitMetrics:
            rows = rows if rows is not None else _count(commit.commitMetrics.addedRecords)
            size = size if size is not None else _count(commit.commitMetrics.addedFilesSizeInBytes)
            files = files if files is not None else _count(commit.commitMetrics.addedDataFiles)
    return None if rows is None and size is None and files is None else (rows, size, files)


def _subset(facets: dict[str, msgspec.Raw], path: str, warnings: list[EventWarning]) -> str | None:
    members = read_members(facets, "subset", path, warnings)
    return msgspec.json.encode(members, order="deterministic").decode() if members else None


def _assertions(
    tenant: int, event: Event, run: bytes, facets: dict[str, msgspec.Raw], name: bytes, path: str, stamp: bytes
) -> list[Fact]:
    facet = read_facet(Assertions, facets, "dataQualityAssertions", path, event.warnings)
    facts: list[Fact] = []
    for item in (facet.assertions or ()) if facet else ():
        title, column = clean(item.name or item.assertion or ""), clean(item.column or "")
        if not title:
            continue
        details = {
            "assertion": item.assertion,
            "name": item.name,
            "description": item.description,
            "expected": item.expected,
        }
        details |= {"actual": item.actual, "content": item.content, "params": item.params}
        facts.append(
            Assertion(
                tenant,
                run,
                name,
                digest("assertion", title, column),
                name=title,
                column=column or None,
                severity=item.severity and clean(item.severity),
                failed=(stamp, int(not item.success)) if item.success is not None else None,
                details=_json(stamp, details),
            )
        )
    return facts


def _quality(
    tenant: int, event: Event, run: bytes, facets: dict[str, msgspec.Raw], name: bytes, path: str, stamp: bytes
) -> list[Fact]:
    facet = read_facet(QualityMetrics, facets, "dataQualityMetrics", path, event.warnings)
    if facet is None:
        return []
    rows, size = _count(facet.rowCount), _count(facet.bytes)
    columns = {key: value for key, value in (facet.columnMetrics or {}).items() if value}
    return [
        Quality(
            tenant,
            run,
            name,
            rows=(stamp, rows) if rows is not None else None,
            bytes=(stamp, size) if size is not None else None,
            columns=_json(stamp, columns),
        )
    ]


def _json(stamp: bytes, members: dict[str, Any]) -> tuple[bytes, str] | None:
    present = {key: value for key, value in members.items() if value is not None}
    return (stamp, clean(msgspec.json.encode(present, order="deterministic").decode())) if present else None
