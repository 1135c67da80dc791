"""Flink jobs and a connector, which never end, and three-hourly Spark loads of their topics."""

from __future__ import annotations

from headwater.demo.shop.step import Step, step
from headwater.demo.shop.tables import KAFKA, LAKE, Table

__all__ = ["capture_step", "flink_steps", "session_step"]

_WEB, _PAYMENTS, _SUPPLY = "team-web", "team-payments", "team-supply"


def capture_step(known: dict[str, Table]) -> Step:
    """A connector that copies changes of the database into a topic."""
    return step(
        known,
        "shop-orders-capture",
        f"{KAFKA} shop.orders.v1",
        """
        order_id = o.order_id
        customer_id = o.customer_id
        status = o.status
        channel = o.channel
        """,
        "shop.public.orders o",
        "Every change of an order.",
        "team-shop",
        "TOPIC",
    )


def flink_steps(known: dict[str, Table]) -> tuple[Step, ...]:
    def write(name: str, into: str, select: str, source: str, about: str, owner: str) -> Step:
        return step(known, name, f"{KAFKA} {into}", select, source, about, owner, "TOPIC")

    return (
        write(
            "sessionize",
            "web.sessions",
            """
            session_id = md5(c.visitor_id)
            customer_id = c.customer_id
            page = max(c.page)
            clicks = count(c.page)
            started_at = min(c.clicked_at)
            """,
            "web.clicks c GROUP BY c.visitor_id, c.customer_id",
            "Visits, put together from clicks.",
            _WEB,
        ),
        write(
            "enrich_payments",
            "payments.enriched",
            """
            payment_id = p.payment_id
            order_id = p.order_id
            customer_id = o.customer_id
            card_masked = mask(p.card_number)
            amount = p.amount
            channel = o.channel
            """,
            "payments.authorised p JOIN shop.orders.v1 o ON o.order_id = p.order_id",
            "Authorisations with the order that they pay.",
            _PAYMENTS,
        ),
        write(
            "detect_fraud",
            "fraud.alerts",
            """
            payment_id = p.payment_id
            customer_id = p.customer_id
            fraud_score = score(p.amount, p.channel, s.clicks)
            """,
            "payments.enriched p LEFT JOIN web.sessions s ON s.customer_id = p.customer_id WHERE p.amount > 20",
            "Payments that somebody should look at.",
            _PAYMENTS,
        ),
        write(
            "stock_levels",
            "stock.levels",
            """
            product_id = n.product_id
            warehouse = n.warehouse
            stock = n.stock
            """,
            "shop.public.inventory n",
            "Stock as it changes, for the product pages.",
            _SUPPLY,
        ),
    )


def session_step(known: dict[str, Table]) -> Step:
    return step(
        known,
        "load_sessions",
        f"{LAKE} core/sessions",
        """
        session_id = s.session_id
        customer_id = s.customer_id
        clicks = s.clicks
        day = to_date(s.started_at)
        """,
        "web.sessions s WHERE s.clicks > 1",
        "Visits of more than one click.",
        _WEB,
    )
