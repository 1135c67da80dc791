"""A picture: datasets around a start, the flows between them, and the jobs that those lead through."""

from __future__ import annotations

import msgspec

from headwater.graph.current.window import Window
from headwater.lineage.answer.records import Freshness
from headwater.lineage.answer.values import moment
from headwater.lineage.errors import BadQuestion
from headwater.lineage.flows.collapsed_jobs import collapsed_start
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.names.keys import read_key
from headwater.lineage.names.start import Start, find_start
from headwater.lineage.picture.answer import LeftOut, Picture
from headwater.lineage.picture.by_run import picture_of_runs
from headwater.lineage.picture.columns import Lit, lit_path
from headwater.lineage.picture.compare import compare_pictures
from headwater.lineage.picture.dataset_steps import Hops
from headwater.lineage.picture.drawing.drawing import drawn
from headwater.lineage.picture.drawing.render import rendered
from headwater.lineage.picture.grow import Expansion, grow
from headwater.lineage.picture.options import PictureOptions
from headwater.lineage.walk.lineage import freshness
from headwater.lineage.walk.start_nodes import start_nodes
from headwater.store.read.lookup import Lookup, looking
from headwater.store.read.reader import Reader
from headwater.store.read.runs.totals import progress

__all__ = ["compared_picture", "picture"]


def picture(reader: Reader, tenant: int, name: str, options: PictureOptions) -> Picture:
    """A picture of the thing with this name and its surroundings."""
    options.check()
    if options.granularity in ("RUN", "OPERATION"):
        return picture_of_runs(reader, tenant, name, options)
    start = find_start(reader, tenant, name)
    with looking(reader.engine) as lookup:
        flow = Flow(reader, tenant, lookup=lookup, window=options.walked)
        first = start_nodes(reader, tenant, flow, start)
        whole = collapsed_start(flow, start, first)
        hops = {down: Hops(flow, whole, down=down) for down in (True, False)}
        grown = grow(
            first,
            hops,
            options.sides,
            steps=options.steps,
            limit=options.most_datasets,
            expansions=expansions_of(flow, options),
        )
        lit = _lit(reader, flow, start, options)
        drawing = drawn(reader, flow, options, first, hops, grown, whole.inner if whole is not None else ())
        shown = rendered(reader, flow, options, drawing, hops, lit)
        left_out = LeftOut(
            nodes=len(drawing.nodes_left_out),
            flows=drawing.flows_left_out,
            columns=shown.columns_left_out,
            hidden=len(drawing.hidden),
            expansions=grown.refused,
        )
        return Picture(
            start=drawing.names[first[0]].key,
            granularity=options.granularity,
            direction=options.direction,
            steps=options.steps,
            as_of=moment(options.window.as_of),
            since=moment(options.window.since),
            until=moment(options.window.until),
            nodes=shown.nodes,
            flows=shown.flows,
            jobs=shown.jobs,
            columns=shown.columns,
            left_out=left_out,
            truncated=bool(left_out.nodes or left_out.flows or left_out.columns),
            freshness=_freshness(lookup),
        )


def compared_picture(
    reader: Reader,
    tenant: int,
    name: str,
    options: PictureOptions,
    *,
    moment_before: int | None,
    run_before: str | None,
) -> Picture:
    """The picture with its difference from the one at an earlier moment, or of another run."""
    whole = msgspec.structs.replace(options, columns="all", column=None, columns_of=())
    if run_before is not None:
        after, before = picture(reader, tenant, name, whole), picture(reader, tenant, run_before, whole)
    else:
        # Of all that was ever said, nothing goes: what is current is compared.
        after = picture(reader, tenant, name, msgspec.structs.replace(whole, current=whole.window.is_always))
        window = Window(as_of=moment_before)
        before = picture(reader, tenant, name, msgspec.structs.replace(whole, window=window, current=False))
    found = compare_pictures(before, after)
    found.compared_to = run_before or moment(moment_before)
    if options.columns == "none":
        found.columns = []
        for node in found.nodes:
            node.columns = []
    return found


def expansions_of(flow: Flow, options: PictureOptions) -> list[Expansion]:
    """`KEY:upstream`, `KEY:downstream`, or `KEY` for both."""
    found: list[Expansion] = []
    for text in options.expand:
        key_text, _, side = text.partition(":")
        key = read_key(key_text)
        if key is None or key.kind not in ("dataset", "job") or side not in ("", "upstream", "downstream"):
            raise BadQuestion(
                f"expand cannot be {text[:200]!r}.",
                path="?expand",
                hint="Write KEY:upstream, KEY:downstream or KEY, with the `key` of a node of the picture.",
            )
        flow.aliases.learn([key.id])
        node = flow.aliases.canonical(key.id)
        found += [Expansion(node, down, text) for down in (False, True) if side in ("", _side(down=down))]
    return found


def _side(*, down: bool) -> str:
    return "downstream" if down else "upstream"


def _lit(reader: Reader, flow: Flow, start: Start, options: PictureOptions) -> Lit | None:
    if options.columns != "lit":
        return None
    column = options.column or (start.column or start.shown.rpartition("#")[2] if start.kind == "column" else None)
    if column is None:
        raise BadQuestion("columns=lit lights the path of one column, and none is named.", path="?column")
    return lit_path(reader, flow, start, column, (False, True))


def _freshness(lookup: Lookup) -> Freshness | None:
    known = freshness(progress(lookup))
    return Freshness(**known) if known is not None else None
