"""The JSON of an event as it stands in the spec, for the fast decoder. Nothing else reads these."""

from __future__ import annotations

from msgspec import Raw, Struct

__all__ = ["WireDataset", "WireEvent", "WireJob", "WireRun"]

WireFacets = dict[str, Raw] | None


class WireRun(Struct, gc=False):
    runId: str = ""
    facets: WireFacets = None


class WireJob(Struct, gc=False):
    namespace: str = ""
    name: str = ""
    facets: WireFacets = None


class WireDataset(Struct, gc=False):
    namespace: str = ""
    name: str = ""
    facets: WireFacets = None
    inputFacets: WireFacets = None
    outputFacets: WireFacets = None


class WireEvent(Struct, gc=False):
    eventTime: str | float | None = None
    eventType: str | None = None
    run: WireRun | None = None
    job: WireJob | None = None
    dataset: WireDataset | None = None
    inputs: list[WireDataset] | None = None
    outputs: list[WireDataset] | None = None
    producer: str | None = None
    schemaURL: str | None = None
