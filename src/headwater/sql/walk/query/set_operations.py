"""UNION, INTERSECT and EXCEPT: columns meet by place, or BY NAME."""

from headwater.sql.walk.expression.column_flow import Flow, merge_into
from headwater.sql.walk.scope.context import QueryResult
from headwater.sql.walk.scope.relation import FoundColumn, Output, Relation

__all__ = ["has_star", "united"]


def united(results: list[QueryResult], *, by_name: bool) -> tuple[Output, ...]:
    first = results[0].outputs
    if by_name:
        named: dict[str, Output] = {}
        for result in results:
            for output in result.outputs:
                known = named.get(output.name.casefold())
                named[output.name.casefold()] = output if known is None else _joined(known, output)
        return tuple(named.values())
    columns = list(first)
    for result in results[1:]:
        if has_star(columns) or has_star(result.outputs):
            columns = _united_with_star(columns, result.outputs)
            continue
        for place, output in enumerate(result.outputs):
            if place < len(columns):
                columns[place] = _joined(columns[place], output)
            else:
                columns.append(output)
    return tuple(columns)


def has_star(outputs: list[Output] | tuple[Output, ...]) -> bool:
    return any(output.rest is not None for output in outputs)


def _united_with_star(columns: list[Output], others: tuple[Output, ...]) -> list[Output]:
    """Positions are unknown after a star: named columns meet by name, the rest stays beside it."""
    result: list[Output] = []
    rest = list(others)
    for column in columns:
        twin = None
        if column.rest is None:
            twin = next((other for other in rest if other.name.casefold() == column.name.casefold()), None)
            if twin is None and not column.rest and rest and has_star(rest):
                found = [other.rest.find(column.name).output for other in rest if other.rest is not None]
                if len(found) == 1 and found[0] is not None:
                    column = _joined(column, found[0])  # noqa: PLW2901 - the column grows by its twin
        if twin is not None:
            rest.remove(twin)
            result.append(_joined(column, twin))
        else:
            result.append(column)
    stars = [column for column in result if column.rest is not None]
    for other in rest:
        if other.rest is not None and len(stars) == 1 and stars[0].rest is not None:
            place = result.index(stars[0])
            result[place] = _joined_stars(stars[0], other)
            stars = [result[place]]
        elif other.rest is not None or not stars:
            result.append(other)
    return result


def _joined_stars(one: Output, other: Output) -> Output:
    """Two unknown column lists of a UNION: a name taken from it comes from both."""
    flow: Flow = dict(one.flow)
    merge_into(flow, other.flow)
    if one.rest is None or other.rest is None:
        return one
    return Output("*", flow, rest=_BothRelations(one.rest, other.rest), without=one.without & other.without)


class _BothRelations(Relation):
    """Two relations under one another, both without a known schema."""

    __slots__ = ("one", "other")

    def __init__(self, one: Relation, other: Relation) -> None:
        super().__init__()
        self.one = one
        self.other = other

    def find(self, name: str) -> FoundColumn:
        first, second = self.one.find(name), self.other.find(name)
        if first.output is None or second.output is None:
            return first if first.output is not None else second
        return FoundColumn(min(first.certainty, second.certainty), _joined(first.output, second.output))

    def is_open(self) -> bool:
        return True


def _joined(one: Output, other: Output) -> Output:
    flow: Flow = dict(one.flow)
    merge_into(flow, other.flow)
    return Output(one.name, flow, nested=one.nested and other.nested, rest=one.rest, without=one.without)
