"""The text of a node of the asset graph that is embedded, and the hash of a text.

By kind of node: its kind and name (identifiers also as their words), type, description, tags, and parents. For a
statement the summary and its tags.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.graph.search.words import terms_of

__all__ = ["EMBEDDED", "LONGEST_SQL", "LONGEST_TEXT", "hash_of", "statement_text", "text_of_node"]

LONGEST_TEXT = 2_000
"""Characters of a text that are embedded."""
LONGEST_SQL = 10_000
"""Characters of a statement that are summarised."""
_LONGEST_PART = 1_000
_SERVER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?P<host>[^/:]*)(:\d+)?/?")
_MOST_TAGS = 30
_KINDS = {
    "Catalog": "catalog",
    "Schema": "schema",
    "Table": "",
    "Column": "",
    "AtomicMetric": "metric",
    "DerivedMetric": "derived metric",
    "CompositeMetric": "composite metric",
    "WordRoot": "word root",
    "Modifier": "modifier",
    "Unit": "unit",
    "ValueDomain": "value domain",
    "Tag": "tag",
    "Chart": "chart",
    "Dashboard": "dashboard",
}
"""Tables and columns are most of the nodes: a word in the text of each of them would not tell them apart."""
EMBEDDED = (*_KINDS, "SQL")
"""Labels of nodes that have an embedding."""
_MORE = {
    "Column": (("dataType", "type"),),
    "AtomicMetric": (("unit", "unit"), ("calculationFormula", "formula")),
    "DerivedMetric": (("unit", "unit"), ("calculationFormula", "formula")),
    "CompositeMetric": (("unit", "unit"), ("calculationFormula", "formula")),
    "WordRoot": (("dataType", "type"),),
    "Modifier": (("modifierType", "type"),),
    "Unit": (("symbol", "symbol"),),
    "ValueDomain": (("items", "values"), ("dataType", "type")),
}


def text_of_node(
    label: str, properties: Mapping[str, Any], *, tags: Sequence[str] = (), parents: Sequence[str] = ()
) -> str:
    """The text of a node; `parents` from the nearest outward.

    >>> text_of_node("Column", {"name": "customerId", "dataType": "long"}, parents=("orders", "shop"), tags=["pii"])
    'customer id of orders in shop. type: long. tags: pii'
    """
    name = str(properties.get("name") or properties.get("code") or "")
    text = f"{_KINDS[label]} {_spoken(name)}".lstrip()
    if parents:
        text += f" of {' in '.join(map(_spoken, parents))}"
    parts = [text]
    code = properties.get("code")
    if code and code != name:
        parts.append(f"code: {_one_line(code)}")
    parts += [f"{word}: {_one_line(properties[key])}" for key, word in _MORE.get(label, ()) if properties.get(key)]
    if properties.get("description"):
        parts.append(_one_line(properties["description"]))
    if tags:
        parts.append(f"tags: {', '.join(sorted(set(tags))[:_MOST_TAGS])}")
    return ". ".join(parts)[:LONGEST_TEXT]


def statement_text(summary: str, tags: Sequence[str]) -> str:
    """The text of a statement that is embedded: its summary and the tags that came with it.

    >>> statement_text("Copies orders.", ["copy"])
    'Copies orders. tags: copy'
    """
    return (f"{summary} tags: {', '.join(tags)}" if tags else summary)[:LONGEST_TEXT]


def hash_of(text: str) -> bytes:
    """The SHA-256 of exactly the text that a model is given."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _spoken(name: str) -> str:
    """A name as words. Of an address only what is behind the server: that is the same for all in a catalog.

    >>> _spoken("customerOrders_v2"), _spoken("postgres://db.example.com:5432/shop"), _spoken("s3://shop-lake")
    ('customer orders v2', 'shop', 'shop lake')
    """
    server = _SERVER.match(name)
    if server is not None:
        name = name[server.end() :] or server["host"]
    words = " ".join(terms_of(name))
    if name.isascii():
        return words or _one_line(name)
    return f"{_one_line(name)} ({words})" if words and words != name.lower() else _one_line(name)


def _one_line(value: Any) -> str:
    return " ".join(str(value).split())[:_LONGEST_PART]
