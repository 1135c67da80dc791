"""dbt: the models of the warehouse, from staging to marts, and the dashboards that show them."""

from __future__ import annotations

from headwater.demo.shop.step import Step, step
from headwater.demo.shop.tables import BI, WAREHOUSE, Table

__all__ = ["dashboard_steps", "model_steps"]

_ANALYSTS, _CRM, _FINANCE = "team-analytics", "team-crm", "team-finance"


def model_steps(known: dict[str, Table], price: str) -> tuple[Step, ...]:
    """The models, with the name that the price of an item has in the shop's database."""

    def model(name: str, into: str, select: str, source: str, about: str, owner: str = _ANALYSTS) -> Step:
        return step(known, name, f"{WAREHOUSE} warehouse.{into}", select, source, about, owner)

    return (
        model(
            "stg_orders",
            "staging.stg_orders",
            """
            order_id = o.order_id
            customer_id = o.customer_id
            coupon_id = o.coupon_id
            order_day = o.day
            channel = o.channel
            """,
            "clean/orders o",
            "Orders as they come from the lake.",
        ),
        model(
            "stg_customers",
            "staging.stg_customers",
            """
            customer_id = c.customer_id
            country = c.country
            email_hash = c.email_hash
            customer_since_day = c.created_day
            """,
            "clean/customers c",
            "Customers as they come from the lake.",
        ),
        model(
            "stg_order_items",
            "staging.stg_order_items",
            f"""
            order_id = i.order_id
            product_id = i.product_id
            quantity = i.quantity
            unit_price = i.{price}
            """,
            "shop.public.order_items i",
            "Lines of orders.",
        ),
        model(
            "stg_payments",
            "staging.stg_payments",
            """
            payment_id = p.payment_id
            order_id = p.order_id
            card_masked = p.card_masked
            amount = p.amount
            refunded = p.refunded
            """,
            "clean/payments p",
            "Payments as they come from the lake.",
        ),
        model(
            "stg_products",
            "staging.stg_products",
            """
            product_id = p.product_id
            title = p.title
            category = g.category
            """,
            "shop.public.products p JOIN shop.public.categories g ON g.category_id = p.category_id",
            "Products with the name of their category.",
        ),
        model(
            "stg_contacts",
            "staging.stg_contacts",
            """
            contact_id = k.contact_id
            customer_id = k.customer_id
            email = lower(k.email)
            phone = k.phone
            consent = k.consent
            """,
            "crm.public.contacts k",
            "Contacts of the CRM, with their addresses.",
            _CRM,
        ),
        model(
            "stg_tickets",
            "staging.stg_tickets",
            """
            ticket_id = t.ticket_id
            contact_id = t.contact_id
            status = t.status
            open_days = t.closed_at - t.opened_at
            """,
            "crm.public.tickets t",
            "Tickets, and how long they were open.",
            _CRM,
        ),
        model(
            "stg_campaigns",
            "staging.stg_campaigns",
            """
            campaign_id = m.campaign_id
            campaign = m.campaign
            cost = m.cost
            coupon_id = u.coupon_id
            """,
            "crm.public.campaigns m LEFT JOIN shop.public.coupons u ON u.campaign_id = m.campaign_id",
            "Campaigns with their coupons.",
            _CRM,
        ),
        model(
            "int_order_payments",
            "intermediate.int_order_payments",
            """
            order_id = o.order_id
            customer_id = o.customer_id
            order_day = o.order_day
            paid_amount = sum(p.amount - p.refunded)
            """,
            "warehouse.staging.stg_orders o LEFT JOIN warehouse.staging.stg_payments p ON p.order_id = o.order_id "
            "GROUP BY o.order_id, o.customer_id, o.order_day",
            "What was really paid for an order.",
        ),
        model(
            "dim_customers",
            "marts.dim_customers",
            """
            customer_id = c.customer_id
            country = c.country
            email_hash = c.email_hash
            customer_since_day = c.customer_since_day
            """,
            "warehouse.staging.stg_customers c",
            "Customers, one row each.",
        ),
        model(
            "dim_products",
            "marts.dim_products",
            """
            product_id = p.product_id
            title = p.title
            category = p.category
            rating = avg(r.rating)
            """,
            "warehouse.staging.stg_products p LEFT JOIN shop.public.reviews r ON r.product_id = p.product_id "
            "GROUP BY p.product_id, p.title, p.category",
            "Products, one row each, with what customers think of them.",
        ),
        model(
            "fct_orders",
            "marts.fct_orders",
            """
            order_id = o.order_id
            customer_id = o.customer_id
            order_day = o.order_day
            channel = o.channel
            goods_amount = sum(i.quantity * i.unit_price)
            """,
            "warehouse.staging.stg_orders o JOIN warehouse.staging.stg_order_items i ON i.order_id = o.order_id "
            "GROUP BY o.order_id, o.customer_id, o.order_day, o.channel",
            "Orders with what they are worth.",
        ),
        model(
            "fct_payments",
            "marts.fct_payments",
            """
            order_id = p.order_id
            customer_id = p.customer_id
            order_day = p.order_day
            paid_amount = p.paid_amount
            """,
            "warehouse.intermediate.int_order_payments p",
            "What was paid, order by order.",
            _FINANCE,
        ),
        model(
            "fct_support",
            "marts.fct_support",
            """
            customer_id = k.customer_id
            tickets = count(t.ticket_id)
            open_days = avg(t.open_days)
            """,
            "warehouse.staging.stg_tickets t JOIN warehouse.staging.stg_contacts k ON k.contact_id = t.contact_id "
            "GROUP BY k.customer_id",
            "How much help each customer needed.",
            _CRM,
        ),
        model(
            "customer_360",
            "marts.customer_360",
            """
            customer_id = c.customer_id
            country = c.country
            email_hash = c.email_hash
            orders = count(o.order_id)
            lifetime_value = sum(o.goods_amount)
            tickets = max(s.tickets)
            churn_score = max(h.churn_score)
            """,
            "warehouse.marts.dim_customers c LEFT JOIN warehouse.marts.fct_orders o ON o.customer_id = c.customer_id "
            "LEFT JOIN warehouse.marts.fct_support s ON s.customer_id = c.customer_id "
            "LEFT JOIN ml/churn_scores h ON h.customer_id = c.customer_id "
            "GROUP BY c.customer_id, c.country, c.email_hash",
            "Everything about a customer that may be known: no address, only its hash.",
        ),
        model(
            "marketing_audience",
            "marts.marketing_audience",
            """
            customer_id = k.customer_id
            email = k.email
            phone = k.phone
            country = c.country
            lifetime_value = c.lifetime_value
            """,
            "warehouse.staging.stg_contacts k JOIN warehouse.marts.customer_360 c ON c.customer_id = k.customer_id "
            "WHERE k.consent",
            "Who gets the newsletter, with the address to write to.",
            _CRM,
        ),
        model(
            "campaign_results",
            "marts.campaign_results",
            """
            campaign = m.campaign
            cost = m.cost
            orders = count(o.order_id)
            revenue = sum(f.goods_amount)
            """,
            "warehouse.staging.stg_campaigns m JOIN warehouse.staging.stg_orders o ON o.coupon_id = m.coupon_id "
            "JOIN warehouse.marts.fct_orders f ON f.order_id = o.order_id GROUP BY m.campaign, m.cost",
            "What a campaign brought, and what it cost.",
            _CRM,
        ),
        model(
            "revenue_by_country",
            "marts.revenue_by_country",
            """
            country = c.country
            month = date_trunc('month', p.order_day)
            revenue = sum(p.paid_amount)
            """,
            "warehouse.marts.fct_payments p JOIN warehouse.marts.dim_customers c ON c.customer_id = p.customer_id "
            "GROUP BY c.country, p.order_day",
            "Revenue as finance counts it.",
            _FINANCE,
        ),
    )


def dashboard_steps(known: dict[str, Table]) -> tuple[Step, ...]:
    def show(name: str, title: str, select: str, source: str, about: str, owner: str = _ANALYSTS) -> Step:
        return step(known, name, f"{BI} {title}", select, source, about, owner, "DASHBOARD")

    return (
        show(
            "refresh_revenue",
            "revenue_today",
            """
            day = r.day
            revenue = sum(r.revenue)
            orders = sum(r.orders)
            """,
            "reports/daily_revenue r GROUP BY r.day",
            "The board's first look in the morning.",
        ),
        show(
            "refresh_customers",
            "customer_health",
            """
            country = c.country
            customers = count(c.customer_id)
            churn_score = avg(c.churn_score)
            best_amount = max(b.total_amount)
            """,
            "warehouse.marts.customer_360 c LEFT JOIN reports/best_customers b ON b.customer_id = c.customer_id "
            "GROUP BY c.country",
            "Who stays, who leaves.",
        ),
        show(
            "refresh_audience",
            "newsletter_audience",
            """
            email = a.email
            country = a.country
            lifetime_value = a.lifetime_value
            """,
            "warehouse.marts.marketing_audience a",
            "Whom the newsletter reaches, address by address.",
            _CRM,
        ),
        show(
            "refresh_campaigns",
            "campaign_board",
            """
            campaign = r.campaign
            revenue = r.revenue
            cost = r.cost
            """,
            "warehouse.marts.campaign_results r",
            "Which campaigns pay.",
            _CRM,
        ),
        show(
            "refresh_supply",
            "stock_and_supply",
            """
            warehouse = s.warehouse
            cover_days = min(s.cover_days)
            returns = sum(b.returns)
            """,
            "reports/stock_cover s LEFT JOIN reports/returns_by_supplier b ON b.supplier = s.warehouse "
            "GROUP BY s.warehouse",
            "What to order again.",
            "team-supply",
        ),
        show(
            "refresh_finance",
            "finance_monthly",
            """
            country = r.country
            month = r.month
            revenue = r.revenue
            """,
            "warehouse.marts.revenue_by_country r",
            "The figures that finance signs.",
            _FINANCE,
        ),
    )
