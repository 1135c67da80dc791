"""Features of the page and the trusted gateway, from the settings."""

from __future__ import annotations

from headwater.access.gateway_assertion import Gateway
from headwater.settings import Settings

__all__ = ["features_of", "make_gateway"]


def features_of(settings: Settings) -> tuple[str, ...]:
    """Features of the page, from the settings."""
    offered = {
        "gateway": bool(settings.gateway_keys),
        "metrics": not settings.metrics_port,
        "pipeline": settings.pipeline,
    }
    return tuple(name for name, is_on in offered.items() if is_on)


def make_gateway(settings: Settings) -> Gateway | None:
    if not settings.gateway_keys:
        return None
    return Gateway(settings.gateway_keys, settings.gateway_issuer, settings.gateway_audience)
