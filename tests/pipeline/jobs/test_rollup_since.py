"""A rollup takes what came since the last one; where it cannot know what that is, everything."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
import sqlalchemy as sa

from headwater.graph.derived import RunSummary
from headwater.pipeline.jobs import rollup as job
from headwater.pipeline.rollup.changed_keys import changed_keys_of
from headwater.pipeline.rollup.definitions import definitions
from headwater.store.access.tenants import Tenants
from headwater.store.pipeline import rollup_marks as module
from headwater.store.pipeline.rollup_marks import RollupMarks, forget_before_deletion, forget_rollups
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import events
from headwater.store.write.derived import DerivedStore, Replacement
from tests.conftest import entry_of
from tests.pipeline.made_events import made_events
from tests.pipeline.rollup.test_changes import compare

TENANT = DEFAULT_TENANT.id
MADE = [entry_of(body) for body in made_events(Random(9), 60)]


@pytest.fixture
def url(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store whose derived tables have all of its events, and a mark that says so."""
    monkeypatch.setattr(module, "_RECENT", 0)
    url = store.engine.url.render_as_string(hide_password=False)
    store.write(MADE[:40])
    job.rollup_changes(None, url, changed_keys_of(f for each in MADE[:40] for f in each.interpretation.facts()))
    RollupMarks(store.engine, definitions()).note([TENANT], newest(store))
    return url


@pytest.fixture
def derived(url: str) -> Iterator[DerivedStore]:
    opened = DerivedStore(url)
    yield opened
    opened.close()


def newest(store: SqlStore) -> int:
    with store.engine.connect() as connection:
        return connection.execute(sa.select(sa.func.max(events.c.id))).scalar_one()


def test_what_came_since(store: SqlStore, url: str, derived: DerivedStore) -> None:
    assert job.run_since(url)[0].refreshed == 0
    store.write(MADE[40:])
    report, left = job.run_since(url)
    assert (left, report.tenants, report.whole) == ([], 1, 0)
    assert 0 < report.refreshed < len(derived.rows(TENANT, RunSummary))
    compare(Reader(store.engine), derived)
    assert RollupMarks(store.engine, definitions()).read() == {TENANT: newest(store)}
    report, left = job.run_since(url)
    assert (report.refreshed, left) == (0, [])


def test_a_tenant_without_runs_needs_no_spark(store: SqlStore, url: str) -> None:
    other = Tenants(store.engine).create("other", "Other")
    RollupMarks(store.engine, definitions()).note([other.id], 0)
    assert job.run_since(url, tenant="other")[1] == []


def test_where_it_cannot_be_known(
    store: SqlStore, url: str, derived: DerivedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks, at = RollupMarks(store.engine, definitions()), newest(store)
    other = Tenants(store.engine).create("other", "Other")
    assert job.run_since(url)[1] == [other.id], "its rows were never worked out"

    forget_rollups(store.engine, [TENANT])  # after a replay
    assert job.run_since(url, tenant="default")[1] == [TENANT]

    RollupMarks(store.engine, "others").note([TENANT], at)  # of another version
    assert job.run_since(url, tenant="default")[1] == [TENANT]

    marks.note([TENANT], at)
    store.write(MADE[40:])
    forget_before_deletion(store.engine, TENANT, 0)  # nothing is that old
    assert marks.read() == {TENANT: at}
    with monkeypatch.context() as patch:
        patch.setattr(job, "ON_THE_DRIVER", 1)
        assert job.run_since(url, tenant="default")[1] == [TENANT], "too much has changed"
    assert marks.read() == {TENANT: at}
    forget_before_deletion(store.engine, TENANT, 1 << 60)
    assert marks.read() == {}

    marks.note([TENANT], newest(store))
    derived.replace(TENANT, [Replacement(RunSummary, (), (), [])])  # somebody emptied it
    assert job.run_since(url, tenant="default")[1] == [TENANT]
