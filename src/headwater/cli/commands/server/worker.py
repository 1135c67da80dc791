"""`headwater worker`: execute tasks, on this or another machine than the server's."""

from __future__ import annotations

import os
import signal
import threading
from typing import Annotated

import typer

from headwater.cli.options import ConfigOption, WhereOption, where_flags
from headwater.cli.output.terminal import say
from headwater.errors import HeadwaterError

__all__ = ["register"]


class CannotServeMetrics(HeadwaterError):
    code = "cannot_serve_metrics"


def register(app: typer.Typer) -> None:
    app.command("worker")(worker)


def worker(
    data: WhereOption = None,
    threads: Annotated[int | None, typer.Option(help="Batches that run at once (default 4).")] = None,
    metrics_port: Annotated[
        int | None, typer.Option(help="Port for /metrics of this worker, on `metrics_host` or 127.0.0.1.")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Execute tasks (embeddings, SQL summaries) of a data folder or database, until it is stopped."""
    from headwater.logs import set_up_logs
    from headwater.settings import load_settings

    settings, _ = load_settings({**where_flags(data), "task_threads": threads}, os.environ, config)
    if settings.task_threads == 0:
        raise typer.BadParameter("a worker has at least one thread; see the setting task_threads")
    set_up_logs(settings.log_level, settings.log_format)
    from headwater.models.wiring import make
    from headwater.store.sql_store import SqlStore
    from headwater.tasks.metrics import PrometheusMeter
    from headwater.tasks.options import options_of
    from headwater.tasks.worker import Worker

    if metrics_port is not None:
        _serve_metrics(settings.metrics_host or "127.0.0.1", metrics_port)
    store = SqlStore(settings.store_url)
    store.open()
    planner, handlers = make(settings, store)
    running = Worker(store, planner, handlers, options_of(settings, follows_assets=True), PrometheusMeter())
    ends = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ends.set())
    running.start()
    say(f"Worker {running.name} executes tasks with {settings.task_threads} threads. Stop it with Ctrl-C.")
    ends.wait()
    running.stop()
    store.close()


def _serve_metrics(host: str, port: int) -> None:
    from prometheus_client import start_http_server

    try:
        start_http_server(port, host)
    except (OSError, OverflowError) as error:
        raise CannotServeMetrics(
            f"Cannot serve metrics on {host}:{port}: {getattr(error, 'strerror', None) or error}.",
            hint="Choose another port with --metrics-port.",
        ) from None
