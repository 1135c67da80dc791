"""Airflow: a DAG run is a run; a task instance is a run and its only operation."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from headwater.graph.facts import Activity
from headwater.interpret.details import BOTH, Details, JobRef
from headwater.openlineage.facets import read_facet

__all__ = ["refine"]

_RUN = "$.run.facets"
_NOBODY = {"airflow", "***", ""}


class Dag(Struct, frozen=True, gc=False):
    dag_id: str | None = None
    owner: str | None = None


class DagRun(Struct, frozen=True, gc=False):
    run_id: str | None = None
    run_type: str | None = None
    triggering_user_name: str | None = None
    data_interval_start: Any = None


class TaskGroup(Struct, frozen=True, gc=False):
    group_id: str | None = None


class Task(Struct, frozen=True, gc=False):
    task_id: str | None = None
    owner: str | None = None
    operator_class: str | None = None
    task_group: TaskGroup | None = None
    upstream_task_ids: Any = None
    downstream_task_ids: Any = None


class TaskInstance(Struct, frozen=True, gc=False):
    try_number: int | None = None
    map_index: int | None = None
    log_url: str | None = None


class AirflowFacet(Struct, frozen=True, gc=False):
    dag: Dag | None = None
    dagRun: DagRun | None = None
    task: Task | None = None
    taskInstance: TaskInstance | None = None


def refine(details: Details) -> None:
    facets, warnings = details.event.run_facets, details.event.warnings
    is_task = (details.job_type.jobType or "TASK").upper() != "DAG"
    name = "airflow" if is_task or "airflowDagRun" not in facets else "airflowDagRun"
    facet = read_facet(AirflowFacet, facets, name, _RUN, warnings) or AirflowFacet()
    dag, run = facet.dag or Dag(), facet.dagRun or DagRun()
    details.activity = BOTH if is_task else Activity.RUN
    details.external_id = run.run_id
    if run.triggering_user_name and run.triggering_user_name not in _NOBODY:
        details.user = run.triggering_user_name
    details.owners = _owners((facet.task.owner if facet.task else None) or dag.owner)
    if run.run_type:
        details.start_reason = "MANUAL" if run.run_type.lower() == "manual" else "AUTOMATIC"
    if is_task:
        _read_task(details, facet, dag, run)
    else:
        details.persistent_log_url = _dag_url(details, dag, run)


def _read_task(details: Details, facet: AirflowFacet, dag: Dag, run: DagRun) -> None:
    task, instance = facet.task or Task(), facet.taskInstance or TaskInstance()
    job = details.event.job
    details.attempt = str(instance.try_number) if instance.try_number is not None else None
    details.name = task.task_id or (job.name.rpartition(".")[2] if job else None)
    details.description = task.operator_class
    if instance.map_index is not None and instance.map_index >= 0:
        details.position = instance.map_index
    details.group = task.task_group.group_id if task.task_group else None
    details.persistent_log_url = instance.log_url or _task_url(details, dag, run, task, instance)
    if job is None or not task.task_id:
        return
    own = JobRef(job.namespace, job.name)
    dag_id = dag.dag_id or job.name.removesuffix("." + task.task_id)
    for other in _ids(task.upstream_task_ids):
        details.dependencies.append((JobRef(job.namespace, f"{dag_id}.{other}"), own, "DIRECT_DEPENDENCY"))
    for other in _ids(task.downstream_task_ids):
        details.dependencies.append((own, JobRef(job.namespace, f"{dag_id}.{other}"), "DIRECT_DEPENDENCY"))


def _owners(text: str | None) -> tuple[str, ...]:
    """Owners of a DAG or task, separated by commas. They did not start its runs."""
    names = [name.strip() for name in (text or "").split(",")]
    return tuple(dict.fromkeys(name for name in names if name not in _NOBODY))


def _ids(sent: Any) -> list[str]:
    """Task ids come as a list, or as the text of a Python list."""
    if isinstance(sent, list):
        return sorted({item for item in sent if isinstance(item, str)})
    return sorted(set(re.findall(r"""['"]([^'"]+)['"]""", sent))) if isinstance(sent, str) else []


def _version(details: Details) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", details.engine_version or "")[:3])


def _site(details: Details) -> str | None:
    job = details.event.job
    return job.namespace.rstrip("/") if job and job.namespace.startswith("http") else None


def _dag_url(details: Details, dag: Dag, run: DagRun) -> str | None:
    site = _site(details)
    dag_id = dag.dag_id or (details.event.job.name if details.event.job else None)
    if not (site and dag_id and run.run_id):
        return None
    dag_id, run_id, version = quote(dag_id, safe=""), quote(run.run_id, safe=""), _version(details)
    if version >= (3,):
        return f"{site}/dags/{dag_id}/runs/{run_id}"
    if version >= (2, 3) or not version:
        return f"{site}/dags/{dag_id}/grid?dag_run_id={run_id}"
    return f"{site}/graph?dag_id={dag_id}&execution_date={quote(str(run.data_interval_start or ''), safe='')}"


def _task_url(details: Details, dag: Dag, run: DagRun, task: Task, instance: TaskInstance) -> str | None:
    site = _site(details)
    if not (site and dag.dag_id and run.run_id and task.task_id):
        return None
    dag_id, run_id, task_id = (quote(part, safe="") for part in (dag.dag_id, run.run_id, task.task_id))
    mapped = instance.map_index if instance.map_index is not None and instance.map_index >= 0 else None
    version = _version(details)
    if version >= (3,):
        url = f"{site}/dags/{dag_id}/runs/{run_id}/tasks/{task_id}"
        url += f"/mapped/{mapped}" if mapped is not None else ""
        return url + (f"?try_number={instance.try_number}" if instance.try_number is not None else "")
    if version >= (2, 9, 1) or not version:
        index = mapped if mapped is not None else -1
        return f"{site}/dags/{dag_id}/grid?tab=logs&dag_run_id={run_id}&task_id={task_id}&map_index={index}"
    moment = quote(str(run.data_interval_start or ""), safe="")
    return f"{site}/log?dag_id={dag_id}&task_id={task_id}&execution_date={moment}"
