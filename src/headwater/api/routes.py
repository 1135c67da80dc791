"""All routes of the server but that of events, which has a path of its own (`api/ingest`)."""

from __future__ import annotations

from headwater.api import home
from headwater.api.authentication import session
from headwater.api.datahub.routes import ROUTES as DATAHUB
from headwater.api.emit import peers, verify, versions, webhooks
from headwater.api.marquez.routes import ROUTES as MARQUEZ
from headwater.api.openapi import reference
from headwater.api.operators import dead_letters, demo, health, load, models, page_reports, pipeline
from headwater.api.operators.tasks import tasks
from headwater.api.operators.tenants import catalog_sources, keys, policy, tenants
from headwater.api.v2 import ROUTES as ENTITIES
from headwater.api.v2 import assets, attention, diff, edge, impact, lineage, paths, picture, show
from headwater.api.v2.lists import changes, run_events, series

__all__ = ["ROUTES"]

_OPERATORS = [
    *demo.ROUTES,
    *load.ROUTES,
    *page_reports.ROUTES,
    *tenants.ROUTES,
    *catalog_sources.ROUTES,
    *keys.ROUTES,
    *policy.ROUTES,
    *dead_letters.ROUTES,
    *pipeline.ROUTES,
    *models.ROUTES,
    *tasks.ROUTES,
]
_QUESTIONS = [
    *lineage.ROUTES,
    *impact.ROUTES,
    *paths.ROUTES,
    *diff.ROUTES,
    *series.ROUTES,
    *picture.ROUTES,
    *edge.ROUTES,
    *changes.ROUTES,
    *assets.ROUTES,
    *attention.ROUTES,
]
_OVERLAYS = [*webhooks.ROUTES, *peers.ROUTES, *versions.ROUTES, *verify.ROUTES]
ROUTES = [*home.ROUTES, *health.ROUTES, *MARQUEZ, *DATAHUB, *show.ROUTES, *_OPERATORS]
ROUTES += [*reference.ROUTES, *run_events.ROUTES, *ENTITIES, *session.ROUTES, *_QUESTIONS, *_OVERLAYS]
"""The first that fits a path is taken."""
