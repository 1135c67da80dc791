"""Writes aspects for DataHub's clients: edges by hand and information, in DataHub's form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from headwater.graph.current.hand_edges import EdgeByHand
from headwater.graph.current.window import ALWAYS
from headwater.lineage.by_hand.ends import End, named_end
from headwater.lineage.by_hand.find_urns import UrnFinder, types_of
from headwater.lineage.by_hand.information import information_of
from headwater.lineage.by_hand.rules import EndType, type_of_dataset
from headwater.lineage.by_hand.urns import Urn, user_urn
from headwater.openlineage.times import parse_time
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.hand_edges import HandEdges

__all__ = ["aspect_of"]

_NAMES = {
    "datasetKey": "com.linkedin.metadata.key.DatasetKey",
    "chartKey": "com.linkedin.metadata.key.ChartKey",
    "dashboardKey": "com.linkedin.metadata.key.DashboardKey",
    "dataJobKey": "com.linkedin.metadata.key.DataJobKey",
    "dataFlowKey": "com.linkedin.metadata.key.DataFlowKey",
    "upstreamLineage": "com.linkedin.dataset.UpstreamLineage",
    "datasetProperties": "com.linkedin.dataset.DatasetProperties",
    "chartInfo": "com.linkedin.chart.ChartInfo",
    "dashboardInfo": "com.linkedin.dashboard.DashboardInfo",
    "dataJobInputOutput": "com.linkedin.datajob.DataJobInputOutput",
    "dataJobInfo": "com.linkedin.datajob.DataJobInfo",
    "dataFlowInfo": "com.linkedin.datajob.DataFlowInfo",
}
"""In DataHub's model, each with its full name."""
_NOBODY = {"time": 0, "actor": user_urn("unknown")}


def aspect_of(reader: Reader, tenant: int, urn: Urn, end: End | None, aspect: str, env: str) -> dict[str, Any] | None:
    """An aspect by its full name; None if there is none. A thing that does not exist has no end."""
    if aspect not in _NAMES or end is None or not end.exists:
        return None
    is_key = aspect.endswith("Key")
    body = _key(urn, aspect) if is_key else _Thing(reader, tenant, urn, end, env).aspect(aspect)
    return None if body is None else {_NAMES[aspect]: body}


def _key(urn: Urn, aspect: str) -> dict[str, Any] | None:
    if aspect == "datasetKey" and urn.entity == "dataset":
        return {"platform": f"urn:li:dataPlatform:{urn.platform}", "name": urn.name, "origin": urn.env}
    if aspect == "chartKey" and urn.entity == "chart":
        return {"dashboardTool": urn.platform, "chartId": urn.name}
    if aspect == "dashboardKey" and urn.entity == "dashboard":
        return {"dashboardTool": urn.platform, "dashboardId": urn.name}
    if aspect == "dataJobKey" and urn.entity == "dataJob":
        return {"flow": f"urn:li:dataFlow:({urn.platform},{urn.name},{urn.env})", "jobId": urn.job}
    if aspect == "dataFlowKey" and urn.entity == "dataFlow":
        return {"orchestrator": urn.platform, "flowId": urn.name, "cluster": urn.env}
    return None


class _Thing:
    """One thing with its edges."""

    def __init__(self, reader: Reader, tenant: int, urn: Urn, end: End, env: str) -> None:
        self._reader, self._tenant, self._urn, self._end = reader, tenant, urn, end
        self._finder = UrnFinder(reader, tenant, env)

    def aspect(self, aspect: str) -> dict[str, Any] | None:
        made: dict[tuple[str, str], Callable[[], dict[str, Any] | None]] = {
            ("dataset", "upstreamLineage"): self._upstream_lineage,
            ("dataset", "datasetProperties"): lambda: self._properties("name", "externalUrl"),
            ("chart", "chartInfo"): self._chart,
            ("dashboard", "dashboardInfo"): self._dashboard,
            ("dataJob", "dataJobInputOutput"): self._job,
            ("dataJob", "dataJobInfo"): self._job_info,
            ("dataFlow", "dataFlowInfo"): lambda: self._properties("name", "externalUrl", self._urn.name),
        }
        make = made.get((self._urn.entity, aspect))
        return make() if make is not None else None

    def _upstream_lineage(self) -> dict[str, Any] | None:
        edges = [(edge, other) for edge, other in self._edges(down=False) if not edge.from_job]
        plain = [(edge, other) for edge, other in edges if not edge.is_of_columns]
        columns = [(edge, other) for edge, other in edges if edge.is_of_columns]
        if not edges:
            return None
        upstreams = []
        for edge, other in plain:
            said = _stamps(edge)
            kind = said["properties"].pop("type", "TRANSFORMED")
            upstreams.append(
                {
                    "dataset": other,
                    "type": kind,
                    "auditStamp": said["lastModified"],
                    "created": said["created"],
                    "properties": said["properties"],
                }
            )
        return {"upstreams": upstreams, "fineGrainedLineages": [self._column(edge, other) for edge, other in columns]}

    def _column(self, edge: EdgeByHand, other: str) -> dict[str, Any]:
        own = msgspec.structs.replace(self._end, column=edge.target_column, type=EndType.COLUMN)
        how = msgspec.json.decode(edge.stated).get("transformation") or {}
        return {
            "upstreamType": "FIELD_SET",
            "upstreams": [other],
            "downstreamType": "FIELD",
            "downstreams": [self._finder.urn_of(own)],
            "transformOperation": how.get("description") or how.get("subtype") or None,
            "confidenceScore": 1.0,
        }

    def _chart(self) -> dict[str, Any] | None:
        if not self._end.has_information:
            return None
        edges = self._edges(down=False)
        return {
            **(self._properties("title", "chartUrl", self._urn.name) or {}),
            "lastModified": {"created": _NOBODY, "lastModified": _NOBODY},
            "inputEdges": [self._edge(edge, other) for edge, other in edges],
            "inputs": [{"string": other} for _, other in edges],
        }

    def _dashboard(self) -> dict[str, Any] | None:
        if not self._end.has_information:
            return None
        edges = self._edges(down=False)
        charts = [(edge, other) for edge, other in edges if other.startswith("urn:li:chart:")]
        datasets = [(edge, other) for edge, other in edges if not other.startswith("urn:li:chart:")]
        return {
            **(self._properties("title", "dashboardUrl", self._urn.name) or {}),
            "lastModified": {"created": _NOBODY, "lastModified": _NOBODY},
            "chartEdges": [self._edge(edge, other) for edge, other in charts],
            "charts": [other for _, other in charts],
            "datasetEdges": [self._edge(edge, other) for edge, other in datasets],
            "datasets": [other for _, other in datasets],
        }

    def _job(self) -> dict[str, Any] | None:
        into, out = self._edges(down=False), [pair for pair in self._edges(down=True) if not pair[0].into_job]
        if not into and not out:
            return None
        jobs = [(edge, other) for edge, other in into if edge.from_job]
        datasets = [(edge, other) for edge, other in into if not edge.from_job]
        return {
            "inputDatasetEdges": [self._edge(edge, other) for edge, other in datasets],
            "inputDatasets": [other for _, other in datasets],
            "inputDatajobEdges": [self._edge(edge, other) for edge, other in jobs],
            "inputDatajobs": [other for _, other in jobs],
            "outputDatasetEdges": [self._edge(edge, other) for edge, other in out],
            "outputDatasets": [other for _, other in out],
        }

    def _job_info(self) -> dict[str, Any] | None:
        return {**(self._properties("name", "externalUrl", self._urn.job) or {}), "type": {"string": "COMMAND"}}

    def _properties(self, title: str, url: str, otherwise: str = "") -> dict[str, Any] | None:
        about = information_of(self._reader, self._tenant, self._end)
        found: dict[str, Any] = {"customProperties": dict(about.properties), "description": about.description}
        named = about.title or otherwise
        return found | {name: text for name, text in ((title, named), (url, about.url)) if text}

    def _edge(self, edge: EdgeByHand, other: str) -> dict[str, Any]:
        return {"sourceUrn": self._urn.text, "destinationUrn": other, **_stamps(edge)}

    def _edges(self, *, down: bool) -> list[tuple[EdgeByHand, str]]:
        """Edges that somebody stated, each with the URN of the other end, in the order in which they were made."""
        aliases = Aliases(self._reader, self._tenant)
        aliases.learn([self._end.id])
        by_hand = HandEdges(self._tenant, Lookup(self._reader.engine), ALWAYS)
        edges = [edge for edge in by_hand.at(aliases.group(self._end.id), down=down) if edge.stated]
        edges.sort(key=lambda edge: (edge.first_seen or 0, edge.edge))
        others = {edge.target if down else edge.source for edge in edges}
        names = self._reader.names(self._tenant, others)
        types = types_of(self._reader, self._tenant, others)
        found = []
        for edge in edges:
            node, column = (edge.target, edge.target_column) if down else (edge.source, edge.source_column)
            if node in names:
                end = named_end(names[node], type_of_dataset(types.get(node)), column)
                found.append((edge, self._finder.urn_of(end)))
        return found


def _stamps(edge: EdgeByHand) -> dict[str, Any]:
    said: Mapping[str, Any] = msgspec.json.decode(edge.stated)
    created = parse_time(said.get("created")) or edge.first_seen or 0
    source = said.get("via") if said.get("via") in ("UI", "CLI") else "API"
    properties = {"source": source, **(said.get("properties") or {})}
    for name in ("reason", "note"):
        if said.get(name):
            properties[name] = str(said[name])
    return {
        "created": _stamp(created, said.get("created_by")),
        "lastModified": _stamp(edge.stated_at or created, said.get("by")),
        "properties": properties,
    }


def _stamp(time: int, by: Any) -> dict[str, Any]:
    return {"time": time // 1000, "actor": user_urn(str(by or "unknown"))}
