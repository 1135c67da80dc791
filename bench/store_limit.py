"""What a database can take at most: bare inserts of the same bodies, many to a transaction, one connection.

The yardstick for `ingest.py --store`. One table with the log's key and a unique index, bodies as they came, the
driver's fastest way to insert many rows, and a durable commit per batch. No HTTP, no decoding, no graph.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

sys.path.insert(0, str(Path(__file__).parents[1]))

from headwater.store.dialects.postgresql_arrays import array_of
from headwater.store.engine import WRITING, make_engine

STORES = ("sqlite", "mariadb", "postgresql")

_TABLE = {
    "sqlite": "id INTEGER PRIMARY KEY AUTOINCREMENT, tenant INTEGER, time INTEGER, fingerprint BLOB, event BLOB",
    "mysql": "id BIGINT PRIMARY KEY AUTO_INCREMENT, tenant BIGINT, time BIGINT, fingerprint BINARY(16), event LONGBLOB",
    "postgresql": "id BIGSERIAL PRIMARY KEY, tenant BIGINT, time BIGINT, fingerprint BYTEA, event BYTEA",
}
_INSERT = {
    "sqlite": "INSERT INTO bare (tenant, time, fingerprint, event) VALUES (?, ?, ?, ?)",
    "mysql": "INSERT INTO bare (tenant, time, fingerprint, event) VALUES (%s, %s, %s, %s)",
    "postgresql": "INSERT INTO bare (tenant, time, fingerprint, event) "
    "SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bytea[], %s::bytea[])",
}


@contextlib.contextmanager
def durable_store(kind: str) -> Iterator[tuple[str, str, str]]:
    """A folder, and the URLs of two empty databases in it or on a server started for the purpose."""
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        if kind == "sqlite":
            yield folder, f"sqlite:///{folder}/headwater.db", f"sqlite:///{folder}/limit.db"
            return
        from tests.servers import SERVERS

        with SERVERS[kind](durable=True) as server:
            yield folder, server.make_database(), server.make_database()


def bare_inserts(url: str, bodies: list[bytes], batch: int, seconds: float) -> int:
    """Events per second."""
    engine = make_engine(url, writes=True)
    name = engine.dialect.name
    rows = [(1, number, hashlib.sha256(body).digest()[:16], body) for number, body in enumerate(bodies)]
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS bare")
        connection.exec_driver_sql(f"CREATE TABLE bare ({_TABLE[name]})")
        connection.exec_driver_sql("CREATE UNIQUE INDEX uq_bare ON bare (tenant, time, fingerprint)")
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds and done < len(rows):
        part = rows[done : done + batch]
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            if name == "postgresql":
                columns = zip((int, int, bytes, bytes), zip(*part, strict=True), strict=True)
                connection.exec_driver_sql(_INSERT[name], tuple(array_of(kind, column) for kind, column in columns))
            else:
                connection.exec_driver_sql(_INSERT[name], part)
        done += len(part)
    rate = round(done / (time.perf_counter() - began))
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE bare"))
    engine.dispose()
    return rate


def raw_limit(url: str, bodies: list[bytes], seconds: float) -> dict[str, int]:
    """By the number of events in a transaction."""
    return {f"{batch}_per_commit": bare_inserts(url, bodies, batch, seconds) for batch in (32, 256)}


def store_writes(url: str, bodies: list[bytes], batch: int, seconds: float) -> int:
    """Events per second that `SqlStore.write` takes, log and graph: everything but HTTP, decoding and interpreting."""
    from headwater.bounded_cache import BoundedCache
    from headwater.interpret.interpret import interpret
    from headwater.openlineage.decode import decode_event
    from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
    from headwater.store.write.log import Entry

    store, cache = SqlStore(url), BoundedCache(64 << 20)
    store.open()
    decoded = map(decode_event, bodies)
    entries = [Entry(DEFAULT_TENANT, event, interpret(event, 1, cache), 0) for event in decoded]
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds and done < len(entries):
        store.write(entries[done : done + batch])
        done += batch
    rate = round(min(done, len(entries)) / (time.perf_counter() - began))
    store.close()
    return rate
