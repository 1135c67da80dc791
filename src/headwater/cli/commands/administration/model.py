"""`headwater model`: the embedding and summary model of a tenant."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.request import call
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption, server_of
from headwater.cli.output.table import TableOption, check_table, print_json, print_record, print_table
from headwater.cli.output.terminal import say
from headwater.escaping import printable

__all__ = ["register", "say_estimates"]

_KINDS = ("embedding", "summary")
KindArgument = Annotated[str, typer.Argument(metavar="KIND", help="embedding or summary.")]
model = typer.Typer(help="Set, show, try and remove the models of a tenant.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(model, name="model")


@model.command("set")
def set_(
    kind: KindArgument,
    provider: Annotated[
        str, typer.Option(help="openai (a server with such an API), local (embeddings) or outline (summaries).")
    ],
    name: Annotated[str | None, typer.Option("--model", help="The model, as its server calls it.")] = None,
    version: Annotated[
        str | None, typer.Option(help="What tells two states of it apart, if its name does not.")
    ] = None,
    dimension: Annotated[int | None, typer.Option(help="Numbers of a vector.")] = None,
    similarity: Annotated[str | None, typer.Option(help="cosine or euclidean.")] = None,
    endpoint: Annotated[str | None, typer.Option(help="Where the API begins, for example https://host/v1.")] = None,
    credential: Annotated[
        str | None, typer.Option(help="Where the key is: env:NAME or file:/PATH, within what the operator granted.")
    ] = None,
    redact: Annotated[
        bool | None, typer.Option("--redact/--no-redact", help="Replace literals and comments of SQL that is sent.")
    ] = None,
    batch: Annotated[int | None, typer.Option(help="Texts in one call, 1 to 256.")] = None,
    seconds: Annotated[int | None, typer.Option(help="Seconds that a call may take, 1 to 300.")] = None,
    daily_tokens: Annotated[
        int | None, typer.Option(help="Tokens that may be used in a day; 0 for any number.")
    ] = None,
    daily_calls: Annotated[int | None, typer.Option(help="Calls that may be made in a day; 0 for any number.")] = None,
    price: Annotated[float | None, typer.Option(help="What a million tokens cost, in any currency.")] = None,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Set a model of a tenant. Another one than that in force follows it once `pipeline enrich` has run."""
    check_table(format_)
    body = {
        "provider": provider,
        "model": name,
        "version": version,
        "dimension": dimension,
        "similarity": similarity,
        "endpoint": endpoint,
        "credential": credential,
        "redact": redact,
        "batch": batch,
        "seconds": seconds,
        "daily_tokens": daily_tokens,
        "daily_calls": daily_calls,
        "price": price,
    }
    answer = _asked((data, url, config), "POST", (_kind(kind),), tenant, body)
    if format_ == "json":
        print_json(answer)
        return
    print_record(_row(answer["model"]))
    if answer["model"]["place"] == "next":
        say("The model before stays in force until `headwater pipeline enrich` has computed all results of this one.")
    say_estimates(answer["estimates"])


@model.command("show")
def show(
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Show the models of a tenant, their progress, and their cost by day."""
    check_table(format_)
    answer = _asked((data, url, config), "GET", (), tenant)
    if format_ == "json":
        print_json(answer)
        return
    if not answer["models"]:
        say("No model is set, and none is used: `headwater model set embedding --provider local` sets one.")
        return
    print_table([_row(item) for item in answer["models"]], ("kind", "place", "fingerprint", "since", "nodes"))
    for item in answer["models"]:
        if item["paused"] is not None:
            until = f"until {item['paused']['until']}" if item["paused"]["until"] else "until somebody resumes it"
            say(f"paused {until}: {item['fingerprint']}: {printable(item['paused']['message'])}", colour="yellow")
            say("`headwater model test` and `headwater task resume` end a pause.")
    if answer["usage"]:
        print_table(answer["usage"], ("day", "kind", "calls", "failures", "texts", "tokens", "price"))


@model.command("test")
def try_(
    kind: KindArgument,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Make one call of a model, and explain an error."""
    check_table(format_)
    answer = _asked((data, url, config), "POST", (_kind(kind), "test"), tenant)
    if format_ == "json":
        print_json(answer)
    else:
        print_record({name: value for name, value in answer.items() if value is not None and name != "resumed"})
        if answer["resumed"]:
            say("It was paused; its tasks go on.")
    if not answer["ok"]:
        raise typer.Exit(1)


@model.command("remove")
def remove(
    kind: KindArgument,
    next_: Annotated[bool, typer.Option("--next", help="Only the one that is to follow the one in force.")] = False,
    data: WhereOption = None,
    url: UrlOption = None,
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Remove a model: it is not called any more. Its results stay, and apply again when it is set again."""
    _asked((data, url, config), "POST", (_kind(kind), "remove"), tenant, place="next" if next_ else None)
    say(f"The {'next ' if next_ else ''}{kind} model is removed.")


def say_estimates(estimates: list[dict[str, Any]]) -> None:
    """Print the work for `pipeline enrich`."""
    for item in estimates:
        cost = f", about {item['price']:.2f}" if item["price"] else ""
        say(
            f"{item['kind'].lower()}: {item['missing']} texts of {item['nodes']} nodes are missing, about "
            f"{item['tokens']} tokens{cost} ({printable(item['fingerprint'])})."
        )
    if any(item["missing"] for item in estimates):
        say("`headwater pipeline enrich` computes them.")


def _row(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in ("kind", "place", "fingerprint", "since", "nodes")}


def _kind(kind: str) -> str:
    if kind not in _KINDS:
        raise typer.BadParameter(f"{kind!r} is neither {' nor '.join(_KINDS)}", param_hint="KIND")
    return kind


def _asked(
    target: Any,
    method: str,
    path: tuple[str, ...],
    tenant: str | None,
    body: dict[str, Any] | None = None,
    *,
    place: str | None = None,
) -> Any:
    data, url, _ = target
    chosen = tenant or (None if server_of(url, data) else "default")
    return call(target, method, ("models", *path), {"tenant": chosen, "place": place}, body)
