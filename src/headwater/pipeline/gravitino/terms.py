"""Metrics, word roots, modifiers, units and value domains as Gravitino's REST API lists them, in pages by schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from headwater.pipeline.gravitino.rest import GravitinoApi

__all__ = ["CatalogTerm", "terms_of"]


class CatalogTerm(NamedTuple):
    """Operation of the event for a term, and its values in the event's form."""

    operation: str
    values: dict[str, Any]


class _List(NamedTuple):
    operation: str
    path: tuple[str, ...]
    member: str


_LISTS = (
    _List("register_metric", ("metrics",), "metrics"),
    _List("create_wordroot", ("wordroots",), "roots"),
    _List("create_modifier", ("metrics", "modifiers"), "modifiers"),
    _List("create_unit", ("units",), "units"),
    _List("create_valuedomain", ("valuedomains",), "valueDomains"),
)
_RENAMED = {
    "type": "metricType",
    "domainCode": "code",
    "domainName": "name",
    "measureColumnIds": "measureColumns",
    "filterColumnIds": "filterColumns",
}
"""Members whose names in the API differ from those in events."""
_TOLD = frozenset(
    {
        *("code", "name", "comment", "dataType", "unit", "symbol", "modifierType", "metricType", "calculationFormula"),
        *("aggregationLogic", "parentMetricCodes", "refCatalogName", "refSchemaName", "refTableName"),
        *("measureColumns", "filterColumns", "domainType", "domainLevel", "items"),
    }
)
"""Members of a term that events have; versions, row ids and the like are left out."""


def terms_of(api: GravitinoApi, catalog: str, schema: str) -> Iterator[CatalogTerm]:
    """All terms of a schema; none where the server has no such lists, as Gravitino's own has not."""
    place = ("catalogs", catalog, "schemas", schema)
    for operation, path, member in _LISTS:
        for found in api.paged(member, *place, *path):
            item = {**found, **_version(api, place, found)} if path == ("metrics",) else found
            values = _values(item)
            if isinstance(values.get("code"), str) and values["code"]:
                yield CatalogTerm(operation, values)


def _version(api: GravitinoApi, place: tuple[str, ...], metric: Mapping[str, Any]) -> dict[str, Any]:
    """Formula, parents and columns of a metric: its list leaves them to the current version."""
    code, number = metric.get("code"), metric.get("currentVersion")
    if not isinstance(code, str) or not isinstance(number, int) or isinstance(number, bool):
        return {}
    answer = api.get(*place, "metrics", code, "versions", str(number), missing_is_none=True) or {}
    found = answer.get("version")
    return {key: value for key, value in found.items() if value is not None} if isinstance(found, dict) else {}


def _values(found: Mapping[str, Any]) -> dict[str, Any]:
    named = {_RENAMED.get(key, key): value for key, value in found.items() if value is not None}
    values = {key: value for key, value in named.items() if key in _TOLD}
    if isinstance(values.get("parentMetricCodes"), list):
        values["parentMetricCodes"] = ",".join(map(str, values["parentMetricCodes"]))
    if isinstance(values.get("items"), list):
        values["items"] = ",".join(map(_item, values["items"]))
    return values


def _item(found: Any) -> str:
    """One value of a value domain, as events write it.

    >>> _item({"value": "1", "label": "new"}), _item({"value": "2"})
    ('1:new', '2')
    """
    if not isinstance(found, dict):
        return str(found)
    value, label = found.get("value"), found.get("label")
    return f"{value}:{label}" if label else str(value)
