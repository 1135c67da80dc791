"""Makes a chart, dashboard, dataset or job by hand, as an event of its own; and the edges of a dashboard's charts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from headwater.api.by_hand.service import LineageService, Written
from headwater.api.context import Context, ask
from headwater.ingest.record_event import record
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.errors import Problem, WrongEdges
from headwater.lineage.by_hand.find_ends import find_ends
from headwater.lineage.by_hand.information import information_of
from headwater.lineage.by_hand.make import Information, thing_event, told_remark
from headwater.lineage.by_hand.request import EdgeAsk, EdgesAsk
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.edits.event import notes_event, now
from headwater.lineage.errors import BadQuestion
from headwater.openlineage.identity import digest

__all__ = ["INFORMATION_OF_THINGS", "make_thing", "tell_of"]

INFORMATION_OF_THINGS = digest("information of things")
"""Lock name for changes of information about a tenant's things, one request at a time."""


class WantedThing(Protocol):
    """Properties to set; those left out stay as they were."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def owners(self) -> Sequence[str]: ...
    @property
    def charts(self) -> Sequence[str]: ...


async def make_thing(
    context: Context, service: LineageService, wanted: WantedThing
) -> tuple[End, bool, Written | None]:
    """The thing, whether an event was written for it, and the results for its charts. Everything is checked first."""
    env, tenant = context.services.datahub_env, context.tenant
    texts = [wanted.name, *wanted.charts]
    found = await ask(find_ends, context.reader, tenant.id, texts, env)
    end = found[wanted.name]
    if not isinstance(end, End):
        hint = "Name it in full: chart:TOOL:ID, dashboard:TOOL:ID, dataset:NAMESPACE:NAME or job:NAMESPACE:NAME."
        raise BadQuestion(end.message, path="$.name", hint=hint)
    if end.column:
        raise BadQuestion(f"{end.shown} is a column, which an edge makes by itself.", path="$.name")
    _check_charts(end, wanted.charts, {text: item for text, item in found.items() if isinstance(item, End)})
    about = Information(
        title=wanted.title,
        url=wanted.url,
        tool=wanted.tool,
        description=wanted.description,
        owners=tuple(wanted.owners),
    )
    async with service.alone(INFORMATION_OF_THINGS):
        changed = await tell_of(service, end, about)
    if not wanted.charts:
        return end, changed, None
    edges = [EdgeAsk(source=chart, target=wanted.name) for chart in wanted.charts]
    return end, changed, await service.change(EdgesAsk(add=edges))


async def tell_of(
    service: LineageService, end: End, about: Information, *, adds: bool = False, forgotten: Collection[str] = ()
) -> bool:
    """Add information about a thing to the existing one; gives whether any was new. `adds`: to its properties.

    The caller holds INFORMATION_OF_THINGS, so that no concurrent change is lost.
    """
    context = service.context
    before = await ask(information_of, context.reader, context.tenant.id, end)
    properties = {**before.properties, **about.properties} if adds else about.properties or before.properties
    together = Information(
        title=about.title or before.title,
        url=about.url or before.url,
        tool=about.tool or before.tool,
        description=about.description or before.description,
        owners=tuple(about.owners) or tuple(before.owners),
        properties={name: text for name, text in properties.items() if name not in forgotten},
    )
    changed = not end.exists or not end.has_information or together != before
    if changed:
        at = now()
        # The history first: who tries again after a failure in between has all of it, and not the thing alone.
        noted = notes_event(at, [told_remark(end, together, before)], service.maker)
        await record(context.writer, context.tenant, noted)
        await record(context.writer, context.tenant, thing_event(at, end, together))
    return changed


def _check_charts(end: End, charts: Sequence[str], found: dict[str, End]) -> None:
    problems: list[Problem] = []
    if charts and end.type is not EndType.DASHBOARD:
        problems.append(Problem("$.charts", f"{end.shown} is a {end.type.value}; only a dashboard has charts.", "type"))
    for index, text in enumerate(charts):
        chart = found.get(text)
        if chart is None or not chart.exists:
            hint = "Make the chart first: headwater edit create chart:TOOL:ID --title TITLE."
            message = f"There is no {text[:200]}."
            problems.append(Problem(f"$.charts[{index}]", message, "not_found", hint=hint, end=text))
        elif chart.type is not EndType.CHART:
            message = f"{chart.shown} is a {chart.type.value}, not a chart."
            problems.append(Problem(f"$.charts[{index}]", message, "type", allowed=("chart",), end=text))
    if problems:
        raise WrongEdges(problems)
