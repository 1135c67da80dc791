"""An invented online shop: some sixty tables from its databases to its dashboards, and two weeks of runs."""

from headwater.demo.shop.story import shop_events

__all__ = ["shop_events"]
