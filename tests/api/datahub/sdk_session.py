"""Run in the environment that has DataHub's SDK: works with a server and prints what it was told, as JSON."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from typing import Any

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

import datahub.metadata.schema_classes as m  # noqa: E402
from datahub.emitter.mcp import MetadataChangeProposalWrapper as Proposal  # noqa: E402
from datahub.emitter.rest_emitter import DatahubRestEmitter  # noqa: E402
from datahub.sdk import DataHubClient, FilterDsl  # noqa: E402
from datahub.specific.chart import ChartPatchBuilder  # noqa: E402

URL, KEY = sys.argv[1:3]
STAMP = m.AuditStampClass(time=123, actor="urn:li:corpuser:test")
STAMPS = m.ChangeAuditStampsClass(created=STAMP, lastModified=STAMP)
CHART, BOARD = "urn:li:chart:(looker,revenue)", "urn:li:dashboard:(looker,sales)"
JOB = "urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),load)"


def dataset(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:hive,{name},PROD)"


def refusal(work: Any) -> str:
    try:
        work()
    except Exception as error:  # noqa: BLE001 - whatever the SDK makes of it
        return str(error)
    return ""


def upstreams(graph: Any, urn: str) -> list[str]:
    aspect = graph.get_aspect(urn, m.UpstreamLineageClass)
    return [upstream.dataset for upstream in aspect.upstreams] if aspect else []


def whole(*names: str) -> Any:
    listed = [m.UpstreamClass(dataset=dataset(name), type="TRANSFORMED", auditStamp=STAMP) for name in names]
    return Proposal(entityUrn=dataset("wh.a"), aspect=m.UpstreamLineageClass(upstreams=listed))


def pairs(emitter: Any) -> dict[str, dict[str, str]]:
    """By what an aspect is of, and the type of the other end: empty if it is taken, or why not."""
    ends = {"dataset": dataset("pair.d"), "chart": CHART, "dashboard": "urn:li:dashboard:(looker,pair)"}
    ends["job"] = "urn:li:dataJob:(urn:li:dataFlow:(airflow,pair,PROD),up)"
    about = {"description": "", "lastModified": STAMPS}
    pair_job = "urn:li:dataJob:(urn:li:dataFlow:(airflow,pair,PROD),one)"
    aspects = {
        "dataset": lambda end: (dataset("pair.x"), m.UpstreamLineageClass([m.UpstreamClass(end, type="TRANSFORMED")])),
        "chart": lambda end: (
            "urn:li:chart:(looker,pair)",
            m.ChartInfoClass(title="p", inputEdges=[m.EdgeClass(destinationUrn=end)], **about),
        ),
        "dashboard": lambda end: (
            "urn:li:dashboard:(looker,pair.x)",
            m.DashboardInfoClass(title="p", datasetEdges=[m.EdgeClass(destinationUrn=end)], **about),
        ),
        "job": lambda end: (pair_job, m.DataJobInputOutputClass([], [], inputDatasetEdges=[m.EdgeClass(end)])),
        "job output": lambda end: (pair_job, m.DataJobInputOutputClass([], [], outputDatasetEdges=[m.EdgeClass(end)])),
    }
    return {
        of: {
            kind: refusal(lambda urn=urn, aspect=aspect: emitter.emit_mcp(Proposal(entityUrn=urn, aspect=aspect)))
            for kind, (urn, aspect) in ((kind, make(end)) for kind, end in ends.items())
        }
        for of, make in aspects.items()
    }


def main() -> None:
    told: dict[str, Any] = {}
    emitter = DatahubRestEmitter(URL, token=KEY)
    emitter.test_connection()
    client = DataHubClient(server=URL, token=KEY)
    graph, lineage = client._graph, client.lineage
    told["exists"] = [graph.exists(dataset("wh.seen")), graph.exists(dataset("wh.never"))]
    emitter.emit_mcp(whole("wh.b", "wh.c"))
    told["upserted"] = upstreams(graph, dataset("wh.a"))
    emitter.emit_mcp(whole("wh.b"))
    told["replaced"] = upstreams(graph, dataset("wh.a"))
    lineage.add_lineage(upstream=dataset("wh.seen"), downstream=dataset("wh.a"), column_lineage={"x": ["y"]})
    fine = graph.get_aspect(dataset("wh.a"), m.UpstreamLineageClass).fineGrainedLineages
    told["columns"] = [[one.upstreams, one.downstreams] for one in fine]
    info = m.ChartInfoClass(title="Revenue", description="d", lastModified=STAMPS, inputs=[dataset("wh.a")])
    board = m.DashboardInfoClass(title="Sales", description="", lastModified=STAMPS, charts=[CHART])
    emitter.emit_mcps([Proposal(entityUrn=CHART, aspect=info), Proposal(entityUrn=BOARD, aspect=board)])
    lineage.add_lineage(upstream=dataset("wh.b"), downstream=CHART)
    lineage.add_lineage(upstream=dataset("wh.b"), downstream=BOARD)
    chart, shown = graph.get_aspect(CHART, m.ChartInfoClass), graph.get_aspect(BOARD, m.DashboardInfoClass)
    told["chart"] = [chart.title, chart.inputs, [edge.destinationUrn for edge in chart.inputEdges]]
    told["board"] = [shown.title, shown.charts, shown.datasets]
    emitter.emit_mcp(Proposal(entityUrn=JOB, aspect=m.DataJobInfoClass(name="load", type="COMMAND")))
    lineage.add_lineage(upstream=dataset("wh.b"), downstream=JOB)
    lineage.add_lineage(upstream=JOB, downstream=dataset("wh.k"))
    job = graph.get_aspect(JOB, m.DataJobInputOutputClass)
    told["job"] = [job.inputDatasets, job.outputDatasets, job.inputDatajobs]
    found = lineage.get_lineage(source_urn=dataset("wh.b"), direction="downstream", max_hops=3)
    told["lineage"] = sorted([item.urn, item.type, item.hops] for item in found)
    near = lineage.get_lineage(source_urn=dataset("wh.k"), direction="upstream", max_hops=1)
    told["near"] = [item.urn for item in near]
    of_column = lineage.get_lineage(
        source_urn=dataset("wh.seen"), source_column="y", direction="downstream", max_hops=2
    )
    told["of_column"] = [[item.urn, [step.column_name for step in item.paths]] for item in of_column]
    told["other_aspect"] = refusal(
        lambda: emitter.emit_mcp(Proposal(entityUrn=dataset("wh.a"), aspect=m.StatusClass(removed=True)))
    )
    boards = m.DashboardInfoClass(
        title="x", description="", lastModified=STAMPS, chartEdges=[m.EdgeClass(destinationUrn=BOARD)]
    )
    told["wrong_type"] = refusal(
        lambda: emitter.emit_mcp(Proposal(entityUrn="urn:li:dashboard:(looker,other)", aspect=boards))
    )
    told["other_query"] = refusal(lambda: graph.execute_graphql("query { me { corpUser { urn } } }"))
    told["pairs"] = pairs(emitter)
    told["filtered"] = [
        item.urn
        for item in lineage.get_lineage(
            source_urn=dataset("wh.b"), direction="downstream", max_hops=3, filter=FilterDsl.entity_type("chart")
        )
    ]
    patch = (
        ChartPatchBuilder(CHART).set_input_edges([m.EdgeClass(destinationUrn=dataset("wh.k"))]).set_title("Turnover")
    )
    emitter.emit_mcps(patch.build())
    chart = graph.get_aspect(CHART, m.ChartInfoClass)
    told["patched"] = [chart.title, chart.inputs]
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
