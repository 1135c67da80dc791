"""Whether the documentation tells the truth: links, and everything a user can name.

python scripts/check_docs.py           # list what is wrong, exit 1 if anything is
python scripts/check_docs.py --write   # write docs/reference/facts.md and gravitino.md again

Run by `make docs`, and as a test.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # run as a script, too

from scripts.facts_page import facts_page  # noqa: E402
from scripts.operations_page import operations_page  # noqa: E402

__all__ = ["facts_page", "problems"]

DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
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
    index = DOCS / "index.md"
    contents = {index, *(target for _, target, _ in _targets(index))}
    for page in sorted(DOCS.rglob("*.md")):
        if page not in contents:
            yield f"{_name(page)} is not in docs/index.md, the table of contents"


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
    from headwater.api.routes import ROUTES

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
