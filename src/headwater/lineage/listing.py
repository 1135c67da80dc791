"""Lists of everything: one page of it, the exact total, and where the next page begins.

Each page takes a fixed number of questions to the store, however long it is.
"""

from __future__ import annotations

from typing import Any

from headwater.graph.facts import NodeKind, Role, Run, SqlText
from headwater.graph.search import DocumentKind
from headwater.lineage.answers import UNKNOWN_TYPE, DatasetItem, JobItem, Page, RunItem, SqlItem, TagItem, UserItem
from headwater.lineage.cursor import read_cursor, write_cursor
from headwater.lineage.facets import description_of, newest_facets, owners_of, tags_in
from headwater.lineage.keys import read_key, tag_key, user_key
from headwater.lineage.run_items import run_items
from headwater.lineage.shown import moment, newer, seen_as, stamped
from headwater.store.aliases import Aliases
from headwater.store.catalog import Catalog, NodeFilter, SqlFilter
from headwater.store.read import Reader
from headwater.store.run_catalog import RunCatalog, RunFilter
from headwater.store.summaries import Summaries

__all__ = ["list_datasets", "list_jobs", "list_runs", "list_statements", "list_tags", "list_users", "page_of", "tag_of"]

_TEXT_SHOWN = 1000
_NAME = "name"


def list_datasets(
    reader: Reader, tenant: int, wanted: NodeFilter, order: str, cursor: str | None, limit: int
) -> Page[DatasetItem]:
    ids, total, following = _nodes(reader, tenant, NodeKind.DATASET, wanted, order, cursor, limit)
    summaries, aliases = Summaries(reader.engine), Aliases(reader, tenant)
    aliases.learn(ids)
    names = reader.names(tenant, {*ids, *(aliases.canonical(node) for node in ids)})
    facets, use = summaries.dataset_facets(tenant, ids), summaries.dataset_use(tenant, ids)
    last: dict[bytes, bytes] = {}
    for (dataset, role), used in use.items():
        if role != Role.REFERENCE:
            last[dataset] = newer(last.get(dataset), used.last)
    items = []
    for node in ids:
        name, kept, shown = names[node], newest_facets(facets.get(node, ())), aliases.canonical(node)
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
                description=description_of(kept),
                tags=tags_in(kept),
                owners=owners_of(kept),
            )
        )
    return Page(items, total, following)


def list_jobs(
    reader: Reader, tenant: int, wanted: NodeFilter, order: str, cursor: str | None, limit: int
) -> Page[JobItem]:
    ids, total, following = _nodes(reader, tenant, NodeKind.JOB, wanted, order, cursor, limit)
    summaries = Summaries(reader.engine)
    said, runs = summaries.jobs(tenant, ids), summaries.latest_runs(tenant, ids)
    names = reader.names(tenant, {*ids, *(summary.parent for summary in said.values() if summary.parent)})
    latest = dict(zip(runs, run_items(reader, tenant, list(runs.values())), strict=True))
    items = []
    for node in ids:
        name, summary, run = names[node], said.get(node), runs.get(node)
        kept = newest_facets(summary.facets) if summary else {}
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
                description=description_of(kept),
                tags=tags_in(kept),
                owners=owners_of(kept),
                latest_run=latest.get(node),
            )
        )
    return Page(items, total, following)


def list_runs(
    reader: Reader, tenant: int, wanted: RunFilter, order: str, cursor: str | None, limit: int
) -> Page[RunItem]:
    """Runs and operations, by when they were first seen."""
    after, catalog = read_cursor(cursor, order, int), RunCatalog(reader.engine)
    page = catalog.runs(tenant, wanted, descending=order.startswith("-"), after=after, limit=limit + 1)
    shown, following = _cut(page.rows, order, limit)
    ids = [row[0] for row in shown]
    runs = {run.run: run for run in reader.facts(tenant, Run, run=ids)}
    roles = None if wanted.datasets is None else catalog.roles(tenant, wanted.datasets, ids, wanted.roles)
    return Page(run_items(reader, tenant, [runs[run] for run in ids], roles), page.total, following)


def list_statements(
    reader: Reader, tenant: int, wanted: SqlFilter, order: str, cursor: str | None, limit: int
) -> Page[SqlItem]:
    """Statements, by their ids."""
    after = read_cursor(cursor, order, int)
    page = Catalog(reader.engine).statements(
        tenant, wanted, descending=order.startswith("-"), after=after, limit=limit + 1
    )
    ids = [row[0] for row in page.rows[:limit]]
    following = write_cursor(order, None, ids[-1]) if len(page.rows) > limit else None
    texts = {fact.sql: fact for fact in reader.facts(tenant, SqlText, sql=ids)}
    use = Summaries(reader.engine).statements(tenant, ids)
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
            )
        )
    return Page(items, page.total, following)


def list_users(
    reader: Reader, tenant: int, name: str | None, order: str, cursor: str | None, limit: int
) -> Page[UserItem]:
    """Everybody who started a run."""
    wanted = (name or "").lower()
    found = [user for user in Catalog(reader.engine).users(tenant) if wanted in user.name.lower()]
    items = [
        UserItem(
            id=f"user:{user.name}",
            key=user_key(user.name),
            name=user.name,
            runs=user.runs,
            first_seen=moment(user.first_seen),
            last_seen=moment(user.last_seen),
        )
        for user in found
    ]
    return page_of(items, _NAME, order, cursor, limit)


def list_tags(
    reader: Reader, tenant: int, name: str | None, order: str, cursor: str | None, limit: int
) -> Page[TagItem]:
    """Every tag, with the number of datasets and jobs that have it."""
    counts: dict[str, dict[int, int]] = {}
    for tag, kind, count in Catalog(reader.engine).tags(tenant):
        if (name or "").lower() in tag.lower():
            counts.setdefault(tag, {})[kind] = count
    items = [
        TagItem(
            tag=tag,
            key=tag_key(tag),
            datasets=by_kind.get(DocumentKind.DATASET, 0),
            jobs=by_kind.get(DocumentKind.JOB, 0),
        )
        for tag, by_kind in sorted(counts.items())
    ]
    return page_of(items, "tag", order, cursor, limit)


def tag_of(reader: Reader, tenant: int, text: str) -> str:
    """The tag that has this key, or the text itself."""
    key = read_key(text)
    if key is None or key.kind != "tag":
        return text
    known = {tag for tag, _, _ in Catalog(reader.engine).tags(tenant)}
    return next((tag for tag in known if tag_key(tag) == text), text)


def page_of(items: list[Any], member: str, order: str, cursor: str | None, limit: int) -> Page[Any]:
    """A page of a list that is held whole, by a member of its items that no two of them share."""
    after, descending = read_cursor(cursor, order, str), order.startswith("-")
    listed = sorted(items, key=lambda item: str(getattr(item, member)), reverse=descending)
    if after is not None:
        last = str(after[0] or "")
        listed = [
            item
            for item in listed
            if (str(getattr(item, member)) < last if descending else str(getattr(item, member)) > last)
        ]
    shown = listed[:limit]
    following = write_cursor(order, str(getattr(shown[-1], member)), b"") if len(listed) > limit else None
    return Page(shown, len(items), following)


def _nodes(
    reader: Reader, tenant: int, kind: NodeKind, wanted: NodeFilter, order: str, cursor: str | None, limit: int
) -> tuple[list[bytes], int, str | None]:
    by_name = order.removeprefix("-") == _NAME
    page = Catalog(reader.engine).nodes(
        tenant,
        kind,
        wanted,
        by_name=by_name,
        descending=order.startswith("-"),
        after=read_cursor(cursor, order, str if by_name else int),
        limit=limit + 1,
    )
    shown, following = _cut(page.rows, order, limit)
    return [row[0] for row in shown], page.total, following


def _cut(rows: list[Any], order: str, limit: int) -> tuple[list[Any], str | None]:
    """The rows of a page, of which one more was read, to know whether there is another page."""
    shown = rows[:limit]
    return shown, write_cursor(order, shown[-1][1], shown[-1][0]) if len(rows) > limit else None
