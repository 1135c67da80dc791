"""Labels of metrics for tenants: few, however many tenants there are."""

from __future__ import annotations

__all__ = ["tenant_label"]

_MOST_TENANTS = 100
_labels: set[str] = set()


def tenant_label(code: str) -> str:
    """The code of one of the first tenants that were met; `other` for the rest, so that labels stay few."""
    if code in _labels:
        return code
    if len(_labels) >= _MOST_TENANTS:
        return "other"
    _labels.add(code)
    return code
