"""The one service by which lineage is changed by hand, whatever door a change comes through.

A change is one event of the log. Adds never conflict; a change that is to be made only if nothing else was holds a
lease on the thing it is about, so that of any number of editors, in any process, one at a time compares and writes.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from msgspec import Struct

from headwater.api.context import Context, ask
from headwater.ingest.record_event import record
from headwater.lineage.by_hand.check import Only
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.errors import EditConflict, Problem, WrongEdges
from headwater.lineage.by_hand.find_ends import find_ends
from headwater.lineage.by_hand.listing import version_of
from headwater.lineage.by_hand.make import creation_events, made_remarks
from headwater.lineage.by_hand.plan import EdgePlan, plan_edges
from headwater.lineage.by_hand.request import EdgeAsk, EdgesAsk
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.edits.event import Maker, notes_event, now
from headwater.lineage.errors import BadQuestion
from headwater.openlineage.decode import decode_event
from headwater.store.read.aliases import Aliases
from headwater.store.write.edit_leases import EditLeases

__all__ = ["LineageService", "Written"]

_PATIENCE = 20.0
"""Seconds that a change waits for others that change the same."""
_PAUSE = 0.05
_turns: defaultdict[tuple[int, int, bytes], asyncio.Lock] = defaultdict(asyncio.Lock)
"""Locks within a process: requests for the same thing wait here, and only one of them asks the database."""


class Written(Struct, frozen=True):
    """Result of a request."""

    plan: EdgePlan
    event: tuple[int, bytes] | None
    """Time and fingerprint of the event; None if nothing was to be written."""


class LineageService:
    """Of one tenant."""

    def __init__(self, context: Context, maker: Maker, env: str) -> None:
        self.context, self.maker, self._env = context, maker, env
        self._reader, self._tenant = context.reader, context.tenant

    async def update_dataset_lineage(
        self, downstream: str, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> Written:
        """Datasets that feed a dataset."""
        only = Only("source", EndType.DATASET)
        return await self._update_upstream(EndType.DATASET, downstream, add, remove, only)

    async def update_chart_lineage(self, chart: str, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Written:
        """Datasets and charts that feed a chart."""
        return await self._update_upstream(EndType.CHART, chart, add, remove)

    async def update_dashboard_lineage(
        self, dashboard: str, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> Written:
        """Datasets and charts that feed a dashboard."""
        return await self._update_upstream(EndType.DASHBOARD, dashboard, add, remove)

    async def update_data_job_upstream_lineage(
        self, job: str, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> Written:
        """Datasets and jobs that feed a job."""
        return await self._update_upstream(EndType.JOB, job, add, remove)

    async def update_data_job_downstream_lineage(
        self, job: str, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> Written:
        """Datasets that a job writes."""
        asked = EdgesAsk(
            add=[EdgeAsk(source=job, target=text) for text in add],
            remove=[EdgeAsk(source=job, target=text) for text in remove],
        )
        await self._expect(EndType.JOB, job, "source")
        return await self._write(asked, False, only=Only("target", EndType.DATASET))

    async def change(
        self,
        wanted: EdgesAsk,
        *,
        hides: bool = False,
        dry_run: bool = False,
        only_if: str | None = None,
        of: str | None = None,
    ) -> Written:
        """Do all of it or nothing. `only_if`: unless the edges of `of`, or of the end that all share, have changed."""
        if dry_run:
            return Written(await ask(self._plan, wanted, hides), None)
        if only_if is None or not (wanted.remove or wanted.hide or wanted.show or _replaces(wanted)):
            return await self._write(wanted, hides)
        ends = await ask(self._subject, wanted, of)
        subject = min(ends)
        async with self.alone(subject):
            version = await ask(version_of, self._reader, self._tenant.id, ends)
            if only_if.strip().removeprefix("W/").strip('"') not in (version, "*"):
                raise EditConflict(
                    "Somebody else changed these edges since they were read.",
                    path="If-Match",
                    hint="Read them again (GET /api/v2/edits/edges?name=NAME), and send what is still to be changed.",
                )
            return await self._write(wanted, hides)

    async def _update_upstream(
        self, kind: EndType, downstream: str, add: Sequence[str], remove: Sequence[str], only: Only | None = None
    ) -> Written:
        asked = EdgesAsk(
            add=[EdgeAsk(source=text, target=downstream) for text in add],
            remove=[EdgeAsk(source=text, target=downstream) for text in remove],
        )
        await self._expect(kind, downstream, "downstream")
        return await self._write(asked, False, only=only)

    async def _expect(self, kind: EndType, text: str, member: str) -> None:
        """Refuse the update of one kind of thing for a thing of another kind."""
        found = (await ask(find_ends, self._reader, self._tenant.id, [text], self._env))[text]
        if isinstance(found, End) and found.type is not kind:
            message = f"{found.shown} is a {found.type.value}, not a {kind.value}."
            raise WrongEdges([Problem(f"$.{member}", message, "type", allowed=(kind.value,), end=text)])

    def _plan(self, wanted: EdgesAsk, hides: bool, only: Only | None = None) -> EdgePlan:
        return plan_edges(self._reader, self._tenant.id, wanted, self.maker, now(), self._env, hides=hides, only=only)

    async def _write(self, wanted: EdgesAsk, hides: bool, only: Only | None = None) -> Written:
        plan = await ask(self._plan, wanted, hides, only)
        if not plan.stated and not plan.created:
            return Written(plan, None)
        context = self.context
        for body in creation_events(plan.at, plan.created):
            await record(context.writer, self._tenant, body)
        remarks = made_remarks(plan.created)
        if not plan.stated and not remarks:
            return Written(plan, None)
        body = notes_event(plan.at, remarks, self.maker, edges=plan.stated)
        await record(context.writer, self._tenant, body)
        event = decode_event(body)
        return Written(plan, (event.time, event.fingerprint))

    def _subject(self, wanted: EdgesAsk, of: str | None) -> frozenset[bytes]:
        """All ids of the thing whose edges a condition is about."""
        texts = [of] if of is not None else []
        texts += [text for _, _, edge in wanted.listed() for text in (edge.source, edge.target)]
        found = find_ends(self._reader, self._tenant.id, texts, self._env)
        for text in texts:
            end = found[text]
            if not isinstance(end, End):
                raise end
        ends = {text: end.id for text, end in found.items() if isinstance(end, End)}
        if of is not None:
            common = {ends[of]}
        else:
            listed = [{ends[edge.target], ends[edge.source]} for _, _, edge in wanted.listed()]
            common = set.intersection(*listed)
            first = ends[wanted.listed()[0][2].target]
            common = {first} if first in common else common
        if len(common) != 1:
            hint = "Say in `of` whose edges If-Match is about."
            raise BadQuestion("The edges have no end in common.", path="If-Match", hint=hint)
        subject = next(iter(common))
        aliases = Aliases(self._reader, self._tenant.id)
        aliases.learn([subject])
        return frozenset(aliases.group(subject))

    @asynccontextmanager
    async def alone(self, subject: bytes) -> AsyncIterator[None]:
        """Waits until nobody else, in any process, works with the same subject; gives up after some seconds."""
        tenant, token, leases = self._tenant.id, secrets.token_hex(16), EditLeases(self._reader.engine)
        key = (id(asyncio.get_running_loop()), tenant, subject)
        ends = time.monotonic() + _PATIENCE
        lock = _turns[key]
        try:
            async with asyncio.timeout(_PATIENCE):
                await lock.acquire()
        except TimeoutError:
            raise _busy() from None
        try:
            while not await ask(leases.take, tenant, subject, token):
                if time.monotonic() > ends:
                    raise _busy()
                await asyncio.sleep(_PAUSE)
            try:
                yield
            finally:
                await ask(leases.release, tenant, subject, token)
        finally:
            lock.release()
            if not lock.locked():
                _turns.pop(key, None)


def _busy() -> EditConflict:
    return EditConflict("Others are changing the same.", hint="Try again in a moment.")


def _replaces(wanted: EdgesAsk) -> bool:
    """Whether an add has properties, and so may change an existing edge."""
    return any(edge.note or edge.properties or edge.transformation for edge in wanted.add)
