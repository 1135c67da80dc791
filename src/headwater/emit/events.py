"""One step of a version as an OpenLineage event: the same bytes for the same answers of the overlay and settings."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from headwater.emit.answers import Bundle
from headwater.emit.canonical import bundle_hash
from headwater.emit.configuration import Overlay
from headwater.emit.errors import BadOverlayAnswer
from headwater.emit.steps import Step
from headwater.openlineage.identity import run_uuid
from headwater.openlineage.times import format_time, parse_time

__all__ = ["event_body", "hash_of", "original_run_id"]

_SPEC = "https://openlineage.io/spec"
_EVENT = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
_NOMINAL = f"{_SPEC}/facets/1-0-1/NominalTimeRunFacet.json#/$defs/NominalTimeRunFacet"
_QUERY = f"{_SPEC}/facets/1-0-2/ExternalQueryRunFacet.json#/$defs/ExternalQueryRunFacet"
_SOURCE = f"{_SPEC}/facets/1-0-1/DatasourceDatasetFacet.json#/$defs/DatasourceDatasetFacet"
_TYPES = {"start": "START", "abort": "ABORT"}
"""By kind of step; all others are COMPLETE."""
_REORG = {"unstable": True, "stable": False, "abort": True}


def hash_of(overlay: Overlay, members: dict[str, Any]) -> str:
    """The hash of a bundle as it was sent. Raises `BadOverlayAnswer` for JSON without a canonical form."""
    try:
        return bundle_hash(members, overlay.volatile)
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise BadOverlayAnswer(f"A bundle of the overlay {overlay.name} has no canonical form: {reason}.") from None


def original_run_id(bundle: Bundle, step: Step) -> str:
    """Id of the run in the overlay: the transaction, or a digest of version and creation time.

    >>> bundle = Bundle("v1", "2026-01-01T00:00:00Z", txid="ab12")
    >>> original_run_id(bundle, Step("publish", "publish", 0))
    'ab12'
    """
    if step.kind == "recall" and bundle.recall is not None:
        return _sha256(f"recall|{bundle.version_id}|{bundle.recall.txid or bundle.recall.at}")
    return bundle.txid or _sha256(f"{bundle.version_id}|{bundle.created_at}")


def event_body(overlay: Overlay, bundle: Bundle, content: str, step: Step) -> bytes:
    """The event of a step; `content` is the hash of the bundle."""
    namespace, original = overlay.namespace, original_run_id(bundle, step)
    parents = dict.fromkeys(bundle.parents)
    event = {
        "eventType": _TYPES.get(step.kind, "COMPLETE"),
        "eventTime": format_time(step.time),
        "run": {"runId": str(run_uuid(original)), "facets": _run_facets(overlay, bundle, content, step, original)},
        "job": {"namespace": namespace, "name": _job_name(overlay, bundle)},
        "inputs": [{"namespace": namespace, "name": parent} for parent in parents],
        "outputs": [
            {
                "namespace": namespace,
                "name": bundle.version_id,
                "facets": _dataset_facets(overlay, bundle, len(parents)),
            }
        ],
        "producer": overlay.producer,
        "schemaURL": _EVENT,
    }
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def _job_name(overlay: Overlay, bundle: Bundle) -> str:
    if overlay.job_by == "versionId":
        return f"publish::{bundle.version_id}"
    return f"publish::{bundle.txid or _sha256(f'{bundle.version_id}|{bundle.created_at}')}"


def _run_facets(overlay: Overlay, bundle: Bundle, content: str, step: Step, original: str) -> dict[str, Any]:
    published = step.kind != "recall"
    began = parse_time(bundle.created_at) or 0 if published else step.time
    spv: dict[str, Any] = {
        "confs": step.confs,
        "bundleUrl": overlay.bundle_url(bundle.version_id),
        "bundleHash": content,
    }
    if step.decision is not None:
        spv["readyDecision"] = step.decision
    if step.reasons:
        spv["readyReasons"] = list(step.reasons)
    facets = {
        "nominalTime": _standard(overlay, _NOMINAL, {"nominalStartTime": format_time(began)}),
        "gitdataSpv": _own(overlay, "gitdataSpv", spv),
        "externalQuery": _standard(overlay, _QUERY, {"externalQueryId": original, "source": overlay.namespace}),
    }
    if step.kind in _REORG:
        facets["reorgFacet"] = _own(overlay, "reorgFacet", {"unstable": _REORG[step.kind], "reason": "reorg"})
    if not published:
        facets["lifecycleStateChange"] = _own(overlay, "lifecycleStateChange", {"lifecycleState": "RETRACTED"})
    return facets


def _dataset_facets(overlay: Overlay, bundle: Bundle, parents: int) -> dict[str, Any]:
    content = {"contentHash": bundle.content_hash} if bundle.content_hash is not None else {}
    provenance: dict[str, Any] = {}
    if bundle.producer_identity_key is not None:
        provenance["producerIdentityKey"] = bundle.producer_identity_key
    provenance["parentsCount"] = parents
    if bundle.lineage_depth is not None:
        provenance["lineageDepth"] = bundle.lineage_depth
    version = {**content, "createdAt": bundle.created_at, "type": "dlm1"}
    return {
        "datasetVersion": _own(overlay, "datasetVersion", version),
        "dataSource": _standard(overlay, _SOURCE, {"name": "gitdata", "uri": overlay.listing_url(bundle.version_id)}),
        "gitdataProvenance": _own(overlay, "gitdataProvenance", provenance),
    }


def _standard(overlay: Overlay, schema: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"_producer": overlay.producer, "_schemaURL": schema, **members}


def _own(overlay: Overlay, name: str, members: dict[str, Any]) -> dict[str, Any]:
    """A facet that only the adapter has."""
    return _standard(overlay, f"{overlay.producer}/facets/{name}", members)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
