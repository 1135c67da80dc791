"""What of a metric's formula goes to an embedding model."""

from __future__ import annotations

import pytest

from headwater.models.configuration import ModelConfiguration
from headwater.models.tenant_models import Model
from headwater.models.work import ModelWork
from headwater.store.assets.graph import StoredNode
from tests.models.conftest import A

KEY = b"k" * 16


@pytest.mark.parametrize(
    ("provider", "redact", "formula", "told"),
    [
        ("local", True, "sum(amount) where state = 'paid'", "formula: sum(amount) where state = 'paid'"),
        ("openai", False, "sum(amount) where state = 'paid'", "formula: sum(amount) where state = 'paid'"),
        ("openai", True, "sum(amount) where state = 'paid' -- of Eve", "formula: sum(amount) where state = '?'"),
        ("openai", True, "sum(amount) where state = 'paid", None),
    ],
)
def test_literals_of_a_formula(work: ModelWork, provider, redact: bool, formula: str, told: str | None) -> None:
    configuration = ModelConfiguration(provider=provider, redact=redact)
    node = StoredNode("metric:gmv", "AtomicMetric", {"name": "gmv", "calculationFormula": formula})
    model = Model("EMBEDDING", "active", "f", configuration, 0)
    (text,) = work.texts.to_embed(A.id, {KEY: node}, model, None)
    assert text.text == ("metric gmv" if told is None else f"metric gmv. {told}")
