"""Tasks: listed, shown, reset and canceled by editors, each of their own tenant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import moment
from headwater.api.operators.tasks.records import (
    EXAMPLE,
    BatchQuery,
    Canceled,
    ChangeQuery,
    Reset,
    Resumed,
    ResumeQuery,
    TaskBatches,
    TaskEntity,
    TaskList,
    TaskQuery,
)
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.store.assets.rows import key_of
from headwater.store.tasks.models import Paused
from headwater.store.tasks.records import TaskState
from headwater.store.tasks.task_lists import AttemptRow, BatchRow, TaskFilter, TaskRow
from headwater.store.time_ordered_ids import id_number, id_text

__all__ = ["ROUTES", "show_pause"]

_MOST_ATTEMPTS = 100
_KEY_LENGTH = 16
_WAITS = (TaskState.PENDING, TaskState.FAILED)
_ALL = TaskFilter(states=tuple(TaskState))


@declare(
    "Tasks of a tenant, the newest first, and which models are paused.",
    answer=TaskList,
    query=TaskQuery,
    example=EXAMPLE["list"],
)
async def list_tasks(request: Request) -> Response:
    context, query = context_of(request), read_query(request, TaskQuery)
    tasks, tenant = context.services.tasks, context.tenant.id
    below = _number(query.cursor)
    found = await ask(tasks.list, tenant, _filter(query), limit=query.limit + 1, below=below)
    counts = await ask(tasks.counts, tenant)
    paused = await ask(tasks.paused, tenant)
    page = found[: query.limit]
    names = await ask(_names, context, page)
    answer = {
        "tasks": [_show(row, names) for row in page],
        "next": id_text(page[-1].id) if len(found) > len(page) else None,
        "counts": counts,
        "paused": [show_pause(pause) for pause in paused],
    }
    return render(answer)


@declare("Batches of tasks, the newest first.", answer=TaskBatches, query=BatchQuery, example=EXAMPLE["batches"])
async def list_batches(request: Request) -> Response:
    context, query = context_of(request), read_query(request, BatchQuery)
    tasks, below = context.services.tasks, _number(query.cursor)
    found = await ask(tasks.batches, context.tenant.id, limit=query.limit + 1, below=below)
    page = found[: query.limit]
    after = id_text(page[-1].id) if len(found) > len(page) else None
    return render({"batches": [_show_batch(row) for row in page], "next": after})


@declare("One task with its attempts.", answer=TaskEntity, errors=(404,), example=EXAMPLE["task"])
async def get_task(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    return render(await _entity(context, await _found(context, request)))


@declare(
    "Reset one task to PENDING, with all its attempts before it.",
    answer=TaskEntity,
    errors=(404,),
    example=EXAMPLE["task"],
)
async def retry_task(request: Request) -> Response:
    """One that is DEAD, FAILED or CANCELED; any other stays as it is."""
    read_query(request, NoQuery)
    context = context_of(request)
    row = await _found(context, request)
    await ask(context.services.tasks.retry, context.tenant.id, _ALL, limit=1, task=row.id)
    return render(await _entity(context, await _found(context, request)))


@declare("Cancel one task.", answer=TaskEntity, errors=(404,), example=EXAMPLE["task"])
async def cancel_task(request: Request) -> Response:
    """A running task may go on, but its result is not stored. A succeeded one stays as it is."""
    read_query(request, NoQuery)
    context = context_of(request)
    row = await _found(context, request)
    await ask(context.services.tasks.cancel, context.tenant.id, _ALL, limit=1, task=row.id)
    return render(await _entity(context, await _found(context, request)))


@declare(
    "Reset tasks to PENDING: those that are DEAD, if nothing else is said.",
    answer=Reset,
    query=ChangeQuery,
    example={"retried": 3},
)
async def retry_tasks(request: Request) -> Response:
    context, query = context_of(request), read_query(request, ChangeQuery)
    tasks = context.services.tasks
    return render({"retried": await ask(tasks.retry, context.tenant.id, _filter(query), limit=query.limit)})


@declare("Cancel tasks that are not done yet.", answer=Canceled, query=ChangeQuery, example={"canceled": 3})
async def cancel_tasks(request: Request) -> Response:
    context, query = context_of(request), read_query(request, ChangeQuery)
    tasks = context.services.tasks
    return render({"canceled": await ask(tasks.cancel, context.tenant.id, _filter(query), limit=query.limit)})


@declare("End the pause of models.", answer=Resumed, query=ResumeQuery, example={"resumed": 1})
async def resume_models(request: Request) -> Response:
    context, query = context_of(request), read_query(request, ResumeQuery)
    return render({"resumed": await ask(context.services.tasks.resume, context.tenant.id, query.model)})


async def _found(context: Context, request: Request) -> TaskRow:
    text = request.path_params["id"]
    number = id_number(text)
    row = await ask(context.services.tasks.get, context.tenant.id, number) if number is not None else None
    if row is None:
        raise NodeNotFound(f"There is no task {text[:100]!r}.", hint="GET /api/v2/tasks lists them.")
    return row


async def _entity(context: Context, row: TaskRow) -> dict[str, Any]:
    attempts = await ask(context.services.tasks.attempts, context.tenant.id, row.id, _MOST_ATTEMPTS)
    names = await ask(_names, context, [row])
    return {**_show(row, names), "history": [_show_attempt(attempt) for attempt in attempts]}


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    number = id_number(text)
    if number is None:
        raise BadQuestion(
            f"cursor is none of these lists: {text[:100]!r}.", path="?cursor", hint="Use `next` of the page before."
        )
    return number


def _filter(query: TaskQuery | ChangeQuery) -> TaskFilter:
    states = tuple(TaskState(state) for state in dict.fromkeys(query.state))
    resource = query.resource or ""
    if resource and _key(resource) is None:
        resource = key_of(resource).hex()
    return TaskFilter(states, query.type or "", query.model or "", resource)


def _key(resource_id: str) -> bytes | None:
    """The key of a node, if this is one."""
    try:
        key = bytes.fromhex(resource_id)
    except ValueError:
        return None
    return key if len(key) == _KEY_LENGTH else None


def _names(context: Context, rows: Sequence[TaskRow]) -> dict[str, str]:
    """The ids of the nodes that tasks are about, by their keys as tasks have them."""
    keys = {key for row in rows if (key := _key(row.resource_id)) is not None}
    found = context.services.models.graph.ids(context.tenant.id, keys)
    return {key.hex(): name for key, name in found.items()}


def _show(row: TaskRow, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": id_text(row.id),
        "type": row.task_type,
        "resource_type": row.resource_type,
        "resource_id": row.resource_id,
        "resource": names.get(row.resource_id),
        "content_hash": row.content_hash,
        "model": row.model_fingerprint,
        "state": row.status,
        "attempts": row.retry_count,
        "most_attempts": row.max_retry + 1,
        "priority": row.priority,
        "next_run_at": moment(row.next_run_at) if row.status in _WAITS else None,
        "claim_until": moment(row.claim_until),
        "last_error": row.last_error,
        "created_at": moment(row.created_at),
        "updated_at": moment(row.updated_at),
    }


def _show_attempt(row: AttemptRow) -> dict[str, Any]:
    return {
        "number": row.attempt_no,
        "worker": row.worker_id,
        "batch": row.batch_no,
        "batch_size": row.input_size,
        "state": row.status,
        "started_at": moment(row.started_at),
        "finished_at": moment(row.finished_at),
        "milliseconds": row.latency_ms,
        "error_type": row.error_type,
        "error": row.error_message,
    }


def _show_batch(row: BatchRow) -> dict[str, Any]:
    return {
        "id": row.batch_no,
        "type": row.task_type,
        "model": row.model_fingerprint,
        "worker": row.worker_id,
        "planned": row.planned_size,
        "succeeded": row.success_count,
        "failed": row.failed_count,
        "state": row.status,
        "started_at": moment(row.started_at),
        "finished_at": moment(row.finished_at),
    }


def show_pause(pause: Paused) -> dict[str, Any]:
    return {
        "model": pause.model.fingerprint,
        "type": pause.model.task_type,
        "since": moment(pause.since),
        "until": moment(pause.until),
        "reason": pause.reason,
        "message": pause.message,
    }


ROUTES = [
    Route("/api/v2/tasks", list_tasks, methods=["GET"]),
    Route("/api/v2/tasks/batches", list_batches, methods=["GET"]),
    Route("/api/v2/tasks/retry", retry_tasks, methods=["POST"]),
    Route("/api/v2/tasks/cancel", cancel_tasks, methods=["POST"]),
    Route("/api/v2/tasks/resume", resume_models, methods=["POST"]),
    Route("/api/v2/tasks/{id}", get_task, methods=["GET"]),
    Route("/api/v2/tasks/{id}/retry", retry_task, methods=["POST"]),
    Route("/api/v2/tasks/{id}/cancel", cancel_task, methods=["POST"]),
]
