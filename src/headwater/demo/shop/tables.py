"""Tables, and how they are written down: `order_id customer_id#pii=id amount`."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["BI", "CRM", "DATABASE", "EXPORTS", "KAFKA", "LAKE", "WAREHOUSE", "Column", "Table", "columns_of", "table"]

DATABASE = "postgres://db.shop.example.com:5432"
CRM = "postgres://crm.shop.example.com:5432"
KAFKA = "kafka://broker.shop.example.com:9092"
LAKE = "s3://shop-lake"
WAREHOUSE = "postgres://warehouse.shop.example.com:5432"
EXPORTS = "s3://shop-exports"
BI = "superset://bi.shop.example.com"

_TYPES = {
    "id": "bigint",
    "orders": "bigint",
    "customers": "bigint",
    "sessions": "bigint",
    "clicks": "bigint",
    "tickets": "bigint",
    "returns": "bigint",
    "quantity": "int",
    "stock": "int",
    "rating": "int",
    "days": "int",
    "day": "date",
    "month": "date",
    "at": "timestamp",
    "score": "double",
    "share": "double",
    "consent": "boolean",
    "active": "boolean",
} | dict.fromkeys(("amount", "price", "revenue", "refunded", "value", "fee", "cost"), "decimal(12,2)")


class Column(Struct, frozen=True):
    name: str
    type: str
    tag: str | None = None


class Table(Struct, frozen=True):
    namespace: str
    name: str
    columns: tuple[Column, ...]
    about: str | None = None
    owner: str | None = None
    kind: str = "TABLE"


def table(namespace: str, name: str, columns: str, about: str, owner: str, kind: str = "TABLE") -> Table:
    return Table(namespace, name, columns_of(columns), about, owner, kind)


def columns_of(described: str) -> tuple[Column, ...]:
    """From `name` or `name#tag`, separated by blanks; the last word of a name gives its type.

    >>> columns_of("order_id email#pii=email")[1].tag
    'pii=email'
    """
    split = (word.partition("#") for word in described.split())
    return tuple(Column(name, _TYPES.get(name.rpartition("_")[2], "string"), tag or None) for name, _, tag in split)
