"""The text of docs/reference/facts.md, from the declarations of the facts."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

__all__ = ["facts_page"]

FACTS_SOURCES = tuple(
    ROOT / "src" / "headwater" / "graph" / name
    for name in ("facts.py", "run_facts.py", "enumerations.py", "annotations/by_hand.py", "catalog/facts.py")
)

_HEAD = """# Facts

<!-- Written by scripts/check_docs.py --write from src/headwater/graph/facts.py and by_hand.py. Change it there. -->

Everything Headwater knows is a row in one of these tables. A row has a key and columns, and every column declares how
two values of it merge ([concepts](../concepts.md#facts-and-merge-rules)). The first part of every key is `tenant`,
which is left out below. The same tables are in the database, in [`headwater dump`](cli.md#headwater-dump), and in
memory while events are folded.

| rule | merges to |
|---|---|
| `Min` | the smallest value |
| `Max` | the greatest value |
| `AnyOf` | a value that does not change; should sources disagree all the same, the greatest |
| `Precedence` | the member of the enumeration with the greatest number |
| `Flags` | all flags that were ever set |
| `Latest` | the value of the newest event; of two at one time the one with the greater fingerprint |

No value means "nothing said" and never wins. A `Latest` column `x` is stored with a second one, `x_stamp`.

`Id` is 16 bytes: the digest of a name or of content, or a run's UUID. `Stamp` is 24 bytes: event time and fingerprint,
which sort as events do. Times are whole microseconds since 1970 in UTC. A dump writes nodes and places by name, runs as
UUIDs, other ids as hexadecimal digits, and times in ISO 8601.
"""

_MEANINGS = {
    "namespace": "The namespace, by the digest of its normal form.",
    "address": "Digest of the address.",
    "url": "The address: scheme, host and port.",
    "text": "As it was sent.",
    "type": "Its kind.",
    "name": "Its name.",
    "node": "The dataset or job.",
    "dataset": "The dataset.",
    "job": "The job.",
    "parent_job": "The job of the parent run.",
    "source": "Where it leads from.",
    "target": "Where it leads to.",
    "kind": "Dataset or job.",
    "seen": "How it was met.",
    "first_seen": "Time of the earliest event that said so.",
    "last_seen": "Time of the latest event that said so.",
    "last": "Stamp of the latest event that said so.",
    "at": "Time of the event.",
    "stamp": "Stamp of the event.",
    "created_at": "Time of the latest creation.",
    "dropped_at": "Time of the latest drop.",
    "truncated_at": "Time of the latest truncation.",
    "shape": "Digest of all that the shape says.",
    "origin": "Who says so; `openlineage` for events.",
    "sql": "Digest of the statement's normalised text.",
    "producer": "The event's `producer`.",
    "schema": "Digest of the fields.",
    "types": "What was done to it.",
    "role": "What the dataset is to the shape or run.",
    "dialect": "As the `sql` facet states it.",
    "run": "The run.",
    "activity": "A run, an operation, or both.",
    "parent_run": "The run this one belongs to.",
    "root_run": "The run at the top.",
    "status": "The state of the run.",
    "started_at": "Time of the earliest START.",
    "ended_at": "Time of the latest COMPLETE, FAIL or ABORT.",
    "expected_start_at": "`nominalTime.nominalStartTime`.",
    "expected_end_at": "`nominalTime.nominalEndTime`, unless it equals the start.",
    "external_id": "The run's id in its own system: application id, DAG run id, query id.",
    "attempt": "Which try this is.",
    "user": "Who started it.",
    "end_reason": "Why it failed, cut after 4,096 characters.",
    "running_log_url": "Where to look while it runs.",
    "persistent_log_url": "Where to look afterwards.",
    "position": "Place in its run: Spark's job id, Airflow's map index.",
    "group": "Spark's job group, Airflow's task group, dbt's kind of node, Trino's type of query.",
    "description": "Spark's job description, Airflow's operator, Hive's operation, Trino's client.",
    "tags": "JSON: [key, value, source] ...",
    "rows": "Number of rows.",
    "bytes": "Number of bytes.",
    "files": "Number of files.",
    "version": "The `version` facet: a snapshot of Iceberg, a version of Delta.",
    "assertion": "Digest of the check's name and column.",
    "column": "The column it is about, if it is about one.",
    "severity": "As the producer states it.",
    "failed": "1 if it failed, 0 if it passed.",
}
"""What a column means in every table that has it, unless facts.py says more of it there."""

_TABLE_MEANINGS = {
    ("namespace", "type"): "The scheme: `postgres`, `s3`, `kafka` ...",
    ("namespace", "name"): "The first host.",
    ("node", "name"): "The name as it is shown, partition suffix trimmed.",
    ("symlink", "type"): "METASTORE or WAREHOUSE.",
    ("rename", "source"): "The old name.",
    ("rename", "target"): "The new name.",
    ("dependency", "source"): "The job that comes first.",
    ("dependency", "target"): "The job that waits.",
    ("dependency", "type"): "As the producer states it; `DIRECT_DEPENDENCY` if it does not.",
    ("run_dependency", "source"): "The run that comes first.",
    ("run_dependency", "target"): "The run that waits.",
    ("run_dependency", "type"): "As the producer states it; `DIRECT_DEPENDENCY` if it does not.",
    ("shape_edge", "source"): "The dataset or job that the data comes from.",
    ("shape_edge", "target"): "The dataset or job that it goes to.",
    ("sql_text", "text"): "The statement, comments included, without common indentation.",
    ("run", "name"): "The name of the operation.",
}

_TABLE_DOCS = {
    "schema_version": "The fields of a dataset at one time, stored once however many datasets and runs have them.",
    "run_dependency": "One run waits for another: control flow, not data flow.",
}


def facts_page() -> str:
    """The text of docs/reference/facts.md."""
    trees = [ast.parse(source.read_text(encoding="utf-8")) for source in FACTS_SOURCES]
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    facts = [_fact(node) for node in classes if node.decorator_list]
    enumerations = [_enumeration(node) for node in classes if not node.decorator_list]
    return "\n".join([_HEAD, *facts, "## Enumerations\n", *enumerations])


def _fact(node: ast.ClassDef) -> str:
    table, indexes, rows = "", "", []
    for place, statement in enumerate(node.body):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name, hint = statement.target.id, ast.unparse(statement.annotation)
        if name == "table":
            table = ast.literal_eval(statement.value) if statement.value else ""
        elif name == "indexes":
            found = ast.literal_eval(statement.value) if statement.value else ()
            indexes = "Also indexed by " + ", and by ".join(
                ", ".join(f"`{column}`" for column in index) for index in found
            )
        else:
            rule, kind = re.fullmatch(r"(?:(\w+)\[(.+)\]|(.+))", hint).group(1, 2)
            meaning = _docstring(node, place) or _TABLE_MEANINGS.get((table, name)) or _MEANINGS.get(name)
            if meaning is None:
                raise KeyError(f"{node.name}.{name} needs a docstring, or an entry in scripts/facts_page.py")
            rows.append(f"| `{name}` | {f'`{rule}`' if rule else 'key'} | `{kind or hint}` | {meaning} |")
    about = ast.get_docstring(node) or _TABLE_DOCS.get(table)
    if about is None:
        raise KeyError(f"{node.name} needs a docstring, or an entry in scripts/facts_page.py")
    lines = [f"## {table}\n", about, "", "| column | rule | kind | meaning |", "|---|---|---|---|", *rows, ""]
    return "\n".join([*lines, f"{indexes}.\n"] if indexes else lines)


def _enumeration(node: ast.ClassDef) -> str:
    base = ast.unparse(node.bases[0])
    members = []
    for place, statement in enumerate(node.body):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            about = _docstring(node, place)
            value = statement.value.value
            members.append(f"| {value} | `{ast.unparse(statement.targets[0])}` | {about or ''} |")
    kind = "flags, added up" if base == "IntFlag" else "one value"
    lines = [f"### {node.name}\n", f"{ast.get_docstring(node) or ''} ({kind})".strip(), ""]
    return "\n".join([*lines, "| number | name | meaning |", "|---|---|---|", *members, ""])


def _docstring(node: ast.ClassDef, place: int) -> str | None:
    """The text below a field, as one line."""
    following = node.body[place + 1] if place + 1 < len(node.body) else None
    if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
        return " ".join(str(following.value.value).split()).replace("|", "\\|")
    return None
