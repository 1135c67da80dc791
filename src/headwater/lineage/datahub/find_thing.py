"""Finds the thing of a URN: an end of edges, or a flow, which is a job of its name."""

from __future__ import annotations

from headwater.lineage.by_hand.ends import End, named_end, new_end
from headwater.lineage.by_hand.find_ends import find_ends
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.by_hand.urns import Urn, parse_urn
from headwater.openlineage.naming import job_id
from headwater.store.read.reader import Reader

__all__ = ["find_thing"]


def find_thing(reader: Reader, tenant: int, text: str, env: str) -> tuple[Urn, End]:
    """The parsed URN and the thing it names, whether or not that exists."""
    urn = parse_urn(text)
    if urn.entity == "dataFlow":
        node = job_id(urn.platform, urn.name)
        name = reader.names(tenant, [node]).get(node)
        end = named_end(name, EndType.JOB) if name is not None else new_end(EndType.JOB, urn.platform, urn.name)
        return urn, end
    end_or_error = find_ends(reader, tenant, [text], env)[text]
    if not isinstance(end_or_error, End):
        raise end_or_error
    return urn, end_or_error
