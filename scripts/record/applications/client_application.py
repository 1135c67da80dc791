"""What `client.py` records: `python client_application.py URL`. Ids and times are fixed, so are the events."""

from __future__ import annotations

import sys

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import (
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
    StaticDataset,
)
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    data_quality_assertions_dataset,
    documentation_dataset,
    documentation_job,
    error_message_run,
    external_query_run,
    input_statistics_input_dataset,
    job_dependencies_run,
    job_type_job,
    lifecycle_state_change_dataset,
    nominal_time_run,
    output_statistics_output_dataset,
    ownership_job,
    parent_run,
    schema_dataset,
    sql_job,
    symlinks_dataset,
    tags_dataset,
    tags_job,
)
from openlineage.client.generated.lineage import (
    LineageDatasetEntry,
    LineageDatasetFacet,
    LineageDatasetInput,
    LineageFieldEntry,
    LineageJobFacet,
    LineageTransformation,
)
from openlineage.client.transport.http import HttpCompression, HttpConfig, HttpTransport

NAMESPACE = "python_recorded"
POSTGRES = "postgres://pg.example.com:5432"
NIGHTLY, EXPORT, CHECK = (f"019cf1a0-0000-7000-8000-00000000000{number}" for number in (1, 2, 3))


def run_event(
    state: RunState,
    time: str,
    run: Run,
    job: Job,
    *,
    inputs: list[InputDataset] | None = None,
    outputs: list[OutputDataset] | None = None,
) -> RunEvent:
    return RunEvent(eventType=state, eventTime=time, run=run, job=job, inputs=inputs or [], outputs=outputs or [])


def nightly() -> list[RunEvent]:
    """A parent that starts and completes."""
    job = Job(
        NAMESPACE,
        "nightly",
        {
            "jobType": job_type_job.JobTypeJobFacet(processingType="BATCH", integration="PYTHON", jobType="SCRIPT"),
            "documentation": documentation_job.DocumentationJobFacet("All that runs at night"),
            "ownership": ownership_job.OwnershipJobFacet([ownership_job.Owner("team:data", "MAINTAINER")]),
            "tags": tags_job.TagsJobFacet([tags_job.TagsJobFacetFields("tier", "1", "USER")]),
        },
    )
    nominal = nominal_time_run.NominalTimeRunFacet("2026-03-16T00:00:00Z", "2026-03-17T00:00:00Z")
    return [
        run_event(RunState.START, "2026-03-16T00:00:05+00:00", Run(NIGHTLY, {"nominalTime": nominal}), job),
        run_event(RunState.COMPLETE, "2026-03-16T00:01:00+00:00", Run(NIGHTLY), job),
    ]


def export() -> list[RunEvent]:
    """A child with datasets, statistics and column lineage."""
    parent = parent_run.ParentRunFacet(
        parent_run.Run(NIGHTLY),
        parent_run.Job(NAMESPACE, "nightly"),
        parent_run.Root(parent_run.RootRun(NIGHTLY), parent_run.RootJob(NAMESPACE, "nightly")),
    )
    source = InputDataset(
        POSTGRES,
        "shop.public.users",
        facets={
            "schema": schema_dataset.SchemaDatasetFacet(
                [schema_dataset.SchemaDatasetFacetFields(name, "text") for name in ("id", "email", "status")],
            ),
        },
        inputFacets={
            "inputStatistics": input_statistics_input_dataset.InputStatisticsInputDatasetFacet(rowCount=90, size=4096)
        },
    )
    field = column_lineage_dataset.InputField
    transformation = column_lineage_dataset.Transformation
    target = OutputDataset(
        "s3://exports",
        "users.parquet",
        facets={
            "schema": schema_dataset.SchemaDatasetFacet(
                [
                    schema_dataset.SchemaDatasetFacetFields("id", "text", ordinal_position=1),
                    schema_dataset.SchemaDatasetFacetFields(
                        "contact",
                        "struct",
                        ordinal_position=2,
                        fields=[schema_dataset.SchemaDatasetFacetFields("email_hash", "text")],
                    ),
                ],
            ),
            "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(
                {
                    "id": column_lineage_dataset.Fields(
                        [field(POSTGRES, "shop.public.users", "id", [transformation("DIRECT", "IDENTITY")])],
                    ),
                    "contact.email_hash": column_lineage_dataset.Fields(
                        [
                            field(
                                POSTGRES,
                                "shop.public.users",
                                "email",
                                [transformation("DIRECT", "TRANSFORMATION", "sha256", masking=True)],
                            ),
                        ],
                    ),
                },
                [field(POSTGRES, "shop.public.users", "status", [transformation("INDIRECT", "FILTER")])],
            ),
            "symlinks": symlinks_dataset.SymlinksDatasetFacet(
                [symlinks_dataset.Identifier("glue://eu", "exports.users", "TABLE")],
            ),
            "lifecycleStateChange": lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
                lifecycle_state_change_dataset.LifecycleStateChange.OVERWRITE,
            ),
        },
        outputFacets={
            "outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
                rowCount=80,
                size=2048,
                fileCount=1,
            ),
        },
    )
    job = Job(
        NAMESPACE, "nightly.export", {"sql": sql_job.SQLJobFacet("SELECT id, email FROM users WHERE status = 'on'")}
    )
    query = external_query_run.ExternalQueryRunFacet("q-4711", "postgres")
    return [
        run_event(RunState.START, "2026-03-16T00:00:10+00:00", Run(EXPORT, {"parent": parent}), job),
        run_event(
            RunState.COMPLETE,
            "2026-03-16T00:00:40+00:00",
            Run(EXPORT, {"parent": parent, "externalQuery": query}),
            job,
            inputs=[source],
            outputs=[target],
        ),
    ]


def check() -> list[RunEvent]:
    """A failure, with assertions and dependencies."""
    upstream = job_dependencies_run.JobDependency(
        job_dependencies_run.JobIdentifier(NAMESPACE, "nightly.export"),
        job_dependencies_run.RunIdentifier(EXPORT),
        "DIRECT_INVOCATION",
    )
    assertion = data_quality_assertions_dataset.Assertion(
        assertion="not_null",
        success=False,
        column="email",
        severity="error",
    )
    checked = InputDataset(
        POSTGRES,
        "shop.public.users",
        inputFacets={
            "dataQualityAssertions": data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet([assertion]),
        },
    )
    facets = {
        "errorMessage": error_message_run.ErrorMessageRunFacet("email is null in 3 rows", "PYTHON"),
        "jobDependencies": job_dependencies_run.JobDependenciesRunFacet(upstream=[upstream]),
    }
    return [
        run_event(
            RunState.FAIL,
            "2026-03-16T00:00:50+00:00",
            Run(CHECK, facets),
            Job(NAMESPACE, "nightly.check"),
            inputs=[checked],
        ),
    ]


def without_run() -> list[JobEvent | DatasetEvent]:
    """The two kinds of event that no run sends, and both forms of the lineage facet."""
    users = LineageDatasetInput(POSTGRES, "shop.public.users", "DATASET")
    email = LineageDatasetInput(
        POSTGRES,
        "shop.public.users",
        "DATASET",
        "email",
        [LineageTransformation("DIRECT", "TRANSFORMATION", masking=True)],
    )
    entry = LineageDatasetEntry(
        POSTGRES,
        "shop.public.domains",
        "DATASET",
        [users],
        {"domain": LineageFieldEntry([email])},
    )
    view = StaticDataset(
        POSTGRES,
        "shop.public.active_users",
        facets={
            "lineage": LineageDatasetFacet([users], {"email": LineageFieldEntry([email])}),
            "documentation": documentation_dataset.DocumentationDatasetFacet("Users that are on"),
            "tags": tags_dataset.TagsDatasetFacet(
                [tags_dataset.TagsDatasetFacetFields("pii", "true", "USER", "email")],
            ),
        },
    )
    return [
        JobEvent(
            eventTime="2026-03-16T01:00:00+00:00",
            job=Job(NAMESPACE, "domains", {"lineage": LineageJobFacet([entry])}),
            inputs=[InputDataset(POSTGRES, "shop.public.users"), InputDataset(POSTGRES, "shop.public.blocked")],
            outputs=[OutputDataset(POSTGRES, "shop.public.domains")],
        ),
        DatasetEvent(eventTime="2026-03-16T01:10:00+00:00", dataset=view),
    ]


def main() -> None:
    url = sys.argv[1]
    plain = OpenLineageClient(transport=HttpTransport(HttpConfig(url)))
    zipped = OpenLineageClient(transport=HttpTransport(HttpConfig(url, compression=HttpCompression.GZIP)))
    start, complete = nightly()
    for client, events in (
        (plain, [start]),
        (zipped, export()),
        (plain, [*check(), complete]),
        (zipped, without_run()),
    ):
        for event in events:
            client.emit(event)


if __name__ == "__main__":
    main()
