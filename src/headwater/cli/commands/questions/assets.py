"""`headwater assets`: catalogs, tables, columns, metrics and tags, and their edges."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.tree import Tree

from headwater.cli.client.request import call
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption, server_of
from headwater.cli.output.table import TableOption, check_table, print_json, print_table
from headwater.cli.output.terminal import SafeConsole, say
from headwater.cli.output.tree import WIDE
from headwater.escaping import printable

__all__ = ["register"]

_app = typer.Typer(no_args_is_help=True, help="Catalogs, tables, columns, metrics and tags, and what hangs together.")
_Name = Annotated[str, typer.Argument(metavar="NAME", help="The id of an asset, or a name that only one has.")]
_TreeFormat = Annotated[str, typer.Option("--format", "-f", help="tree or json.")]


def register(app: typer.Typer) -> None:
    app.add_typer(_app, name="assets")


@_app.command("ls")
def ls(
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Text in the name or id.")] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", help="Only one kind: Catalog, Schema, Table, Column, AtomicMetric, Tag ...")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most, 1 to 1000.")] = 100,
    cursor: Annotated[str | None, typer.Option("--cursor", help="`next` of the page before.")] = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """List assets by name."""
    check_table(format_)
    wanted = {"q": text, "kind": _kind(kind), "limit": limit, "cursor": cursor}
    answer = _asked((data, url, config), (), wanted, tenant)
    if format_ == "json":
        print_json(answer)
        return
    print_table(answer["items"], ("kind", "name", "id"))
    if answer["next"]:
        say(f"There are more: --cursor {answer['next']}")


@_app.command("show")
def show(
    name: _Name,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: _TreeFormat = "tree",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Show an asset with its properties and edges, and the metrics that break without it."""
    _check(format_)
    target = (data, url, config)
    answer = _asked(target, ("show",), {"name": name}, tenant)
    if format_ == "json":
        print_json(answer)
        return
    root = Tree(_label(answer))
    for key, value in answer["attributes"].items():
        shown = f"{len(value)} numbers" if key == "embedding" else value
        root.add(escape(printable(f"{key}: {shown}")))
    for link in answer["edges"]:
        arrow = "->" if link["direction"] == "out" else "<-"
        root.add(f"{arrow} {link['edge']} {_label(link['to'])}")
    if answer["truncated"]:
        root.add("... and more")
    walk = _asked(target, ("walk",), {"name": answer["id"], "limit": 10_000}, tenant)
    broken = [item for item in walk["items"] if item["kind"].endswith("Metric")]
    if broken:
        branch = root.add("metrics that break without it")
        for item in broken:
            branch.add(_label(item))
    _print(root)


@_app.command("tree")
def tree(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Where to begin; default the tenant.")] = None,
    depth: Annotated[int, typer.Option("--depth", help="How many steps down, 1 to 5.")] = 3,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: _TreeFormat = "tree",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Show the children of the tenant, a catalog, a schema or a table."""
    _check(format_)
    answer = _asked((data, url, config), ("tree",), {"name": name, "depth": depth}, tenant)
    if format_ == "json":
        print_json(answer)
        return
    root = Tree(_label(answer["root"]))
    waiting = [(root, answer["root"])]
    while waiting:
        branch, item = waiting.pop()
        waiting += [(branch.add(_label(child)), child) for child in item["children"]]
        if item["hidden"] and not item["children"]:
            branch.add("...")
    _print(root)
    if answer["truncated"]:
        say("There is more than is shown: begin at one of these.")


def _asked(target: Any, path: tuple[str, ...], wanted: dict[str, Any], tenant: str | None) -> Any:
    data, url, _ = target
    chosen = tenant or (None if server_of(url, data) else "default")
    return call(target, "GET", ("assets", *path), {**wanted, "tenant": chosen})


def _kind(text: str | None) -> str | None:
    if text is None:
        return None
    from headwater.lineage.assets.questions import kind_of

    return kind_of(text)


def _label(item: dict[str, Any]) -> str:
    shown = escape(printable(item["name"]))
    return f"[dim]{item['kind']}[/dim] {shown}" if item["kind"] != "Tenant" else "Tenant"


def _check(format_: str) -> None:
    if format_ not in ("tree", "json"):
        raise typer.BadParameter(f"{format_!r} is neither tree nor json", param_hint="--format")


def _print(tree_: Tree) -> None:
    SafeConsole(width=WIDE).print(tree_)
