"""Lists: one page, the exact total, the next cursor.

Each page takes a fixed number of questions to the store, however long it is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import msgspec

from headwater.graph.annotations.described import Described
from headwater.graph.annotations.tags import same_tag
from headwater.graph.facts import NodeKind, Run, SqlText
from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.answer.pages import page_of
from headwater.lineage.answer.records import (
    UNKNOWN_TYPE,
    DatasetItem,
    Freshness,
    JobItem,
    Page,
    RunItem,
    SqlItem,
    SqlPage,
    TagItem,
    UserItem,
)
from headwater.lineage.answer.values import moment, newer, seen_as, stamped
from headwater.lineage.entities.annotations import described_of, owned_by, tagged
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.entities.retracted import retracted_since
from headwater.lineage.entities.run_items import run_items
from headwater.lineage.entities.statement import statement_use
from headwater.lineage.names.keys import read_key, tag_key, user_key
from headwater.lineage.walk.lineage import freshness
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.catalog import Catalog, NodeFilter, SqlFilter
from headwater.store.read.lists.runs import RunCatalog, RunFilter
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.read.runs.statement_use import statement_runs
from headwater.store.read.runs.totals import progress
from headwater.store.read.summaries import Summaries

__all__ = ["list_datasets", "list_jobs", "list_runs", "list_statements", "list_tags", "list_users", "tag_of"]

_TEXT_SHOWN = 1000
_NAME = "name"


def list_datasets(
    reader: Reader, tenant: int, wanted: NodeFilter, order: str, cursor: str | None, limit: int
) -> Page[DatasetItem]:
    ids, total, following = _nodes(reader, tenant, NodeKind.DATASET, wanted, order, cursor, limit)
    summaries = Summaries(reader.engine)
    aliases, described = _described(reader, tenant, ids)
    names = reader.names(tenant, {*ids, *(aliases.canonical(node) for node in ids)})
    retracted = retracted_since(tenant, Lookup(reader.engine), {node: aliases.group(node) for node in ids})
    use = summaries.dataset_use(tenant, ids)
    last: dict[bytes, bytes] = {}
    for (dataset, _), used in use.items():
        last[dataset] = newer(last.get(dataset), used.last)
    items = []
    for node in ids:
        name, shown = names[node], aliases.canonical(node)
        about = described.get(shown) or Described()
        items.append(
            DatasetItem(
                id=name.node_id,
                key=name.key,
                namespace=name.namespace,
                name=name.name,
                alias_of=names[shown].node_id if shown != node and shown in names else None,
                seen=seen_as(name.seen),
                first_seen=moment(name.first_seen),
                last_seen=stamped(last.get(node)),
                description=about.description,
                tags=about.tags,
                owners=about.owners,
                retracted_at=retracted.get(node),
            )
        )
    return Page(items, total, following)


def list_jobs(
    reader: Reader, tenant: int, wanted: NodeFilter, order: str, cursor: str | None, limit: int
) -> Page[JobItem]:
    ids, total, following = _nodes(reader, tenant, NodeKind.JOB, wanted, order, cursor, limit)
    summaries = Summaries(reader.engine)
    annotation, runs = summaries.jobs(tenant, ids), summaries.latest_runs(tenant, ids)
    names = reader.names(tenant, {*ids, *(summary.parent for summary in annotation.values() if summary.parent)})
    latest = dict(zip(runs, run_items(reader, tenant, list(runs.values())), strict=True))
    aliases, described = _described(reader, tenant, ids)
    items = []
    for node in ids:
        name, summary, run = names[node], annotation.get(node), runs.get(node)
        about = described.get(aliases.canonical(node)) or Described()
        parent = names.get(summary.parent or b"") if summary else None
        items.append(
            JobItem(
                id=name.node_id,
                key=name.key,
                namespace=name.namespace,
                name=name.name,
                type=(summary.type if summary else None) or (run.job_type if run else None) or UNKNOWN_TYPE,
                processing=summary.processing if summary else None,
                parent=parent.node_id if parent else None,
                first_seen=moment(name.first_seen),
                last_seen=stamped(summary.last) if summary else None,
                description=about.description,
                tags=about.tags,
                owners=about.owners,
                latest_run=latest.get(node),
            )
        )
    return Page(items, total, following)


def list_runs(
    reader: Reader, tenant: int, wanted: RunFilter, order: str, cursor: str | None, limit: int
) -> Page[RunItem]:
    """Runs and operations, by when they were first seen or by one of their figures."""
    after, catalog, by = read_cursor(cursor, order, int), RunCatalog(reader.engine), order.removeprefix("-")
    turn: dict[str, Any] = {"descending": order.startswith("-"), "after": after, "limit": limit + 1}
    is_usual = by == "first_seen"
    page = catalog.runs(tenant, wanted, **turn) if is_usual else catalog.runs_by(tenant, wanted, by, **turn)
    shown, following = _cut(page.rows, order, limit)
    ids = [row[0] for row in shown]
    runs = {run.run: run for run in reader.facts(tenant, Run, run=ids)}
    roles = None if wanted.datasets is None else catalog.roles(tenant, wanted.datasets, ids, wanted.roles)
    return Page(run_items(reader, tenant, [runs[run] for run in ids], roles), page.total, following)


def list_statements(
    reader: Reader, tenant: int, wanted: SqlFilter, order: str, cursor: str | None, limit: int
) -> SqlPage:
    """Statements, by their ids, by the number of runs that executed them, or by the last of these."""
    by, after = order.removeprefix("-"), read_cursor(cursor, order, int)
    page = Catalog(reader.engine).statements(
        tenant,
        wanted,
        descending=order.startswith("-"),
        after=after,
        limit=limit + 1,
        by=None if by == "id" else by,
    )
    shown: list[Any] = page.rows[:limit]
    ids = [row[0] for row in shown]
    sort = None if by == "id" or not shown else shown[-1][1]
    following = write_cursor(order, sort, ids[-1]) if len(page.rows) > limit else None
    texts = {fact.sql: fact for fact in reader.facts(tenant, SqlText, sql=ids)}
    use = Summaries(reader.engine).statements(tenant, ids)
    runs = statement_runs(reader.engine, tenant, ids, wanted.days)
    items = []
    for sql in ids:
        text, used = texts[sql].text or "", use.get(sql)
        items.append(
            SqlItem(
                id=f"sql:{sql.hex()}",
                key=f"sql:{sql.hex()}",
                text=text[:_TEXT_SHOWN],
                is_cut=len(text) > _TEXT_SHOWN,
                dialect=texts[sql].dialect,
                jobs=used.jobs if used else 0,
                last_seen=stamped(used.last) if used else None,
                use=statement_use(runs.get(sql)),
            )
        )
    return SqlPage(
        items, page.total, following, msgspec.convert(freshness(progress(Lookup(reader.engine))), Freshness | None)
    )


def list_users(
    reader: Reader, tenant: int, name: str | None, order: str, cursor: str | None, limit: int
) -> Page[UserItem]:
    """Users who started a run, and owners of datasets and jobs."""
    wanted = (name or "").lower()
    started = {user.name: user for user in Catalog(reader.engine).users(tenant)}
    owned = _count_owned(reader, tenant)
    items = []
    for text in started.keys() | owned.keys():
        user = started.get(text)
        if wanted in text.lower():
            items.append(
                UserItem(
                    id=f"user:{text}",
                    key=user_key(text),
                    name=text,
                    runs=user.runs if user else 0,
                    owns=owned.get(text, 0),
                    first_seen=moment(user.first_seen if user else None),
                    last_seen=moment(user.last_seen if user else None),
                )
            )
    return page_of(items, _NAME, order, cursor, limit)


def list_tags(
    reader: Reader, tenant: int, name: str | None, order: str, cursor: str | None, limit: int
) -> Page[TagItem]:
    """Every tag, with the number of datasets, columns and jobs that have it now."""
    aliases, lookup = Aliases(reader, tenant), Lookup(reader.engine)
    hidden = hidden_nodes(reader, tenant, lookup, aliases=aliases)
    found = {
        node: annotation for node, annotation in tagged(tenant, lookup, aliases, None).items() if node not in hidden
    }
    names = reader.names(tenant, {member for node in found for member in aliases.group(node)})
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for node, annotation in found.items():
        listed = Counter(names[member].kind for member in aliases.group(node) if member in names)
        for tag in annotation.all_tags:
            spellings[same_tag(tag)][tag] += 1
            counts[same_tag(tag)]["datasets"] += listed[NodeKind.DATASET]
            counts[same_tag(tag)]["jobs"] += listed[NodeKind.JOB]
        for tag in (tag for tags in annotation.column_tags.values() for tag in tags):
            counts[same_tag(tag)]["columns"] += 1
    items = []
    for key, count in counts.items():
        spelt = min(spellings[key].items(), key=lambda item: (-item[1], item[0]))[0]  # as most write it
        if (name or "").lower() in key:
            figures = {word: count[word] for word in ("datasets", "columns", "jobs")}
            items.append(TagItem(tag=spelt, key=tag_key(spelt), **figures))
    return page_of(items, "tag", order, cursor, limit)


def tag_of(reader: Reader, tenant: int, text: str) -> str:
    """The tag that has this key, or the text itself."""
    key = read_key(text)
    if key is None or key.kind != "tag":
        return text
    found = tagged(tenant, Lookup(reader.engine), Aliases(reader, tenant), None)
    known = {tag for annotation in found.values() for tag in annotation.all_tags}
    return next((tag for tag in known if tag_key(tag) == text), text)


def _described(reader: Reader, tenant: int, ids: list[bytes]) -> tuple[Aliases, dict[bytes, Described]]:
    """Notes about the things on a page, under all their names."""
    aliases = Aliases(reader, tenant)
    aliases.learn(ids)
    groups = {shown: aliases.group(shown) for shown in map(aliases.canonical, ids)}
    return aliases, described_of(tenant, Lookup(reader.engine), groups)


def _count_owned(reader: Reader, tenant: int) -> Counter[str]:
    aliases, lookup = Aliases(reader, tenant), Lookup(reader.engine)
    found = owned_by(tenant, lookup, aliases, None)
    hidden = hidden_nodes(reader, tenant, lookup, aliases=aliases) if found else frozenset()
    return Counter(owner for node, annotation in found.items() if node not in hidden for owner in annotation.owners)


def _nodes(
    reader: Reader, tenant: int, kind: NodeKind, wanted: NodeFilter, order: str, cursor: str | None, limit: int
) -> tuple[list[bytes], int, str | None]:
    by = order.removeprefix("-")
    page = Catalog(reader.engine).nodes(
        tenant,
        kind,
        wanted,
        by=by,
        descending=order.startswith("-"),
        after=read_cursor(cursor, order, str if by == _NAME else int),
        limit=limit + 1,
    )
    shown, following = _cut(page.rows, order, limit)
    return [row[0] for row in shown], page.total, following


def _cut(rows: list[Any], order: str, limit: int) -> tuple[list[Any], str | None]:
    """The rows of a page, of which one more was read, to know whether there is another page."""
    shown = rows[:limit]
    return shown, write_cursor(order, shown[-1][1], shown[-1][0]) if len(rows) > limit else None
