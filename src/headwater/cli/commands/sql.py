"""`headwater sql`: the lineage of SQL text, for a person or for a program."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.output.table import print_json
from headwater.cli.output.terminal import SafeConsole, say

if TYPE_CHECKING:
    from headwater.sql import Analysis, ColumnEdge

__all__ = ["register", "sql"]

_FORMATS = ("table", "json", "openlineage", "mermaid", "dot")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("sql")(sql)


def sql(
    source: Annotated[str, typer.Argument(help="A file, - for standard input, or the SQL itself.")],
    dialect: Annotated[
        str | None, typer.Option("--dialect", "-d", help="spark, flink, snowflake, ...; without it, it is guessed.")
    ] = None,
    schema: Annotated[
        Path | None, typer.Option(help="JSON file of {table: {column: type}} or {table: [columns]}.")
    ] = None,
    ddl: Annotated[Path | None, typer.Option(help="SQL file of set-up statements: tables, views, functions.")] = None,
    output: Annotated[str, typer.Option("--format", "-f", help=" | ".join(_FORMATS))] = "table",
    catalog: Annotated[str | None, typer.Option(help="Default catalog of unqualified names.")] = None,
    database: Annotated[str | None, typer.Option(help="Default schema of unqualified names.")] = None,
    indirect: Annotated[
        bool | None,
        typer.Option(
            "--indirect/--no-indirect",
            help="With joins, filters, grouping and sorting, or without anything indirect; by default the table is"
            " without them, all else with.",
        ),
    ] = None,
) -> None:
    """Show which columns feed which; exits with 1 where a statement could not be read."""
    from headwater.sql import SqlError, analyze

    if output not in _FORMATS:
        _stop(f"--format {output}: use one of {', '.join(_FORMATS)}")
    text = _text(source)
    setup = _file(ddl) if ddl else None
    try:
        analysis = analyze(
            text,
            dialect=dialect if dialect is not None else _guessed(text, setup, quiet=output == "json"),
            schema=_schema(schema),
            ddl=setup,
            default_catalog=catalog,
            default_db=database,
        )
    except SqlError as error:
        _stop(f"{error}; {error.hint}" if error.hint else str(error))
    if indirect is False:
        analysis = _without_indirect(analysis)
    template = any(diagnostic.code == "template" for diagnostic in analysis.diagnostics)
    if not template or output == "json":
        _show(analysis, output, indirect=bool(indirect))
    _show_diagnostics(analysis, text)
    if analysis.failed:
        raise typer.Exit(1)


def _guessed(text: str, setup: str | None, *, quiet: bool) -> str:
    """The dialect that the text suggests, reported on standard error (JSON has it); none where several fit."""
    from headwater.sql.dialects.guess_dialect import guess_dialect

    guess = guess_dialect(f"{setup};\n{text}" if setup else text)
    if guess.poor:
        others = ", ".join((guess.dialect, *guess.rivals))
        _stop(f"the dialect cannot be told: {others} would read this, and not alike; name it with --dialect")
    if not quiet:
        say(f"headwater sql: read as {guess.dialect}, a guess: {guess.because}", err=True)
    return guess.dialect


def _without_indirect(analysis: "Analysis") -> "Analysis":
    """The same, but for joins, filters, conditions and the like."""
    from dataclasses import replace

    statements = (
        replace(statement, columns=tuple(edge for edge in statement.columns if edge.type != "INDIRECT"))
        for statement in analysis.statements
    )
    return replace(analysis, statements=tuple(statements))


def _stop(message: str) -> Any:
    say(f"headwater sql: {message}", err=True)
    raise typer.Exit(2)


def _text(source: str) -> str:
    if source == "-":
        return sys.stdin.read()
    looks_like_sql = any(character in source for character in " \n;(")
    if not looks_like_sql or _is_file(source):
        return _file(Path(source))
    return source


def _is_file(source: str) -> bool:
    """Whether there is such a file; a statement may be longer than the name of any."""
    try:
        return Path(source).is_file()
    except (OSError, ValueError):
        return False


def _file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        _stop(f"{path} cannot be read: {error}")
        return ""


def _schema(path: Path | None) -> dict[str, Any] | None:
    if path is None:
        return None
    try:
        schema = json.loads(_file(path))
    except ValueError as error:
        _stop(f"{path} is no JSON: {error}")
    if not isinstance(schema, dict):
        _stop(f"{path} must hold an object of tables")
    return {str(table): columns for table, columns in schema.items()}


def _show(analysis: "Analysis", output: str, *, indirect: bool) -> None:
    from headwater.sql.result import render

    lineage = analysis.lineage()
    if output == "json":
        print_json(render.as_json(analysis))
    elif output == "openlineage":
        print_json(analysis.to_openlineage())
    elif output == "mermaid":
        say(render.as_mermaid(lineage))
    elif output == "dot":
        say(render.as_dot(lineage))
    else:
        _show_table(lineage.columns, lineage.sources, lineage.targets, indirect=indirect)


def _show_table(
    edges: "tuple[ColumnEdge, ...]", sources: tuple[str, ...], targets: tuple[str, ...], *, indirect: bool
) -> None:
    from rich.table import Table

    console = SafeConsole()
    table = Table("source table", "source column", "target table", "target column", "how", box=None, pad_edge=False)
    shown = 0
    for edge in edges:
        if edge.target_column is None and not indirect:
            continue
        shown += 1
        how = edge.subtype.lower().replace("_", " ") + (", masked" if edge.masking else "")
        how += "" if edge.certain else " (not certain: no such column)"
        style = "" if edge.type == "DIRECT" else "dim"
        text = "" if edge.node is None else f": {edge.expression}"
        table.add_row(
            edge.source_table or "?",
            f"[cyan]{edge.source_column}[/]",
            edge.target_table or "",
            f"[green]{edge.target_column or '(rows)'}[/]",
            f"{how}{text}".replace("[", r"\["),
            style=style,
        )
    if shown:
        console.print(table)
    else:
        console.print(f"sources: {', '.join(sources) or 'none'}\ntargets: {', '.join(targets) or 'none'}", markup=False)


def _show_diagnostics(analysis: "Analysis", text: str) -> None:
    """Parts that could not be analysed, with their places, to standard error."""
    console = SafeConsole(stderr=True)
    lines = text.splitlines()
    for diagnostic in analysis.diagnostics:
        colour = "red" if diagnostic.severity == "error" else "yellow"
        store_options = f"line {diagnostic.line}, column {diagnostic.column or 1}: " if diagnostic.line else ""
        console.print(f"[{colour}]{diagnostic.severity}[/]: {store_options}", end="")
        console.print(diagnostic.message, markup=False, highlight=False)
        if diagnostic.severity == "error" and diagnostic.line and diagnostic.line <= len(lines):
            console.print(f"  {lines[diagnostic.line - 1]}", markup=False, highlight=False)
            console.print(" " * ((diagnostic.column or 1) + 1) + "^", style=colour)
    sys.stderr.flush()
