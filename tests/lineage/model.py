"""A plain model of the graph in time: it keeps every event and works out each moment from all of them.

Deliberately nothing of what the program does: no shapes, no facts, no look-ups. What a job says is what its newest run
says that by then named data or ended, plus its newest job event; a dataset that was dropped is gone until it is created
or written again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

PLACE = "postgres://db:5432"
BASE = 1_767_225_600_000_000
"""2026-01-01, in microseconds."""


@dataclass(frozen=True)
class Said:
    """One event."""

    second: int
    job: str
    run: int | None
    """None for a job event; a dataset event has no job either."""
    kind: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    creates: tuple[str, ...] = ()
    subject: str | None = None
    columns: tuple[tuple[str, str, bool], ...] = ()
    """(source column, target column, masking) of every input into every output."""
    schema: tuple[str, ...] = ()
    """Columns of every output."""

    def body(self) -> bytes:
        event: dict = {"eventTime": f"2026-01-01T00:{self.second // 60:02d}:{self.second % 60:02d}Z", "producer": "p"}
        if self.subject is not None:
            facet = {
                "lineage": {"inputs": [{"namespace": PLACE, "name": name, "type": "DATASET"} for name in self.inputs]}
            }
            event["dataset"] = {"namespace": PLACE, "name": self.subject, "facets": facet}
            return json.dumps(event).encode()
        event["job"] = {"namespace": "etl", "name": self.job}
        if self.run is not None:
            event |= {"eventType": self.kind, "run": {"runId": run_id(self.job, self.run)}}
        event["inputs"] = [{"namespace": PLACE, "name": name} for name in self.inputs]
        event["outputs"] = [self._output(name) for name in (*self.outputs, *self.drops, *self.creates)]
        return json.dumps(event).encode()

    def _output(self, name: str) -> dict:
        facets: dict = {}
        if name in self.drops:
            facets["lifecycleStateChange"] = {"lifecycleStateChange": "DROP"}
        elif name in self.creates:
            facets["lifecycleStateChange"] = {"lifecycleStateChange": "CREATE"}
        else:
            if self.schema:
                facets["schema"] = {"fields": [{"name": column, "type": "int"} for column in self.schema]}
            if self.columns and self.inputs:
                facets["columnLineage"] = {"fields": self._fields()}
        return {"namespace": PLACE, "name": name, "facets": facets}

    def _fields(self) -> dict:
        fields: dict = {}
        for source, target, masking in self.columns:
            how = [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": masking}]
            listed = fields.setdefault(target, {"inputFields": []})["inputFields"]
            listed += [
                {"namespace": PLACE, "name": name, "field": source, "transformations": how} for name in self.inputs
            ]
        return fields

    @property
    def named(self) -> bool:
        return bool(self.inputs or self.outputs or self.drops or self.creates)


def run_id(job: str, run: int) -> str:
    return f"0190c0de-0000-7000-8000-{ord(job[-1]):06x}{run:06d}"


@dataclass
class Moment:
    nodes: set[str] = field(default_factory=set)
    edges: set[tuple[str, str]] = field(default_factory=set)
    columns: dict[tuple[str, str, str], set[tuple[str, str, bool]]] = field(default_factory=dict)
    """By job, source and target."""


def moment_of(events: list[Said], second: int) -> Moment:
    """The graph at the end of a second."""
    past = sorted((event for event in events if event.second <= second), key=lambda event: event.second)
    moment = Moment()
    for job in sorted({event.job for event in past if event.subject is None}):
        for event in _holding(past, job):
            moment.nodes.add(f"job:etl:{job}")
            outputs = (*event.outputs, *event.drops, *event.creates)
            moment.edges |= {(dataset(name), f"job:etl:{job}") for name in event.inputs}
            moment.edges |= {(f"job:etl:{job}", dataset(name)) for name in outputs}
            for source in event.inputs if event.columns else ():
                for target in event.outputs:
                    key = f"job:etl:{job}", dataset(source), dataset(target)
                    moment.columns.setdefault(key, set()).update(event.columns)
    for subject in sorted({event.subject for event in past if event.subject is not None}):
        newest = [event for event in past if event.subject == subject][-1]
        moment.nodes.add(dataset(subject))
        moment.edges |= {(dataset(name), dataset(subject)) for name in newest.inputs}
    moment.nodes |= {end for edge in moment.edges for end in edge}
    gone = {dataset(name) for name in _dropped(past)}
    moment.nodes -= gone
    moment.edges = {edge for edge in moment.edges if not gone & set(edge)}
    moment.columns = {key: ways for key, ways in moment.columns.items() if not gone & set(key[1:])}
    return moment


def _holding(past: list[Said], job: str) -> list[Said]:
    own = [event for event in past if event.job == job and event.subject is None]
    declared = [event for event in own if event.run is None]
    found = declared[-1:]
    began: dict[int, int] = {}
    for event in own:
        if event.run is not None:
            began.setdefault(event.run, event.second)
    for run in sorted(began, key=lambda run: (began[run], run_id(job, run)), reverse=True):
        said = [event for event in own if event.run == run]
        if any(event.named or event.kind in ("COMPLETE", "FAIL", "ABORT") for event in said):
            return found + said
    return found


def _dropped(past: list[Said]) -> set[str]:
    gone: set[str] = set()
    for event in past:
        gone -= set(event.outputs) | set(event.creates)
        gone |= set(event.drops)
    return gone


def dataset(name: str) -> str:
    return f"dataset:{PLACE}:{name}"
