"""The list of allowed facets, at every way into the log: whatever an event has besides, none of it is kept anywhere."""

from __future__ import annotations

import asyncio
import json
import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from headwater.access.identity import SINGLE_USER
from headwater.api.app import Application
from headwater.ingest.large_events.pool import LargeEvents
from headwater.openlineage.policy.record import OVERLAY
from headwater.pipeline.gravitino.sync import SyncReport, _append
from headwater.pipeline.sinks.facts import bulk_writer
from headwater.pipeline.tasks.fold import Folding
from headwater.pipeline.tasks.log_and_fold import LogAndFold
from headwater.settings import Settings
from headwater.store.compression import decompress
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.tables import dead_letters, events, metadata
from tests.application import InProcess

LEAK = "leak"
"""In everything that the list does not let through."""
POLICY = {"rules": [{"namespaces": ["*"], "facets": OVERLAY.facets}]}
SLOTS = {"run": "run", "job": "job", "dataset": "dataset"}


def any_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(7 if depth < 3 else 4)
    if kind == 0:
        return LEAK
    if kind == 1:
        return f"{LEAK}{chance.random()}"
    if kind == 2:
        return [LEAK]
    if kind == 3:
        return {LEAK: 1}
    if kind == 4:
        return [any_value(chance, depth + 1) for _ in range(chance.randrange(1, 3))]
    names = ["_producer ", "_schemaURL.", "name", "facets", f"{LEAK}s", "confs", ""]
    return {chance.choice(names) or LEAK: any_value(chance, depth + 1) for _ in range(chance.randrange(1, 4))}


def any_facets(chance: random.Random, slot: str) -> Any:
    if chance.random() < 0.05:
        return any_value(chance)
    listed: dict[str, list[str]] = {} if slot == "role" else getattr(OVERLAY.facets, slot)
    facets: dict[str, Any] = {}
    for name, fields in listed.items():
        facet: Any = {field: chance.choice([1, "ok", True, None, ["ok"]]) for field in fields if chance.random() < 0.7}
        if chance.random() < 0.5:
            facet[chance.choice([LEAK, f"{chance.choice(fields)} ", LEAK.title() + LEAK])] = any_value(chance)
        if fields and chance.random() < 0.3:
            facet[chance.choice(fields)] = {LEAK: any_value(chance)}
        if chance.random() < 0.2:
            facet["_producer"] = chance.choice(["https://ok", {LEAK: 1}, [LEAK], f"a {LEAK}"])
        facets[name] = facet if chance.random() < 0.9 else [LEAK, any_value(chance)]
    for _ in range(chance.randrange(3)):
        name = "".join(chance.choice(string.ascii_letters) for _ in range(6))
        facets[chance.choice([name, *listed, "schema", "environmentVariables"]) + chance.choice(["", " ", "_"])] = {
            LEAK: any_value(chance)
        }
    return facets


def any_thing(chance: random.Random, slot: str, **names: str) -> dict[str, Any]:
    thing: dict[str, Any] = {**names, "facets": any_facets(chance, slot)}
    if slot == "dataset":
        thing[chance.choice(["inputFacets", "outputFacets"])] = any_facets(chance, "role")
    if chance.random() < 0.3:
        thing[chance.choice([LEAK, "Facets", "facets "])] = any_value(chance)
    return thing


def any_event(chance: random.Random, number: int) -> bytes:
    """An event that is taken, with a leak somewhere."""
    members: dict[str, Any] = {
        "eventTime": "2026-01-02T03:04:05Z",
        "eventType": chance.choice(["COMPLETE", "START"]),
        "producer": "https://ok",
        "run": any_thing(chance, "run", runId=f"run-{number}"),
        "job": any_thing(chance, "job", namespace="overlay:t", name=f"publish::{number}"),
        "outputs": [any_thing(chance, "dataset", namespace="overlay:t", name=f"v{number}")],
        "inputs": [
            any_thing(chance, "dataset", namespace="overlay:t", name=f"p{n}") for n in range(chance.randrange(3))
        ],
        LEAK: any_value(chance),
    }
    if chance.random() < 0.2:
        members["dataset"] = any_thing(chance, "dataset", namespace="overlay:t", name="d")
    if chance.random() < 0.2:
        members["inputs"] = [*members["inputs"], any_value(chance), {"name": "x", "facets": any_value(chance)}]
    text = json.dumps(members, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.2:  # in another spelling
        text = text.replace(LEAK, "l\\u0065ak")
    if chance.random() < 0.2:  # members that come twice
        text = text.replace('"run": {', '"run": {"facets": {"a": "leak"}, "facets": 7, ', 1)
    return text.encode()


def any_refused(chance: random.Random, number: int) -> bytes:
    """An event that is refused."""
    body = any_event(chance, number)
    return chance.choice(
        [
            body[:-3],
            body.replace(b"eventTime", b"eventTim"),
            body.replace(b"2026-01-02T", LEAK.encode()),
            b"leak" + body,
        ]
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    opened = SqlStore(f"sqlite:///{tmp_path}/headwater.db")
    opened.open()
    yield opened
    opened.close()


def leaks(store: SqlStore) -> list[str]:
    """Where anything of what is not let through stands: in rows of any table, and in stored bodies."""
    found = []
    with store.engine.connect() as connection:
        for table in metadata.sorted_tables:
            for row in connection.execute(sa.select(table)):
                values = [*row]
                if table is events:
                    values.append(decompress(row.event))
                if table is dead_letters:
                    values.append(decompress(row.body))
                text = " ".join(map(repr, values)).replace("\\\\u0065", "e").lower()
                if LEAK in text and table.name != "tenant":
                    found.append(f"{table.name}: {text[:2000]}")
    return found


def counts(store: SqlStore) -> tuple[int, int]:
    with store.engine.connect() as connection:
        asked = (sa.select(sa.func.count()).select_from(table) for table in (events, dead_letters))
        stored, refused = (connection.execute(query).scalar_one() for query in asked)
        return stored, refused


def single(folder: Path, store: SqlStore, bodies: list[bytes]) -> None:
    with InProcess(folder) as app:
        for body in bodies:
            app.send(body)


def batch(folder: Path, store: SqlStore, bodies: list[bytes]) -> None:
    with InProcess(folder) as app:
        content = b"\n".join(bodies)
        app.post("/api/v1/lineage/batch", content=content, headers={"content-type": "application/x-ndjson"})


def fast(folder: Path, store: SqlStore, bodies: list[bytes]) -> None:
    """The short way of small events, which a server takes before any other."""
    with InProcess(folder) as app:
        app.get("/api/v2/tenants")
        ingest = app._application.ingest
        assert ingest is not None
        taken = 0

        async def send_all() -> None:
            nonlocal taken
            for body in bodies:
                done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                if ingest.try_small_event({b"host": b"localhost"}, body, lambda _, done=done: done.set_result(None)):
                    taken += 1
                    await done

        app._loop.run_until_complete(send_all())
        assert taken > len(bodies) // 3
        for body in bodies:
            app.send(body)


def large(folder: Path, store: SqlStore, bodies: list[bytes]) -> None:
    """The process for large events."""
    settings = Settings(data=str(folder))

    async def send_all() -> None:
        opened = SqlStore(settings.store_url)
        opened.open()
        application = Application(settings, opened, large=LargeEvents(settings))
        application.start()
        admission = application._rest.state.services.admission
        await application._directory.refresh()
        for body in bodies:
            padding = b" " * (257 << 10)
            try:
                await (await admission.admit(SINGLE_USER, body[:-1] + padding + body[-1:]))
            except Exception as error:  # noqa: BLE001 - what is refused is looked at below
                assert "defect" not in str(error)  # noqa: PT017
        await admission.dead_letters_kept()
        await application.stop()

    asyncio.run(send_all())


def task(folder: Path, store: SqlStore, bodies: list[bytes]) -> None:
    """What tasks of `headwater pipeline import` and `stream` do with their events."""
    url, tenant = f"sqlite:///{folder}/headwater.db", Reader(store.engine).tenant("default")
    assert tenant is not None
    said: list[str] = []
    log_and_fold: LogAndFold[int] = LogAndFold(
        Folding("run", "task", bulk_writer(url)),
        bulk_writer(url),
        lambda _, error, body: said.append(f"{error.message} {error.path} {body!r}"),
    )
    for number, body in enumerate(bodies):
        log_and_fold.add(number, tenant, body)
    log_and_fold.flush()
    assert len(said) + counts(store)[0] == len(bodies)
    assert not [text for text in said if LEAK in text or "l\\u0065ak" in text]


def sync(folder: Path, store: SqlStore, bodies: list[bytes]) -> None:
    """What a reading of a metalake appends."""
    tenant = Reader(store.engine).tenant("default")
    assert tenant is not None
    for body in bodies:
        try:
            _append(store, tenant, [body], SyncReport(cutover=""))
        except Exception as error:  # noqa: BLE001
            assert "event" in str(error).lower() or "body" in str(error).lower()  # noqa: PT017


def retry(folder: Path, store: SqlStore, bodies: list[bytes]) -> None:
    """Dead letters of before there was a policy: refused as those of a disabled tenant, and retried."""
    with InProcess(folder) as app:
        app.key = app.make_key(roles=["admin"])
        app.make_tenant("a", 7)
        key = app.make_key(tenant="a")
        app.post("/api/v2/tenants/a/disable")
        for body in bodies:
            app.send(body, key=key)
        refused = counts(store)[1]
        app.post("/api/v2/policy/set?tenant=a", json=json.loads(json.dumps(POLICY, default=_plain)))
        app.post("/api/v2/tenants/a/enable")
        app.post("/api/v2/dead-letters/retry", json={})
        assert counts(store)[0] > 0
        assert counts(store)[1] == refused
        app.ask("DELETE", "/api/v2/dead-letters?state=any")


def _plain(value: Any) -> Any:
    return {slot: getattr(value, slot) for slot in value.__struct_fields__}


DOORS: dict[str, Callable[[Path, SqlStore, list[bytes]], None]] = {
    door.__name__: door for door in (single, batch, fast, large, task, sync, retry)
}


@pytest.mark.parametrize("own", [False, True], ids=["built in", "own"])
@pytest.mark.parametrize("door", DOORS)
def test_nothing_outside_the_list_gets_through(tmp_path: Path, store: SqlStore, door: str, *, own: bool) -> None:
    chance = random.Random(f"{door} {own}")
    if own:
        text = json.dumps(POLICY, default=_plain)
        store_tenants(store, text)
    count = 20 if door in ("large", "single") else 60
    bodies = [any_event(chance, number) for number in range(count)]
    if own:  # without a policy of one's own, what cannot be read is of no namespace
        bodies += [any_refused(chance, count + number) for number in range(count // 4)]
    DOORS[door](tmp_path, store, bodies)
    assert counts(store)[0] >= count * 0.9, "most of them are taken"
    assert leaks(store) == []


@pytest.mark.parametrize("own", [False, True], ids=["built in", "own"])
def test_nothing_gets_through_routes_of_marquez_that_write(tmp_path: Path, store: SqlStore, *, own: bool) -> None:
    if own:
        store_tenants(store, json.dumps(POLICY, default=_plain))
    space = "/api/v1/namespaces/overlay:t"
    field = {"name": LEAK, "type": LEAK, "description": LEAK, "tags": [LEAK]}
    dataset = {"type": "DB_TABLE", "physicalName": LEAK, "sourceName": "gitdata", "fields": [field], "tags": [LEAK]}
    job = {
        "type": "BATCH",
        "inputs": [],
        "outputs": [{"namespace": "overlay:t", "name": "v"}],
        "context": {"sql": LEAK},
    }
    with InProcess(tmp_path) as app:
        for method, path, body in (
            ("PUT", space, {"ownerName": LEAK, "description": LEAK}),
            ("PUT", "/api/v1/sources/gitdata", {"type": "OTHER", "connectionUrl": "https://ok"}),
            ("PUT", f"{space}/datasets/v", {**dataset, "description": LEAK}),
            ("PUT", f"{space}/jobs/publish::v", {**job, "location": f"https://{LEAK}", "description": LEAK}),
            ("POST", f"{space}/jobs/publish::v/runs", {"args": {"user": LEAK}}),
        ):
            answer = app.ask(method, path, json=body)
            assert answer.status_code in (200, 201), answer.text
        assert app.get(f"{space}/datasets/v").json()["type"] == "DB_TABLE"
    assert counts(store)[0] >= 5
    assert leaks(store) == []


def test_personal_data_in_remarks_of_clients_of_marquez(tmp_path: Path, store: SqlStore) -> None:
    rule = {"namespaces": ["etl"], "mode": "deny", "facets": {}, "patterns": ["email"]}
    store_tenants(store, json.dumps({"rules": [rule]}))
    with InProcess(tmp_path) as app:
        app.ask(
            "PUT", "/api/v1/namespaces/etl", json={"ownerName": "ann@example.com", "description": "by ann@example.com"}
        )
        found = app.get("/api/v1/namespaces/etl").json()
        assert (found["ownerName"], found["description"]) == ("[redacted:email]", "by [redacted:email]")
        store_tenants(store, json.dumps({"rules": [{**rule, "on_match": "refuse"}]}))
    with InProcess(tmp_path) as app:
        refused = app.ask("PUT", "/api/v1/namespaces/etl", json={"ownerName": "bob@example.com"})
        assert (refused.status_code, refused.json()["error"]) == (400, "personal_data_refused")


def store_tenants(store: SqlStore, policy: str) -> None:
    from headwater.store.access.tenants import Tenants
    from headwater.store.scope import EVERY_TENANT

    assert Tenants(store.engine).set_facet_policy(EVERY_TENANT, "default", policy) is not None


def test_without_a_rule_the_log_keeps_what_was_sent(tmp_path: Path, store: SqlStore) -> None:
    body = any_event(random.Random(1), 1).replace(b"overlay:t", b"etl")
    with InProcess(tmp_path) as app:
        assert app.send(body).status_code == 201
        assert app.send(b'{"leak"').status_code == 400
    with store.engine.connect() as connection:
        (stored,) = connection.execute(sa.select(events.c.event)).scalars()
        (refused,) = connection.execute(sa.select(dead_letters.c.body)).scalars()
    assert decompress(stored) == body
    assert decompress(refused) == b'{"leak"'
