"""SQLite looks things up by the index that was made for them, from the first event on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from headwater.graph.fact import Fact
from headwater.graph.facts import FACTS
from headwater.store.assets.tables import asset_edges, asset_nodes
from headwater.store.sql_store import SqlStore
from headwater.store.tables import fact_tables


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlStore]:
    opened = SqlStore(f"sqlite:///{tmp_path_factory.mktemp('store')}/headwater.db")
    opened.open()
    yield opened
    opened.close()


LOOK_UPS = [(fact, names) for fact in FACTS for names in fact.indexes]


@pytest.mark.parametrize(
    ("fact", "names"), LOOK_UPS, ids=lambda value: value.table if isinstance(value, type) else "_".join(value)
)
def test_every_index_serves_its_look_up(embedded: SqlStore, fact: type[Fact], names: tuple[str, ...]) -> None:
    table = fact_tables[fact]
    # a kind of node alone is half of all; where the second name is of the key, the index is for a kind alone
    looked_up = names[:2] if names[0] == "kind" and names[1] not in fact_tables[fact].primary_key.columns else names[:1]
    conditions = [table.c[name].in_([b"a", b"b"]) for name in looked_up]
    plan = _plan(embedded, sa.select(table).where(table.c.tenant == 1, *conditions))
    assert f"ix_{fact.table}_{'_'.join(names)}" in plan, plan


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.table)
def test_the_key_serves_its_look_up(embedded: SqlStore, fact: type[Fact]) -> None:
    table = fact_tables[fact]
    second = list(table.primary_key)[1]
    plan = _plan(embedded, sa.select(table).where(table.c.tenant == 1, second == b"a"))
    assert f"{second.name}=?" in plan, plan


def test_edges_of_assets_are_found_by_both_ends(embedded: SqlStore) -> None:
    edges = asset_edges.c
    kinds = edges.kind.in_(["MEASURES", "DERIVES_FROM"])
    for end, wanted in ((edges.target, "ix_asset_edge_tenant_target_kind_source"), (edges.source, "source=?")):
        where = (edges.tenant == 1, end.in_([b"a", b"b"]), kinds)
        plan = _plan(embedded, sa.select(edges.source, edges.properties).where(*where))
        assert wanted in plan, plan
    plan = _plan(embedded, sa.select(asset_nodes).where(asset_nodes.c.tenant == 1, asset_nodes.c.owner.in_([b"a"])))
    assert "ix_asset_node_tenant_owner" in plan, plan


def _plan(embedded: SqlStore, query: sa.Select) -> str:
    compiled = query.compile(dialect=embedded.engine.dialect, compile_kwargs={"render_postcompile": True})
    values = tuple(compiled.params[name] for name in compiled.positiontup or ())
    with embedded.engine.connect() as connection:
        return " ".join(row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values))
