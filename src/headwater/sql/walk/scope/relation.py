"""A table, view, subquery or function as the FROM clause sees it: named columns with their flows."""

from enum import IntEnum
from typing import NamedTuple

from headwater.sql.walk.expression.column_flow import Flow, read

__all__ = ["Certainty", "FoundColumn", "Output", "Relation", "open_function", "open_table", "star_of"]


class Certainty(IntEnum):
    """How sure it is that a relation has a column of some name."""

    NO = 0
    MAYBE = 1
    YES = 2


class Output(NamedTuple):
    """One column of a relation."""

    name: str
    flow: Flow
    nested: bool = False
    """Its fields may be addressed as a path into the origin."""
    fields: "dict[str, Flow] | None" = None
    """The fields of a struct that the query built itself."""
    rest: "Relation | None" = None
    """Set on a star that could not be expanded: the relation whose columns are unknown."""
    without: frozenset[str] = frozenset()
    """Names that the unexpanded star excludes."""
    hidden: bool = False
    """Can be named, but is not part of `*`."""


class FoundColumn(NamedTuple):
    certainty: Certainty
    output: Output | None
    candidates: tuple[str, ...] = ()


NOTHING = FoundColumn(Certainty.NO, None)


class Relation:
    """Columns in order, a lookup by name, and how the relation may be called by a qualifier."""

    __slots__ = ("_index", "alias", "any_flow", "base", "outputs", "parts", "quiet", "stars", "table")

    def __init__(
        self,
        outputs: tuple[Output, ...] = (),
        *,
        alias: str = "",
        parts: tuple[str, ...] = (),
        base: str | None = None,
        any_flow: Flow | None = None,
        table: str | None = None,
        quiet: bool = False,
    ) -> None:
        self.outputs = outputs
        self.alias = alias
        self.parts = parts
        self.base = base
        self.any_flow = any_flow
        self.quiet = quiet
        self.table = table if table is not None else base
        self.stars = tuple(output for output in outputs if output.rest is not None)
        self._index: dict[str, FoundColumn] | None = None

    def find(self, name: str) -> FoundColumn:
        key = name.casefold()
        index = self._index
        if index is None:
            index = self._index = _indexed(self.outputs)
        found = index.get(key)
        if found is not None:
            return found if not found.candidates else _best(self.outputs, name)
        if self.base is not None:
            return FoundColumn(Certainty.MAYBE, Output(name, read(self.base, name), nested=True))
        if self.any_flow is not None:
            return FoundColumn(Certainty.MAYBE, Output(name, self.any_flow))
        if self.stars:
            return _find_in_stars(self.stars, name, key)
        return NOTHING

    def is_open(self) -> bool:
        """Whether it may have columns that are not known."""
        return self.base is not None or self.any_flow is not None or bool(self.stars)

    def describe(self) -> str:
        return ".".join(self.parts) or self.alias or "subquery"

    def renamed_to(self, alias: str, columns: list[str]) -> "Relation":
        outputs = self.outputs
        if columns:
            outputs = tuple(
                output._replace(name=columns[position]) if position < len(columns) else output
                for position, output in enumerate(outputs)
            )
        return Relation(
            outputs,
            alias=alias or self.alias,
            parts=self.parts,
            base=self.base,
            any_flow=self.any_flow,
            table=self.table,
            quiet=self.quiet,
        )


def _indexed(outputs: tuple[Output, ...]) -> dict[str, FoundColumn]:
    """Columns by case-folded name; where two share one, `candidates` has both."""
    index: dict[str, FoundColumn] = {}
    for output in outputs:
        if output.rest is None:
            key = output.name.casefold()
            index[key] = FoundColumn(Certainty.YES, output, (output.name,) if key in index else ())
    return index


def _best(outputs: tuple[Output, ...], name: str) -> FoundColumn:
    """Of columns that differ only in case the spelling decides;

    of two equal ones the first, with both as candidates.
    """
    key = name.casefold()
    same = [output for output in outputs if output.rest is None and output.name.casefold() == key]
    spelled = [output for output in same if output.name == name] or same
    first = spelled[0]
    if all(output.flow.keys() == first.flow.keys() for output in spelled):
        return FoundColumn(Certainty.YES, first)
    origins = {f"{origin.table}.{origin.column}": None for output in spelled for origin, _ in output.flow}
    return FoundColumn(Certainty.YES, first, tuple(origins))


def _find_in_stars(stars: tuple[Output, ...], name: str, key: str) -> FoundColumn:
    maybe: list[Output] = []
    candidates: list[str] = []
    for star in stars:
        if star.rest is None or key in star.without:
            continue
        found = star.rest.find(name)
        if found.certainty is Certainty.YES:
            return found
        if found.output is not None:
            maybe.append(found.output)
            candidates.append(star.rest.describe())
        candidates.extend(found.candidates)
    if len(maybe) == 1:
        return FoundColumn(Certainty.MAYBE, maybe[0])
    return FoundColumn(Certainty.MAYBE, None, tuple(candidates)) if candidates else NOTHING


def open_table(name: str, alias: str, parts: tuple[str, ...]) -> Relation:
    """A table whose columns are not known: it may have any."""
    return Relation(alias=alias, parts=parts, base=name)


def open_function(flow: Flow, alias: str) -> Relation:
    """A table function whose columns are not known: all of them come from its arguments."""
    return Relation(alias=alias, any_flow=flow)


def star_of(relation: Relation, flow: Flow, without: frozenset[str] = frozenset()) -> Output:
    return Output("*", flow, rest=relation, without=without)
