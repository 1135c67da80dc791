"""Case files: one SQL lineage case per block, written so that a person can read and add them.

A file holds cases separated by a line of `====`. A case has a title line, `key: value` lines, then sections opened by
`--- ddl`, `--- sql` and `--- edges`. An edge reads `table(column) -> table(column)`, with ` : SUBTYPE` where the kind of
edge matters; `(column)` alone is the result of a bare query and `?(column)` a column that must stay unresolved.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

CASES = Path(__file__).parent / "cases"
_END = re.compile(r"^(?P<table>[^(]*)\((?P<column>.*)\)$")


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    dialect: str
    sql: str
    edges: frozenset[tuple[str | None, str, str | None, str, str | None]] | None
    ddl: str | None = None
    schema: dict[str, list[str]] = field(default_factory=dict)
    functions: dict[str, object] = field(default_factory=dict)
    sources: frozenset[str] | None = None
    targets: frozenset[str] | None = None
    codes: frozenset[str] | None = None
    whole: bool = False
    catalog: str | None = None
    database: str | None = None


def cases() -> list[Case]:
    found = []
    for path in sorted(CASES.glob("*/*.case")):
        blocks = re.split(r"^====+\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        found.extend(_case(block, f"{path.parent.name}/{path.stem}") for block in blocks if block.strip())
    return found


def _case(block: str, place: str) -> Case:
    head, *sections = re.split(r"^--- (\w+)\n", block, flags=re.MULTILINE)
    texts = dict(zip(sections[::2], sections[1::2], strict=True))
    title, *lines = head.strip().splitlines()
    keys: dict[str, list[str]] = {}
    for line in lines:
        key, _, value = line.partition(":")
        keys.setdefault(key.strip(), []).append(value.strip())
    return Case(
        name=f"{place}: {title}",
        dialect=keys["dialect"][0],
        sql=texts["sql"],
        edges=_edges(texts["edges"]) if "edges" in texts else None,
        ddl=texts.get("ddl"),
        schema=dict(_columns(value) for value in keys.get("table", [])),
        functions={
            name: {"kind": "table", "columns": columns} for name, columns in map(_columns, keys.get("function", []))
        },
        sources=_names(keys, "sources"),
        targets=_names(keys, "targets"),
        codes=_names(keys, "diagnostics"),
        whole="whole" in keys,
        catalog=keys.get("catalog", [None])[0],
        database=keys.get("database", [None])[0],
    )


def _columns(value: str) -> tuple[str, list[str]]:
    name, _, columns = value.rstrip(")").partition("(")
    return name.strip(), [column.strip() for column in columns.split(",") if column.strip()]


def _names(keys: dict[str, list[str]], key: str) -> frozenset[str] | None:
    if key not in keys:
        return None
    return frozenset(name.strip() for name in keys[key][0].split(",") if name.strip())


def _edges(text: str) -> frozenset[tuple[str | None, str, str | None, str, str | None]]:
    edges = []
    for line in text.strip().splitlines():
        ends, _, subtype = line.partition(" : ")
        left, arrow, right = ends.partition(" -> ")
        source, target = _END.match(left.strip()), _END.match(right.strip())
        if not arrow or source is None or target is None:
            raise ValueError(line)
        table = None if source["table"] == "?" else source["table"]
        edges.append((table, source["column"], target["table"] or None, target["column"], subtype.strip() or None))
    return frozenset(edges)
