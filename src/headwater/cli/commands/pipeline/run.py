"""Shared by the commands of `headwater pipeline`: store, tenants, Spark, progress bar, report."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from headwater.cli.client.question import moment
from headwater.cli.output.progress import figures, progress_shown
from headwater.cli.output.terminal import say
from headwater.errors import HeadwaterError
from headwater.escaping import json_text
from headwater.logs import set_up_logs
from headwater.pipeline.errors import PipelineError
from headwater.pipeline.spark.database_outage import SAFE, Patience, outlast
from headwater.pipeline.spark.failure_cause import cause_of, is_of_spark, is_store_outage
from headwater.pipeline.spark.python_package import ship
from headwater.pipeline.spark.session import is_local, is_remote, is_submitted, make_session, versions
from headwater.pipeline.spark.stream_query import seconds_of
from headwater.private import make_private_folder
from headwater.settings import Settings, load_settings
from headwater.store.access.tenants import Tenants
from headwater.store.dialects.failures import StoreUnavailable
from headwater.store.engine import make_engine
from headwater.store.pipeline.import_journal import ImportJournal
from headwater.store.pipeline.jobs import Waiting, running
from headwater.store.scope import EVERY_TENANT
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Tenant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "Spark",
    "StoreOptions",
    "open_store",
    "patience_of",
    "run_import",
    "run_replay",
    "started",
    "tenants_of",
    "waiting_for",
]

StoreOptions = tuple[str | None, str | None, str | None]
"""Data folder, store, settings file, as given on the command line."""
Spark = tuple[str, Sequence[str]]
"""Master and settings of Spark, as given on the command line."""


def open_store(store_options: StoreOptions, master: str) -> Settings:
    """The settings of a store that is there and up to date."""
    data, store, config = store_options
    settings, _ = load_settings({"data": data, "store": store}, os.environ, config)
    set_up_logs("warning", settings.log_format)
    if settings.store_url.startswith("sqlite") and not is_local(master):
        raise PipelineError(
            "A cluster cannot share the embedded store, which is a file of this machine.",
            hint="Name a database server with --store postgresql+psycopg://... or mysql+pymysql://..., "
            "or run with --master local[*].",
        )
    if not settings.store:
        make_private_folder(Path(settings.data))
    database = SqlStore(settings.store_url)
    database.open()
    database.close()
    return settings


def tenants_of(url: str, code: str | None) -> list[Tenant]:
    """All tenants, or the one with this code."""
    engine = make_engine(url)
    try:
        found = Tenants(engine).list(EVERY_TENANT)
    finally:
        engine.dispose()
    chosen = [tenant for tenant in found if code in (None, tenant.code)]
    if not chosen:
        raise PipelineError(f"There is no tenant {code!r}.", hint="`headwater tenant list` shows all of them.")
    return chosen


@contextmanager
def started(spark: Spark, name: str) -> Iterator[SparkSession]:
    """A session of Spark, stopped at the end if it was started here."""
    master, given = spark
    settings = {}
    for setting in given:
        key, equals, value = setting.partition("=")
        if not equals:
            raise PipelineError(f"--conf {setting}: a setting of Spark is key=value.")
        settings[key] = value
    if sys.stderr.isatty():
        say("starting Spark ...", err=True)
    session = make_session(master, name=f"headwater {name}", settings=settings)
    try:
        ship(session)
        if not is_remote(session) and not is_local(session.sparkContext.master or ""):
            say(", ".join(f"{key} {value}" for key, value in versions(session).items() if value), err=True)
        yield session
    except Exception as error:
        explained = _explained(error, name)
        if explained is None:
            raise
        raise explained from None
    finally:
        with suppress(Exception):  # Java may be gone
            session.stop()


def _explained(error: Exception, name: str) -> HeadwaterError | None:
    """An error in words; None for one that is in words already, or for a defect, whose trace is wanted."""
    if isinstance(error, HeadwaterError):
        return None
    if is_store_outage(error):
        return StoreUnavailable(f"The database does not answer: {cause_of(error)}", hint=SAFE)
    if not is_of_spark(error):
        return None
    handle, path = tempfile.mkstemp(prefix="headwater-", suffix=".log")
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(str(error))
    return PipelineError(f"The {name} failed: {cause_of(error)}", hint=f"{SAFE} What Spark said is in {path}.")


def patience_of(settings: Settings) -> Patience:
    """How long to wait for a database that is away; prints a line when that begins."""
    return Patience(settings.outage_seconds, lambda message: say(f"waiting: {message}", err=True))


def waiting_for(wait: str) -> Waiting:
    """How long to wait for another job; prints once which one."""
    return Waiting(seconds_of(wait), lambda message: say(f"waiting: {message}", err=True))


def print_report(report: Any) -> None:
    """One line of JSON on standard output, for people and programs."""
    say(json_text(msgspec.json.encode(report).decode()))


def run_import(
    sources: Sequence[str],
    *,
    store_options: StoreOptions,
    spark: Spark,
    tenant: str,
    create_tenants: bool,
    refused: str | None,
    restart: bool,
) -> None:
    from headwater.pipeline.jobs import import_events
    from headwater.pipeline.sources.splits import absolute, plan_splits, tenant_in

    settings = open_store(store_options, spark[0])
    sources = [absolute(source) for source in sources]
    named = {tenant_in(split.path) for split in plan_splits(sources)} - {None}
    tenants = _needed(settings.store_url, {tenant, *(code for code in named if code)}, create=create_tenants)
    with (
        _refused_lines(refused) as tell,  # first: a file that cannot be written is told at once
        _journal(settings.store_url, sources, tenant) as journal,
        started(spark, "import") as session,
        running(settings.store_url, "import") as job,
        progress_shown("import", session) as show,
    ):
        if restart:
            journal.forget()
        report = import_events.run(
            session,
            settings.store_url,
            sources,
            tenants=tenants,
            default_tenant=tenant,
            journal=journal,
            job=job,
            patience=patience_of(settings),
            on_progress=lambda done, total, report: show("bytes", done, total, figures(report)),
            on_refused=tell,
        )
    print_report(report)
    if report.refused:
        where = "" if refused is None else f"; {refused} has them"
        say(f"{report.refused:,} lines or files were refused{where}.", colour="yellow", err=True)
        raise typer.Exit(3)


def run_replay(
    *,
    store_options: StoreOptions,
    spark: Spark,
    tenant: str | None,
    window: tuple[str | None, str | None],
    into: str | None,
    archive: str | None,
    derive: bool,
    wait: str,
) -> None:
    from headwater.pipeline.jobs import infer, replay, rollup

    waiting = waiting_for(wait)
    settings = open_store(store_options, spark[0])
    since, until = moment(window[0], "--since"), moment(window[1], "--until", "after")
    tenants = tenants_of(settings.store_url, tenant)
    if into is not None:
        database = SqlStore(into)
        database.open()
        database.close()
        _copy_tenants(into, tenants)
    patience = patience_of(settings)
    with started(spark, "replay") as session, progress_shown("replay", session) as show:

        def derived(step: str, done: int, total: int) -> None:
            show(step, done, total, "")

        report = replay.run(
            session,
            settings.store_url,
            tenants,
            since=since,
            until=until,
            into=into,
            archive=archive,
            on_progress=lambda done, total, report: show("parts", done, total, figures(report)),
            waiting=waiting,
            patience=patience,
        )
        if derive:
            target = into or settings.store_url
            for job in (infer.run, rollup.run):
                again = partial(job, session, target, tenant=tenant, waiting=waiting, progress=derived)
                outlast(target, lambda _, again=again: again(), patience)  # type: ignore[misc]
    print_report(report)


def run_over_facts(
    name: str, job: Callable[..., Any], *, store_options: StoreOptions, spark: Spark, tenant: str | None, wait: str
) -> None:
    """Run a job that works something out from the facts."""
    waiting = waiting_for(wait)
    settings = open_store(store_options, spark[0])
    tenants_of(settings.store_url, tenant)  # before Spark starts: a wrong code is told at once
    with started(spark, name) as session, progress_shown(name, session) as show:

        def once(_: int) -> Any:
            return job(
                session,
                settings.store_url,
                tenant=tenant,
                waiting=waiting,
                progress=lambda step, done, total: show(step, done, total, ""),
            )

        report = outlast(settings.store_url, once, patience_of(settings))
    print_report(report)


def run_rollup(*, store_options: StoreOptions, spark: Spark, tenant: str | None, wait: str, whole: bool) -> None:
    """Events since the last rollup in this process; whole tables, and many events, on Spark."""
    from headwater.pipeline.jobs import rollup

    waiting = waiting_for(wait)
    settings = open_store(store_options, spark[0])
    tenants_of(settings.store_url, tenant)
    report, left = rollup.RollupReport(), None
    patience = patience_of(settings)
    if not whole and not is_submitted():  # YARN wants a session of Spark of whatever it started
        with progress_shown("rollup", None) as show:
            since = partial(
                rollup.run_since,
                settings.store_url,
                tenant=tenant,
                waiting=waiting,
                progress=lambda step, done, total: show(step, done, total, ""),
            )
            report, left = outlast(settings.store_url, lambda _: since(), patience)
    if left != []:
        with started(spark, "rollup") as session, progress_shown("rollup", session) as show:
            all_of_it = partial(
                rollup.run,
                session,
                settings.store_url,
                tenant=tenant,
                only=left,
                waiting=waiting,
                progress=lambda step, done, total: show(step, done, total, ""),
            )
            report = report.plus(outlast(settings.store_url, lambda _: all_of_it(), patience))
    print_report(report)


def _needed(url: str, codes: set[str], *, create: bool) -> dict[str, Tenant]:
    engine = make_engine(url)
    try:
        store = Tenants(engine)
        found = {tenant.code: tenant for tenant in store.list(EVERY_TENANT)}
        missing = sorted(codes - found.keys())
        if missing and not create:
            raise PipelineError(
                f"There is no tenant {', '.join(map(repr, missing))}.",
                hint="Create them with `headwater tenant create`, or say --create-tenants.",
            )
        return found | {code: store.create(code, code) for code in missing}
    finally:
        engine.dispose()


def _copy_tenants(url: str, tenants: Sequence[Tenant]) -> None:
    """The same tenants, with the same ids, in another store."""
    engine = make_engine(url)
    try:
        store = Tenants(engine)
        there = {tenant.code: tenant.id for tenant in store.list(EVERY_TENANT)}
        for tenant in tenants:
            if tenant.code not in there:
                store.create(tenant.code, tenant.name, tenant.id)
                store.set_facet_policy(tenant.id, tenant.code, tenant.facet_policy)
            elif there[tenant.code] != tenant.id:
                raise PipelineError(
                    f"Tenant {tenant.code!r} has id {tenant.id} here and {there[tenant.code]} there.",
                    hint="Replay into an empty store.",
                )
    finally:
        engine.dispose()


@contextmanager
def _journal(url: str, sources: Sequence[str], tenant: str) -> Iterator[ImportJournal]:
    """Journal of an import: one per store, list of sources and tenant."""
    engine = make_engine(url)
    try:
        yield ImportJournal(engine, hashlib.sha256("\n".join([tenant, *sorted(sources)]).encode()).digest()[:16])
    finally:
        engine.dispose()


@contextmanager
def _refused_lines(path: str | None) -> Iterator[Callable[[Any], None]]:
    if path is None:

        def tell(line: Any) -> None:
            say(f"{line.file}:{line.line}: {line.code}: {line.message}", colour="yellow", err=True)

        yield tell
        return
    try:
        with Path(path).open("wb") as file:
            yield lambda line: (file.write(msgspec.json.encode(line) + b"\n"), None)[1]
    except OSError as error:
        raise HeadwaterError(f"{path} cannot be written: {error.strerror}.") from None
