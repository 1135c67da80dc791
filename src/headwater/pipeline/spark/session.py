"""The Spark session: sane settings for one machine, and nothing that gets in the way of a cluster."""

from __future__ import annotations

import logging
import os
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from headwater import __version__
from headwater.pipeline.errors import MissingSpark
from headwater.pipeline.spark.java import find_java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "described",
    "is_local",
    "is_remote",
    "is_submitted",
    "make_session",
    "parallelism",
    "set_partitions",
    "versions",
]

_log = logging.getLogger(__name__)
_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
_LOOPBACK = "127.0.0.1"
_STACK = "-Xss16m"
"""A streaming data source in Python overflows the stack that Java gives a thread by itself."""
_UNCHECKED = "-Darrow.enable_unsafe_memory_access=true -Darrow.enable_null_check_for_get=false"
"""Arrow checks every single value that Spark reads or writes unless this is set."""
_QUICK = "-XX:TieredStopAtLevel=1"
"""Most of the work is Python's: Java's second compiler takes longer than it ever saves."""
_DRIVER = (_QUICK, "-XX:+UseParallelGC", f"-Dlog4j2.configurationFile={_LOG_SETTINGS}")
_PARTITIONS = "spark.sql.shuffle.partitions"
_INITIAL = "spark.sql.adaptive.coalescePartitions.initialPartitionNum"
_PARTS_PER_TASK = 4
_EXECUTORS_WAIT, _EXECUTORS_SETTLE = 30.0, 2.0
_ON_A_CLUSTER = {"spark.ui.enabled": "true"}


def is_local(master: str) -> bool:
    """Whether Spark runs inside this machine's own process.

    >>> is_local("local[2]"), is_local("spark://host:7077")
    (True, False)
    """
    return master.startswith("local")


def is_remote(session: SparkSession) -> bool:
    """Whether Spark is reached through Spark Connect."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def make_session(
    master: str = "local[*]",
    *,
    name: str = "headwater",
    settings: Mapping[str, str] | None = None,
    user_interface: bool = False,
) -> SparkSession:
    """Start Spark, or take the session that is there. `spark-submit` and `settings` have the last word."""
    # `pyspark` is an extra; whoever asks for the pipeline without it is told what to install.
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingSpark(
            f"The pipeline needs Spark: there is no {error.name}.", hint="pip install 'headwater[spark]'"
        ) from None
    if master.startswith("sc://"):
        return SparkSession.builder.remote(master).getOrCreate()
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    began = time.monotonic()
    os.environ["JAVA_HOME"] = find_java_home()
    python = (settings or {}).get("spark.pyspark.python")
    if python:  # the variable would have the last word
        os.environ["PYSPARK_PYTHON"] = python
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    submitted = _submitted()
    master = submitted.get("spark.master", master)
    options = {**_common(), **(_on_this_machine(master) if is_local(master) else _ON_A_CLUSTER)}
    options = {key: value for key, value in options.items() if key not in submitted}
    if user_interface:
        options["spark.ui.enabled"] = "true"
    builder = SparkSession.builder.appName(name)
    if not submitted:
        builder = builder.master(_with_retries(master))
    for key, value in {**options, **(settings or {})}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    if not is_local(session.sparkContext.master or master):
        _wait_for_executors(session)
        set_partitions(session)
    _log.info("Spark started", extra={"seconds": round(time.monotonic() - began, 1), **versions(session)})
    return session


def _executors_wanted(settings: Mapping[str, str]) -> int | None:
    """Expected number of executors, if the settings determine it.

    >>> _executors_wanted({"spark.executor.instances": "3"}), _executors_wanted({})
    (3, None)
    >>> _executors_wanted({"spark.cores.max": "8", "spark.executor.cores": "2"})
    4
    """
    if "spark.executor.instances" in settings:
        return int(settings["spark.executor.instances"])
    if "spark.cores.max" in settings and "spark.executor.cores" in settings:
        return int(settings["spark.cores.max"]) // int(settings["spark.executor.cores"])
    return None


def is_submitted() -> bool:
    """Whether `spark-submit` started this process."""
    return "SPARK_ENV_LOADED" in os.environ


def _submitted() -> dict[str, str]:
    """The settings that `spark-submit` was given, its master among them; none for a process that it did not start."""
    if not is_submitted():
        return {}
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415

    SparkContext._ensure_initialized()  # noqa: SLF001 - what a new context does first
    return dict(SparkConf().getAll())


def versions(session: SparkSession) -> dict[str, str | int]:
    """Versions, master and parallelism, for logs."""
    context = session.sparkContext
    return {
        "headwater": __version__,
        "spark": session.version,
        "python": platform.python_version(),
        "java": str(context._jvm.System.getProperty("java.version")) if context._jvm else "",  # noqa: SLF001
        "master": context.master or "",
        "application": context.applicationId,
        "tasks_at_once": parallelism(session),
        "partitions": int(session.conf.get("spark.sql.shuffle.partitions") or 0),
        "page": context.uiWebUrl or "",
    }


def set_partitions(session: SparkSession) -> None:
    """Set the partitions of a shuffle to the number of parallel tasks, unless a setting exists; Spark's default is 200.

    Nearly all of those would be empty, and each costs a Python task. Where Spark may join small partitions (adaptive
    execution), there are some more to begin with.
    """
    if is_remote(session):
        return
    given = session.sparkContext.getConf()
    if not given.contains(_PARTITIONS):
        session.conf.set(_PARTITIONS, str(parallelism(session)))
    if not given.contains(_INITIAL):
        session.conf.set(_INITIAL, str(parallelism(session) * _PARTS_PER_TASK))


@contextmanager
def described(session: SparkSession, what: str) -> Iterator[None]:
    """Names this thread's work for Spark, on its page and in its history."""
    if is_remote(session):
        yield
        return
    context = session.sparkContext
    context.setJobGroup(what.partition(":")[0], f"headwater {what}")
    try:
        yield
    finally:
        context.setJobDescription(None)  # type: ignore[arg-type]  # Java's null takes it away


def _wait_for_executors(session: SparkSession) -> None:
    """Executors come one by one; only then is it known how many tasks run at once."""
    context = session.sparkContext
    wanted = _executors_wanted(dict(context.getConf().getAll()))
    deadline, before, since = time.monotonic() + _EXECUTORS_WAIT, 0, time.monotonic()
    while time.monotonic() < deadline:
        now = context._jsc.sc().getExecutorMemoryStatus().size() - 1  # noqa: SLF001 - without the driver
        if now != before:
            before, since = now, time.monotonic()
        if now > 0 and (now >= wanted if wanted is not None else time.monotonic() - since > _EXECUTORS_SETTLE):
            return
        time.sleep(0.1)


def parallelism(session: SparkSession) -> int:
    """How many tasks run at once; a guess where only the cluster knows."""
    try:
        return max(1, session.sparkContext.defaultParallelism)
    except Exception:  # noqa: BLE001 - Spark Connect has no context to ask
        return int(session.conf.get("spark.sql.shuffle.partitions") or 8)


def _common() -> dict[str, str]:
    return {
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "4000",
        "spark.sql.execution.arrow.maxBytesPerBatch": str((1 << 31) - 1),  # else all columns are measured at each row
        "spark.driver.extraJavaOptions": " ".join([_STACK, _UNCHECKED, *_DRIVER]),
        "spark.executor.extraJavaOptions": f"{_STACK} {_UNCHECKED} {_QUICK}",
        "spark.ui.showConsoleProgress": "false",
        "spark.python.worker.reuse": "true",
    }


def _on_this_machine(master: str) -> dict[str, str]:
    cores = _cores(master)
    return {
        "spark.driver.host": _LOOPBACK,
        "spark.driver.bindAddress": _LOOPBACK,
        "spark.sql.shuffle.partitions": str(cores),  # the default of 200 costs more than the work
        "spark.default.parallelism": str(cores),
        "spark.driver.memory": "1g",
        "spark.sql.streaming.metricsEnabled": "false",
    }


def _cores(master: str) -> int:
    inside = master.partition("[")[2].partition("]")[0].partition(",")[0]
    if inside.isdigit():
        return max(1, int(inside))
    return (os.cpu_count() or 1) if inside == "*" else 1


def _with_retries(master: str) -> str:
    """On this machine Spark tries a task once only by default; on a cluster four times.

    >>> _with_retries("local[2]"), _with_retries("yarn")
    ('local[2,4]', 'yarn')
    """
    if is_local(master) and master.endswith("]") and "," not in master and "cluster" not in master:
        return f"{master[:-1]},4]"
    return master
