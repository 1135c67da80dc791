"""Brings the results of a tenant's models up to date, for all nodes at once: missing results, their cost, and the work.

A switch of the model needs it: until each node has the new model's result, the old one stays active.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from headwater.deadline import check
from headwater.models.meter import estimated_tokens
from headwater.models.tenant_models import Model
from headwater.models.work import ModelWork
from headwater.store.models.configurations import Kind
from headwater.store.write.log import Tenant

__all__ = ["ORDER", "Enrichment", "Estimate"]

_PAGE = 500
ORDER: tuple[Kind, ...] = ("SUMMARY", "EMBEDDING")
"""Embeddings of statements follow from their summaries."""
_T = TypeVar("_T")


class Estimate(Struct, frozen=True):
    """Remaining work of a model, and its estimated cost."""

    kind: Kind
    fingerprint: str
    nodes: int
    """Nodes that have a text for it."""
    missing: int
    """Different texts without a result."""
    tokens: int
    price: float


class Enrichment:
    """One tenant's."""

    def __init__(self, work: ModelWork, tenant: Tenant) -> None:
        self._work, self._tenant = work, tenant

    def target(self, kind: Kind) -> Model | None:
        """The model that is to have all results: the one that is to follow, or else the one in force."""
        models = self._work.models
        return models.find(self._tenant.id, kind, "next") or models.find(self._tenant.id, kind)

    def pages(self) -> Iterator[list[bytes]]:
        """Keys of all nodes, of all that was committed before."""
        self._work.catch_up(self._tenant.id)
        last = b""
        while keys := self._work.graph.keys(self._tenant.id, last, _PAGE):
            check()
            yield keys
            last = keys[-1]

    def estimate(self) -> list[Estimate]:
        """Find missing results from the text of every node; for statements without a summary only that."""
        found = []
        for kind in ORDER:
            model = self.target(kind)
            if model is not None:
                found.append(self._estimate(model))
        return found

    def _estimate(self, model: Model) -> Estimate:
        nodes, characters, missing = 0, 0, set[bytes]()
        for keys in self.pages():
            texts = self._texts(model, keys)
            nodes += len(texts)
            known = self._work.results.known(
                self._tenant.id, model.kind, model.fingerprint, {content for _, content, _ in texts}
            )
            for _, content, length in texts:
                if content not in known and content not in missing:
                    missing.add(content)
                    characters += length
        tokens = estimated_tokens(characters, len(missing))
        price = round(tokens * model.configuration.price) / 1_000_000
        return Estimate(model.kind, model.fingerprint, nodes, len(missing), tokens, price)

    def _texts(self, model: Model, keys: Sequence[bytes]) -> list[tuple[bytes, bytes, int]]:
        """Node, hash and length of each text."""
        work, tenant = self._work, self._tenant.id
        nodes = work.nodes(tenant, keys)
        if model.kind == "SUMMARY":
            return [(item.node, item.hash, len(item.statement.text)) for item in work.texts.to_summarize(nodes, model)]
        texts = work.texts.to_embed(tenant, nodes, self.target("SUMMARY"))
        return [(item.node, item.hash, len(item.text)) for item in texts]

    def run_page(self, kind: Kind, keys: Sequence[bytes]) -> int:
        """Compute and store missing results of one kind for these nodes; gives their number.

        Raises the errors that end the job for now: `ModelRefused`, `BudgetSpent`, `CredentialRefused`.
        """
        model = self.target(kind)
        if model is None:
            return 0
        work, tenant, batch = self._work, self._tenant, model.configuration.batch
        nodes = work.nodes(tenant.id, keys)
        done = 0
        if kind == "SUMMARY":
            statements = work.texts.to_summarize(nodes, model)
            for some in _portions(statements, max(1, batch // 4)):
                found = work.summarize(tenant, model, some)
                work.results.write(tenant.id, kind, model.fingerprint, found)
                done += len(found)
            work.attach_known(tenant.id, model, statements)
            return done
        texts = work.texts.to_embed(tenant.id, nodes, self.target("SUMMARY"))
        for portion in _portions(texts, batch):
            vectors = work.embed(tenant, model, portion)
            work.results.write(tenant.id, kind, model.fingerprint, vectors)
            done += len(vectors)
        work.attach_known(tenant.id, model, texts)
        return done

    def run(self, progress: Callable[[int], None] = lambda _: None) -> dict[Kind, int]:
        """Compute all that is missing in this process: summaries first, since their embeddings follow from them."""
        done: dict[Kind, int] = {}
        for kind in ORDER:
            if self.target(kind) is not None:
                done[kind] = 0
                for keys in self.pages():
                    done[kind] += self.run_page(kind, keys)
                    progress(len(keys))
        self.finish()
        return done

    def finish(self) -> list[Kind]:
        """Put models that were to follow in force, if they have all results. Gives those that are in force now."""
        promoted: list[Kind] = []
        models, tenant = self._work.models, self._tenant.id
        for kind in ORDER:
            model = models.find(tenant, kind, "next")
            if model is None or self._estimate(model).missing:
                continue
            if models.configurations.promote(tenant, kind, model.fingerprint):
                promoted.append(kind)
        return promoted


def _portions(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), size):
        check()
        yield items[start : start + size]
