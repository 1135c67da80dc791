"""Errors of the overlay adapter."""

from __future__ import annotations

from headwater.errors import HeadwaterError

__all__ = ["BadOverlayAnswer", "TooManyRequests", "UnknownVersion", "WrongEmitConfiguration"]


class WrongEmitConfiguration(HeadwaterError):
    """The configuration of an overlay or sink cannot be used."""

    code = "wrong_emit_configuration"


class BadOverlayAnswer(HeadwaterError):
    """An overlay answered something that is no bundle, no readiness or no listing."""

    code = "bad_overlay_answer"


class UnknownVersion(HeadwaterError):
    """The overlay has no such version."""

    code = "unknown_version"


class TooManyRequests(HeadwaterError):
    """More versions of a tenant wait to be read from its overlays than are kept."""

    code = "too_many_waiting_versions"
