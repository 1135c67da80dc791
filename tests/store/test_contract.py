"""What every store must do, whichever database it is in."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from functools import cache

import pytest
import sqlalchemy as sa

from headwater.bounded_cache import BoundedCache
from headwater.graph.facts import FACTS, Namespace, Node, Role, Run, ShapeDataset
from headwater.graph.fold import Graph, fold
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.dialects.failures import TooLargeForStore
from headwater.store.read.aliases import Aliases
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import events as events_table
from headwater.store.write.log import Entry, Tenant
from tests.conftest import EVENTS, read_events

FILES = sorted(f"{path.parent.name}/{path.name}" for path in EVENTS.glob("*/*.ndjson") if path.stem != "refused")
OTHER = Tenant(2, "other", "Other")
ALWAYS = {"after": -(2**62), "before": 2**62}


def entry(body: bytes, tenant: Tenant = DEFAULT_TENANT, cache: BoundedCache | None = None) -> Entry:
    event = decode_event(body)
    return Entry(tenant, event, interpret(event, tenant.id, cache), 0)


def event(name: str, time: str = "2026-03-01T00:00:00Z", **more: object) -> bytes:
    run = {"runId": "0197833d-511d-7034-be27-078fb128ca59"}
    output = {"namespace": "s3://lake", "name": f"{name}/out"}
    body = {"eventTime": time, "eventType": "COMPLETE", "run": run, "job": {"namespace": "jobs", "name": name}}
    return json.dumps({**body, "outputs": [output], **more}).encode()


def dump(reader: Reader, tenant: Tenant = DEFAULT_TENANT) -> list[str]:
    with reader.snapshot(tenant.id) as read:
        return list(dump_facts(read))


@cache
def recorded() -> tuple[bytes, ...]:
    return tuple(body for file in FILES for body in read_events(file))


@cache
def graph_of(bodies: tuple[bytes, ...], tenant: int) -> Graph:
    return fold(fact for body in bodies for fact in interpret(decode_event(body), tenant).facts())


def write_mixed(store: SqlStore, bodies: Iterable[bytes], tenant: Tenant, seed: int) -> None:
    """Shuffled, partly doubled, in batches of any size."""
    chance, cache = random.Random(seed), BoundedCache(1 << 20)
    mixed = list(bodies)
    mixed += chance.sample(mixed, len(mixed) // 3)
    chance.shuffle(mixed)
    while mixed:
        size = chance.randint(1, 80)
        store.write([entry(body, tenant, cache) for body in mixed[:size]])
        del mixed[:size]


def test_opening_again_changes_nothing(store: SqlStore, reader: Reader) -> None:
    store.write([entry(event("a"))])
    before = dump(reader)
    again = SqlStore(store.engine.url.render_as_string(hide_password=False))
    again.open()
    assert dump(Reader(again.engine)) == before
    again.close()
    assert reader.tenant("default") == DEFAULT_TENANT
    assert reader.tenant("Default") is None
    assert reader.tenant("default ") is None


def test_all_recorded_events_give_the_fold(store: SqlStore, reader: Reader) -> None:
    write_mixed(store, recorded(), DEFAULT_TENANT, 3)
    assert dump(reader) == list(dump_graph(graph_of(recorded(), DEFAULT_TENANT.id)))
    logged = [item.body for item in reader.log(DEFAULT_TENANT.id)]
    assert sorted(logged) == sorted({body.strip() for body in recorded()})
    for fact in FACTS:
        table = graph_of(recorded(), DEFAULT_TENANT.id).get(fact, {})
        assert list(reader.all_facts(1, fact)) == [table[key] for key in sorted(table)]


def test_duplicates_count_once(store: SqlStore, reader: Reader) -> None:
    first, second = entry(event("a")), entry(event("b"))
    assert store.write([first, first, second]) == 2
    assert store.write([second]) == 0
    assert store.write([first, entry(event("c"))]) == 1
    assert reader.count_events(1, **ALWAYS) == 3


def test_a_failed_batch_leaves_nothing(store: SqlStore, reader: Reader) -> None:
    bad = entry(event("b"))
    bad = Entry(Tenant(1, "x" * 300, "too long a code"), bad.event, bad.interpretation, 0)
    if store.engine.dialect.name == "sqlite":
        bad = Entry(Tenant(1, None, "none"), bad.event, bad.interpretation, 0)  # type: ignore[arg-type]
    with pytest.raises(sa.exc.DBAPIError):
        store.write([entry(event("a")), bad])
    assert dump(reader) == []
    assert reader.count_events(1, **ALWAYS) == 0
    assert store.write([entry(event("a"))]) == 1
    assert dump(reader) == list(dump_graph(graph_of((event("a"),), 1)))


def test_the_log_gives_events_as_they_came(store: SqlStore, reader: Reader) -> None:
    bodies = [event(f"é{number}", note="\U0001f600 \\ ' \" % %s \x01") for number in range(2100)]
    for start in range(0, len(bodies), 300):
        store.write([entry(body) for body in bodies[start : start + 300]])
    logged = list(reader.log(1))
    assert sorted(item.body for item in logged) == sorted(bodies)
    ids = [item.id for item in logged]
    assert ids == sorted(ids)
    assert [item.id for item in reader.log(1, start=ids[1500])] == ids[1501:]


def test_events_in_a_window(store: SqlStore, reader: Reader) -> None:
    times = ["1931-05-01T00:00:00Z", "1970-01-01T00:00:00Z", "2026-01-01T00:00:00.000001Z", "2999-01-01T00:00:00Z"]
    bodies = [event("a", time) for time in times]
    store.write([entry(body) for body in random.Random(1).sample(bodies, 4)])
    seen = [decode_event(body).time for body in bodies]
    everything = {"limit": 10, "offset": 0, **ALWAYS}
    assert [item.body for item in reader.events(1, **everything)] == bodies[::-1]
    assert [item.body for item in reader.events(1, **everything, descending=False)] == bodies
    assert [item.body for item in reader.events(1, **{**everything, "limit": 2, "offset": 1})] == bodies[2:0:-1]
    window = {"after": seen[1], "before": seen[3]}
    assert [item.time for item in reader.events(1, limit=10, offset=0, **window)] == [seen[2], seen[1]]
    assert reader.count_events(1, **window) == 2
    assert reader.count_events(1, **window, kind="RUN_EVENT") == 2
    assert reader.count_events(1, **window, kind="run_event") == 0
    wanted = decode_event(bodies[0])
    found = reader.event_by_stamp(1, wanted.time, wanted.fingerprint)
    assert found is not None
    assert found.body == bodies[0]
    assert reader.event_by_stamp(1, wanted.time + 1, wanted.fingerprint) is None


def test_facts_by_their_columns(store: SqlStore, reader: Reader) -> None:
    store.write([entry(body) for body in read_events("written/spec.ndjson")])
    graph = fold(
        fact for body in read_events("written/spec.ndjson") for fact in interpret(decode_event(body), 1).facts()
    )
    datasets = {item.dataset for item in graph[ShapeDataset].values()}
    found = reader.facts(1, ShapeDataset, dataset=datasets, role=int(Role.OUTPUT))
    expected = [item for item in graph[ShapeDataset].values() if item.role == Role.OUTPUT]
    assert sorted(found, key=ShapeDataset.key) == sorted(expected, key=ShapeDataset.key)
    assert reader.facts(1, ShapeDataset, dataset=set()) == []
    run = next(iter(graph[Run].values()))
    assert reader.facts(1, Run, run=run.run) == [run]


NAMES = ["orders", "Orders", "ORDERS ", "50%_orders", "a\\b", "été", "ordérs", "x" * 3000, "it's \U0001f600"]


def test_names(store: SqlStore, reader: Reader) -> None:
    place = b"p" * 16
    nodes = [Node(1, bytes([number]) * 16, 1, place, name, 4, number) for number, name in enumerate(NAMES)]
    store.merge(fold([Namespace(1, place, "s3://lake"), *nodes]))
    names = reader.names(1, [node.node for node in nodes] + [b"?" * 16])
    assert [names[node.node].name for node in nodes] == NAMES

    def search(text: str, **more: int) -> list[str]:
        return [name.name for name in reader.search_names(1, text, **more)]

    assert search("ORDERS") == ["Orders", "orders", "ORDERS ", "50%_orders"]
    assert search("%_") == ["50%_orders"]
    assert search("\\") == ["a\\b"]
    assert search("été") == ["été"]
    assert search("ordérs") == ["ordérs"]
    assert search("\U0001f600") == ["it's \U0001f600"]
    assert search("orders", limit=1) == ["Orders"]
    assert search("_rders") == []


def test_text_that_no_database_can_hold_is_kept_all_the_same(store: SqlStore, reader: Reader) -> None:
    """NUL, wherever an event may have it."""
    odd = "a\x00b\uffff\U0001f600c"
    facets = {
        "nominalTime": {"nominalStartTime": "2026-01-01T00:00:00Z"},
        "tags": {"tags": [{"key": odd, "value": odd, "source": odd}]},
        "errorMessage": {"message": odd, "programmingLanguage": odd},
        "processing_engine": {"name": odd, "version": odd},
        "jobDependencies": {"upstream": [{"job": {"namespace": odd, "name": odd}, "dependency_type": odd}]},
        "externalQuery": {"externalQueryId": odd, "source": odd},
    }
    job_facets = {
        "sql": {"query": f"select '{odd}'"},
        "documentation": {"description": odd},
        "jobType": {"jobType": odd},
    }
    dataset = {
        "namespace": odd,
        "name": odd,
        "facets": {
            "schema": {"fields": [{"name": odd, "type": odd}]},
            "version": {"datasetVersion": odd},
            "symlinks": {"identifiers": [{"namespace": odd, "name": odd + "2", "type": odd}]},
            "columnLineage": {"fields": {odd: {"inputFields": [{"namespace": odd, "name": odd, "field": odd}]}}},
        },
        "inputFacets": {"dataQualityAssertions": {"assertions": [{"assertion": odd, "success": True, "column": odd}]}},
    }
    body = {
        "eventTime": "2026-01-01T00:00:00Z",
        "eventType": "FAIL",
        "producer": odd,
        "run": {"runId": odd, "facets": facets},
        "job": {"namespace": odd, "name": odd, "facets": job_facets},
        "inputs": [dataset],
        "outputs": [{key: value for key, value in dataset.items() if key != "inputFacets"}],
    }
    bodies = (json.dumps(body).encode(),)
    assert store.write([entry(bodies[0])]) == 1
    assert dump(reader) == list(dump_graph(graph_of(bodies, 1)))
    assert next(reader.log(1)).body == bodies[0]


@pytest.mark.slow
def test_the_largest_event(store: SqlStore, reader: Reader) -> None:
    """32 MiB that hardly compress; where the database is set up to take less, that is said."""
    noise = random.Random(2).randbytes(12 << 20).hex()
    body = event(
        "large",
        note=noise,
        outputs=[{"namespace": "n", "name": "o", "facets": {"documentation": {"description": noise[: 4 << 20]}}}],
    )
    if store.engine.dialect.name == "mysql":
        with pytest.raises(TooLargeForStore, match="MiB; the database takes 16 MiB") as refusal:
            store.write([entry(event("small")), entry(body)])
        assert "SET GLOBAL max_allowed_packet=67108864" in refusal.value.hint
        assert reader.count_events(1, **ALWAYS) == 0
        with store.engine.connect() as connection:
            connection.exec_driver_sql("SET GLOBAL max_allowed_packet=67108864")
        store.close()
        store.open()
    assert store.write([entry(body)]) == 1
    assert next(reader.log(1)).body == body
    assert dump(reader) == list(dump_graph(graph_of((body,), 1)))


# --- tenants do not mix --------------------------------------------------------------------------------------------


def _questions(reader: Reader, tenant: int, ids: set[bytes]) -> dict[str, object]:
    """Everything that can be asked, with the ids of both tenants."""
    nodes = sorted(ids)
    aliases = Aliases(reader, tenant)
    aliases.learn(nodes)
    return {
        "names": reader.names(tenant, nodes),
        "search": reader.search_names(tenant, "o", limit=1000),
        "events": reader.events(tenant, limit=1000, offset=0, **ALWAYS),
        "count": reader.count_events(tenant, **ALWAYS),
        "log": [(item.id, item.body) for item in reader.log(tenant)],
        "facts": {fact.table: sorted(reader.facts(tenant, fact), key=fact.key) for fact in FACTS},
        "all": {fact.table: list(reader.all_facts(tenant, fact)) for fact in FACTS},
        "groups": {node: aliases.group(node) for node in nodes},
        "shown": {node: aliases.canonical(node) for node in nodes},
    }


def test_tenants_do_not_mix(store: SqlStore, reader: Reader) -> None:
    """Two tenants with the same names and, in part, the same events."""
    bodies = [*read_events("written/spec.ndjson"), *read_events("written/spark.ndjson")]
    others = [*read_events("written/spark.ndjson"), *read_events("written/dbt.ndjson")]
    write_mixed(store, bodies, DEFAULT_TENANT, 1)
    ids = {
        value
        for facts in graph_of(tuple(bodies + others), 1).values()
        for key in facts
        for value in key[1:]
        if isinstance(value, bytes)
    }
    alone = _questions(reader, DEFAULT_TENANT.id, ids)
    nothing = _questions(reader, OTHER.id, ids)
    assert not any(nothing[name] for name in ("names", "search", "events", "count", "log"))
    assert not any(found for name in ("facts", "all") for found in nothing[name].values())
    write_mixed(store, others, OTHER, 2)
    assert _questions(reader, DEFAULT_TENANT.id, ids) == alone
    assert dump(reader, OTHER) == list(dump_graph(graph_of(tuple(others), OTHER.id)))
    with store.engine.connect() as connection:
        pairs = connection.execute(sa.select(events_table.c.tenant_id, events_table.c.tenant_code).distinct())
        assert sorted(map(tuple, pairs)) == [(1, "default"), (2, "other")]


def test_one_batch_of_two_tenants(store: SqlStore, reader: Reader) -> None:
    body = event("same")
    assert store.write([entry(body), entry(body, OTHER)]) == 2
    for tenant in (DEFAULT_TENANT, OTHER):
        assert dump(reader, tenant) == list(dump_graph(graph_of((body,), tenant.id)))
        assert reader.count_events(tenant.id, **ALWAYS) == 1


def test_probe(store: SqlStore, reader: Reader) -> None:
    store.probe()
    reader.ping()
    assert reader.tenant("default") == DEFAULT_TENANT
