"""Looks up the runs that decide what a job wrote: of all time, of a window, or as of a moment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from headwater.graph.current.deciding_run import WritingRun, began_of, deciding_run
from headwater.graph.current.flows import Counting, JobShapes, is_contested
from headwater.graph.current.window import Window
from headwater.graph.facts import RunStatus
from headwater.store.read.lookup import Lookup

__all__ = ["Choice", "WantedOutput", "choose", "decided_by", "newest_runs_of"]

_FAR = 1 << 62
_FAILED = f"(u.status = {int(RunStatus.FAILED)} AND (u.ended_at IS NULL OR u.ended_at <= ?))"
_IN_WINDOW = "r.first_seen <= ? AND u.first_seen <= ? AND u.last_seen >= ?"
_RUN_OF = "run_shape r JOIN run u ON u.tenant = r.tenant AND u.run = r.run"
_NEWEST = (
    f"SELECT n.shape, (SELECT r.run FROM {_RUN_OF} WHERE r.tenant = n.tenant AND r.shape = n.shape "
    f"AND {_IN_WINDOW} AND (? = 1 OR NOT {_FAILED}) ORDER BY r.first_seen DESC, r.run DESC LIMIT 1) "
    "FROM shape n WHERE n.tenant = ? AND n.shape {ids}"
)
_SEVERAL = (
    f"SELECT r.run FROM {_RUN_OF} WHERE r.tenant = ? AND r.shape = ? AND {_IN_WINDOW} "
    f"AND (? = 1 OR NOT {_FAILED}) ORDER BY r.first_seen DESC, r.run DESC LIMIT {{limit}}"
)
_BOTH = (
    "SELECT 1 FROM run_shape b JOIN run_shape r ON r.tenant = b.tenant AND r.run = b.run "
    "JOIN run u ON u.tenant = r.tenant AND u.run = r.run WHERE b.tenant = ? AND b.shape = ? AND r.shape = ? "
    f"AND b.first_seen <= ? AND {_IN_WINDOW} AND NOT {_FAILED} LIMIT 1"
)
_RUNS = "SELECT run, status, first_seen, last_seen, ended_at FROM run WHERE tenant = ? AND run {ids}"
_SHAPES_OF_RUNS = "SELECT run, shape, first_seen FROM run_shape WHERE tenant = ? AND run {ids} AND first_seen <= ?"
_ENDED = (
    "SELECT 1 FROM lineage_events WHERE tenant_id = ? AND run = ? AND event_time <= ? "
    "AND event_type IN ('COMPLETE', 'FAIL', 'ABORT') LIMIT 1"
)
_FAILED_BY = (
    "SELECT 1 FROM lineage_events WHERE tenant_id = ? AND run = ? AND event_time <= ? AND event_type = 'FAIL' LIMIT 1"
)
"""For a run with two ends whose times do not show which came first."""
_LOOKED_BACK = 100
"""Runs that have begun to write and named no inputs yet, that are looked at for the one before them."""

Pair = tuple[bytes, bytes]


class WantedOutput:
    """One output of one job, by all its ids, with the record of the job."""

    __slots__ = ("record", "targets", "writers")

    def __init__(self, record: JobShapes, targets: Collection[bytes]) -> None:
        self.record, self.targets = record, frozenset(targets)
        self.writers = frozenset(body.shape for target in targets for body in record.writing.get(target, ()))

    def pairs(self) -> Iterable[Pair]:
        """(reader, writer) of all that may count."""
        for writer in self.writers:
            yield writer, writer
            for reader in self.record.readers.get(writer, ()):
                yield reader, writer


class Choice:
    """Shapes that apply to one output."""

    __slots__ = ("counting", "is_exact", "is_lasting", "is_settled")

    def __init__(
        self, counting: Counting | None, *, is_lasting: bool, is_settled: bool = False, is_exact: bool = True
    ) -> None:
        self.counting, self.is_settled, self.is_exact = counting, is_settled, is_exact
        self.is_lasting = is_lasting
        """Whether that holds until somebody notes a change of one of the shapes."""
        # `is_settled`: it does not matter which counts; `is_exact`: none of these shapes was said by failed runs alone.


_ALL = Choice(None, is_lasting=True, is_settled=True)
_SAME_SOURCES = Choice(None, is_lasting=True, is_settled=True, is_exact=False)


def choose(
    tenant: int,
    lookup: Lookup,
    window: Window,
    wanted: Sequence[WantedOutput],
    last_runs: Mapping[Pair, bytes],
    *,
    exact: bool = False,
) -> list[Choice]:
    """For each output, the shapes that apply. `last_runs` has the newest run of pairs of different shapes.

    If all shapes have the same sources, they are told apart only with `exact`.
    """
    if window.is_always:
        contested = {id(item) for item in wanted if is_contested(item.record, item.targets)}
        unsure = [item for item in wanted if id(item) in contested or (exact and len(item.writers) > 1)]
        found = _summed(tenant, lookup, window, unsure, last_runs) if unsure else []
        chosen = dict(zip(map(id, unsure), found, strict=True))
        for item, choice in chosen.items():
            choice.is_settled = item not in contested
        return [chosen.get(id(item)) or (_SAME_SOURCES if len(item.writers) > 1 else _ALL) for item in wanted]
    if window.as_of is not None:
        return [Choice(counting, is_lasting=False) for counting in _decided(tenant, lookup, window, wanted)]
    return _summed(tenant, lookup, window, wanted, last_runs)


def _summed(
    tenant: int, lookup: Lookup, window: Window, wanted: Sequence[WantedOutput], last_runs: Mapping[Pair, bytes]
) -> list[Choice]:
    """All runs of a window that did not fail; where all failed, the newest of them."""
    since, until = window.bounds
    shapes = {shape for item in wanted for pair in item.pairs() for shape in pair}
    sound = {shape for shape, run in newest_runs_of(tenant, lookup, shapes, since, until) if run is not None}
    pairs = {pair for item in wanted for pair in item.pairs()}
    likely = {pair for pair in pairs if pair[0] != pair[1] and pair[0] in sound and pair[1] in sound}
    states = {  # of a run that goes on after the window it is not known yet whether it said both by then
        run: (since <= last <= until and not _has_failed(status, ended, until))
        for run, status, _, last, ended in lookup.rows(_RUNS, tenant, {last_runs[pair] for pair in likely})
    }
    bounds = (until, until, until, since, until)
    counting = {(shape, shape) for shape in sound}
    for pair in likely:
        if states.get(last_runs[pair]) or lookup.all(_BOTH, tenant, pair[0], pair[1], *bounds):
            counting.add(pair)
    found: list[Choice] = []
    failed = [item for item in wanted if item.writers and not item.writers & sound]
    newest = dict(zip(map(id, failed), _decided(tenant, lookup, window, failed), strict=True))
    for item in wanted:
        if id(item) in newest:
            found.append(Choice(newest[id(item)], is_lasting=False))
            continue
        possible = set(item.pairs())
        counts = possible & counting
        is_all = len(counts) == len(possible)
        found.append(Choice(None if is_all else frozenset(counts), is_lasting=is_all and window.is_always))
    return found


def _decided(tenant: int, lookup: Lookup, window: Window, wanted: Sequence[WantedOutput]) -> list[Counting]:
    """For each output, the shapes of the deciding run."""
    found: list[Counting] = []
    for item, best in zip(wanted, decided_by(tenant, lookup, window, wanted), strict=True):
        run_shapes = set(best.shapes) if best is not None else set()
        found.append(frozenset(pair for pair in item.pairs() if pair[0] in run_shapes and pair[1] in run_shapes))
    return found


def decided_by(tenant: int, lookup: Lookup, window: Window, wanted: Sequence[WantedOutput]) -> list[WritingRun | None]:
    """For each output, the deciding run; None where no run wrote it."""
    if not wanted:
        return []
    since, until = window.bounds
    if window.as_of is not None:
        since = -_FAR
    shapes = {shape for item in wanted for shape in item.writers}
    newest = {shape: run for shape, run in newest_runs_of(tenant, lookup, shapes, since, until) if run is not None}
    failing = {shape for item in wanted if not item.writers & newest.keys() for shape in item.writers}
    newest |= {
        shape: run
        for shape, run in newest_runs_of(tenant, lookup, failing, since, until, failed=True)
        if run is not None
    }
    runs = _learned(tenant, lookup, set(newest.values()), until)
    found: list[WritingRun | None] = []
    for item in wanted:
        candidates = {newest[shape] for shape in item.writers if shape in newest}
        best = deciding_run(_writing(tenant, lookup, item, runs, candidates, until))
        if best is not None and (best.has_failed or not best.is_settled):
            several = _several(tenant, lookup, item.writers, (until, until, since, 1, until))
            more = _learned(tenant, lookup, several - candidates, until)
            best = deciding_run(_writing(tenant, lookup, item, {**runs, **more}, several | candidates, until))
        found.append(best)
    return found


_Run = tuple[int | None, int | None, dict[bytes, int]]
"""Status and end of a run, and since when it stated each shape."""


def _learned(tenant: int, lookup: Lookup, runs: Collection[bytes], until: int) -> dict[bytes, _Run]:
    found: dict[bytes, _Run] = {
        run: (status, ended, {}) for run, status, _, _, ended in lookup.rows(_RUNS, tenant, runs)
    }
    for run, shape, first in lookup.rows(_SHAPES_OF_RUNS, tenant, found, until):
        found[run][2][shape] = first
    return found


def _writing(
    tenant: int, lookup: Lookup, item: WantedOutput, runs: Mapping[bytes, _Run], candidates: Iterable[bytes], until: int
) -> Iterable[WritingRun]:
    bodies = item.record.runs
    for run in candidates:
        status, ended, run_shapes = runs[run]
        has_failed = _has_failed(status, ended, until) or (
            status == RunStatus.FAILED and bool(lookup.all(_FAILED_BY, tenant, run, until))
        )
        said = [item.record.said(bodies[shape]) for shape in run_shapes if shape in bodies]
        names = any(one.reads or any(target in one.sources for target in item.targets) for one in said)
        is_settled = names or (ended is not None and (ended <= until or _ended(tenant, lookup, run, until)))
        yield WritingRun(run, began_of(run_shapes, item.writers), run_shapes, has_failed, is_settled)


def _ended(tenant: int, lookup: Lookup, run: bytes, until: int) -> bool:
    """Whether a run that ended later, too, had ended by then."""
    return bool(lookup.all(_ENDED, tenant, run, until))


def newest_runs_of(
    tenant: int, lookup: Lookup, shapes: Collection[bytes], since: int, until: int, *, failed: bool = False
) -> list[tuple[bytes, bytes | None]]:
    """By shape, the newest run with it that did not fail, or (`failed`) any."""
    rows = lookup.rows(_NEWEST, tenant, shapes, before=(until, until, since, int(failed), until))
    return [(shape, run) for shape, run in rows]


def _several(tenant: int, lookup: Lookup, shapes: Collection[bytes], bounds: tuple[int, ...]) -> set[bytes]:
    sql = _SEVERAL.format(limit=_LOOKED_BACK)
    return {run for shape in shapes for (run,) in lookup.all(sql, tenant, shape, *bounds)}


def _has_failed(status: int | None, ended: int | None, until: int) -> bool:
    return status == RunStatus.FAILED and (ended is None or ended <= until)
