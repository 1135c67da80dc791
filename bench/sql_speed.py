"""Statements per second on one core, beside `sqlglot.lineage` on the same statements in the same run.

sql_speed.py [FOLDER] takes the statements of a folder of case files; without one, those of tests/sql/cases are used.
Both sides parse the text anew each time; what counts is the time of the processor, so that a busy machine does not
matter much. `sqlglot.lineage` gets all columns in one call, its fastest form; a statement counts only if both can
analyse it. Prints JSON.
"""

import json
import logging
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))
sys.path.insert(0, str(ROOT / "tests" / "sql"))

import sqlglot  # noqa: E402 - the path has to be set first
from sqlglot import exp  # noqa: E402
from sqlglot.lineage import lineage  # noqa: E402

from headwater.sql import analyze  # noqa: E402
from headwater.sql.dialects.profiles import profile_of  # noqa: E402

PASSES = 3


def statements(folder):
    """(sql, dialect, schema) of single statements that hold a query."""
    if folder:
        for path in sorted(Path(folder).glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                case = json.loads(line)
                yield case["sql"], case["dialect"], case.get("schema") or {}
        return
    from case_files import cases

    for case in cases():
        yield case.sql, case.dialect, case.schema


def nested(schema):
    """The shape that sqlglot takes: the parts of a table name as nested mappings."""
    result = {}
    for table, columns in schema.items():
        named = columns if isinstance(columns, dict) else dict.fromkeys(columns, "INT")
        place = result
        *outer, last = table.split(".")
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = {name: str(kind) if kind else "INT" for name, kind in named.items()}
    return result


def by_sqlglot(sql, dialect, schema):
    """All columns of one statement, in one call."""
    tree = sqlglot.parse_one(sql, dialect=dialect)
    query = tree if isinstance(tree, exp.Query) else tree.args.get("expression")
    if not isinstance(query, exp.Query):
        raise TypeError(type(tree).__name__)
    return lineage(None, query, schema=schema, dialect=dialect)


def usable(sql, dialect, schema):
    try:
        if len([part for part in sqlglot.parse(sql, dialect=dialect) if part]) != 1:
            return False
        by_sqlglot(sql, dialect, nested(schema))
    except Exception:  # noqa: BLE001 - only statements that both can analyse are compared
        return False
    return True


def timed(call, work):
    best = None
    for _ in range(PASSES):
        times = []
        for item in work:
            start = time.process_time()
            call(*item)
            times.append(time.process_time() - start)
        if best is None or sum(times) < sum(best):
            best = times
    return best


def figures(times):
    ordered = sorted(times)
    return {
        "statements_per_second": round(len(times) / sum(times)),
        "median_ms": round(1000 * statistics.median(ordered), 2),
        "p95_ms": round(1000 * ordered[int(len(ordered) * 0.95)], 2),
    }


def wide_query(columns=100, ctes=20):
    """A chain of CTEs, each computing every column anew."""
    names = [f"c{place}" for place in range(columns)]
    parts = [f"s0 AS (SELECT {', '.join(names)} FROM base)"]
    for step in range(1, ctes):
        computed = ", ".join(f"{name} + 1 AS {name}" if place % 2 else name for place, name in enumerate(names))
        parts.append(f"s{step} AS (SELECT {computed} FROM s{step - 1} WHERE c0 > {step})")
    return f"INSERT INTO target WITH {', '.join(parts)} SELECT {', '.join(names)} FROM s{ctes - 1}"


def measure_wide():
    """Measured first, while the process is as small as that of a command."""
    wide = wide_query()
    best = min(timed(lambda: analyze(wide, dialect="spark"), [()])[0] for _ in range(5))
    return {"columns": 100, "ctes": 20, "characters": len(wide), "best_ms": round(1000 * best, 1)}


def main():
    logging.disable(logging.CRITICAL)  # sqlglot's remarks about what it does not know
    report = {"wide_query": measure_wide()}
    folder = next((argument for argument in sys.argv[1:] if not argument.startswith("--")), None)
    seen, work = set(), []
    for sql, dialect, schema in statements(folder):
        name = profile_of(dialect).dialect.__class__.__name__.lower()
        known = "" if name == "dialect" else name
        if dialect != "flink" and sql not in seen and usable(sql, known, schema):
            seen.add(sql)
            work.append((sql, dialect, known, schema))
    report["statements"] = len(work)
    report["mean_characters"] = round(statistics.mean(len(item[0]) for item in work))
    ours = timed(
        lambda sql, dialect, schema: analyze(sql, dialect=dialect, schema=schema),
        [(sql, dialect, schema) for sql, dialect, _, schema in work],
    )
    theirs = timed(by_sqlglot, [(sql, known, nested(schema)) for sql, _, known, schema in work])
    texts = [(item[0], item[2]) for item in work]
    parse = timed(lambda sql, known: sqlglot.parse_one(sql, dialect=known), texts)
    report["headwater.sql"] = figures(ours)
    report["sqlglot.lineage"] = figures(theirs)
    report["sqlglot.parse_one"] = figures(parse)
    report["times_as_fast_as_sqlglot_lineage"] = round(sum(theirs) / sum(ours), 2)
    print(json.dumps(report, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
