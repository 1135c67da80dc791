"""Sources: the tables of the shop's applications, and events of its web pages."""

from __future__ import annotations

from headwater.demo.shop.tables import CRM, DATABASE, KAFKA, Table, columns_of, table

__all__ = ["NEW_ORDER_ITEMS", "SOURCES"]

_SHOP, _PAYMENTS, _SUPPLY, _CRM, _WEB = "team-shop", "team-payments", "team-supply", "team-crm", "team-web"

SOURCES: tuple[Table, ...] = (
    table(
        DATABASE,
        "shop.public.customers",
        "customer_id name#pii=name email#pii=email phone#pii=phone country marketing_consent created_at",
        "Everybody who ever registered, one row for each.",
        _SHOP,
    ),
    table(
        DATABASE,
        "shop.public.addresses",
        "address_id customer_id street#pii=address city postcode#pii=address country",
        "Where orders are sent to.",
        _SHOP,
    ),
    table(
        DATABASE,
        "shop.public.orders",
        "order_id customer_id address_id coupon_id day status channel",
        "Orders from the checkout on; cancelled ones stay.",
        _SHOP,
    ),
    table(DATABASE, "shop.public.order_items", "order_id product_id quantity price", "What was ordered.", _SHOP),
    table(
        DATABASE, "shop.public.products", "product_id title category_id supplier_id price active", "The range.", _SHOP
    ),
    table(DATABASE, "shop.public.categories", "category_id category parent_id", "The tree of categories.", _SHOP),
    table(DATABASE, "shop.public.coupons", "coupon_id code campaign_id share", "Codes that make it cheaper.", _SHOP),
    table(
        DATABASE,
        "shop.public.reviews",
        "review_id product_id customer_id rating body created_at",
        "What customers write about products.",
        _SHOP,
    ),
    table(
        DATABASE,
        "shop.public.payments",
        "payment_id order_id card_number#pii=card amount status paid_at",
        "Payments as the provider confirms them.",
        _PAYMENTS,
    ),
    table(DATABASE, "shop.public.refunds", "refund_id payment_id refunded refunded_at", "Money back.", _PAYMENTS),
    table(
        DATABASE,
        "shop.public.shipments",
        "shipment_id order_id carrier_id shipped_at delivered_at",
        "Parcels on their way.",
        _SUPPLY,
    ),
    table(DATABASE, "shop.public.carriers", "carrier_id carrier fee", "Who delivers parcels.", _SUPPLY),
    table(
        DATABASE, "shop.public.returns", "return_id order_id product_id reason returned_at", "What came back.", _SUPPLY
    ),
    table(
        DATABASE, "shop.public.inventory", "product_id warehouse stock counted_at", "Stock at the last count.", _SUPPLY
    ),
    table(DATABASE, "shop.public.suppliers", "supplier_id supplier country", "Whom the range comes from.", _SUPPLY),
    table(
        CRM,
        "crm.public.contacts",
        "contact_id customer_id email#pii=email phone#pii=phone consent",
        "Who may be written to, and where.",
        _CRM,
    ),
    table(
        CRM,
        "crm.public.tickets",
        "ticket_id contact_id subject status opened_at closed_at",
        "Questions and complaints.",
        _CRM,
    ),
    table(
        CRM,
        "crm.public.campaigns",
        "campaign_id campaign channel cost",
        "What marketing does, and what it costs.",
        _CRM,
    ),
    table(
        KAFKA,
        "web.clicks",
        "visitor_id customer_id page product_id ip_address#pii=ip clicked_at",
        "Each click in the shop, as it happens.",
        _WEB,
        "TOPIC",
    ),
    table(
        KAFKA,
        "payments.authorised",
        "payment_id order_id card_number#pii=card amount authorised_at",
        "Authorisations of the payment provider.",
        _PAYMENTS,
        "TOPIC",
    ),
)

NEW_ORDER_ITEMS = columns_of("order_id product_id quantity unit_price currency")
"""The columns of `shop.public.order_items` since the shop's newest release: `price` has another name."""
