"""`headwater pipeline sync gravitino`: a full reading of a metalake, as the baseline of a tenant's assets."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from headwater.cli.commands.pipeline.options import ConfOption, StoreOption
from headwater.cli.commands.server.pipeline_process import leave_with_parent
from headwater.cli.options import ConfigOption, DataOption
from headwater.cli.output.table import TableOption, check_table, print_json, print_record
from headwater.cli.output.terminal import SafeConsole, say
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from headwater.pipeline.gravitino.events import EventMaker
    from headwater.pipeline.gravitino.tables import FoundTable, TableName
    from headwater.store.pipeline.catalog_sources import CatalogSource

__all__ = ["register_sync"]


_RATE = 50
"""Requests per second by default."""


class WrongSync(HeadwaterError):
    code = "wrong_sync"


def register_sync(app: typer.Typer) -> None:
    app.command("sync")(sync)


def sync(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="What is read: gravitino.")],
    url: Annotated[
        str | None,
        typer.Option(
            "--url", help="Address of the Gravitino server, such as http://gravitino:8090; else its source's."
        ),
    ] = None,
    metalake: Annotated[
        str | None, typer.Option("--metalake", help="The metalake that is read; the source's if the tenant has one.")
    ] = None,
    tenant: Annotated[str, typer.Option("--tenant", help="Code of the tenant.")] = "default",
    token: Annotated[
        str | None, typer.Option("--token", help="Where the access token is: env:NAME or file:PATH.")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option("--header", help="A further header, NAME: VALUE; may be repeated.")
    ] = None,
    rate: Annotated[
        int | None, typer.Option("--rate", min=0, help="Requests a second at most, 50 if not given; 0 for any number.")
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin with a new cut-over time where a reading was cut off.")
    ] = False,
    master: Annotated[
        str,
        typer.Option(
            "--master", help="Where Spark reads the tables: local[*], spark://host:7077 ...; none: without Spark."
        ),
    ] = "local[*]",
    conf: ConfOption = None,
    data: DataOption = None,
    store: StoreOption = None,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Read all of a metalake into the log and the asset graph. Cut off, it goes on when it is run again."""
    import msgspec

    from headwater.cli.commands.pipeline.run import started
    from headwater.pipeline.gravitino.rest import ApiOptions, GravitinoApi
    from headwater.pipeline.gravitino.sync import sync_metalake
    from headwater.pipeline.gravitino.tables import on_spark
    from headwater.settings import load_settings
    from headwater.store.access.tenants import Tenants
    from headwater.store.assets.follow import AssetStore
    from headwater.store.assets.neo4j.server import read_password
    from headwater.store.pipeline.catalog_sources import CatalogSources
    from headwater.store.scope import EVERY_TENANT
    from headwater.store.sql_store import SqlStore

    leave_with_parent()
    check_table(format_)
    if source != "gravitino":
        raise typer.BadParameter(f"{source!r} cannot be read; only gravitino can", param_hint="SOURCE")
    if url is not None and not url.startswith(("http://", "https://")):
        raise typer.BadParameter("begins with http:// or https://", param_hint="--url")
    headers = dict(_header(text) for text in header or ())
    settings, _ = load_settings({"data": data, "store": store}, os.environ, config)
    opened = SqlStore(settings.store_url)
    opened.open()
    assets = AssetStore(opened, settings.graph, settings.graph_user, settings.graph_password)
    try:
        found = Tenants(opened.engine).get(EVERY_TENANT, tenant)
        if found is None:
            raise WrongSync(f"There is no tenant {tenant!r}.", hint="`headwater tenant list` lists them.")
        read = _source(CatalogSources(opened.engine).list(found.id), metalake, url, token, rate)

        def renewed() -> str | None:
            return read_password(read.token, os.environ)

        options = ApiOptions(read.url, read.metalake, renewed(), (found.id, found.code), headers, read.rate)
        assets.open()
        with ExitStack() as opened_last:

            def tables(events: EventMaker, names: Sequence[TableName]) -> Iterator[list[FoundTable]]:
                # Spark starts here: what is wrong with the address or the token has been told by now.
                session = opened_last.enter_context(started((master, conf or []), "sync"))
                read_tables = on_spark(session, lambda: msgspec.structs.replace(options, token=renewed()))
                yield from read_tables(events, names)

            shown = opened_last.enter_context(_Shown())
            report = sync_metalake(
                opened,
                settings.store_url,
                found,
                read.metalake,
                GravitinoApi(options, renewed),
                shown.tell,
                restart=restart,
                tables=tables if master != "none" and find_spec("pyspark") is not None else None,
            )
            shown.tell("asset graph", 0, 0)
            assets.follow([found.id])
    finally:
        assets.close()
        opened.close()
    answer: dict[str, Any] = msgspec.to_builtins(report)
    answer.pop("seen")
    (print_json if format_ == "json" else print_record)(answer)


def _source(
    known: list[CatalogSource], metalake: str | None, url: str | None, token: str | None, rate: int | None
) -> CatalogSource:
    """The source from the options; members that are not given are those of the tenant's source."""
    from headwater.store.pipeline.catalog_sources import CatalogSource

    fitting = [source for source in known if metalake in (None, source.metalake)]
    base = fitting[0] if len(fitting) == 1 else None
    if metalake is None and base is None:
        names = ", ".join(source.metalake for source in fitting[:10])
        raise WrongSync(
            f"Which metalake is to be read? Known are: {names}." if names else "The tenant has no source.",
            hint="Name it with --metalake, and its server with --url.",
        )
    if url is None and base is None:
        raise WrongSync(f"The tenant has no source of the metalake {metalake!r}.", hint="Name its server with --url.")
    return CatalogSource(
        metalake or (base.metalake if base else ""),
        url or (base.url if base else ""),
        # a token is for the server that it was given for
        token if token is not None else base.token if base is not None and url in (None, base.url) else "",
        rate if rate is not None else base.rate if base is not None else _RATE,
    )


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or "\n" in text:
        raise typer.BadParameter(f"{text!r} is not NAME: VALUE", param_hint="--header")
    return name.strip().lower(), value.strip()


class _Shown:
    """A bar on a terminal, and a line a step elsewhere."""

    def __enter__(self) -> Self:
        self._step = ""
        self._bar: Any = None
        if sys.stderr.isatty():
            from rich.progress import Progress

            self._bar = Progress(console=SafeConsole(stderr=True))
            self._bar.start()
            self._task = self._bar.add_task("sync", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def tell(self) -> Callable[[str, int, int], None]:
        return self._tell

    def _tell(self, step: str, done: int, total: int) -> None:
        if self._bar is not None:
            self._bar.update(self._task, description=step, completed=done, total=total or None)
        elif step != self._step:
            say(f"sync: {step}", err=True)
        self._step = step
