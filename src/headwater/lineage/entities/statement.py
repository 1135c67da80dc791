"""One SQL statement."""

from __future__ import annotations

from headwater.graph.facts import Evidence, Role, Shape, ShapeDataset, SqlText
from headwater.lineage.answer.entity_records import SqlEntity, StatementSummary
from headwater.lineage.answer.records import StatementUse
from headwater.lineage.answer.values import moment, newer, stamped
from headwater.lineage.errors import NodeNotFound
from headwater.store.assets.rows import key_of
from headwater.store.models.attached import AttachedResults
from headwater.store.read.aliases import Aliases
from headwater.store.read.reader import Reader
from headwater.store.read.runs.statement_use import StatementRuns, statement_runs
from headwater.store.read.summaries import Summaries

__all__ = ["parse_sql_id", "statement_entity", "statement_use"]


def parse_sql_id(text: str) -> bytes | None:
    """The bytes of `sql:` and 32 hexadecimal digits; None when this is no such id."""
    try:
        found = bytes.fromhex(text.removeprefix("sql:"))
    except ValueError:
        return None
    return found if len(found) == 16 else None


def statement_use(found: StatementRuns | None) -> StatementUse | None:
    """As it is shown."""
    if found is None:
        return None
    return StatementUse(
        runs=found.runs,
        failed=found.failures,
        duration_ms=None if found.duration is None else found.duration // 1000,
        last_run=moment(found.last_run),
    )


def statement_entity(reader: Reader, tenant: int, text: str) -> SqlEntity:
    sql = parse_sql_id(text.strip())
    found = reader.facts(tenant, SqlText, sql=sql) if sql is not None else []
    if sql is None or not found:
        raise NodeNotFound(f"There is no statement {text[:200]}.", hint="GET /api/v2/sql lists them.")
    shapes = reader.facts(tenant, Shape, sql=sql)
    ids = {shape.shape for shape in shapes}
    evidence, parts = reader.facts(tenant, Evidence, shape=ids), reader.facts(tenant, ShapeDataset, shape=ids)
    aliases = Aliases(reader, tenant)
    aliases.learn(part.dataset for part in parts)
    datasets = {(part.role, aliases.canonical(part.dataset)) for part in parts}
    names = reader.names(tenant, {node for _, node in datasets} | {shape.job for shape in shapes if shape.job})
    return SqlEntity(
        kind="sql",
        id=f"sql:{sql.hex()}",
        key=f"sql:{sql.hex()}",
        text=found[0].text or "",
        dialect=found[0].dialect,
        executions=Summaries(reader.engine).executions(tenant, sql),
        use=statement_use(statement_runs(reader.engine, tenant, [sql]).get(sql)),
        summary=_summary(reader, tenant, f"sql:{sql.hex()}"),
        first_seen=moment(min((item.first_seen for item in evidence if item.first_seen is not None), default=None)),
        last_seen=stamped(newer(*(item.last for item in evidence))),
        jobs=sorted({names[shape.job].node_id for shape in shapes if shape.job in names}),
        inputs=sorted(names[node].node_id for role, node in datasets if role == Role.INPUT and node in names),
        outputs=sorted(names[node].node_id for role, node in datasets if role == Role.OUTPUT and node in names),
    )


def _summary(reader: Reader, tenant: int, node: str) -> StatementSummary | None:
    """Summary of the statement by the tenant's model, if there is one."""
    key = key_of(node)
    found = AttachedResults(reader.engine).of_nodes(tenant, [key]).get(key)
    told = found.properties if found is not None else {}
    return StatementSummary(told["summary"], told["tags"], told["summaryGeneratedAt"]) if "summary" in told else None
