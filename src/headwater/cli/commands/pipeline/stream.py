"""`headwater pipeline stream`: derived tables from the log, or events from Kafka or a landing folder."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.commands.pipeline.options import ConfOption, MasterOption, StoreOption
from headwater.cli.options import ConfigOption, DataOption

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.cli.commands.pipeline.run import Spark, StoreOptions
    from headwater.pipeline.spark.stream_query import StreamReport
    from headwater.settings import Settings

__all__ = ["register_stream"]


def register_stream(pipeline: typer.Typer) -> None:
    pipeline.command("stream")(stream)


def stream(
    kafka: Annotated[
        str | None, typer.Option("--kafka", metavar="SERVERS", help="Read from these brokers, host:port,host:port.")
    ] = None,
    topic: Annotated[str | None, typer.Option("--topic", help="Topic to read, or several with commas between.")] = None,
    folder: Annotated[str | None, typer.Option("--folder", help="Take every file that appears in this folder.")] = None,
    tenant: Annotated[str, typer.Option("--tenant", help="Code of the tenant of the events.")] = "default",
    starting: Annotated[
        str, typer.Option("--starting", help="Where a new stream of a topic begins: earliest or latest.")
    ] = "earliest",
    max_events: Annotated[int, typer.Option("--max-events", min=1, help="Most messages of a batch.")] = 20_000,
    max_files: Annotated[int, typer.Option("--max-files", min=1, help="Most files of a batch.")] = 200,
    trigger: Annotated[
        str | None, typer.Option("--trigger", help="Look for new events this often: 500ms, 1s, 2m.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Take what is there, then end.")] = False,
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", help="Where the stream keeps how far it is; in the data folder.")
    ] = None,
    kafka_option: Annotated[
        list[str] | None,
        typer.Option("--kafka-option", help="An option of Spark's Kafka source, key=value; may be repeated."),
    ] = None,
    kafka_properties: Annotated[
        str | None,
        typer.Option("--kafka-properties", help="File with settings of the Kafka client, such as its secrets."),
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
    master: MasterOption = "local[*]",
    conf: ConfOption = None,
    config: ConfigOption = None,
) -> None:
    """Follow the event log and keep derived tables up to date; or take events as they come, from Kafka or a folder.

    Runs until it is stopped; started again, it goes on where it was.
    """
    from headwater.pipeline.errors import PipelineError
    from headwater.pipeline.spark.stream_query import seconds_of

    if kafka is not None and folder is not None:
        raise PipelineError("Events come from one source.", hint="Either --kafka SERVERS --topic NAME or --folder DIR.")
    store_options, spark = (data, store, config), (master, conf or [])
    common = {"trigger": seconds_of(trigger or ("1s" if kafka or folder else "500ms")), "once": once}
    if kafka is None and folder is None:
        _stream_log(store_options, spark, checkpoint, **common)
        return
    if folder is not None:
        _stream_folder(store_options, spark, tenant, folder, checkpoint, max_files=max_files, **common)
        return
    if topic is None:
        raise PipelineError("Say which topic to read.", hint="--topic NAME")
    if starting not in ("earliest", "latest"):
        raise PipelineError(f"--starting {starting}: it is earliest or latest.")
    options = _kafka_options(kafka_option or [], kafka_properties)
    wanted = {"servers": kafka, "topic": topic, "starting": starting, "max_events": max_events, "options": options}
    _stream_kafka(store_options, spark, tenant, checkpoint, **wanted, **common)


def _stream_log(store_options: StoreOptions, spark: Spark, checkpoint: str | None, **wanted: Any) -> None:
    from headwater.cli.commands.pipeline.run import open_store, started
    from headwater.cli.commands.server.pipeline_process import leave_with_parent
    from headwater.pipeline.jobs.stream_log import stream_log

    leave_with_parent()
    settings = open_store(store_options, spark[0])
    _refuse_connect(spark[0])
    kept = _checkpoint(settings, checkpoint, "log")
    with _stoppable() as stop, started(spark, "stream") as session, _shown(session) as on_batch:
        report = stream_log(session, settings.store_url, checkpoint=kept, stop=stop, on_batch=on_batch, **wanted)
    _print(report)


def _stream_kafka(store_options: StoreOptions, spark: Spark, code: str, checkpoint: str | None, **wanted: Any) -> None:
    from headwater.cli.commands.pipeline.run import open_store, started
    from headwater.pipeline.jobs.stream_events import stream_kafka

    settings = open_store(store_options, spark[0])
    _refuse_connect(spark[0])
    tenant = _active(settings.store_url, code)
    kept = _checkpoint(settings, checkpoint, "kafka", wanted["servers"], wanted["topic"], code)
    with (
        _fetched(),
        started((spark[0], _with_kafka(spark[1])), "stream") as session,
        _stoppable() as stop,
        _shown(session) as on_batch,
    ):
        report = stream_kafka(
            session, settings.store_url, tenant=tenant, checkpoint=kept, stop=stop, on_batch=on_batch, **wanted
        )
    _print(report)


@contextmanager
def _fetched() -> Iterator[None]:
    """Explains the failure when Spark does not start because the package for Kafka cannot be fetched."""
    from headwater.pipeline.errors import PipelineError

    try:
        yield
    except Exception as error:
        if "JAVA_GATEWAY_EXITED" not in str(error):
            raise
        raise PipelineError(
            "Spark did not start; perhaps it could not fetch what it needs to read from Kafka.",
            hint="The messages above say more. Without the internet, name the files: --conf spark.jars=FILE,FILE,...",
        ) from None


def _stream_folder(
    store_options: StoreOptions, spark: Spark, code: str, folder: str, checkpoint: str | None, **wanted: Any
) -> None:
    from headwater.cli.commands.pipeline.run import open_store, started, tenants_of
    from headwater.pipeline.errors import UnreadableSource
    from headwater.pipeline.jobs.stream_events import stream_folder

    settings = open_store(store_options, spark[0])
    _refuse_connect(spark[0])
    if "://" not in folder:
        if not Path(folder).is_dir():
            raise UnreadableSource(f"There is no folder {folder}.", hint="Make it first, then put files into it.")
        folder = str(Path(folder).resolve())
    _active(settings.store_url, code)
    kept = _checkpoint(settings, checkpoint, "folder", folder, code)
    with started(spark, "stream") as session, _stoppable() as stop, _shown(session) as on_batch:
        report = stream_folder(
            session,
            settings.store_url,
            folder=folder,
            tenants=lambda: {tenant.code: tenant for tenant in tenants_of(settings.store_url, None)},
            default_tenant=code,
            checkpoint=kept,
            stop=stop,
            on_batch=on_batch,
            **wanted,
        )
    _print(report)


@contextmanager
def _shown(session: SparkSession) -> Iterator[Callable[[StreamReport], None]]:
    """The progress of a stream; none where a server started it, whose log would have a line a minute for ever."""
    from headwater.cli.commands.server.pipeline_process import is_beside_server
    from headwater.cli.output.progress import progress_shown

    if is_beside_server():
        yield lambda _: None
        return
    with progress_shown("stream", session) as show:
        show("waiting for events", 0, 0, "")

        def tell(report: StreamReport) -> None:
            refused = f", {report.refused:,} refused" if report.refused else ""
            show(f"batch {report.batches:,}", 0, 0, f"{report.events:,} events{refused}")

        yield tell


def _active(url: str, code: str) -> Any:
    """The tenant, if it takes events."""
    from headwater.cli.commands.pipeline.run import tenants_of
    from headwater.pipeline.errors import PipelineError
    from headwater.store.access.tenants import ACTIVE

    tenant = tenants_of(url, code)[0]
    if tenant.state != ACTIVE:
        raise PipelineError(f"The tenant {code!r} is disabled.", hint=f"headwater tenant enable {code}")
    return tenant


def _refuse_connect(master: str) -> None:
    from headwater.pipeline.errors import PipelineError

    if master.startswith("sc://"):
        raise PipelineError(
            "A stream does not run over Spark Connect: its batches are led by this process.",
            hint="Use the cluster's own address: --master spark://..., yarn or k8s://...",
        )


def _checkpoint(settings: Settings, given: str | None, *what: str) -> str:
    """A place per stream and store; the same command finds it again."""
    import hashlib

    from headwater.store.engine import hidden_url

    if given is not None:
        return given if "://" in given else Path(given).resolve().as_uri()
    name = hashlib.sha256("\n".join([hidden_url(settings.store_url), *what]).encode()).hexdigest()[:16]
    return (Path(settings.data) / "pipeline" / f"{what[0]}-{name}.checkpoint").resolve().as_uri()


def _with_kafka(conf: Sequence[str]) -> list[str]:
    """Settings of Spark with the package for Kafka, unless they or `spark-submit` name it themselves."""
    import os

    import pyspark

    from headwater.pipeline.jobs.stream_events import kafka_package

    given = [*conf, *os.environ.get("PYSPARK_SUBMIT_ARGS", "").split()]
    if "SPARK_ENV_LOADED" in os.environ or any("spark.jars" in setting or "--" in setting for setting in given):
        return list(conf)
    return [*conf, f"spark.jars.packages={kafka_package(pyspark.__version__)}"]


def _kafka_options(given: Sequence[str], file: str | None) -> dict[str, str]:
    from headwater.pipeline.errors import PipelineError, UnreadableSource

    options = {}
    if file is not None:
        try:
            lines = Path(file).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise UnreadableSource(f"{file} cannot be read: {error.strerror}.") from None
        for line in lines:
            key, equals, value = line.partition("=")
            if equals and not line.lstrip().startswith(("#", "!")):
                options[f"kafka.{key.strip()}"] = value.strip()
    for setting in given:
        key, equals, value = setting.partition("=")
        if not equals:
            raise PipelineError(f"--kafka-option {setting}: an option is key=value.")
        options[key] = value
    return options


@contextmanager
def _stoppable() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _print(report: Any) -> None:
    from headwater.cli.commands.pipeline.run import print_report

    print_report(report)
