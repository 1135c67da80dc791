"""Scope of a query: one tenant, or explicitly every tenant."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

import sqlalchemy as sa

__all__ = ["EVERY_TENANT", "Every", "Scope", "within"]


class Every(Enum):
    TENANT = "every tenant"


EVERY_TENANT = Every.TENANT
"""For operators: all tenants, and rows without a tenant."""

Scope = int | Literal[Every.TENANT]


def within(column: sa.Column[Any], scope: Scope) -> sa.ColumnElement[bool]:
    return sa.true() if scope is Every.TENANT else column == scope
