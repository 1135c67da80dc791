"""The rule for one output of many: what a shape says is gone through once, however many outputs it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from headwater.graph.current.flows import JobShapes, is_contested, is_simple, parts_of, sources_of
from headwater.graph.current.shape_body import ShapeBody, ShapePart


class Watched:
    """A shape that counts how often all of its outputs, or all of its edges, are gone through."""

    def __init__(self, body: ShapeBody) -> None:
        self._body, self.gone_through = body, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)

    @property
    def writes(self) -> Iterator[bytes]:
        self.gone_through += 1
        return self._body.writes

    @property
    def stated(self) -> Iterator[tuple[bytes, bytes]]:
        self.gone_through += 1
        return self._body.stated


def test_many_outputs_cost_no_more_each() -> None:
    targets = [b"t%d" % number for number in range(50)]
    outputs = tuple(ShapePart(target, None, 0, explicit=False) for target in targets)
    inputs = (ShapePart(b"s", None, 0, explicit=False),)
    edges = tuple((b"s", target) for target in targets)
    body = ShapeBody(b"1", "RUN", b"j", None, None, None, None, inputs, outputs, (), (), (), edges)
    watched = Watched(body)
    record = JobShapes(b"j", {b"1": cast("ShapeBody", watched)}, {})
    record.index()
    for target in targets:
        assert sources_of(record, [target]) == {b"s"}
        assert not is_contested(record, [target])
        assert len(list(parts_of(record, [target], None))) == 1
    assert is_simple(record, {})
    assert watched.gone_through < 10
