"""`headwater up`: start the server."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from headwater.cli.commands.server.pipeline_process import with_pipeline
from headwater.cli.options import ConfigOption
from headwater.cli.output.terminal import say
from headwater.errors import HeadwaterError
from headwater.private import make_private_folder
from headwater.settings import Settings

if TYPE_CHECKING:
    import uvicorn

__all__ = ["register"]


_LOOK_AGAIN = 5
"""Seconds after which the files of the certificate are looked at again."""
_ONLY_HTTPS = ("strict-transport-security", "max-age=31536000")
_MOST_FILES = 65_536


class CannotListen(HeadwaterError):
    code = "cannot_listen"


def register(app: typer.Typer) -> None:
    app.command("up")(up)


def up(
    host: Annotated[str | None, typer.Option(help="Address to listen on (default 127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (default 8580; 0 takes a free one).")] = None,
    data: Annotated[str | None, typer.Option(help="Folder of the embedded store (default ./.headwater).")] = None,
    store: Annotated[str | None, typer.Option(help="Database URL instead of the embedded store.")] = None,
    graph: Annotated[
        str | None, typer.Option(help="Address of a Neo4j server for the asset graph: neo4j://HOST:7687.")
    ] = None,
    pipeline: Annotated[
        bool | None, typer.Option("--pipeline/--no-pipeline", help="Start the pipeline beside the server.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that take requests (default 1).")] = None,
    query_processes: Annotated[
        int | None, typer.Option(help="Processes beside each of those that answer questions of lineage (default 1).")
    ] = None,
    tls_cert: Annotated[str | None, typer.Option(help="Certificate (PEM, with its chain) to speak HTTPS.")] = None,
    tls_key: Annotated[str | None, typer.Option(help="Key of that certificate (PEM).")] = None,
    metrics_port: Annotated[
        int | None, typer.Option(help="Port for /metrics alone, without a credential (default: with the rest).")
    ] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
    open_: Annotated[
        bool | None, typer.Option("--open", help="Listen on an address others can reach, without keys.")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Start the server: takes OpenLineage events, keeps them, and answers questions about them."""
    from headwater.settings import check_exposure, load_settings

    flags: dict[str, Any] = {
        "host": host,
        "port": port,
        "data": data,
        "store": store,
        "graph": graph,
        "pipeline": pipeline,
        "log_level": log_level,
    }
    flags |= {"open": open_, "workers": workers, "query_processes": query_processes}
    flags |= {"tls_cert": tls_cert, "tls_key": tls_key, "metrics_port": metrics_port}
    settings, _ = load_settings(flags, os.environ, config)
    check_exposure(settings, lambda: _has_keys(settings))
    from headwater.api.http.certificate import certificate_of

    certificate_of(settings)  # what is wrong with it is said here
    listeners = _listen_all(settings.host, settings.port, settings.workers)
    metrics: list[socket.socket] = []
    if settings.metrics_port:
        metrics = _listen_all(settings.metrics_host or settings.host, settings.metrics_port, settings.workers)
    _raise_file_limit()

    from headwater.logs import set_up_logs

    set_up_logs(settings.log_level, settings.log_format)
    if not settings.store:
        _make_folder(Path(settings.data))
    if settings.workers == 1:
        _serve(settings, [listeners[0], *metrics], is_alone=True)
        return

    from headwater.cli.commands.server.workers import shared_metrics, supervise
    from headwater.cores import settle

    with shared_metrics():
        from headwater.store.sql_store import SqlStore

        database = SqlStore(settings.store_url)
        database.open()  # tables are brought up to date once, and what is wrong with the database is said here
        database.close()
        import headwater.api.app  # noqa: F401 - loaded once, for all

        _welcome(settings, listeners[0])

        def work(listener: socket.socket) -> None:
            store_name = listeners.index(listener)
            if settings.store_url.startswith("sqlite"):
                settle(store_name, len(listeners))
            sockets = [listener, *metrics[store_name : store_name + 1]]
            _serve(settings, sockets, is_alone=False, has_tasks=store_name == 0)

        with with_pipeline(settings):
            supervise(listeners, work)


def _serve(settings: Settings, listeners: list[socket.socket], *, is_alone: bool, has_tasks: bool = True) -> None:
    """Take requests until asked to stop. One of several processes has the workers of tasks."""
    import uvicorn

    from headwater.api.app import Application
    from headwater.api.http.certificate import certificate_of
    from headwater.api.http.handshake import handshakes
    from headwater.api.http.middleware import SECURITY_HEADERS
    from headwater.api.http.protocol import EventProtocol
    from headwater.api.query_process.pool import QueryPool
    from headwater.ingest.large_events.pool import LargeEvents
    from headwater.store.sql_store import SqlStore
    from headwater.tasks.child_process import TaskProcess
    from headwater.tasks.metrics import PrometheusMeter

    database = SqlStore(settings.store_url)
    database.open()
    sys.setswitchinterval(0.002)  # shorter turns of event loop and writer cost more than they save; longer ones wait
    tasks = TaskProcess(settings, database.engine, PrometheusMeter()) if has_tasks and settings.task_threads else None
    processes = QueryPool(settings, settings.query_processes)
    application = Application(settings, database, processes, LargeEvents(settings), tasks)
    certificate = certificate_of(settings)
    protocol = handshakes(application.connections, certificate.context) if certificate else EventProtocol
    server = uvicorn.Server(
        uvicorn.Config(
            application,
            http=cast("Any", protocol),  # called for each connection, so a function will do
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            headers=[*SECURITY_HEADERS, *([_ONLY_HTTPS] if certificate else [])],
            callback_notify=certificate.look_again if certificate else None,
            timeout_notify=_LOOK_AGAIN,
            ws="none",
            timeout_graceful_shutdown=15,
        )
    )
    if is_alone:
        _welcome(settings, listeners[0])
    pipeline = with_pipeline(settings) if is_alone else nullcontext()
    stop_on_signals(server)
    with pipeline:
        server.run(sockets=listeners)


def _has_keys(settings: Settings) -> bool:
    """Whether somebody has made a key, so that nobody gets in without; changes nothing."""
    from headwater.store.access.keys import Keys
    from headwater.store.engine import make_engine
    from headwater.store.migrate import HEAD, current_revision

    if not settings.store and not (Path(settings.data) / "headwater.db").is_file():
        return False
    engine = make_engine(settings.store_url)
    try:
        return current_revision(engine) == HEAD and Keys(engine).exist()
    finally:
        engine.dispose()


def stop_on_signals(server: uvicorn.Server) -> None:
    """Let SIGTERM and SIGINT stop the server also before uvicorn listens to them.

    uvicorn hands them on when it has stopped; a handler that returns makes the process exit with 0.
    """

    def stop(_: int, __: object) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def _listen_all(host: str, port: int, count: int) -> list[socket.socket]:
    """A socket for each process, all on one port."""
    first = _listen(host, port)
    if count == 1:
        return [first]
    port = first.getsockname()[1]
    first.close()  # it only showed that nobody else listens there, which those that share a port do not notice
    return [_listen(host, port, shared=True) for _ in range(count)]


def _listen(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """Take the port first, so that a taken one is reported before anything else happens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except (OSError, OverflowError) as error:
        listener.close()
        raise CannotListen(
            f"Cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}.",
            hint="Is another Headwater running there? Choose another port with --port, or 0 for any free one.",
        ) from None
    listener.set_inheritable(True)
    return listener


def _raise_file_limit() -> None:
    """A connection is an open file, of which many systems allow a thousand unless asked for more."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _make_folder(data: Path) -> None:
    try:
        make_private_folder(data)
    except OSError as error:
        raise HeadwaterError(
            f"The data folder {data} cannot be made: {error.strerror}.", hint="Name another one with --data."
        ) from None


def _welcome(settings: Settings, listener: socket.socket) -> None:
    from headwater.store.engine import hidden_url

    host, port = listener.getsockname()[:2]
    store_name = hidden_url(settings.store) if settings.store else settings.data
    command = "headwater" if shutil.which("headwater") else os.path.relpath(sys.argv[0])
    scheme = "https" if settings.tls_cert else "http"
    site = f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
    say(
        f"""Headwater listens on {site}, data in {store_name}

  send events to   {site}/api/v1/lineage   (OPENLINEAGE_URL={site})
  look             {site}/
  then try         {command} lineage NAME, {command} show NAME, {command} dump
  stop             Ctrl-C"""
    )
    sys.stdout.flush()
