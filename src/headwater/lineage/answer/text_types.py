"""Text types of answers:

names, times, ids. The description of the API states them, so that generated clients have them too.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

__all__ = ["HitKind", "Id", "Instant", "JsonObject", "Relevance", "RoleName", "RunStatusName", "SeenAs"]

Instant = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""ISO 8601 in UTC."""
Id = Annotated[str, Meta(description="As in dataset:NAMESPACE:NAME, job:NAMESPACE:NAME or run:UUID.")]
JsonObject = Annotated[dict[str, Any], Meta(extra_json_schema={"additionalProperties": True})]
"""As a producer sent it, with whatever members."""
RunStatusName = Literal["UNKNOWN", "STARTED", "SUCCEEDED", "KILLED", "FAILED"]
RoleName = Literal["INPUT", "OUTPUT", "SUBJECT", "REFERENCE", "JOB"]
"""Role of a dataset in a run or job."""
SeenAs = Literal["REFERENCE", "INPUT", "OUTPUT", "SUBJECT", "SYMLINK"]
Relevance = Literal["EXACT_MATCH", "LATEST_KNOWN"]
HitKind = Literal["dataset", "column", "job", "run", "sql", "location", "user", "tag", "asset"]
