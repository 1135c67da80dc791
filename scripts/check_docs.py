"""Whether the documentation tells the truth: links, and everything a user can name.

python scripts/check_docs.py           # list what is wrong, exit 1 if anything is
python scripts/check_docs.py --write   # write docs/reference/facts.md and gravitino.md again

Run by `make docs`, and as a test.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # run as a script, too

from scripts.operations_page import operations_page  # noqa: E402

__all__ = ["facts_page", "problems"]

DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
FACTS_SOURCES = tuple(
    ROOT / "src" / "headwater" / "graph" / name
    for name in ("facts.py", "run_facts.py", "enumerations.py", "annotations/by_hand.py", "catalog/facts.py")
)

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_MACHINE = re.compile(r"(?<![\w.])/(?:work|root|home)(?:/|\b)")
_REGISTRY = re.compile(
    r"pypi\.org|pythonhosted\.org|repo1?\.maven\.|maven\.org|npmjs\.|registry\.(?:npm|yarn)|docker\.io|/simple/?\b|artifactory",
    re.IGNORECASE,
)


def problems() -> list[str]:
    """Everything that is wrong, each with the place to mend it."""
    checks = (_links, _orphans, _places, _settings, _routes, _commands, _errors, _metrics, _facts, _operations)
    return [problem for check in checks for problem in check()]


# --- pages ---------------------------------------------------------------------------------------------------------


def _pages() -> list[Path]:
    return [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *sorted(DOCS.rglob("*.md"))]


def _read(page: Path) -> str:
    return page.read_text(encoding="utf-8") if page.is_file() else ""


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else str(page)


def _targets(page: Path) -> Iterator[tuple[int, Path, str]]:
    """Line, file and anchor of every relative link of a page."""
    prose = _FENCE.sub(lambda found: "\n" * found.group().count("\n"), _read(page))
    for number, line in enumerate(_CODE.sub("", prose).splitlines(), 1):
        for target in _LINK.findall(line):
            if not re.match(r"[a-z][a-z0-9+.-]*:", target):
                path, _, anchor = target.partition("#")
                yield number, (page.parent / path).resolve() if path else page, anchor


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    found: set[str] = set()
    for heading in _HEADING.findall(_FENCE.sub("", _read(page))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        repeats = 0
        while (slug if not repeats else f"{slug}-{repeats}") in found:
            repeats += 1
        found.add(slug if not repeats else f"{slug}-{repeats}")
    return found


def _links() -> Iterator[str]:
    for page in _pages():
        if not page.is_file():
            yield f"{_name(page)} is missing"
        for line, target, anchor in _targets(page):
            if not target.exists():
                yield f"{_name(page)}:{line}: there is no {_name(target)}"
            elif anchor and target.suffix == ".md" and anchor not in _anchors(target):
                yield f"{_name(page)}:{line}: {_name(target)} has no heading #{anchor}"


def _orphans() -> Iterator[str]:
    reached, queue = {DOCS / "index.md"}, [DOCS / "index.md"]
    while queue:
        for _, target, _ in _targets(queue.pop()):
            if target.suffix == ".md" and target not in reached:
                reached.add(target)
                queue.append(target)
    for page in sorted(DOCS.rglob("*.md")):
        if page not in reached:
            yield f"{_name(page)} cannot be reached from docs/index.md: link it there, or from a page that is"


def _places() -> Iterator[str]:
    for page in _pages():
        for number, line in enumerate(_read(page).splitlines(), 1):
            for pattern, what in ((_MACHINE, "a path of one machine"), (_REGISTRY, "the host of a package registry")):
                found = pattern.search(line)
                if found:
                    yield f"{_name(page)}:{number}: {found.group()!r} is {what}"


# --- what a user can name ------------------------------------------------------------------------------------------


def _settings() -> Iterator[str]:
    import msgspec

    from headwater.settings import ENVIRONMENT, Settings

    page = REFERENCE / "settings.md"
    rows = _rows(page)
    for field in msgspec.structs.fields(Settings):
        row = rows.get(f"`{field.name}`")
        if row is None:
            yield f"{_name(page)}: the setting {field.name} has no row that starts with | `{field.name}` |"
            continue
        default = str(field.default).lower() if isinstance(field.default, bool) else str(field.default) or '""'
        for wanted in (f"`HEADWATER_{field.name.upper()}`", f"`{default}`"):
            if wanted not in row:
                yield f"{_name(page)}: the row of {field.name} does not say {wanted}"
    for variable in ENVIRONMENT:
        if f"`{variable}`" not in _read(page):
            yield f"{_name(page)}: the variable {variable} is not described"


def _rows(page: Path) -> dict[str, str]:
    """Rows of tables by their first cell."""
    return {line.split("|")[1].strip(): line for line in _read(page).splitlines() if line.count("|") > 2}


def _routes() -> Iterator[str]:
    from headwater.api import ingest
    from headwater.api.app import ROUTES

    page = REFERENCE / "http.md"
    text = _read(page)
    known = [f"{method} {route.path}" for route in ROUTES for method in sorted((route.methods or set()) - {"HEAD"})]
    known += [f"POST {path}" for path in (*ingest._SINGLE, *ingest._BATCH, "/")]  # noqa: SLF001
    for route in known:
        if f"`{route}`" not in text:
            yield f"{_name(page)}: the route `{route}` is not described"


def _commands() -> Iterator[str]:
    import typer.main

    from headwater.cli.main import app

    page = REFERENCE / "cli.md"
    sections = _sections(page)
    group = typer.main.get_command(app)
    commands = {"headwater": group, **{f"headwater {name}": found for name, found in group.commands.items()}}
    for name, command in commands.items():
        section = sections.get(name)
        if section is None:
            yield f"{_name(page)}: there is no section ## `{name}`"
            continue
        parameters = list(command.params)
        for word, member in getattr(command, "commands", {}).items() if command is not group else ():
            parameters += member.params  # the members of a group are described in its section
            if f"{name} {word}" not in section:
                yield f"{_name(page)}: the section of `{name}` does not mention `{name} {word}`"
        for parameter in parameters:
            is_argument = parameter.param_type_name == "argument"
            argument = (parameter.name or "").rstrip("_").upper()
            words = [argument] if is_argument else [*parameter.opts, *parameter.secondary_opts]
            for word in words:
                if not re.search(rf"`[^`]*(?<![\w-]){re.escape(word)}(?![\w-])[^`]*`", section):
                    yield f"{_name(page)}: the section of `{name}` does not mention {word}"


def _sections(page: Path) -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.+)$", _read(page), flags=re.MULTILINE)
    return {heading.replace("`", "").strip(): body for heading, body in zip(parts[1::2], parts[2::2], strict=True)}


def _errors() -> Iterator[str]:
    import headwater
    from headwater.errors import HeadwaterError

    for module in pkgutil.walk_packages(headwater.__path__, "headwater."):
        if not module.name.startswith(("headwater.store.migrations", "headwater.__main__", "headwater.pipeline")):
            importlib.import_module(module.name)
    pages = [*REFERENCE.glob("*.md"), *(DOCS / "sql").glob("*.md")]
    described = {cell for page in pages for cell in _rows(page)}
    for code, name in sorted({(kind.code, kind.__name__) for kind in _family(HeadwaterError)}):
        if f"`{code}`" not in described:
            yield f"docs/reference/http.md: the error {code} ({name}) has no row that starts with | `{code}` |"


def _family(kind: type) -> set[type]:
    return {kind, *(member for child in kind.__subclasses__() for member in _family(child))}


def _metrics() -> Iterator[str]:
    from prometheus_client import REGISTRY

    import headwater.ingest.metrics  # noqa: F401 - registers them

    page = REFERENCE / "metrics.md"
    rows = _rows(page)
    for metric in REGISTRY.collect():
        name = f"{metric.name}_total" if metric.type == "counter" else metric.name
        if name.startswith("headwater_") and f"`{name}`" not in rows:
            yield f"{_name(page)}: the metric {name} has no row that starts with | `{name}` |"


def _facts() -> Iterator[str]:
    page = REFERENCE / "facts.md"
    try:
        wanted = facts_page()
    except KeyError as error:
        yield f"src/headwater/graph/facts.py: {error.args[0]}"
        return
    if _read(page) != wanted:
        yield f"{_name(page)} is not what src/headwater/graph/facts.py says: run scripts/check_docs.py --write"


def _operations() -> Iterator[str]:
    page = REFERENCE / "gravitino.md"
    if _read(page) != operations_page():
        yield f"{_name(page)} is not what tests/events/gravitino says: run scripts/check_docs.py --write"


# --- docs/reference/facts.md ---------------------------------------------------------------------------------------

_HEAD = """# Facts

<!-- Written by scripts/check_docs.py --write from src/headwater/graph/facts.py and by_hand.py. Change it there. -->

Everything Headwater knows is a row in one of these tables. A row has a key and columns, and every column declares how
two values of it merge ([concepts](../concepts.md#facts-and-merge-rules)). The first part of every key is `tenant`,
which is left out below. The same tables are in the database, in [`headwater dump`](cli.md#headwater-dump), and in
memory while events are folded.

| rule | merges to |
|---|---|
| `Min` | the smallest value ever said |
| `Max` | the greatest value ever said |
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
                raise KeyError(f"{node.name}.{name} needs a docstring, or an entry in scripts/check_docs.py")
            rows.append(f"| `{name}` | {f'`{rule}`' if rule else 'key'} | `{kind or hint}` | {meaning} |")
    about = ast.get_docstring(node) or _TABLE_DOCS.get(table)
    if about is None:
        raise KeyError(f"{node.name} needs a docstring, or an entry in scripts/check_docs.py")
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


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--write", action="store_true", help="write docs/reference/facts.md and gravitino.md")
    if arguments.parse_args().write:
        (REFERENCE / "facts.md").write_text(facts_page(), encoding="utf-8")
        (REFERENCE / "gravitino.md").write_text(operations_page(), encoding="utf-8")
    found = problems()
    for problem in found:
        print(problem)
    print(f"{len(found)} problems in the documentation" if found else "the documentation is complete")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
