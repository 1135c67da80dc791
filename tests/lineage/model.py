"""A plain model of the graph in time: it keeps every event and works out each moment from all of them.

Deliberately nothing of what the program does: no shapes, no facts, no look-ups. Whole runs are kept in memory. Data
flows from what one run read to what it wrote; at a moment, what fed a dataset is what the newest run did that wrote it.
A dataset that was dropped is gone until it is created or written again. Symlinked names are one dataset, and so are an
old name and a new one, until the old one is created again. What a failed run said to change was not changed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace

from headwater.openlineage.naming import dataset_name

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
    renames: tuple[tuple[str, str], ...] = ()
    """(old name, new name)."""
    links: tuple[tuple[str, str], ...] = ()
    """(input or output, the table that it is a symlink of)."""
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
        event["inputs"] = [{"namespace": PLACE, "name": name, "facets": self._links(name)} for name in self.inputs]
        changed = (*self.drops, *self.creates, *(new for _, new in self.renames))
        event["outputs"] = [self._output(name) for name in (*self.outputs, *changed)]
        return json.dumps(event).encode()

    def _links(self, name: str) -> dict:
        others = [{"namespace": PLACE, "name": other, "type": "TABLE"} for one, other in self.links if one == name]
        return {"symlinks": {"identifiers": others}} if others else {}

    def _output(self, name: str) -> dict:
        facets: dict = self._links(name)
        old = next((old for old, new in self.renames if new == name), None)
        if old is not None:
            previous = {"namespace": PLACE, "name": old}
            facets["lifecycleStateChange"] = {"lifecycleStateChange": "RENAME", "previousIdentifier": previous}
        elif name in self.drops:
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
        return bool(self.inputs or self.outputs or self.drops or self.creates or self.renames)

    def named_by(self, shown: dict[str, str]) -> Said:
        """The same, each dataset by the name it is shown under."""

        def names(listed: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(shown.get(name, name) for name in listed)

        return replace(
            self,
            inputs=names(self.inputs),
            outputs=names(self.outputs),
            drops=names(self.drops),
            creates=names(self.creates),
            renames=tuple((shown.get(old, old), shown.get(new, new)) for old, new in self.renames),
            subject=None if self.subject is None else shown.get(self.subject, self.subject),
        )


def run_id(job: str, run: int) -> str:
    return f"0190c0de-0000-7000-8000-{ord(job[-1]):06x}{run:06d}"


@dataclass
class Moment:
    """The graph at one moment, or of all time."""

    nodes: set[str] = field(default_factory=set)
    flows: set[tuple[str, str, str]] = field(default_factory=set)
    """(source, job, target)."""
    writes: set[tuple[str, str]] = field(default_factory=set)
    """(job, target), also of what is made from nothing."""
    reads: set[tuple[str, str]] = field(default_factory=set)
    """(source, job), also of what is made into nothing."""
    stated: set[tuple[str, str]] = field(default_factory=set)
    """(source, target) of dataset events."""
    columns: dict[tuple[str, str, str], set[tuple[str, str, bool]]] = field(default_factory=dict)
    """By job, source and target."""
    shown: dict[str, str] = field(default_factory=dict)
    """By name of a dataset with several, the one it is shown under."""

    @property
    def edges(self) -> set[tuple[str, str]]:
        into = {(source, job) for source, job, _ in self.flows}
        return into | {(job, target) for _, job, target in self.flows} | self.writes | self.reads | self.stated

    def lineage(self, start: str) -> tuple[set[str], set[tuple[str, str]]]:
        """All that is up- and downstream of a dataset: a walk leaves a job only towards what belongs to its way in."""
        name = start.rpartition(":")[2]
        start = dataset(self.shown.get(name, name))
        nodes, edges = {start}, set()
        for down in (True, False):
            seen, waiting = {(start, "")}, [(start, "")]
            while waiting:
                node, behalf = waiting.pop()
                for other in self._next(node, behalf, down):
                    edges.add((node, other[0]) if down else (other[0], node))
                    if other not in seen:
                        seen.add(other)
                        waiting.append(other)
            nodes |= {node for node, _ in seen}
        return nodes, edges

    def _next(self, node: str, behalf: str, down: bool) -> set[tuple[str, str]]:
        if behalf:
            return {
                (target if down else source, "")
                for source, job, target in self.flows
                if job == node and behalf == (source if down else target)
            }
        if down:
            found = {job for source, job in self.reads if source == node}
            found |= {job for source, job, _ in self.flows if source == node}
            direct = {target for source, target in self.stated if source == node}
        else:
            found = {job for job, target in self.writes if target == node}
            direct = {source for source, target in self.stated if target == node}
        return {(job, node) for job in found} | {(other, "") for other in direct}


def moment_of(events: list[Said], second: int | None, links_until: int | None = None) -> Moment:
    """The graph at the end of a second: what fed a dataset is what the newest run did that wrote it. None: of all time."""
    shown = names_at(events, second, second if links_until is None else links_until)
    past = [event.named_by(shown) for event in events if second is None or event.second <= second]
    past.sort(key=lambda event: event.second)
    moment = Moment(shown=shown)
    for job in sorted({event.job for event in past if event.subject is None}):
        _add_job(moment, past, job, at_moment=second is not None)
    for subject in sorted({event.subject for event in past if event.subject is not None}):
        newest = [event for event in past if event.subject == subject][-1]
        moment.stated |= {(dataset(name), dataset(subject)) for name in newest.inputs}
    for event in past:
        renamed = {name for pair in event.renames for name in pair}
        named = {*event.inputs, *event.outputs, *event.drops, *event.creates} | renamed
        moment.nodes |= {dataset(name) for name in named | ({event.subject} if event.subject else set())}
        moment.nodes |= {f"job:etl:{event.job}"} if event.subject is None else set()
    if second is not None:
        _without_dropped(moment, {dataset(name) for name in _dropped(past, _failed(events))})
    return moment


def names_at(events: list[Said], second: int | None, links_until: int | None) -> dict[str, str]:
    """By name, the one under which a dataset is shown that has several at the end of a second."""
    failed = _failed(events)
    past = [event for event in events if second is None or event.second <= second]
    linking = [event for event in events if links_until is None or event.second <= links_until]
    links = {link for event in linking for link in event.links if link[0] in (*event.inputs, *event.outputs)}
    tables = {table for _, table in links}
    created: dict[str, int] = {}
    renamed: dict[tuple[str, str], int] = {}
    for event in sorted(past, key=lambda event: event.second):
        if (event.job, event.run) not in failed:
            created |= dict.fromkeys(event.creates, event.second)
            renamed |= dict.fromkeys(event.renames, event.second)
    renames = {pair for pair, at in renamed.items() if created.get(pair[0], at) <= at and pair[0] != pair[1]}
    groups: dict[str, set[str]] = defaultdict(set)
    for one, other in links | renames:
        group = groups[one] | groups[other] | {one, other}
        groups |= dict.fromkeys(group, group)
    found = {}
    for name, group in groups.items():
        current = group - {old for old, _ in renames} or group
        found[name] = min(current & tables or current, key=lambda name: dataset_name(PLACE, name).id)
    return found


def _failed(events: list[Said]) -> set[tuple[str, int | None]]:
    return {(event.job, event.run) for event in events if event.kind == "FAIL"}


def _add_job(moment: Moment, past: list[Said], job: str, *, at_moment: bool) -> None:
    node = f"job:etl:{job}"
    own = [event for event in past if event.job == job and event.subject is None]
    declared = [event for event in own if event.run is None][-1:]
    runs: dict[int, list[Said]] = {}
    for event in own:
        if event.run is not None:
            runs.setdefault(event.run, []).append(event)
    everything_read = {
        name for said in (runs.values() if not at_moment else [_newest_run(runs)]) for e in said for name in e.inputs
    }
    everything_read |= {name for event in declared for name in event.inputs}
    written = {name for said in runs.values() for event in said for name in _written(event)}
    for name in sorted(written | {name for event in declared for name in _written(event)}):
        counting = _counting(runs, name, at_moment=at_moment)
        sources = {source for said in counting for event in said for source in event.inputs}
        for event in declared:
            if name in _written(event):
                sources |= set(event.inputs) or everything_read
            elif not _written(event):
                sources |= set(event.inputs)
        moment.writes.add((node, dataset(name)))
        moment.flows |= {(dataset(source), node, dataset(name)) for source in sources}
        for said in [*counting, declared]:
            for event in said:
                for source in event.inputs if event.columns and name in event.outputs else ():
                    moment.columns.setdefault((node, dataset(source), dataset(name)), set()).update(event.columns)
    moment.reads |= {(dataset(name), node) for name in everything_read}


def _written(event: Said) -> tuple[str, ...]:
    return (*event.outputs, *event.creates)


def _newest_run(runs: dict[int, list[Said]]) -> list[Said]:
    """The newest run that named data or ended: what the page of a job shows."""
    for said in sorted(runs.values(), key=_began, reverse=True):
        if any(event.named or event.kind in ("COMPLETE", "FAIL", "ABORT") for event in said):
            return said
    return []


def _began(said: list[Said]) -> tuple[int, str]:
    return said[0].second, run_id(said[0].job, said[0].run or 0)


def _counting(runs: dict[int, list[Said]], name: str, *, at_moment: bool) -> list[list[Said]]:
    """The runs that count for a dataset: all that wrote it and did not fail; at a moment the newest of them."""
    wrote = [said for said in runs.values() if any(name in _written(event) for event in said)]
    wrote.sort(key=lambda said: _began([event for event in said if name in _written(event)]), reverse=True)
    sound = [said for said in wrote if not any(event.kind == "FAIL" for event in said)]
    if sound and not at_moment:
        return sound
    candidates = sound or wrote
    settled = [
        said
        for said in candidates
        if any(event.inputs or event.kind in ("COMPLETE", "FAIL", "ABORT") for event in said)
    ]
    return (settled or candidates)[:1]


def _without_dropped(moment: Moment, gone: set[str]) -> None:
    moment.nodes -= gone
    moment.flows = {flow for flow in moment.flows if not gone & set(flow)}
    for edges in (moment.writes, moment.reads, moment.stated):
        edges -= {edge for edge in edges if gone & set(edge)}
    moment.columns = {key: ways for key, ways in moment.columns.items() if not gone & set(key[1:])}


def _dropped(past: list[Said], failed: set[tuple[str, int | None]]) -> set[str | None]:
    gone: set[str | None] = set()
    for event in past:
        if (event.job, event.run) not in failed:
            gone -= {*event.outputs, *event.creates, *(new for _, new in event.renames), event.subject}
            gone |= set(event.drops)
    return gone - {None}


def dataset(name: str) -> str:
    return f"dataset:{PLACE}:{name}"
