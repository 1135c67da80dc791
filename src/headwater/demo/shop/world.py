"""Every step of the shop's platform, before and after the release that renamed a column of its database."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from headwater.demo.shop.exports import invoice_step, partner_steps
from headwater.demo.shop.lake import lake_steps
from headwater.demo.shop.sources import NEW_ORDER_ITEMS, SOURCES
from headwater.demo.shop.step import Step
from headwater.demo.shop.streams import capture_step, flink_steps, session_step
from headwater.demo.shop.tables import Table
from headwater.demo.shop.warehouse import dashboard_steps, model_steps

__all__ = ["World", "world"]


class World(Struct, frozen=True):
    tables: dict[str, Table]
    capture: Step
    flink: tuple[Step, ...]
    sessions: Step
    lake: dict[str, tuple[Step, ...]]
    models: tuple[Step, ...]
    dashboards: tuple[Step, ...]
    invoices: Step
    partners: dict[str, Step]


@lru_cache(maxsize=2)
def world(*, is_released: bool) -> World:
    known = {source.name: source for source in SOURCES}
    capture, flink = capture_step(known), flink_steps(known)
    sessions, lake = session_step(known), lake_steps(known)
    if is_released:  # the lake's SQL was not changed, that of the warehouse was
        known["shop.public.order_items"] = replace(known["shop.public.order_items"], columns=NEW_ORDER_ITEMS)
    models = model_steps(known, "unit_price" if is_released else "price")
    dashboards, invoices, partners = dashboard_steps(known), invoice_step(known), partner_steps(known)
    return World(known, capture, flink, sessions, lake, models, dashboards, invoices, partners)
