"""Changes in a window, newest first, of one thing or of everything."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from headwater.graph.facts import NodeKind
from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.change_list.answer import Cause, ChangeItem, ChangeKind, ChangeList, Raw, What
from headwater.lineage.change_list.lookups import MOST, Asked, edited, failed, lifecycle, renamed
from headwater.lineage.change_list.shapes import flows_added, schemas_changed
from headwater.lineage.entities.run_items import run_id
from headwater.lineage.errors import BadQuestion
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.names.find import find_node
from headwater.lineage.picture.answer import NodeRef
from headwater.lineage.picture.drawing.titles import titles
from headwater.openlineage.identity import digest
from headwater.openlineage.times import format_time
from headwater.store.read.lookup import looking
from headwater.store.read.names import text_of
from headwater.store.read.reader import Name, Reader

__all__ = ["DEFAULT_SPAN", "changes"]

DEFAULT_SPAN = 7 * 86_400_000_000
_ORDER = "-at"


def changes(
    reader: Reader,
    tenant: int,
    name: str | None,
    *,
    since: int | None,
    until: int | None,
    now: int,
    cursor: str | None = None,
    limit: int = 100,
    kinds: Collection[ChangeKind] = (),
) -> ChangeList:
    """Changes of one dataset or job under all its names, or of everything; of the last seven days by default.

    With `kinds` only changes of these kinds.
    """
    last = now if until is None else until
    first = last - DEFAULT_SPAN if since is None else since
    if first > last:
        raise BadQuestion("since is after until.", path="?since", hint="Exchange the two.")
    after = read_cursor(cursor, _ORDER, int)
    node = find_node(reader, tenant, name) if name is not None else None
    with looking(reader.engine) as lookup:
        flow = Flow(reader, tenant, lookup=lookup)
        asked = _asked(flow, node, first, last)
        found, is_cut = _found(reader, flow, asked)
        found = [raw for raw in found if not kinds or raw.kind in kinds]
        ordered = sorted(((raw.at, _identity(raw)), raw) for raw in found)[::-1] if found else []
        shown = [item for item in ordered if after is None or item[0] < (after[0], after[1])]
        page = shown[:limit]
        items = _items(flow, [raw for _, raw in page])
    following = write_cursor(_ORDER, *page[-1][0]) if len(shown) > limit else None
    return ChangeList(
        items=items,
        total=len(ordered),
        next=following,
        since=format_time(first),
        until=format_time(last),
        truncated=is_cut,
    )


def _asked(flow: Flow, node: Name | None, first: int, last: int) -> Asked:
    if node is None:
        return Asked(first, last)
    flow.aliases.learn([node.id])
    group = flow.aliases.group(node.id)
    if node.kind is NodeKind.JOB:
        return Asked(first, last, frozenset(), group, group)
    shown = flow.aliases.canonical(node.id)
    steps = [other for side in (flow.upstream, flow.downstream) for other in side([shown]).get(shown, ())]
    jobs = {step[: len(node.id)] for step in steps}
    flow.classify(jobs)
    return Asked(first, last, group, frozenset(job for job in jobs if flow.is_job(job)), group)


def _found(reader: Reader, flow: Flow, asked: Asked) -> tuple[list[Raw], bool]:
    lookup, tenant = flow.lookup, flow.tenant
    renames = renamed(lookup, tenant, asked)
    old = flow.names({source for _, source in renames})
    parts = [
        lifecycle(lookup, tenant, asked),
        failed(lookup, tenant, asked),
        schemas_changed(flow, asked),
        flows_added(flow, asked),
        edited(reader, tenant, asked),
        [
            msgspec.structs.replace(raw, arguments={"from": old[source].name[:500] if source in old else None})
            for raw, source in renames
        ],
    ]
    found = [raw for part in parts for raw in part if asked.since <= raw.at <= asked.until]
    return found, any(len(part) >= MOST for part in parts)


def _identity(raw: Raw) -> bytes:
    """Key that separates changes of one moment."""
    return digest("change", raw.kind, raw.code, raw.node.hex(), (raw.run or b"").hex(), str(raw.arguments))


def _items(flow: Flow, found: Collection[Raw]) -> list[ChangeItem]:
    wanted = {node for raw in found for node in (raw.node, raw.job) if node is not None}
    flow.aliases.learn(wanted)
    names = flow.names(wanted | set(map(flow.aliases.canonical, wanted)))
    jobs = {node for node, name in names.items() if name.kind is NodeKind.JOB}
    title_of = titles({node: (one.namespace, one.name) for node, one in names.items() if node not in jobs})
    title_of |= titles({node: (names[node].namespace, names[node].name) for node in jobs}, jobs=jobs)
    items = []
    for raw in found:
        node = flow.aliases.canonical(raw.node)
        job = flow.aliases.canonical(raw.job) if raw.job is not None else None
        if node not in names:
            continue
        items.append(
            ChangeItem(
                at=format_time(raw.at),
                kind=raw.kind,
                of=NodeRef(
                    key=names[node].key,
                    id=text_of(names[node]),
                    kind="job" if node in jobs else "dataset",
                    namespace=names[node].namespace,
                    name=names[node].name,
                    title=title_of[node][0],
                ),
                cause=Cause(
                    run=run_id(raw.run) if raw.run is not None else None,
                    job=text_of(names[job]) if job is not None and job in names else None,
                    actor=raw.actor,
                ),
                what=What(code=raw.code, arguments=raw.arguments),
            )
        )
    return items
