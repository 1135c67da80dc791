"""Spark: applications that clean data of the databases, and build the lake's reports."""

from __future__ import annotations

from headwater.demo.shop.step import Step, step
from headwater.demo.shop.tables import LAKE, Table

__all__ = ["lake_steps"]

_DATA, _ANALYSTS, _SCIENCE = "team-data", "team-analytics", "team-science"


def lake_steps(known: dict[str, Table]) -> dict[str, tuple[Step, ...]]:
    """The operations of each application, in order."""

    def write(name: str, into: str, select: str, source: str, about: str, owner: str = _DATA) -> Step:
        return step(known, name, f"{LAKE} {into}", select, source, about, owner)

    return {
        "load_shop": (
            write(
                "clean_orders",
                "clean/orders",
                """
                order_id = o.order_id
                customer_id = o.customer_id
                coupon_id = o.coupon_id
                day = o.day
                channel = lower(o.channel)
                country = a.country
                """,
                "shop.public.orders o LEFT JOIN shop.public.addresses a ON a.address_id = o.address_id "
                "WHERE o.status <> 'cancelled'",
                "Orders that count, without the cancelled ones.",
            ),
            write(
                "clean_customers",
                "clean/customers",
                """
                customer_id = c.customer_id
                country = upper(c.country)
                email_hash = sha2(c.email, 256)
                marketing_consent = c.marketing_consent
                created_day = to_date(c.created_at)
                """,
                "shop.public.customers c",
                "Customers without anything that names them: only a hash of the address is left.",
            ),
            write(
                "clean_payments",
                "clean/payments",
                """
                payment_id = p.payment_id
                order_id = p.order_id
                card_masked = mask(p.card_number)
                amount = p.amount
                refunded = coalesce(r.refunded, 0)
                paid_day = to_date(p.paid_at)
                """,
                "shop.public.payments p LEFT JOIN shop.public.refunds r ON r.payment_id = p.payment_id "
                "WHERE p.status = 'captured'",
                "Captured payments, with what went back.",
                "team-payments",
            ),
            write(
                "clean_shipments",
                "clean/shipments",
                """
                shipment_id = s.shipment_id
                order_id = s.order_id
                carrier = c.carrier
                fee = c.fee
                delivery_days = datediff(s.delivered_at, s.shipped_at)
                """,
                "shop.public.shipments s JOIN shop.public.carriers c ON c.carrier_id = s.carrier_id",
                "Parcels, how long they took and what they cost.",
                "team-supply",
            ),
        ),
        "build_reports": (
            write(
                "build_sales",
                "core/sales",
                """
                order_id = o.order_id
                customer_id = o.customer_id
                product_id = i.product_id
                category = g.category
                day = o.day
                channel = o.channel
                country = o.country
                quantity = i.quantity
                amount = i.quantity * i.price
                """,
                "clean/orders o JOIN shop.public.order_items i ON i.order_id = o.order_id "
                "JOIN shop.public.products p ON p.product_id = i.product_id "
                "JOIN shop.public.categories g ON g.category_id = p.category_id",
                "One row for each line of an order: the ground of every report.",
            ),
            write(
                "daily_revenue",
                "reports/daily_revenue",
                """
                day = s.day
                category = s.category
                channel = s.channel
                orders = count(DISTINCT s.order_id)
                revenue = sum(s.amount)
                """,
                "core/sales s GROUP BY s.day, s.category, s.channel",
                "What was sold on each day.",
                _ANALYSTS,
            ),
            write(
                "customer_value",
                "reports/customer_value",
                """
                customer_id = c.customer_id
                country = c.country
                orders = count(DISTINCT s.order_id)
                total_amount = sum(s.amount)
                last_order_day = max(s.day)
                """,
                "clean/customers c JOIN core/sales s ON s.customer_id = c.customer_id "
                "GROUP BY c.customer_id, c.country",
                "What each customer has brought so far.",
                _ANALYSTS,
            ),
            write(
                "best_customers",
                "reports/best_customers",
                """
                customer_id = v.customer_id
                country = v.country
                total_amount = v.total_amount
                """,
                "reports/customer_value v ORDER BY v.total_amount LIMIT 100",
                "The hundred best customers.",
                _ANALYSTS,
            ),
            write(
                "returns_by_supplier",
                "reports/returns_by_supplier",
                """
                supplier = u.supplier
                month = trunc(r.returned_at, 'month')
                returns = count(r.return_id)
                """,
                "shop.public.returns r JOIN shop.public.products p ON p.product_id = r.product_id "
                "JOIN shop.public.suppliers u ON u.supplier_id = p.supplier_id GROUP BY u.supplier, r.returned_at",
                "Whose goods come back, and how often.",
                "team-supply",
            ),
            write(
                "stock_cover",
                "reports/stock_cover",
                """
                product_id = p.product_id
                warehouse = n.warehouse
                stock = sum(n.stock)
                cover_days = sum(n.stock) / avg(s.quantity)
                """,
                "shop.public.inventory n JOIN shop.public.products p ON p.product_id = n.product_id "
                "LEFT JOIN core/sales s ON s.product_id = p.product_id GROUP BY p.product_id, n.warehouse",
                "How many days the stock will last.",
                "team-supply",
            ),
        ),
        "score_customers": (
            write(
                "churn_features",
                "ml/churn_features",
                """
                customer_id = v.customer_id
                orders = v.orders
                total_amount = v.total_amount
                silent_days = datediff(current_date, v.last_order_day)
                session_clicks = sum(w.clicks)
                """,
                "reports/customer_value v LEFT JOIN core/sessions w ON w.customer_id = v.customer_id "
                "GROUP BY v.customer_id, v.orders, v.total_amount, v.last_order_day",
                "What the model looks at.",
                _SCIENCE,
            ),
            write(
                "churn_scores",
                "ml/churn_scores",
                """
                customer_id = f.customer_id
                churn_score = predict('churn', f.orders, f.total_amount, f.silent_days, f.session_clicks)
                """,
                "ml/churn_features f",
                "How likely each customer is to leave, from 0 to 1.",
                _SCIENCE,
            ),
        ),
    }
