"""What everybody is going to ask, looked up before anybody does."""

from __future__ import annotations

from headwater.store.cache.graph_loader import Survey, survey_of
from headwater.store.cache.tenant_graph import MOST
from headwater.store.read.aliases import Aliases, sight_of
from headwater.store.read.lookup import Lookup, looking
from headwater.store.read.names import names_of
from headwater.store.read.reader import Reader

__all__ = ["warm"]

_PAGE = 5_000


def warm(reader: Reader, tenant: int) -> bool:
    """Read a tenant's graph, so that who asks need not wait for that; False if it cannot be remembered as a whole."""
    with looking(reader.engine) as lookup:
        chart, version = sight_of(reader, tenant, lookup)
        aliases = Aliases(reader, tenant, lookup, memory=chart.aliases)
        if version < 0 or aliases.any_renames:
            return False

        def shown(nodes: list[bytes]) -> dict[bytes, bytes]:
            aliases.learn(nodes)
            return {node: other for node in nodes if (other := aliases.canonical(node)) != node}

        chart.begin_survey()
        # Each part of a shape is counted some six times: at its job and at its dataset, with what belongs to them.
        survey = survey_of(tenant, lookup, shown, reader.shapes, MOST // 6)
        if survey is not None:
            chart.take(survey)
            _names(reader, tenant, lookup, survey)
        return survey is not None


def _names(reader: Reader, tenant: int, lookup: Lookup, survey: Survey) -> None:
    """What all nodes are called, as long as there is room for it."""
    nodes = sorted({*survey.readers, *survey.sources, *survey.targets})
    for start in range(0, len(nodes), _PAGE):
        if reader.called.is_nearly_full:
            return
        for node, name in names_of(tenant, lookup, nodes[start : start + _PAGE]).items():
            reader.called.put(tenant, node, name, 1)
