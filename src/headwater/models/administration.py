"""Configuring a tenant's models: set, shown, tried with one call, removed."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.models.configuration import ModelConfiguration, check_configuration, fingerprint_of
from headwater.models.enrich import Enrichment, Estimate
from headwater.models.errors import ModelFailed, ModelMissing
from headwater.models.providers.local.embedder import INSTALL, is_installed
from headwater.models.providers.provider import StatementToSummarize
from headwater.models.tenant_models import Model
from headwater.models.work import ModelWork
from headwater.store.models.configurations import Kind, Place
from headwater.store.write.log import Tenant

__all__ = ["ModelAdministration", "SetModel", "TriedModel"]

_TEXT = "table customer orders. What customers bought, and when"
_SQL = "INSERT INTO daily_sales SELECT day, sum(amount) FROM orders GROUP BY day"


class SetModel(Struct, frozen=True):
    """A configured model, and its work to do."""

    model: Model
    estimates: list[Estimate]


class TriedModel(Struct, frozen=True):
    """Result of one call. A failure is explained without any part of the request or the answer."""

    kind: Kind
    fingerprint: str
    ok: bool
    milliseconds: int
    dimension: int | None
    example: str | None
    """The summary of an example; of an embedding nothing."""
    error: str | None
    message: str | None
    hint: str | None
    resumed: int = 0
    """1: it was paused, and since it answers, its tasks go on."""


class ModelAdministration:
    def __init__(self, work: ModelWork, resume: Callable[[int, str | None], int] | None = None) -> None:
        """`resume` lets tasks go on that wait for a model."""
        self._work, self._resume = work, resume

    def set(self, tenant: Tenant, kind: Kind, given: ModelConfiguration) -> SetModel:
        """Set a model. Another one than that in force follows it once `pipeline enrich` has computed its results."""
        models = self._work.models
        configuration = check_configuration(kind, given, models.outgoing)
        if configuration.provider == "local" and not is_installed():
            raise ModelMissing("The provider local is not installed where this runs.", hint=INSTALL)
        fingerprint = fingerprint_of(kind, configuration)
        place = self._place(tenant.id, kind, fingerprint)
        if place == "active":
            models.configurations.remove(tenant.id, kind, "next")
        told = msgspec.json.encode(configuration).decode()
        models.configurations.put(tenant.id, kind, place, fingerprint, told)
        if self._resume is not None:
            self._resume(tenant.id, fingerprint)
        model = models.find(tenant.id, kind, place)
        if model is None:
            raise ModelMissing("Somebody else removed this model at the same time.", hint="Set it again.")
        return SetModel(model, Enrichment(self._work, tenant).estimate())

    def _place(self, tenant: int, kind: Kind, fingerprint: str) -> Place:
        active = self._work.models.find(tenant, kind)
        if active is None or active.fingerprint == fingerprint:
            return "active"
        has_results = self._work.results.coverage(tenant, kind, active.fingerprint) > 0
        return "next" if has_results else "active"

    def remove(self, tenant: Tenant, kind: Kind, place: Place | None = None) -> int:
        """Remove a model and its successor, or the one at a place. Their results apply again if they are set again."""
        removed = self._work.models.configurations.remove(tenant.id, kind, place)
        if not removed:
            which = "next " if place == "next" else ""
            raise ModelMissing(f"The tenant {tenant.code} has no {which}{kind.lower()} model.")
        return removed

    def try_model(self, tenant: Tenant, kind: Kind, place: Place | None = None) -> TriedModel:
        """Make one call with an example of ours, within the budget."""
        models = self._work.models
        model = models.find(tenant.id, kind, place) if place else None
        model = model or (models.find(tenant.id, kind, "next") if place is None else None)
        model = model or models.find(tenant.id, kind)
        if model is None:
            raise ModelMissing(
                f"The tenant {tenant.code} has no {kind.lower()} model.", hint="headwater model set configures one."
            )
        began = time.monotonic()
        error: HeadwaterError | None = None
        dimension, example = None, None
        try:
            dimension, example = self._call(tenant, model)
        except HeadwaterError as raised:
            error = raised
        resumed = self._resume(tenant.id, model.fingerprint) if error is None and self._resume is not None else 0
        return TriedModel(
            kind,
            model.fingerprint,
            error is None,
            round((time.monotonic() - began) * 1000),
            dimension,
            example,
            error.code if error is not None else None,
            error.message if error is not None else None,
            error.hint if error is not None else None,
            min(resumed, 1),
        )

    def _call(self, tenant: Tenant, model: Model) -> tuple[int | None, str | None]:
        models, configuration = self._work.models, model.configuration
        if model.kind == "EMBEDDING":
            (vector,) = models.embed(tenant, configuration, [_TEXT])
            if vector is None:
                raise ModelFailed("The model's answer has no vector for the text that it was given.")
            return len(vector) // 4, None
        (summary,) = models.summarize(tenant, configuration, [StatementToSummarize(_SQL, "ansi")])
        if summary is None:
            raise ModelFailed("The model's answer has no summary for the statement that it was given.")
        return None, summary.summary
