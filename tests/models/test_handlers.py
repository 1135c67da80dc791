"""From a changed node to its result: plans, calls, what is kept, and what pauses a model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from headwater.models.administration import ModelAdministration
from headwater.models.configuration import ModelConfiguration
from headwater.models.handlers import EmbeddingHandler, SummaryHandler
from headwater.models.planner import ModelPlanner
from headwater.models.work import ModelWork
from headwater.store.assets.rows import key_of
from headwater.store.models.attached import AttachedResults
from headwater.store.sql_store import SqlStore
from headwater.store.tasks.task_store import Added, TaskStore
from headwater.tasks.handler import NewTask, NoteKind, PauseModel, TaskNote, TaskOutcome, Work
from tests.models.conftest import SQL, A, B, event, fill, openai
from tests.models.server import ModelServer, status, well

OUTLINE = ModelConfiguration(provider="outline")


def plan(work: ModelWork) -> list[NewTask]:
    keys = work.graph.keys(A.id, b"", 1000)
    return ModelPlanner(work).plan(A, [TaskNote(NoteKind.ASSET, key) for key in keys])


def works(tasks: Sequence[NewTask]) -> list[Work]:
    return [Work(number, task.resource_type, task.resource_id, task.content_hash) for number, task in enumerate(tasks)]


def execute(work: ModelWork, store: SqlStore, tasks: Sequence[NewTask]) -> list[NewTask]:
    """As the engine does, without its tables."""
    following: list[NewTask] = []
    for handler in (SummaryHandler(work), EmbeddingHandler(work)):
        own = [task for task in tasks if task.task_type == handler.task_type]
        if own:
            outcomes = handler.run(A, own[0].fingerprint, works(own))
            assert all(outcome.ok for outcome in outcomes)
            with store.engine.begin() as connection:
                following += handler.write(connection, A.id, own[0].fingerprint, outcomes)
    return following


@pytest.fixture
def admin(work: ModelWork) -> ModelAdministration:
    return ModelAdministration(work)


def test_no_model_no_tasks(store: SqlStore, work: ModelWork) -> None:
    fill(store, A)
    assert plan(work) == []


def test_nodes_get_vectors(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    tasks = plan(work)
    assert {task.resource_type for task in tasks} == {"Catalog", "Schema", "Table", "Column"}  # no summary, no SQL
    execute(work, store, tasks)
    assert not any(text.startswith("shop") for text in server.texts if "payments" in text)  # the last part of the name
    assert any(text.startswith("payments of public in shop") for text in server.texts)
    assert any("customer id of payments in public in shop. type: long" in text for text in server.texts)
    assert any(text.endswith("What customers paid.") for text in server.texts)
    key = key_of("pg://db:shop.public.payments")
    attached = AttachedResults(store.engine).of_nodes(A.id, [key])[key]
    assert len(attached.properties["embedding"]) == 8
    assert attached.properties["embeddingProvider"] == "openai/m"
    assert attached.dimension == 8
    assert plan(work) == []  # nothing is planned twice
    assert server.requests[0][1]["authorization"] == "Bearer sk-secret"


def test_summary_then_its_embedding(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "SUMMARY", openai(server, tmp_path, dimension=0))
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    tasks = plan(work)
    (summary,) = [task for task in tasks if task.task_type == "SQL_SUMMARY"]
    server.behaviours = []
    (following,) = execute(work, store, [summary])
    sent = server.requests[0][2]["messages"][1]["content"]
    assert "secret-state" not in sent
    assert "shop.public.orders" in sent
    assert (following.task_type, following.resource_type, following.resource_id) == (
        "EMBEDDING",
        "SQL",
        summary.resource_id,
    )
    execute(work, store, [following])
    assert server.texts == ["Summary of INSERT INTO shop.public.paymen tags: copy, daily"]
    key = bytes.fromhex(summary.resource_id)
    properties = AttachedResults(store.engine).of_nodes(A.id, [key])[key].properties
    assert properties["tags"] == ["copy", "daily"]
    assert properties["tagsOrigin"] == "model"
    assert "embedding" in properties
    assert plan(work) == [task for task in tasks if task.resource_type != "SQL"]


def test_without_redaction_the_statement_is_sent_as_it_is(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "SUMMARY", openai(server, tmp_path, dimension=0, redact=False))
    execute(work, store, plan(work))
    assert "secret-state" in server.requests[0][2]["messages"][1]["content"]


def test_a_text_that_changed_meanwhile_costs_nothing(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    old = [task for task in plan(work) if task.resource_type == "Table"]
    fill(store, A, event("pay", "shop.public.payments", description="Another.", second=5))
    gone = NewTask("EMBEDDING", "Table", bytes(16).hex(), "0" * 64, old[0].fingerprint)
    mine = key_of("pg://db:shop.public.payments").hex()
    outcomes = EmbeddingHandler(work).run(
        A, old[0].fingerprint, works([*[t for t in old if t.resource_id == mine], gone])
    )
    assert [(outcome.is_needless, outcome.result) for outcome in outcomes] == [(True, None), (True, None)]
    assert server.requests == []
    assert mine in {task.resource_id for task in plan(work)}


def test_a_text_that_comes_back_is_embedded_though_its_task_was_needless(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    """The node says A, B, and A again; the task of the first A is executed while it says B."""
    task_store = TaskStore(store.engine, store.engines["writer"], (1.0,) * 5)
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    mine = key_of("pg://db:shop.public.payments")
    handler = EmbeddingHandler(work)

    def planned() -> list[Added]:
        return task_store.add(A, [task for task in plan(work) if task.resource_id == mine.hex()])

    def executed(added: Sequence[Added]) -> None:
        (model,) = {one.model for one in added}
        numbers = [one.task for one in added]
        claim = task_store.claim(A, model, worker="w", lease=60, size=9, choose=lambda *_: 9, numbers=numbers)
        assert claim is not None
        outcomes = handler.run(A, model.fingerprint, claim.work)
        task_store.settle(
            claim, outcomes, (), lambda connection, good: handler.write(connection, A.id, model.fingerprint, good), 1
        )

    first = planned()
    fill(store, A, event("pay", "shop.public.payments", description="Another.", second=5))
    executed(first)
    executed(planned())
    fill(store, A, event("pay", "shop.public.payments", description="What customers paid.", second=7))
    executed(planned())
    assert server.texts[-1].endswith("What customers paid.")


def test_same_texts_are_paid_for_once(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    tasks = plan(work)
    execute(work, store, [*tasks, *tasks])
    assert len(server.texts) == len(set(server.texts))
    execute(work, store, tasks)
    assert len(server.requests) == 1


def test_an_answer_that_lacks_one_fails_that_one_alone(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    tasks = plan(work)

    def without_first(path: str, body: dict[str, Any]) -> Any:
        code, headers, _ = well(path, body)
        import json

        told = json.loads(_)
        told["data"] = [item for item in told["data"] if item["index"] != 0]
        return code, headers, json.dumps(told).encode()

    server.behaviours.append(without_first)
    outcomes = EmbeddingHandler(work).run(A, tasks[0].fingerprint, works(tasks))
    assert [outcome.ok for outcome in outcomes].count(False) == 1


@pytest.mark.parametrize(
    ("behaviour", "reason", "seconds"),
    [
        (status(401), "unauthorized", 900),
        (status(403), "unauthorized", 900),
        (status(429, {"retry-after": "30"}), "rate_limited", 30),
        (lambda path, body: well(path, body, 9), "wrong_dimension", None),
    ],
)
def test_what_pauses_a_model(
    store: SqlStore,
    work: ModelWork,
    admin: ModelAdministration,
    server: ModelServer,
    tmp_path: Path,
    behaviour: Any,
    reason: str,
    seconds: int | None,
) -> None:
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    tasks = plan(work)
    server.behaviours.append(behaviour)
    with pytest.raises(PauseModel) as paused:
        EmbeddingHandler(work).run(A, tasks[0].fingerprint, works(tasks))
    assert paused.value.reason == reason
    if seconds is None:
        assert paused.value.until is None
    else:
        assert paused.value.until is not None
        assert abs(paused.value.until / 1_000_000 - time.time() - seconds) < 20
    assert "sk-secret" not in str(paused.value)


def test_500_fails_the_batch(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    tasks = plan(work)
    server.behaviours.append(status(500))
    with pytest.raises(Exception, match="500") as failed:
        EmbeddingHandler(work).run(A, tasks[0].fingerprint, works(tasks))
    assert not isinstance(failed.value, PauseModel)


def test_a_budget_pauses_until_midnight_before_the_call(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path, daily_calls=1, price=2.0))
    tasks = plan(work)
    execute(work, store, tasks[:1])
    with pytest.raises(PauseModel) as paused:
        EmbeddingHandler(work).run(A, tasks[0].fingerprint, works(tasks[1:]))
    assert paused.value.reason == "budget_spent"
    assert paused.value.until is not None
    assert paused.value.until % (86_400 * 1_000_000) == 0
    assert 0 < paused.value.until / 1_000_000 - time.time() <= 86_400
    assert len(server.requests) == 1
    (usage,) = work.models.book.read(A.id, 0)
    assert (usage.calls, usage.failures, usage.texts, usage.tokens, usage.price) == (1, 0, 1, 7, 14)
    assert work.models.book.read(B.id, 0) == []


def test_tokens_of_a_budget(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path, daily_tokens=20))
    tasks = plan(work)
    with pytest.raises(PauseModel):
        EmbeddingHandler(work).run(A, tasks[0].fingerprint, works(tasks))
    assert server.requests == []


def test_a_credential_that_is_not_granted(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, B)
    admin.set(B, "EMBEDDING", openai(server, tmp_path))  # the grant is A's
    keys = work.graph.keys(B.id, b"", 1000)
    tasks = ModelPlanner(work).plan_nodes(B, keys)
    with pytest.raises(PauseModel) as paused:
        EmbeddingHandler(work).run(B, tasks[0].fingerprint, works(tasks))
    assert paused.value.reason == "credential_refused"
    assert server.requests == []


def test_a_model_that_was_removed(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    tasks = plan(work)
    admin.remove(A, "EMBEDDING")
    assert plan(work) == []
    with pytest.raises(PauseModel) as paused:
        EmbeddingHandler(work).run(A, tasks[0].fingerprint, works(tasks))
    assert paused.value.reason == "model_missing"


def test_a_paid_summary_is_kept_though_its_embedding_fails(
    store: SqlStore, work: ModelWork, admin: ModelAdministration, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin.set(A, "SUMMARY", OUTLINE)
    admin.set(A, "EMBEDDING", openai(server, tmp_path))
    (following,) = execute(work, store, [task for task in plan(work) if task.task_type == "SQL_SUMMARY"])
    server.always = status(500)
    with pytest.raises(Exception, match="500"):
        EmbeddingHandler(work).run(A, following.fingerprint, works([following]))
    key = bytes.fromhex(following.resource_id)
    told = AttachedResults(store.engine).of_nodes(A.id, [key])[key].properties
    assert told["summary"].startswith(
        "INSERT: reads shop.public.orders; filters by state; groups by id; computes total"
    )
    assert "secret-state" not in told["summary"]
    assert SQL not in told["summary"]
    assert "embedding" not in told


def test_outcomes_without_a_result_write_nothing(store: SqlStore, work: ModelWork) -> None:
    with store.engine.begin() as connection:
        assert (
            EmbeddingHandler(work).write(connection, A.id, "f", [TaskOutcome(1, ok=True), TaskOutcome(2, ok=False)])
            == []
        )
