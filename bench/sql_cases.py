"""Score `headwater.sql` on folders of neutral SQL lineage cases: sql_cases.py [FOLDER ..] [--all] [--totals].

A folder holds *.jsonl files of one case per line (see the README beside the cases). The score per suite is the share
of cases whose set of tables, and whose set of column edges, is exactly the expected one. Every miss is listed, with
what is missing and what is too much; `--totals` leaves the list out, `--all` also counts assertions that are tagged as
one tool's convention. Without a folder the project's own cases are scored.

`analyse` is the adapter: a scorer that takes one can import it from here.
"""

import json
import re
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from headwater.sql import analyze  # noqa: E402 - the path has to be set first

COUNTED = ("WINDOW", "CONDITIONAL")
"""Indirect edges that stand inside the expression of a column: other analysers do not tell them from direct ones."""

PART = re.compile(r'"((?:[^"]|"")*)"|`([^`]*)`|\[([^\]]*)\]|([^."`\[]+)|(\.)')
ANON = re.compile(
    r"^(_(col_?)?\d+|_c\d+|expr\$\d+|\?column\?|)$|[()+|*/=']|^case\b.*\bend\b|^cast\b.*\bas\b|\s(as|over)\s",
    re.IGNORECASE | re.DOTALL,
)
TABLE_ONLY = {"dml_self", "unused_cte", "ddl_noise"}
COLUMN_ONLY = {"star_unresolved", "unnamed_expr", "unresolved_source"}


def analyse(case):
    """One case as the scorer wants it: what each statement reads, writes and maps."""
    analysis = analyze(
        case["sql"],
        dialect=case["dialect"],
        schema=case.get("schema"),
        ddl=case.get("ddl"),
        functions=case.get("functions"),
        default_catalog=case.get("default_catalog"),
        default_db=case.get("default_db"),
    )
    statements = [
        {
            "sources": list(statement.sources),
            "targets": list(statement.targets),
            "columns": [
                [edge.source_table, edge.source_column, edge.target_table, edge.target_column]
                for edge in statement.columns
                if edge.target_column is not None and (edge.type == "DIRECT" or edge.subtype in COUNTED)
            ],
            "temp": statement.temporary,
        }
        for statement in analysis.statements
    ]
    errors = [diagnostic.message for diagnostic in analysis.diagnostics if diagnostic.severity == "error"]
    return {"stmts": statements, "error": "; ".join(errors) or None}


def table_key(name, case):
    if name is None:
        return None
    if "://" in name or name.startswith(("@", "/")) or (name.count("/") and "." not in name):
        parts = [name]
    else:
        parts = [next(g for g in m.groups()[:4] if g is not None) for m in PART.finditer(name) if m.group(5) is None]
    parts = [part.lower() for part in parts if part not in ("", "<default>")]
    if len(parts) == 1 and "/" not in parts[0] and case.get("default_db"):
        parts = [case["default_db"].lower(), *parts]
    if len(parts) == 2 and case.get("default_catalog"):
        parts = [case["default_catalog"].lower(), *parts]
    return ".".join(parts)


def column_key(name):
    if name is None or name.strip() == "*":
        return name
    name = name.strip()
    if re.match(r'^["`\[].*["`\]]$', name):
        name = name[1:-1]
    return "<expr>" if ANON.search(name) else name.lower()


def edge_keys(columns, case):
    return {(table_key(a, case), column_key(b), table_key(c, case), column_key(d)) for a, b, c, d in columns}


def combined(statements, case):
    """The statements of one case as one: all of them, the ends of their graph, or temporary tables seen through."""
    mode = case.get("multi", "union")
    parts = [
        (
            {table_key(name, case) for name in s["sources"]},
            {table_key(name, case) for name in s["targets"]},
            edge_keys(s["columns"], case),
            s["temp"],
        )
        for s in statements
    ]
    read = set().union(*(p[0] for p in parts))
    written = set().union(*(p[1] for p in parts))
    edges = set().union(*(p[2] for p in parts))
    if mode == "union":
        return read, written, edges
    if mode == "graph_ends":
        middle = (read & written) - set().union(*(p[0] & p[1] for p in parts))
        sources, targets = read - middle, written - middle
    else:
        middle = set().union(*(p[1] for p in parts if p[3]))
        feeds = defaultdict(set)
        for source, target, _, temporary in parts:
            if temporary:
                for name in target:
                    feeds[name] |= source

        def through(name, seen=frozenset()):
            if name not in middle:
                return {name}
            return set().union(*(through(other, seen | {name}) for other in feeds[name] if other not in seen))

        sources = set().union(*(through(name) for p in parts if not p[3] for name in p[0]))
        targets = set().union(*(p[1] for p in parts if not p[3])) - middle
    above = defaultdict(set)
    for a, b, c, d in edges:
        above[(c, d)].add((a, b))

    def roots(node, seen):
        found = set()
        for parent in above.get(node, ()):
            if parent[0] in middle and parent in above and parent not in seen:
                found |= roots(parent, seen | {parent})
            elif not (parent[0] in middle and mode == "temp_resolved"):
                found.add(parent)
        return found

    return sources, targets, {(a, b, *n) for n in above if n[0] not in middle for a, b in roots(n, {n})}


def judge(case, outcome):
    """What was expected and what came, for tables and for columns."""
    expect = case["expect"]
    sources, targets, edges = combined(outcome["stmts"], case) if outcome["stmts"] else (set(), set(), set())
    sources.discard(None)
    targets.discard(None)
    verdict = {}
    for key, found in (("sources", sources), ("targets", targets)):
        if expect[key] is not None:
            verdict[key] = ({table_key(name, case) for name in expect[key]}, found)
    if expect["columns"] is not None:
        wanted = edge_keys(expect["columns"], case)
        if case.get("columns_scope"):
            scope = {(table_key(a, case), column_key(b)) for a, b in case["columns_scope"]}
            edges = {edge for edge in edges if (edge[2], edge[3]) in scope}
        optional = edge_keys(case.get("optional_columns") or (), case)
        if all(edge[2] is None for edge in wanted):
            edges = {(a, b, None, d) for a, b, _, d in edges}
            optional = {(a, b, None, d) for a, b, _, d in optional}
        rooted = set()
        for a, b, c, d in edges:
            root = (a, b.split(".")[0], c, d) if b else (a, b, c, d)
            rooted.add(root if (a, b, c, d) not in wanted and root in wanted else (a, b, c, d))
        verdict["columns"] = (wanted - optional, rooted - optional)
    return verdict


def cases_in(folder):
    """Suites of neutral cases: a file each."""
    for path in sorted(Path(folder).glob("*.jsonl")):
        yield path.stem, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def own_cases():
    """The case files of the tests in the neutral shape: a folder is a suite."""
    sys.path.insert(0, str(ROOT / "tests" / "sql"))
    from case_files import cases

    suites = defaultdict(list)
    for case in cases():
        if case.edges is not None and case.codes is None and not case.whole:
            suites[case.name.partition("/")[0]].append(
                {
                    "id": case.name,
                    "dialect": case.dialect,
                    "sql": case.sql,
                    "schema": case.schema,
                    "ddl": case.ddl,
                    "functions": case.functions,
                    "default_catalog": case.catalog,
                    "default_db": case.database,
                    "expect": {
                        "sources": sorted(case.sources) if case.sources is not None else None,
                        "targets": sorted(case.targets) if case.targets is not None else None,
                        "columns": [edge[:4] for edge in case.edges],
                    },
                }
            )
    return suites.items()


def score(suites, *, everything=False, misses=False):
    """Totals per suite."""
    table = {}
    for suite, cases in suites:
        total = table[suite] = defaultdict(int)
        for case in cases:
            start = time.perf_counter()
            outcome = analyse({key: value for key, value in case.items() if key != "expect"})
            total["ms"] += 1000 * (time.perf_counter() - start)
            tags = set() if everything else set(case.get("convention") or ())
            if case["expect"].get("error"):
                total["invalid"] += 1
                total["rejected"] += bool(outcome["error"])
                continue
            total["cases"] += 1
            total["failed"] += bool(outcome["error"])
            verdict = judge(case, outcome)
            wrong = []
            tables = [key for key in ("sources", "targets") if key in verdict]
            if tables and not tags - COLUMN_ONLY:
                total["tables"] += 1
                bad = [key for key in tables if verdict[key][0] != verdict[key][1]]
                total["tables_exact"] += not bad
                wrong += bad
            if "columns" in verdict and not tags - TABLE_ONLY:
                total["columns"] += 1
                same = verdict["columns"][0] == verdict["columns"][1]
                total["columns_exact"] += same
                wrong += [] if same else ["columns"]
            if wrong and misses:
                print(f"--- {suite}/{case['id']} [{case['dialect']}] {outcome['error'] or ''}\n{case['sql'][:900]}")
                for key in wrong:
                    wanted, found = verdict[key]
                    print(f"  {key} missing {sorted(map(str, wanted - found))}")
                    print(f"  {key} extra   {sorted(map(str, found - wanted))}")
    return table


def main():
    folders = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    sources = [cases_in(folder) for folder in folders] or [own_cases()]
    print("| suite | cases | failed | tables exact | columns exact | invalid rejected | ms |")
    rows = []
    for suites in sources:
        for suite, total in score(suites, everything="--all" in sys.argv, misses="--totals" not in sys.argv).items():
            rows.append(
                f"| {suite} | {total['cases']} | {total['failed']} | {total['tables_exact']}/{total['tables']} "
                f"| {total['columns_exact']}/{total['columns']} | {total['rejected']}/{total['invalid']} "
                f"| {total['ms']:.0f} |"
            )
    print("|---|---|---|---|---|---|---|")
    print("\n".join(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
