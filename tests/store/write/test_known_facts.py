"""What was committed is not written again, and nothing else is left out."""

from __future__ import annotations

from headwater.graph.facts import Evidence, Namespace, Node, Run, RunShape, Seen
from headwater.interpret.interpret import Interpretation, interpret
from headwater.openlineage.decode import decode_event
from headwater.store.write.known_facts import Known
from tests.api.test_ingest import event

ALWAYS = {Evidence, Run, RunShape}
"""What every event writes, whatever is known."""


def said(body: bytes) -> Interpretation:
    return interpret(decode_event(body), 1)


def kinds(known: Known, interpretation: Interpretation) -> set[type]:
    return {type(fact) for fact in known.new_facts(interpretation)}


def learnt(*interpretations: Interpretation) -> Known:
    known = Known()
    for interpretation in interpretations:
        known.learn([interpretation], known.new_facts(interpretation))
    return known


def test_a_known_shape_brings_only_what_is_its_own() -> None:
    first = said(event("j"))
    assert kinds(learnt(), first) > ALWAYS
    assert kinds(learnt(first), first) == ALWAYS


def test_a_new_shape_of_known_names_brings_no_names() -> None:
    first = said(event("j", inputs=[{"namespace": "n", "name": "d"}]))
    facets = {"schema": {"fields": [{"name": "a"}]}}
    changed = said(event("j", inputs=[{"namespace": "n", "name": "d", "facets": facets}]))
    assert Node not in kinds(learnt(first), changed)
    assert kinds(learnt(first), changed) > ALWAYS


def test_an_earlier_event_tells_since_when() -> None:
    late = said(event("j"))
    early = said(event("j", eventTime="2025-01-02T03:04:05Z"))
    assert early.time < late.time
    assert {Node, Namespace} <= kinds(learnt(late), early)
    assert kinds(learnt(late, early), late) == ALWAYS


def test_knowing_a_name_is_not_knowing_since_when() -> None:
    """A job that was only mentioned, of no time, and then is one of the names of a shape."""
    known, interpretation = Known(), said(event("j"))
    dated = interpretation.description.dated
    known.learn([], [fact for fact in dated if isinstance(fact, Node)])
    assert Node in kinds(known, interpretation)


def test_the_same_dataset_in_another_role_is_news() -> None:
    dataset = [{"namespace": "n", "name": "d"}]
    read, written = said(event("j", inputs=dataset, outputs=[])), said(event("j", outputs=dataset))
    nodes = [fact for fact in learnt(read).new_facts(written) if isinstance(fact, Node)]
    assert [node.seen for node in nodes] == [Seen.OUTPUT]
