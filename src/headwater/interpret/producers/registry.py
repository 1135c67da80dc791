"""Registry of producers: one line per file with `refine`."""

from __future__ import annotations

from collections.abc import Callable

from headwater.interpret import generic
from headwater.interpret.details import Details
from headwater.interpret.producers import airflow, dbt, flink, hive, overlay, spark, starrocks, trino
from headwater.openlineage.event import Event

__all__ = ["integration_of", "refine"]

_REFINE: dict[str, Callable[[Details], None]] = {
    "SPARK": spark.refine,
    "AIRFLOW": airflow.refine,
    "DBT": dbt.refine,
    "FLINK": flink.refine,
    "HIVE": hive.refine,
    "TRINO": trino.refine,
    "STARROCKS": starrocks.refine,
    overlay.INTEGRATION: overlay.refine,
}

# Older producers send no jobType facet, but facets only they have.
_BY_FACET = {
    "spark_version": "SPARK",
    "spark.logicalPlan": "SPARK",
    "spark_properties": "SPARK",
    "airflow": "AIRFLOW",
    "airflow_version": "AIRFLOW",
    "airflowDagRun": "AIRFLOW",
    "dbt_run": "DBT",
    "dbt_version": "DBT",
    "flink_job": "FLINK",
    "hive_query": "HIVE",
    "hive_session": "HIVE",
    "trino_query_context": "TRINO",
    "trino_metadata": "TRINO",
    "starrocks_query": "STARROCKS",
}
_BY_SCHEME = {"hive": "HIVE", "trino": "TRINO", "starrocks": "STARROCKS"}


def integration_of(event: Event, stated: str | None) -> str:
    """SPARK, AIRFLOW ...; the empty text if it is unknown."""
    if stated:
        return stated.strip().upper()
    if event.job is not None and event.job.namespace.startswith("overlay:"):
        return overlay.INTEGRATION
    for facet in event.run_facets:
        if facet in _BY_FACET:
            return _BY_FACET[facet]
    return _BY_SCHEME.get(event.job.namespace.partition("://")[0].lower(), "") if event.job else ""


def refine(details: Details, integration: str) -> None:
    """Apply the producer's own rules."""
    _REFINE.get(integration, generic.refine)(details)
