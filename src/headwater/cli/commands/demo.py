"""`headwater demo`: invented events, a few to look at or millions to measure with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.options import (
    ConfigOption,
    NoData,
    ServerError,
    TenantOption,
    UrlOption,
    WhereOption,
    ask_server,
    server_of,
    where_flags,
)
from headwater.cli.output.terminal import say
from headwater.private import make_private_folder

__all__ = ["register"]

demo = typer.Typer(help="Invented events: a shop to look at, or logs of any size.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(demo, name="demo")


@demo.command("generate")
def generate(
    out: Annotated[str, typer.Option(help="Folder to write to, or - for standard output.")],
    events: Annotated[int, typer.Option(min=1, help="How many events.")] = 10_000,
    tenants: Annotated[int, typer.Option(min=1, max=999, help="Of how many tenants.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="How many jobs each tenant has; they run again and again.")] = 1000,
    seed: Annotated[int, typer.Option(help="Another number gives other events.")] = 1,
    late: Annotated[float, typer.Option(min=0, max=0.5, help="Share of events that come late.")] = 0.02,
    duplicates: Annotated[float, typer.Option(min=0, max=0.5, help="Share of events that come twice.")] = 0.02,
    compress: Annotated[str, typer.Option(help="none, gzip or zstd.")] = "none",
    file_mb: Annotated[int, typer.Option(min=1, help="Size of a file before compression, in MB.")] = 256,
) -> None:
    """Write a log of Spark-like run events, 7 KB and 30 column edges each: OUT/tenant=CODE/part-00000.ndjson ..."""
    from headwater.demo.generate import COMPRESSIONS, Recipe, tenant_bodies
    from headwater.demo.generate import generate as write

    if compress not in COMPRESSIONS:
        raise typer.BadParameter(f"{compress!r} is none of {', '.join(COMPRESSIONS)}", param_hint="--compress")
    recipe = Recipe(events=events, tenants=tenants, seed=seed, jobs=jobs, late=late, duplicates=duplicates)
    if out == "-":
        if tenants > 1 or compress != "none":
            raise typer.BadParameter(
                "standard output is for one tenant, uncompressed; name a folder", param_hint="--out"
            )
        for body in tenant_bodies(recipe, 0):
            sys.stdout.buffer.write(body + b"\n")
        return
    with _progress(events) as advance:
        made = write(recipe, Path(out), compress=compress, file_bytes=file_mb << 20, progress=advance)
    say(f"{made.events:,} events, {made.bytes / 1e9:.2f} GB before compression, {made.files} files in {out}")


@demo.command("load")
def load(
    data: WhereOption = None,
    url: UrlOption = None,
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Load an invented shop: two weeks of runs, from its databases to its dashboards, column by column."""
    from datetime import UTC, datetime

    from headwater.demo.shop import shop_events

    bodies = shop_events(datetime.now(UTC))
    server = server_of(url, data)
    where = f" --url {server}" if server else f" --data {data}" if data else ""
    if server:
        _send(server, bodies, tenant)
    else:
        _store(bodies, data, config, tenant)
    whose = f" --tenant {tenant}" if tenant and not server else ""
    say(
        f"Loaded {len(bodies)} events. Now try:\n\n"
        f"  headwater lineage reports/daily_revenue{whose}{where}\n"
        f"  headwater show reports/customer_value{whose}{where}\n"
        f"  headwater lineage shop.public.customers --direction downstream{whose}{where}"
    )


@demo.command("overlay")
def overlay(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8590,
    versions: Annotated[int, typer.Option(min=0, max=100_000, help="How many versions are published already.")] = 24,
    seed: Annotated[int, typer.Option(help="Another number gives another history.")] = 1,
    stable: Annotated[int, typer.Option(min=1, max=100, help="Confirmations after which a reorg is over.")] = 3,
    token: Annotated[
        str, typer.Option(envvar="HEADWATER_DEMO_TOKEN", help="Bearer token that clients must send; none if empty.")
    ] = "",
    headwater: Annotated[
        str | None, typer.Option("--headwater", help="Tell this server (loopback) of each publish and recall.")
    ] = None,
) -> None:
    """Serve a made-up overlay on loopback: bundles with proofs, confirmations, recalls, reorgs. Ctrl-C ends it."""
    import signal
    import time
    from contextlib import suppress

    from headwater.demo.overlay.history import OverlayHistory
    from headwater.demo.overlay.notify import notifier
    from headwater.demo.overlay.server import OverlayServer

    span = versions + 600 * (versions // 8 + stable + 1)
    history = OverlayHistory(seed, stable, (int(time.time()) - span) * 1_000_000)
    history.grow(versions)
    notify = notifier(headwater, os.environ.get("HEADWATER_API_KEY", "")) if headwater else None
    try:
        served = OverlayServer(history, port=port, token=token, notify=notify)
    except OSError as error:
        raise ServerError(
            f"Cannot listen on 127.0.0.1:{port}: {error.strerror}.", hint="Choose another --port."
        ) from None
    say(
        f"The overlay listens on {served.url}, with {versions} versions.\n\n"
        f"  curl -X POST {served.url}/demo/publish -d '{{}}'\n"
        f"  curl -X POST {served.url}/demo/mine -d '{{\"blocks\": 1}}'\n"
        f"  curl -X POST {served.url}/demo/reorg -d '{{\"depth\": 1}}'"
    )
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        served.serve()


def _send(server: str, bodies: list[bytes], tenant: str | None) -> None:
    import json

    if tenant is not None:
        raise typer.BadParameter("a server takes the tenant from the key (HEADWATER_API_KEY)", param_hint="--tenant")
    with ask_server(server, "/api/v1/lineage/batch", {}, "POST", b"\n".join(bodies)) as answer:
        members = json.load(answer)
    if members["summary"]["failed"]:
        raise ServerError(
            f"The server refused {members['summary']['failed']} of {len(bodies)} events.",
            hint=str(members["failed_events"][0].get("reason")),
        )


def _store(bodies: list[bytes], data: str | None, config: str | None, tenant: str | None) -> None:
    import time

    from headwater.interpret.interpret import interpret
    from headwater.openlineage.decode import decode_event
    from headwater.openlineage.policy.apply import under_policy
    from headwater.settings import load_settings
    from headwater.store.read.reader import Reader
    from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
    from headwater.store.write.log import Entry

    settings, _ = load_settings(where_flags(data), os.environ, config)
    if not settings.store:
        make_private_folder(Path(settings.data))
    store = SqlStore(settings.store_url)
    store.open()
    try:
        code = tenant or DEFAULT_TENANT.code
        owner = Reader(store.engine).tenant(code)
        if owner is None:
            raise NoData(f"There is no tenant {code!r}.", hint=f"`headwater tenant create {code}` makes it.")
        now = time.time_ns() // 1000
        decoded = [under_policy(decode_event(body), owner.facet_policy) for body in bodies]
        store.write([Entry(owner, event, interpret(event, owner.id), now) for event in decoded])
    finally:
        store.close()


def _progress(total: int) -> Any:
    """A bar on a terminal, nothing elsewhere. Gives a function that hears of more events."""
    from contextlib import contextmanager

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TimeRemainingColumn

    @contextmanager
    def shown() -> Any:
        console = Console(stderr=True)
        columns = (BarColumn(), TaskProgressColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("events", total=total)
            yield lambda count: bar.advance(task, count)

    return shown()
