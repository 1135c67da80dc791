"""Exports: invoices, and a parametrised job that writes the orders of one partner."""

from __future__ import annotations

from headwater.demo.shop.step import Step, step
from headwater.demo.shop.tables import EXPORTS, Table

__all__ = ["PARTNERS", "invoice_step", "partner_steps"]

PARTNERS = ("acme", "globex", "initech")


def invoice_step(known: dict[str, Table]) -> Step:
    return step(
        known,
        "export_invoices",
        f"{EXPORTS} invoices/monthly",
        """
        order_id = p.order_id
        month = date_trunc('month', p.order_day)
        paid_amount = p.paid_amount
        """,
        "warehouse.marts.fct_payments p",
        "What goes to the bookkeepers.",
        "team-finance",
    )


def partner_steps(known: dict[str, Table]) -> dict[str, Step]:
    return {
        partner: step(
            known,
            "write_orders",
            f"{EXPORTS} partners/{partner}/orders",
            """
            order_id = s.order_id
            product_id = s.product_id
            quantity = s.quantity
            day = s.day
            """,
            f"core/sales s WHERE s.channel = '{partner}'",
            "Orders that came through a partner, as the partner gets them.",
            "team-shop",
        )
        for partner in PARTNERS
    }
