"""From notes of changed nodes to the tasks that their texts need."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from headwater.models.tenant_models import Model
from headwater.models.texts.node_texts import NodeText
from headwater.models.work import ModelWork
from headwater.store.models.configurations import Kind
from headwater.store.write.log import Tenant
from headwater.tasks.handler import NewTask, TaskNote

__all__ = ["ModelPlanner", "embedding_tasks"]


class ModelPlanner:
    """Plans for the models in force; a tenant without one has no tasks."""

    def __init__(self, work: ModelWork) -> None:
        self._work = work

    def plan(self, tenant: Tenant, notes: Sequence[TaskNote]) -> list[NewTask]:
        return self.plan_nodes(tenant, {note.node for note in notes})

    def plan_nodes(self, tenant: Tenant, keys: Collection[bytes]) -> list[NewTask]:
        work = self._work
        models: dict[Kind, Model] = {
            model.kind: model for model in work.models.all(tenant.id) if model.place == "active"
        }
        if not models:
            return []
        nodes = work.nodes(tenant.id, keys)
        tasks: list[NewTask] = []
        summaries, embeddings = models.get("SUMMARY"), models.get("EMBEDDING")
        if summaries is not None:
            statements = work.texts.to_summarize(nodes, summaries)
            known = work.attach_known(tenant.id, summaries, statements)
            tasks += [
                NewTask("SQL_SUMMARY", "SQL", item.node.hex(), item.hash.hex(), summaries.fingerprint)
                for item in statements
                if item.hash not in known
            ]
        if embeddings is not None:
            texts = work.texts.to_embed(tenant.id, nodes, embeddings, summaries)
            known = work.attach_known(tenant.id, embeddings, texts)
            tasks += embedding_tasks([item for item in texts if item.hash not in known], embeddings)
        return tasks


def embedding_tasks(texts: Sequence[NodeText], model: Model) -> list[NewTask]:
    return [NewTask("EMBEDDING", item.label, item.node.hex(), item.hash.hex(), model.fingerprint) for item in texts]
