"""An invented data platform: applications of eight jobs each, the tables they read and write, and how those change.

Inside an application: a chain, and a diamond (the first job's table feeds the second and third, which meet in the
fourth). Between them: hubs, tables that many jobs read, and reports made from other reports.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence

from headwater.demo.event import DemoEdge, Job, Table

__all__ = ["JOBS_PER_APPLICATION", "World"]

JOBS_PER_APPLICATION = 8
COLUMNS = 30
_RAW_COLUMNS = 10
_ROUNDS_PER_SCHEMA = 150
"""How many rounds a table keeps its columns."""
_SQL_SHARE = 0.4
_SILENT_SHARE = 0.04
"""Jobs whose engine sends SQL and no column lineage."""

# fmt: off
_THINGS = (
    "orders", "customers", "payments", "products", "returns", "visits", "prices", "stock", "invoices", "reviews",
    "shipments", "campaigns", "sessions", "suppliers", "refunds", "carts", "stores", "staff", "budgets", "claims",
)
_WORDS = (
    "id", "customer", "product", "amount", "price", "tax", "day", "month", "status", "country", "city", "channel",
    "email", "phone", "segment", "store", "currency", "discount", "margin", "cost", "quantity", "weight", "source",
    "campaign", "device", "browser", "session", "referrer", "created", "updated", "closed", "score", "rank", "share",
    "target", "budget", "owner", "region", "brand", "category", "level", "reason", "carrier", "route", "batch",
)
# fmt: on
_LAYERS = ("stage", "stage", "stage", "core", "core", "mart", "mart", "report")
_TYPES = ("bigint", "string", "string", "decimal(12,2)", "date", "timestamp", "boolean")
_SUBTYPES = ("IDENTITY", "IDENTITY", "IDENTITY", "TRANSFORMATION", "AGGREGATION")
_LAKE = "s3://lake"
_DATABASE = "postgres://shop:5432"


class World:
    """The platform of one tenant; the same for the same seed."""

    def __init__(self, seed: str, jobs: int) -> None:
        self.namespace = "spark://cluster"
        self.applications: list[Sequence[int]] = [
            range(first, min(first + JOBS_PER_APPLICATION, jobs)) for first in range(0, jobs, JOBS_PER_APPLICATION)
        ]
        self._seed = seed
        self._hubs = max(1, len(self.applications) // 12)
        self._known: dict[int, tuple[tuple[str, ...], str]] = {}
        self._offsets: dict[str, int] = {}
        self._tables: dict[str, tuple[int, Table]] = {}

    def application_name(self, application: int) -> str:
        return f"{_THINGS[application % len(_THINGS)]}_{application:03d}"

    def state(self, job: int, round_number: int) -> tuple[int, ...]:
        """Number of schema changes of the job's tables by then, on which its events depend."""
        inputs, output = self._tables_of(job)
        return (*(self._version(table, round_number) for table in inputs), self._version(output, round_number))

    def job(self, job: int, round_number: int) -> Job:
        """A job as it is in a round."""
        input_names, output_name = self._tables_of(job)
        tables = [self._table(name, round_number) for name in input_names]
        output = self._table(output_name, round_number)
        edges = tuple(_edges(self._chance("edges", job), tables, output))
        style = self._chance("style", job).random()
        return Job(
            namespace=self.namespace,
            application=self.application_name(job // JOBS_PER_APPLICATION),
            name=f"insert_{output.name.replace('/', '_')}",
            number=job,
            # Of tables in the lake only the writer sends the columns, which keeps events at 7 KB.
            inputs=tuple(
                table if table.namespace == _DATABASE else Table(table.namespace, table.name, ()) for table in tables
            ),
            outputs=(output,),
            edges=() if style < _SILENT_SHARE else edges,
            sql=_statement(output, edges) if style < _SQL_SHARE else None,
        )

    def _tables_of(self, job: int) -> tuple[tuple[str, ...], str]:
        """Names of the inputs and of the output."""
        known = self._known.get(job)
        if known is None:
            known = self._known[job] = (self._inputs(job), self._output(job))
        return known

    def _inputs(self, job: int) -> tuple[str, ...]:
        """No table is made from itself: jobs only read earlier ones."""
        application, position = divmod(job, JOBS_PER_APPLICATION)
        chance = self._chance("inputs", job)
        raw = f"raw/{chance.randrange(2 * len(self.applications)):03d}"
        hub = chance.randrange(min(self._hubs, application)) if application else None
        shared = self._output(hub * JOBS_PER_APPLICATION + JOBS_PER_APPLICATION - 1) if hub is not None else raw
        before = [self._output(job - step) for step in range(1, position + 1)]
        if position == 0:
            return raw, shared if shared != raw else f"{raw}b"
        if position == 2:
            return before[1], raw
        if position in {3, 6}:
            return before[0], before[1]
        if position == 7 and application > 1:
            return before[0], self._output(chance.randrange(application) * JOBS_PER_APPLICATION + position)
        return before[0], shared

    def _output(self, job: int) -> str:
        application, position = divmod(job, JOBS_PER_APPLICATION)
        thing = _THINGS[(application + position) % len(_THINGS)]
        return f"{_LAYERS[position]}/{thing}_{job:04d}"

    def _table(self, name: str, round_number: int) -> Table:
        version = self._version(name, round_number)
        known = self._tables.get(name)
        if known is None or known[0] != version:
            known = self._tables[name] = (version, self._make_table(name, version))
        return known[1]

    def _make_table(self, name: str, version: int) -> Table:
        raw = name.startswith("raw/")
        chance = self._chance("columns", name)
        first = chance.randrange(len(_TYPES))
        words = chance.sample(_WORDS, _RAW_COLUMNS if raw else COLUMNS)
        columns = [(word, _TYPES[(first + 3 * position) % len(_TYPES)]) for position, word in enumerate(words)]
        for change in range(1, version + 1):  # by turns a new name and a new type
            position = chance.randrange(len(columns))
            word, kind = columns[position]
            columns[position] = (f"{word.partition('_')[0]}_{change}", kind) if change % 2 else (word, "string")
        if raw:
            thing = _THINGS[first * 5 % len(_THINGS)]
            return Table(_DATABASE, f"shop.public.{thing}_{name[4:]}", tuple(columns))
        return Table(_LAKE, name, tuple(columns))

    def _version(self, table: str, round_number: int) -> int:
        """How often the table has changed; each has a round of its own to do so."""
        offset = self._offsets.get(table)
        if offset is None:
            offset = self._offsets[table] = zlib.crc32(f"{self._seed}/{table}".encode()) % _ROUNDS_PER_SCHEMA
        return (round_number + offset) // _ROUNDS_PER_SCHEMA

    def _chance(self, what: str, which: object) -> random.Random:
        return random.Random(f"{self._seed}/{what}/{which}")  # noqa: S311 - invented data


def _edges(chance: random.Random, inputs: Sequence[Table], output: Table) -> Iterator[DemoEdge]:
    """Each column of the output from one column of an input, the inputs in turn."""
    first = chance.randrange(100)
    for position, (column, _) in enumerate(output.columns):
        source = inputs[position % len(inputs)]
        source_column = source.columns[(position + first) % len(source.columns)][0]
        yield DemoEdge(column, source, source_column, _SUBTYPES[(first + 3 * position) % len(_SUBTYPES)])


def _statement(output: Table, edges: Sequence[DemoEdge]) -> str:
    """A statement with some of the edges."""
    aliases = {
        table: alias for alias, table in zip("ab", dict.fromkeys(edge.source.name for edge in edges), strict=False)
    }
    chosen = ", ".join(f"{aliases[edge.source.name]}.{edge.source_column} AS {edge.column}" for edge in edges[:6])
    sources = " JOIN ".join(f"{name.replace('/', '.')} {alias}" for name, alias in aliases.items())
    on = " ON a.id = b.id" if len(aliases) > 1 else ""
    return f"INSERT OVERWRITE TABLE {output.name.replace('/', '.')} SELECT {chosen} FROM {sources}{on}"
