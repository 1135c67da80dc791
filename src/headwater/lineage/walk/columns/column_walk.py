"""Which way the values of columns flow. A walk over (dataset, column), never over paths: diamonds cost nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from operator import attrgetter

from msgspec import Struct

from headwater.deadline import check
from headwater.graph.assets.column_kinds import How
from headwater.graph.walk import EDGE_LIMIT, Walk
from headwater.lineage.entities.schema_fields import field_names
from headwater.lineage.flows.completion import completed_columns
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.question import is_hidden
from headwater.lineage.flows.step import node_at
from headwater.lineage.flows.transformation import ColumnTransformation, in_order, transformation_of
from headwater.openlineage.event import EventKind
from headwater.store.cache.tenant_graph import DatasetUse
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.contents import Column, ShapeColumns, Way

__all__ = ["Beyond", "ColumnFlow", "Masking", "StatedEdge", "masked_of"]


class StatedEdge(Struct, frozen=True, gc=False, eq=False):
    """Transformations stated for an edge between two columns."""

    transformation: ColumnTransformation
    """How one gets into the other."""
    shapes: tuple[bytes, ...]
    """The shapes that state it, and count."""


Beyond = dict[Column, Mapping[Column, StatedEdge]]
"""By column, those next to it."""
_Stating = tuple[Column, Way, tuple[bytes, ...]]
"""A column, a way out of it (or into it), and the shapes that state that way."""
_MAX_TRANSFORMATIONS = 2 * EDGE_LIMIT
"""Column edges read in one step of a walk: more than the answer takes, so that the cut is noticed."""
_NOWHERE: Mapping[Column, StatedEdge] = {}
_NO_SHAPES: frozenset[bytes] = frozenset()
_SCHEMA_FIELDS = "SELECT [schema], [fields] FROM schema_version WHERE tenant = ? AND [schema] {ids}"


class ColumnFlow:
    """The neighbours of columns, for one question. All names of a dataset are one."""

    def __init__(
        self, reader: Reader, tenant: int, flow: Flow, *, indirect: bool = True, notes_opaque: bool = False
    ) -> None:
        self._reader, self._tenant, self._flow, self._indirect = reader, tenant, flow, indirect
        self._notes_opaque = notes_opaque
        self._is_complete = True
        """Whether all SQL of this step was analysed: only then is it cached."""
        self._lasting = False
        """Whether the last lookup holds until a change is noted."""
        self.down: Beyond = {}
        """Of every column that was asked for downstream."""
        self.up: Beyond = {}
        self._inputs_hidden: Mapping[bytes, set[bytes]] = {}
        self._outputs_hidden: Mapping[bytes, set[bytes]] = {}
        self._is_cut = False
        """Whether edges were left unread; the walk then reports a cut."""
        self.opaque: dict[bytes, set[bytes]] = defaultdict(set)
        """By dataset: jobs that write it from it without column edges, if that is asked for."""

    def downstream(self, columns: list[Column]) -> Beyond:
        found = self._neighbours(columns, down=True)
        self.down |= found
        return found

    def upstream(self, columns: list[Column]) -> Beyond:
        found = self._neighbours(columns, down=False)
        self.up |= found
        return found

    def of_dataset(self, dataset: bytes) -> set[str]:
        """All columns that schemas and column edges name."""
        flow = self._flow
        uses_of = [row for down in (True, False) for row in flow.uses_of([dataset], down=down)[1]]
        members = set(flow.aliases.group(dataset))
        shapes = {shape for _, shape in uses_of}
        bodies = flow.applying.bodies(shapes)
        parts = [part for body in bodies.values() for part in (*body.inputs, *body.outputs, *body.subjects)]
        schemas = {part.schema for part in parts if part.dataset in members and part.schema is not None}
        found = schema_columns(self._tenant, flow, schemas)
        for listed in self._reader.shapes.columns(self._tenant, flow.lookup, shapes).values():
            found |= {column for node, column in (*listed.down, *listed.up) if node in members and column}
        return found

    def _neighbours(self, columns: list[Column], *, down: bool) -> Beyond:
        if self._notes_opaque or not self._indirect:
            return self._looked_at(columns, down=down)
        known = self._flow.cached_columns(down=down)
        found: Beyond = {}
        unknown: list[Column] = []
        for column in columns:
            transformations_of = known.get(column[0])
            beyond = None if transformations_of is None else transformations_of.get(column[1])
            if beyond is None:
                unknown.append(column)
            else:
                found[column] = beyond
        if unknown:
            looked = self._looked_at(unknown, down=down)
            if self._lasting and self._is_complete and not self._is_cut:
                self._flow.keep_columns(looked, down=down)
            found |= looked
        return found

    def _looked_at(self, columns: list[Column], *, down: bool) -> Beyond:
        flow = self._flow
        # What happens to every row of a dataset is told; what that does to each column beyond is anybody's guess.
        asked = [column for column in columns if column[1]] if down else columns
        gone = flow.dropped({dataset for dataset, _ in asked})
        wanted: dict[bytes, list[str]] = defaultdict(list)
        for dataset, column in asked:
            if dataset not in gone:
                wanted[dataset].append(column)
        counting: Mapping[bytes, Collection[bytes] | None] = {} if down else self._flow.counting(set(wanted))
        self._lasting = down or self._flow.is_lasting(counting)
        raw: list[_Stating] = []
        of_rows: dict[bytes, dict[Column, tuple[list[How], list[bytes]]]] = defaultdict(dict)
        for dataset, member, shape, edges in self._edges(wanted, down=down):
            check()
            shapes = counting.get(dataset)
            if shapes is not None and shape not in shapes:
                continue
            transformations_of, stating = edges.down if down else edges.up, (shape,)
            for column in wanted[dataset]:
                near = dataset, column
                raw += [(near, way, stating) for way in transformations_of.get((member, column), ())]
            if not down:
                known = of_rows[dataset]
                for far, hows in transformations_of.get((member, ""), ()):
                    listed, shapes_of_rows = known.setdefault(far, ([], []))
                    listed += hows
                    shapes_of_rows.append(shape)
        if down:
            raw = self._counting(raw)
        self._add_rows(raw, wanted, of_rows)
        return self._resolved(raw, columns, down=down)

    def _counting(self, raw: list[_Stating]) -> list[_Stating]:
        """Edges of shapes that apply to the written dataset."""
        flow = self._flow
        ends = {way[0][0] for _, way, _ in raw}
        flow.aliases.learn(ends)
        shown = {end: flow.aliases.canonical(end) for end in ends}
        counting = flow.counting(set(shown.values()))
        self._lasting = flow.is_lasting(counting)
        found: list[_Stating] = []
        for near, way, stating in raw:
            shapes = counting[shown[way[0][0]]]
            if shapes is None or stating[0] in shapes:
                found.append((near, way, stating))
        return found

    def _add_rows(
        self,
        raw: list[_Stating],
        wanted: Mapping[bytes, list[str]],
        of_rows: Mapping[bytes, Mapping[Column, tuple[list[How], list[bytes]]]],
    ) -> None:
        """Adds edges of whole rows to each column: an event with n names may mean n times n edges."""
        for dataset, stated in of_rows.items():
            sources = [((far, in_order(hows)), tuple(shapes)) for far, (hows, shapes) in stated.items()]
            for column in wanted[dataset] if sources else ():
                if len(raw) > _MAX_TRANSFORMATIONS:
                    self._is_cut = True
                    return
                if column:
                    raw += [((dataset, column), way, stating) for way, stating in sources]

    def _edges(self, datasets: Collection[bytes], *, down: bool) -> Iterator[tuple[bytes, bytes, bytes, ShapeColumns]]:
        """Datasets, each with a name by which some shape reads (or writes) it, that shape, and its edges."""
        known = {} if self._notes_opaque else self._flow.known_places(datasets, down=down)
        shapes = {shape for uses in known.values() for _, shape in uses}
        listed = self._listed(shapes)
        for dataset, uses in known.items():
            for member, shape in uses:
                if shape in listed:
                    yield dataset, member, shape, listed[shape]
        unknown = [dataset for dataset in datasets if dataset not in known]
        if unknown:
            yield from self._looked_up(unknown, down=down)

    def _listed(self, shapes: Collection[bytes]) -> dict[bytes, ShapeColumns]:
        flow = self._flow
        listed, is_complete = completed_columns(self._reader, self._tenant, flow.lookup, flow.aliases, shapes)
        self._is_complete = self._is_complete and is_complete
        return listed

    def _looked_up(
        self, datasets: Collection[bytes], *, down: bool
    ) -> Iterator[tuple[bytes, bytes, bytes, ShapeColumns]]:
        flow = self._flow
        members, uses_of = flow.uses_of(datasets, down=down)
        listed = self._listed({shape for _, shape in uses_of})
        if self._notes_opaque and down:
            self._note_opaque(members, uses_of, listed)
        kinds = {shape: edges.kind for shape, edges in listed.items()}
        uses: dict[bytes, list[DatasetUse]] = {dataset: [] for dataset in datasets}
        for shape, edges in listed.items():
            for member in edges.sources if down else edges.targets:
                dataset = members.get(member)
                if dataset is not None:
                    uses[dataset].append((member, shape))
                    yield dataset, member, shape, edges
        declared = {members[member] for member, shape in uses_of if kinds.get(shape) != EventKind.RUN}
        lasting = {dataset: tuple(found) for dataset, found in uses.items() if dataset not in declared}
        flow.keep_places(lasting, down=down)

    def _resolved(self, raw: list[_Stating], columns: list[Column], *, down: bool) -> Beyond:
        renamed, gone = self._renamed_and_gone({dataset for _, ((dataset, _), _), _ in raw})
        hidden = self._flow.hidden_columns({dataset for dataset, _ in columns})
        jobs = self._jobs_with_hidden({stating[0] for _, _, stating in raw})
        transformations: dict[Column, dict[Column, ColumnTransformation]] = {column: {} for column in columns}
        shapes: dict[tuple[Column, Column], tuple[bytes, ...] | dict[bytes, None]] = {}
        for near, (far, hows), stating in raw:
            if far[0] in renamed:
                far = renamed[far[0]], far[1]  # noqa: PLW2901 - by the name under which it is shown
            if far == near or far[0] in gone:
                continue
            source, target = (near, far) if down else (far, near)
            if hidden and is_hidden(hidden, source, target):
                continue
            if jobs and self._leads_through_hidden(jobs.get(stating[0]), source[0], target[0]):
                continue
            if not self._indirect:
                hows = tuple(how for how in hows if how.type != "INDIRECT")  # noqa: PLW2901 - those that count
            if not hows:
                continue
            beyond, edge = transformations[near], (near, far)
            if far not in beyond:
                beyond[far] = transformation_of(in_order(hows) if len(hows) > 1 else hows)
                shapes[edge] = stating
                continue
            beyond[far] = transformation_of(in_order((*beyond[far].hows, *hows)))
            known = shapes[edge]
            if isinstance(known, tuple):
                known = shapes[edge] = dict.fromkeys(known)
            known.update(dict.fromkeys(stating))
        return _shared(transformations, shapes)

    def _jobs_with_hidden(self, shapes: set[bytes]) -> dict[bytes, bytes]:
        """By shape, its job, if inputs or outputs of the job are hidden."""
        flow = self._flow
        if not flow.applying.by_hand.any:
            return {}
        bodies = flow.applying.bodies(shapes)
        flow.aliases.learn({body.job for body in bodies.values() if body.job is not None})
        jobs = {shape: flow.aliases.canonical(body.job) for shape, body in bodies.items() if body.job is not None}
        self._inputs_hidden = flow.hidden_into(set(jobs.values()))
        self._outputs_hidden = flow.hidden_from(set(jobs.values()))
        odd = self._inputs_hidden.keys() | self._outputs_hidden.keys()
        return {shape: job for shape, job in jobs.items() if job in odd}

    def _leads_through_hidden(self, job: bytes | None, source: bytes, target: bytes) -> bool:
        """Whether somebody hid that the job reads the one, or writes the other."""
        if job is None:
            return False
        return source in self._inputs_hidden.get(job, ()) or target in self._outputs_hidden.get(job, ())

    def _renamed_and_gone(self, datasets: set[bytes]) -> tuple[dict[bytes, bytes], set[bytes]]:
        """Those that are shown by another id, with that; and the ids of those that are not there."""
        flow = self._flow
        renamed: dict[bytes, bytes] = {}
        if flow.aliases.any:
            flow.aliases.learn(datasets)
            renamed = {other: shown for other in datasets if (shown := flow.aliases.canonical(other)) != other}
        return renamed, flow.dropped({renamed.get(other, other) for other in datasets})

    def _note_opaque(
        self,
        members: Mapping[bytes, bytes],
        uses_of: Collection[tuple[bytes, bytes]],
        listed: Mapping[bytes, ShapeColumns],
    ) -> None:
        """Note the jobs through which a dataset flows into something of which no shape that counts states columns."""
        flow = self._flow
        bodies = flow.applying.bodies(listed)
        ends = {target for edges in listed.values() for target in edges.targets}
        flow.aliases.learn(ends | {body.job for body in bodies.values() if body.job is not None})
        shown = flow.aliases.canonical
        stating: dict[tuple[bytes, bytes, bytes], set[bytes]] = defaultdict(set)
        for member, shape in uses_of:
            body, edges = bodies.get(shape), listed.get(shape)
            if body is not None and body.job is not None and edges is not None:
                for target in edges.from_source(member):
                    stating[members[member], shown(body.job), shown(target)].add(shape)
        doing = flow.downstream(sorted(set(members.values())))
        pairs = [(dataset, node_at(step)) for dataset, steps in doing.items() for step in steps]
        flow.classify({node for _, node in pairs})
        targets_of = flow.targets_of([(dataset, node) for dataset, node in pairs if flow.is_job(node)])
        counting = flow.counting({target for _, _, target in stating})
        for (dataset, job), targets in targets_of.items():
            for target in targets:
                stated, shapes = stating.get((dataset, job, target), _NO_SHAPES), counting.get(target)
                if not (stated if shapes is None else stated & shapes):
                    self.opaque[dataset].add(job)
                    break


def _shared(
    transformations: Mapping[Column, Mapping[Column, ColumnTransformation]],
    shapes: Mapping[tuple[Column, Column], Iterable[bytes]],
) -> Beyond:
    """Transformations of each edge; most edges of a dataset share theirs, which are kept once."""
    known: dict[tuple[int, tuple[bytes, ...]], StatedEdge] = {}
    found: dict[Column, Mapping[Column, StatedEdge]] = {}
    for near, beyond in transformations.items():
        found[near] = stated = {}
        for far, transformation in beyond.items():
            stating = tuple(shapes[near, far])
            key = id(transformation), stating
            if key not in known:
                known[key] = StatedEdge(transformation, stating)
            stated[far] = known[key]
    return found


def schema_columns(tenant: int, flow: Flow, schemas: Collection[bytes]) -> set[str]:
    """The names of the columns of these schemas; nested ones as `outer.inner`."""
    rows = flow.lookup.rows(_SCHEMA_FIELDS, tenant, schemas)
    return {name for _, fields in rows if fields for name in field_names(fields)}


_is_unmasked, _may_be_unmasked = attrgetter("transformation.is_unmasked"), attrgetter("transformation.may_be_unmasked")
_carries = attrgetter("transformation.carries")


class Masking(Struct, frozen=True):
    """Whether the values of each column reached get there (or come from there) masked."""

    masked: dict[Column, bool | None]
    """False if values get there unmasked, True if only masked, None if unknown or if no value gets there: the column is
    then reached by filters, joins and the like alone.
    """
    unknown: set[Column]
    """The columns of which it is not known."""


def masked_of(found: Walk[Column], starts: Collection[Column], beyond: Beyond) -> Masking:
    """Of every column reached, whether it is reached unmasked on some path, or masked on all."""
    unmasked = _carried(found, starts, beyond, _is_unmasked)
    if len(unmasked) == len(found.depths):
        return Masking(dict.fromkeys(found.depths, False), set())
    perhaps = _carried(found, starts, beyond, _may_be_unmasked)
    carried = _carried(found, starts, beyond, _carries)
    masked = carried - perhaps
    shown = {column: False if column in unmasked else True if column in masked else None for column in found.depths}
    return Masking(shown, perhaps - unmasked)


def _carried(
    found: Walk[Column], starts: Collection[Column], beyond: Beyond, follows: Callable[[StatedEdge], bool]
) -> set[Column]:
    """Columns that values of the starts reach, among those reached."""
    reached, queue, depths = set(starts), list(starts), found.depths
    while queue:
        for far, stated in beyond.get(queue.pop(), _NOWHERE).items():
            if far not in reached and far in depths and follows(stated):
                reached.add(far)
                queue.append(far)
    return reached
