"""Column lineage inferred for some jobs, in plain Python; Spark runs the same for many jobs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from headwater.bounded_cache import BoundedCache
from headwater.graph.fact import Fact
from headwater.graph.fold import fold
from headwater.infer.statement import Inferred, StatementQuestion, infer_columns
from headwater.pipeline.infer.facts import inferred_facts
from headwater.pipeline.infer.gather import Candidate, gather
from headwater.store.read.reader import Reader
from headwater.store.write.inferred_shapes import InferredStore

__all__ = ["InferenceOutcome", "Understand", "infer_facts", "infer_jobs", "remembering"]

Understand = Callable[[StatementQuestion], Inferred]


class InferenceOutcome(Struct):
    """Result for some jobs."""

    statements: int = 0
    inferred: int = 0
    """Statements that gave column lineage."""
    written: int = 0
    removed: int = 0
    left_out: dict[str, int] = {}

    def add(self, other: InferenceOutcome) -> None:
        self.statements += other.statements
        self.inferred += other.inferred
        self.written += other.written
        self.removed += other.removed
        for reason, count in other.left_out.items():
            self.leave_out(reason, count)

    def leave_out(self, reason: str, count: int = 1) -> None:
        if count:
            self.left_out[reason] = self.left_out.get(reason, 0) + count


def infer_facts(
    candidates: Iterable[Candidate], outcome: InferenceOutcome, understand: Understand = infer_columns
) -> list[Fact]:
    """Facts inferred from the candidates' statements; edges reported by an engine take precedence."""
    facts: list[Fact] = []
    for candidate in candidates:
        outcome.statements += 1
        if not candidate.question.outputs:
            outcome.leave_out("no-output")
            continue
        if all(table.dataset in candidate.reported for table in candidate.question.outputs):
            outcome.leave_out("reported")
            continue
        found = understand(candidate.question)
        for reason, count in found.left_out.items():
            outcome.leave_out(reason, count)
        edges = {pair: columns for pair, columns in found.edges.items() if pair[1] not in candidate.reported}
        outcome.leave_out("reported", len(found.edges) - len(edges))
        if edges:
            outcome.inferred += 1
            facts += inferred_facts(candidate.original, candidate.evidence, edges)
    return facts


def infer_jobs(
    reader: Reader, store: InferredStore, tenant: int, jobs: set[bytes], understand: Understand = infer_columns
) -> InferenceOutcome:
    """Infer the column lineage of these jobs again; edges that no longer follow are removed."""
    outcome = InferenceOutcome()
    facts = infer_facts(gather(reader, tenant, jobs), outcome, understand)
    outcome.written, outcome.removed = store.replace(tenant, jobs, fold(facts))
    return outcome


def remembering(size: int = 10_000) -> Understand:
    """`infer_columns` with a memory: a job asks the same again and again."""
    cache: BoundedCache[Inferred] = BoundedCache(size)

    def understand(question: StatementQuestion) -> Inferred:
        known = cache.get(question)
        if known is None:
            known = infer_columns(question)
            cache.put(question, known)
        return known

    return understand
