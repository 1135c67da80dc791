"""Every Cypher statement is bound to one tenant: each pattern of a node, and what it creates."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from headwater.store.assets.neo4j import cypher

ROOT = Path(cypher.__file__).resolve().parents[4] / "headwater"
_NODE = re.compile(r"(?<![\w)])\((\w+)((?::\w+)*)\s*(\{[^}]*\})?\)")
STATEMENTS = {
    **cypher.STATEMENTS,
    **{f"upsert {label}": cypher.upsert_nodes(label) for label in cypher.LABELS},
    **{f"upsert {kind}": cypher.upsert_edges(kind) for kind in cypher.EDGE_KINDS},
    **{f"near {similarity}": cypher.near_vectors(similarity) for similarity in ("cosine", "euclidean")},
    "scan": cypher.scan_vectors("Vector_8_cosine", "cosine"),
    "results": cypher.set_results("Vector_8_cosine"),
    **{f"delete {kind}": cypher.delete_edges(kind) for kind in cypher.EDGE_KINDS},
}


def wrong_patterns(statement: str) -> list[str]:
    """Patterns of nodes in MATCH and MERGE that are bound to no tenant, nor known from one that is."""
    known: set[str] = set()
    wrong = []
    patterns = [
        found
        for clause in re.findall(
            r"(?:MATCH|MERGE) (.*?)(?= WHERE | WITH | RETURN | SET | ON | DELETE | DETACH | REMOVE | UNWIND |$)",
            statement,
        )
        for found in [clause]
    ]
    for pattern in patterns:
        bound_edge = "tenantId: $tenant" in "".join(re.findall(r"\[[^\]]*\]", pattern))
        for name, labels, properties in _NODE.findall(pattern):
            is_bound = "tenantId: $tenant" in properties or (labels == ":Tenant" and "id: $tenant" in properties)
            if is_bound or (bound_edge and not labels and not properties):
                known.add(name)
            elif name not in known:
                wrong.append(f"{name}{labels}{properties}")
    return wrong


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_bound_to_a_tenant(name: str) -> None:
    assert wrong_patterns(STATEMENTS[name]) == []
    assert "$tenant" in STATEMENTS[name]


def test_those_about_the_schema_look_at_no_node() -> None:
    assert not [text for text in cypher.ABOUT_SCHEMA.values() if "(n" in text or "MATCH" in text or "MERGE" in text]


@pytest.mark.parametrize(
    "statement",
    [
        "MATCH (n:Knowledge {id: $id}) RETURN n",
        "MATCH (a:Knowledge {tenantId: $tenant})-[r]->(b) WHERE b.id = 1 RETURN b",
        "MATCH (n) DETACH DELETE n",
    ],
)
def test_one_that_is_not_is_found(statement: str) -> None:
    assert wrong_patterns(statement)


def test_there_are_no_others() -> None:
    """Cypher is written in one file; elsewhere nothing is run but what it gives."""
    for path in ROOT.rglob("*.py"):
        if path.name == "cypher.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"\bMATCH \(|\bMERGE \(", node.value), (path, node.value[:80])


@pytest.mark.parametrize("word", ["Table) DETACH DELETE (n", "", "Tenant"])
def test_labels_come_from_a_list(word: str) -> None:
    with pytest.raises(ValueError, match="no such"):
        cypher.upsert_nodes(word)
    with pytest.raises(ValueError, match="no such"):
        cypher.upsert_edges(word)
