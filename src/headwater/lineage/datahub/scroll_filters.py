"""Filters of `scrollAcrossLineage`: groups of conditions, of which one group has to hold as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from headwater.lineage.errors import BadQuestion

__all__ = ["Filters", "Result", "read_filters"]

_DEGREES = ("1", "2", "3+")
_FIELDS = {
    "degree": "degree",
    "_entityType": "type",
    "entityType": "type",
    "platform": "platform",
    "platform.keyword": "platform",
    "origin": "env",
    "env": "env",
    "urn": "urn",
    "removed": "removed",
}
"""Fields of a result, by their names in DataHub."""
_CONDITIONS = ("EQUAL", "IN", "")
_MOST = 100
"""Groups, conditions of a group, and values of a condition."""


class Result(Struct, frozen=True):
    """Values of a result that filters read."""

    degree: str
    type: str
    platform: str
    env: str
    urn: str
    removed: str = "FALSE"
    """Hidden things are in no answer."""


class _Condition(Struct, frozen=True):
    field: str
    values: frozenset[str]
    negated: bool

    def holds(self, result: Result) -> bool:
        return (getattr(result, self.field) in self.values) is not self.negated


class Filters(Struct, frozen=True):
    groups: tuple[tuple[_Condition, ...], ...]
    types: frozenset[str]
    """Empty: all."""

    @property
    def farthest(self) -> str:
        """The greatest degree that any result may have."""
        wanted = [self._degrees(group) for group in self.groups] or [list(_DEGREES)]
        return max((degree for degrees in wanted for degree in degrees), default=_DEGREES[0])

    def take(self, result: Result) -> bool:
        if self.types and result.type not in self.types:
            return False
        return not self.groups or any(all(one.holds(result) for one in group) for group in self.groups)

    def _degrees(self, group: tuple[_Condition, ...]) -> list[str]:
        conditions = [one for one in group if one.field == "degree"]
        return [degree for degree in _DEGREES if all((degree in one.values) is not one.negated for one in conditions)]


def read_filters(wanted: Mapping[str, Any]) -> Filters:
    """Those of a query's input; what cannot be filtered by is refused.

    >>> near = {"field": "degree", "values": ["1", "2"]}
    >>> hive = {"field": "platform", "values": ["urn:li:dataPlatform:hive"]}
    >>> read_filters({"orFilters": [{"and": [near, hive]}]}).farthest
    '2'
    """
    types = wanted.get("types")
    listed = frozenset(_type(item) for item in types) if isinstance(types, list) else frozenset[str]()
    groups = []
    for group in _some(wanted.get("orFilters")):
        clauses = _some(group.get("and")) if isinstance(group, Mapping) else []
        groups.append(tuple(_condition(clause) for clause in clauses))
    return Filters(tuple(groups), listed)


def _condition(clause: Any) -> _Condition:
    said = clause if isinstance(clause, Mapping) else {}
    name, how = str(said.get("field"))[:100], str(said.get("condition") or "")[:100]
    field = _FIELDS.get(name)
    if field is None:
        hint = "By degree, type, platform, environment and URN it can."
        raise BadQuestion(f"Lineage cannot be filtered by {name!r} here.", hint=hint)
    if how not in _CONDITIONS:
        raise BadQuestion(f"Lineage cannot be filtered by the condition {how!r}.", hint="EQUAL and IN are known.")
    values = frozenset(_value(field, str(value)) for value in _some(said.get("values")))
    if field == "degree" and not values <= set(_DEGREES):
        raise BadQuestion("A degree is 1, 2 or 3+.")
    return _Condition(field, values, said.get("negated") is True)


def _value(field: str, value: str) -> str:
    if field == "platform":
        return value.removeprefix("urn:li:dataPlatform:")
    return _type(value) if field == "type" else value.upper() if field in ("env", "removed") else value


def _type(value: Any) -> str:
    """`dataJob` and `DATAJOB` are `DATA_JOB` too."""
    word = str(value).upper()
    return {"DATAJOB": "DATA_JOB", "SCHEMAFIELD": "SCHEMA_FIELD"}.get(word, word)


def _some(listed: Any) -> list[Any]:
    found = listed if isinstance(listed, list) else []
    if len(found) > _MOST:
        raise BadQuestion(f"A filter may have {_MOST} parts; this one has {len(found)}.")
    return found
