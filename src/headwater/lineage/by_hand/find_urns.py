"""Finds ends by DataHub's URNs: the one existing thing of that platform and name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from headwater.errors import HeadwaterError
from headwater.graph.annotations.notes import note_id
from headwater.graph.facts import NodeKind, Note, Shape
from headwater.lineage.by_hand.ends import End, named_end, new_end
from headwater.lineage.by_hand.rules import EndType, type_of_dataset
from headwater.lineage.by_hand.urns import (
    Urn,
    asset_id,
    asset_urn,
    dataset_urn,
    field_urn,
    job_urn,
    platform_of,
    scheme_of,
)
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.errors import BadQuestion
from headwater.lineage.names.find import asset_name
from headwater.openlineage.event import EventKind
from headwater.openlineage.naming import dataset_name, namespace_id
from headwater.store.read.exact_names import nodes_called
from headwater.store.read.lookup import Lookup
from headwater.store.read.names import Name
from headwater.store.read.reader import Reader

__all__ = ["UrnFinder", "types_of", "urn_of"]

_BUCKETS = ("s3", "gcs", "abs")
"""Platforms of which a name begins with a bucket."""
_AT_ONCE = 1000
_ASSETS = (EndType.CHART, EndType.DASHBOARD)


class UrnFinder:
    """Of one tenant."""

    def __init__(self, reader: Reader, tenant: int, env: str) -> None:
        self._reader, self._tenant, self._env = reader, tenant, env
        self._instances: dict[bytes, str] | None = None

    def find(self, urns: Mapping[str, Urn]) -> dict[str, End | HeadwaterError]:
        """The end for each URN."""
        found: dict[str, End | HeadwaterError] = {}
        wanted: dict[NodeKind, dict[str, list[str]]] = {NodeKind.DATASET: {}, NodeKind.JOB: {}}
        for text, urn in urns.items():
            error = self._refusal(urn)
            if error is not None:
                found[text] = error
            else:
                wanted[_kind(urn)][text] = self._candidates(urn)
        named = {
            kind: nodes_called(
                self._tenant, self._reader.engine, kind, {name for names in texts.values() for name in names}
            )
            for kind, texts in wanted.items()
            if texts
        }
        listed: dict[str, list[Name]] = {}
        for kind, texts in wanted.items():
            for text, candidates in texts.items():
                there = [name for called in candidates for name in named[kind].get(called, ())]
                listed[text] = [name for name in there if self._is_meant(urns[text], name)]
        elsewhere = {
            name.id
            for text, names in listed.items()
            for name in names
            if urns[text].type is EndType.JOB and not _is_at(urns[text], name)
        }
        kinds = self._reported_jobs(elsewhere)
        for text, names in listed.items():
            if urns[text].type is EndType.JOB:
                urn = urns[text]
                listed[text] = [it for it in names if _is_at(urn, it) or _may_be_of(urn, kinds.get(it.id))]
        types = types_of(
            self._reader,
            self._tenant,
            {name.id for names in listed.values() for name in names if name.kind is NodeKind.DATASET},
        )
        for text, names in listed.items():
            found[text] = self._chosen(urns[text], names, types)
        return found

    def _refusal(self, urn: Urn) -> BadQuestion | None:
        if urn.type is None:
            hint = "Datasets, columns, charts, dashboards and jobs are."
            return BadQuestion(f"{urn.text} is no end of an edge.", hint=hint)
        if urn.env and urn.env.upper() != self._env.upper():
            return BadQuestion(
                f"{urn.text} is of the environment {urn.env}; this server has {self._env}.",
                hint="The setting `datahub_env` names the environment.",
            )
        return None

    def _candidates(self, urn: Urn) -> list[str]:
        """Names that it may have here."""
        if urn.type is EndType.JOB:
            return list(dict.fromkeys((f"{urn.name}.{urn.job}", *([urn.job] if urn.job == urn.name else []))))
        if urn.type in _ASSETS:
            kind = EndType(urn.type)
            return [asset_name(kind.value, urn.name), urn.name]
        instances = {f"{text}." for text in self._external_ids().values() if text}
        rest = [urn.name[len(start) :] for start in instances if urn.name.startswith(start)]
        bucket, _, path = urn.name.partition("/")
        of_bucket = dataset_name(f"{scheme_of(urn.platform)}://{bucket}", path).name if path else ""
        return [name for name in dict.fromkeys((urn.name, *rest, of_bucket)) if name]

    def _is_meant(self, urn: Urn, name: Name) -> bool:
        if urn.type is EndType.JOB:
            return True
        platform = platform_of(name.namespace)
        if urn.platform not in (platform, name.namespace):
            return False
        if urn.type in _ASSETS:
            return True
        return urn.name in (self.full_name(name.namespace, name.name), name.name)

    def full_name(self, namespace: str, name: str) -> str:
        """A dataset's name as DataHub has it: with the instance before it, or the bucket."""
        instance = self._external_ids().get(namespace_id(namespace))
        if instance:
            return f"{instance}.{name}"
        bucket = namespace.partition("://")[2]
        return f"{bucket}/{name.lstrip('/')}" if bucket and platform_of(namespace) in _BUCKETS else name

    def _chosen(self, urn: Urn, names: list[Name], types: Mapping[bytes, str]) -> End | HeadwaterError:
        if urn.type in _ASSETS:
            kind = EndType(urn.type)
            called = asset_name(kind.value, urn.name)
            names = [it for it in names if it.name == called or type_of_dataset(types.get(it.id)) is kind]
        if urn.type is EndType.DATASET or urn.type is EndType.COLUMN:
            exact = [it for it in names if self.full_name(it.namespace, it.name) == urn.name]
            names = exact or names
        if urn.type is EndType.JOB and len(names) > 1:
            names = [it for it in names if _is_at(urn, it)] or names
        if len(names) > 1:
            listed = ", ".join(sorted(name.node_id for name in names)[:8])
            return BadQuestion(f"{urn.text} can mean {listed}.", hint="Use one of these instead.")
        if names:
            type_ = type_of_dataset(types.get(names[0].id))
            is_told = urn.type not in _ASSETS or type_ is urn.type
            known = type_ if urn.column or urn.type is None else urn.type
            return named_end(names[0], known, urn.column, has_information=is_told)
        return self._new(urn)

    def _new(self, urn: Urn) -> End:
        """Where there is none, it is at the location that the platform's name names."""
        if urn.type is EndType.JOB:
            return new_end(EndType.JOB, urn.platform, f"{urn.name}.{urn.job}")
        if urn.type in _ASSETS:
            kind = EndType(urn.type)
            return new_end(kind, urn.platform, asset_name(kind.value, urn.name))
        bucket, _, path = urn.name.partition("/")
        if path and urn.platform in _BUCKETS:
            return new_end(EndType.DATASET, f"{scheme_of(urn.platform)}://{bucket}", path, urn.column)
        return new_end(EndType.DATASET, scheme_of(urn.platform), urn.name, urn.column)

    def _reported_jobs(self, jobs: Collection[bytes]) -> dict[bytes, set[str]]:
        """By job that engines reported, its type; other jobs are left out."""
        found: dict[bytes, set[str]] = {}
        for shape in self._reader.facts(self._tenant, Shape, job=set(jobs)) if jobs else ():
            if shape.job is not None and shape.kind == EventKind.RUN.value:
                found.setdefault(shape.job, set()).add((shape.job_type or "UNKNOWN").upper())
        return found

    def _external_ids(self) -> dict[bytes, str]:
        """By namespace, the external id of its location."""
        if self._instances is None:
            notes = self._reader.facts(self._tenant, Note, note=note_id("external_id"))
            self._instances = {note.about: note.value[1] for note in notes if note.value is not None and note.value[1]}
        return self._instances

    def urn_of(self, end: End) -> str:
        """An end as DataHub names it."""
        return urn_of(self, end, self._env)


def urn_of(finder: UrnFinder, end: End, env: str) -> str:
    if end.type is EndType.JOB:
        return job_urn(end.namespace, end.name, env)
    if end.type in _ASSETS:
        return asset_urn(end.type, platform_of(end.namespace), asset_id(end.type, end.name))
    dataset = dataset_urn(platform_of(end.namespace), finder.full_name(end.namespace, end.name), env)
    return field_urn(dataset, end.column) if end.column else dataset


def types_of(reader: Reader, tenant: int, datasets: Collection[bytes]) -> dict[bytes, str]:
    """The `datasetType` of each of these that has one."""
    found: dict[bytes, str] = {}
    listed = sorted(datasets)
    for start in range(0, len(listed), _AT_ONCE):
        groups = {node: [node] for node in listed[start : start + _AT_ONCE]}
        told = described_of(tenant, Lookup(reader.engine), groups, with_notes=False)
        found |= {node: said.type for node, said in told.items() if said.type}
    return found


def _is_at(urn: Urn, name: Name) -> bool:
    """Whether a job is at a location of the orchestrator's name."""
    return urn.platform in (name.namespace, platform_of(name.namespace))


def _may_be_of(urn: Urn, kinds: Collection[str] | None) -> bool:
    """Whether this orchestrator may run a job, by the job's events; jobs made by hand it does not run."""
    word = urn.platform.upper()
    return kinds is not None and any(kind == "UNKNOWN" or kind.split("_")[0] == word for kind in kinds)


def _kind(urn: Urn) -> NodeKind:
    return NodeKind.JOB if urn.type is EndType.JOB else NodeKind.DATASET
