"""Bringing results up to date: one bad text keeps no others back, and what changed meanwhile is not forgotten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from headwater.models.administration import ModelAdministration
from headwater.models.enrich import Enrichment
from headwater.models.errors import ModelFailed
from headwater.models.planner import ModelPlanner
from headwater.models.work import ModelWork
from headwater.store.sql_store import SqlStore
from headwater.store.tasks.models import MODEL_GONE
from headwater.store.tasks.notes import TaskNotes
from headwater.store.tasks.recovery import Recovery
from headwater.store.tasks.tables import task_models
from headwater.store.tasks.task_lists import TaskLists
from headwater.store.tasks.task_store import TaskStore
from tests.models.conftest import A, event, fill, openai
from tests.models.server import ModelServer, status, well


def unless(word: str) -> Any:
    """Answers 500 to whatever has this word in it."""
    return lambda path, body: status(500)(path, body) if word in json.dumps(body) else well(path, body)


def test_one_bad_text_keeps_no_others_back(
    store: SqlStore, work: ModelWork, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    ModelAdministration(work).set(A, "EMBEDDING", openai(server, tmp_path))
    server.always = unless("What customers paid")
    enrichment = Enrichment(work, A)
    (keys,) = enrichment.pages()
    computed = enrichment.run_page("EMBEDDING", keys)
    assert computed.failed == 1
    assert "500" in computed.error
    (left,) = enrichment.estimate()
    assert (left.missing, left.nodes - computed.done) == (1, 1)


def test_a_model_that_is_away_ends_it(store: SqlStore, work: ModelWork, server: ModelServer, tmp_path: Path) -> None:
    fill(store, A)
    ModelAdministration(work).set(A, "EMBEDDING", openai(server, tmp_path))
    server.always = status(500)
    enrichment = Enrichment(work, A)
    (keys,) = enrichment.pages()
    with pytest.raises(ModelFailed):
        enrichment.run_page("EMBEDDING", keys)
    assert len(server.requests) <= 7


def test_a_switch_that_lacks_a_text_is_a_persons_choice(
    store: SqlStore, work: ModelWork, server: ModelServer, tmp_path: Path
) -> None:
    fill(store, A)
    admin, enrichment = ModelAdministration(work), Enrichment(work, A)
    admin.set(A, "EMBEDDING", openai(server, tmp_path, model="old"))
    enrichment.run()
    tasks = TaskStore(store.engine, store.engines["writer"], (1.0,) * 5)
    fill(store, A, event("pay", "shop.public.refunds", second=3))
    waiting = tasks.add(A, ModelPlanner(work).plan_nodes(A, work.graph.keys(A.id, b"", 1000)))
    assert len(waiting) == 3
    admin.set(A, "EMBEDDING", openai(server, tmp_path, model="new"))
    server.always = unless("What customers paid")
    enrichment.run()
    assert enrichment.finish() == ([], {"EMBEDDING": 1})
    notes = TaskNotes(store.engine, store.engines["writer"])
    notes.remove(A.id, [note.id for note in notes.first(A.id, 1000)])
    assert enrichment.finish(is_incomplete_allowed=True) == (["EMBEDDING"], {})
    (note,) = notes.first(A.id, 10)  # its task tries the one that is missing again
    (task,) = ModelPlanner(work).plan(A, [note.note])
    assert task.fingerprint == "openai:new::8:cosine:t2"

    # Nobody waits for the model before any more.
    with store.engine.connect() as connection:
        assert connection.execute(sa.select(task_models.c.reason)).all() == [(MODEL_GONE,)]
    assert Recovery(store.engine, store.engines["writer"]).remove_of_gone_models(100) == 3
    assert TaskLists(store.engine, store.engines["writer"]).counts(A.id)["PENDING"] == 0
