"""Every Cypher statement that Headwater runs. Each is bound to one tenant, except those that make the schema.

Labels and kinds of edges cannot be parameters of Cypher; they are put in from fixed lists, and never from an event.
"""

from __future__ import annotations

import re

from headwater.store.assets.neo4j.values import properties_of

__all__ = [
    "ABOUT_SCHEMA",
    "EDGE_KINDS",
    "LABELS",
    "RESULTS",
    "SCHEMA",
    "STATEMENTS",
    "delete_edges",
    "drop_constraint",
    "near_vectors",
    "outdated",
    "scan_vectors",
    "set_results",
    "upsert_edges",
    "upsert_nodes",
    "vector_index",
    "vector_label",
]

LABELS = (
    "Catalog",
    "Schema",
    "Table",
    "Column",
    "SQL",
    "AtomicMetric",
    "DerivedMetric",
    "CompositeMetric",
    "WordRoot",
    "Modifier",
    "Unit",
    "ValueDomain",
    "Tag",
    "Chart",
    "Dashboard",
)
EDGE_KINDS = (
    "OWNS_CATALOG",
    "OWNS_SQL",
    "OWNS_TAG",
    "OWNS_METRIC",
    "OWNS_WORDROOT",
    "OWNS_MODIFIER",
    "OWNS_UNIT",
    "OWNS_VALUEDOMAIN",
    "OWNS_CHART",
    "OWNS_DASHBOARD",
    "HAS_SCHEMA",
    "HAS_TABLE",
    "HAS_COLUMN",
    "HAS_METRIC",
    "INPUT_OF",
    "OUTPUT_TO",
    "DERIVES_FROM",
    "MEASURES",
    "FILTERS_BY",
    "DERIVED_FROM",
    "COMPUTED_FROM",
    "HAS_VALUE_DOMAIN",
    "HAS_TAG",
    "SYMLINK",
)
_FAMILIES = (("AtomicMetric", "DerivedMetric", "CompositeMetric"), ("Table", "Chart", "Dashboard"))
"""Labels of which a node may get another one later."""


def _constraint(label: str) -> str:
    """The name of the constraint that makes nodes of a label unique within a tenant.

    >>> _constraint("WordRoot"), _constraint("AtomicMetric")
    ('wordroot_tenant_id_uk', 'atomic_metric_tenant_id_uk')
    """
    return f"{label.replace('Metric', '_metric').lower()}_tenant_id_uk"


_NODE = "n.id AS id, labels(n) AS labels, properties(n) AS properties"
_EDGE = (
    "CASE WHEN a:Tenant THEN 'tenant' ELSE a.id END AS source, type(r) AS kind, b.id AS target, "
    "properties(r) AS properties"
)
_BARE_EDGE = _EDGE.replace("properties(r)", "CASE WHEN $bare THEN {} ELSE properties(r) END")

RESULTS = (
    "embedding",
    "embeddingUpdatedAt",
    "embeddingProvider",
    "summary",
    "tags",
    "tagsOrigin",
    "summaryGeneratedAt",
)
"""Properties that models computed."""

STATEMENTS: dict[str, str] = {
    "put tenant": (
        "MERGE (t:Tenant {id: $tenant}) "
        "ON CREATE SET t.code = $code, t.name = $name, t.createdAt = $now, t.updatedAt = $now "
        "WITH t WHERE t.code <> $code OR t.name <> $name "
        "SET t.code = $code, t.name = $name, t.updatedAt = $now"
    ),
    "delete nodes": "UNWIND $ids AS id MATCH (n:Knowledge {tenantId: $tenant, id: id}) DETACH DELETE n",
    "get nodes": f"UNWIND $ids AS id MATCH (n:Knowledge {{tenantId: $tenant, id: id}}) RETURN {_NODE}",
    "edges out": (
        "UNWIND $ids AS id MATCH (a:Knowledge {tenantId: $tenant, id: id})-[r]->(b:Knowledge {tenantId: $tenant}) "
        f"WHERE size($kinds) = 0 OR type(r) IN $kinds RETURN {_BARE_EDGE} LIMIT $limit"
    ),
    "edges in": (
        "UNWIND $ids AS id MATCH (a)-[r {tenantId: $tenant}]->(b:Knowledge {tenantId: $tenant, id: id}) "
        f"WHERE size($kinds) = 0 OR type(r) IN $kinds RETURN {_BARE_EDGE} LIMIT $limit"
    ),
    "edges of tenant": (
        "MATCH (a:Tenant {id: $tenant})-[r]->(b:Knowledge {tenantId: $tenant}) "
        f"WHERE size($kinds) = 0 OR type(r) IN $kinds RETURN {_BARE_EDGE} LIMIT $limit"
    ),
    "all nodes": (
        f"MATCH (n:Knowledge {{tenantId: $tenant}}) WHERE n.id > $after RETURN {_NODE} ORDER BY n.id LIMIT $limit"
    ),
    "edges of nodes": (
        "UNWIND $ids AS id MATCH (a)-[r {tenantId: $tenant}]->(b:Knowledge {tenantId: $tenant, id: id}) "
        f"RETURN {_EDGE}"
    ),
    "count all": "MATCH (n:Knowledge {tenantId: $tenant}) RETURN count(n) AS count",
}

ABOUT_SCHEMA: dict[str, str] = {
    "vector labels": "CALL db.labels() YIELD label WHERE label STARTS WITH 'Vector_' RETURN label",
    "vector indexes": "SHOW VECTOR INDEXES YIELD name RETURN name",
    "constraints": (
        "SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties "
        "WHERE type = 'UNIQUENESS' AND entityType = 'NODE' RETURN name, labelsOrTypes AS labels, properties"
    ),
}
"""Statements about labels, constraints and indexes; they read no node."""

SCHEMA: tuple[str, ...] = (
    "CREATE CONSTRAINT tenant_id_uk IF NOT EXISTS FOR (t:Tenant) REQUIRE t.id IS UNIQUE",
    "CREATE CONSTRAINT tenant_code_uk IF NOT EXISTS FOR (t:Tenant) REQUIRE t.code IS UNIQUE",
    "CREATE CONSTRAINT knowledge_tenant_id_uk IF NOT EXISTS FOR (n:Knowledge) REQUIRE (n.tenantId, n.id) IS UNIQUE",
    *(
        f"CREATE CONSTRAINT {_constraint(label)} IF NOT EXISTS FOR (n:{label}) REQUIRE (n.tenantId, n.id) IS UNIQUE"
        for label in LABELS
    ),
    (
        "CREATE FULLTEXT INDEX knowledge_text IF NOT EXISTS FOR (n:Knowledge) "
        "ON EACH [n.name, n.description, n.summary, n.content, n.tags, n.code, n.items]"
    ),
    "CREATE FULLTEXT INDEX sql_text IF NOT EXISTS FOR (n:SQL) ON EACH [n.content, n.summary, n.tags]",
)
"""Constraints and indexes; each may be run again."""


def outdated(name: str, label: str, properties: list[str]) -> bool:
    """Whether a constraint of another time stands in the way: an id that is unique in all tenants together, or a name.

    >>> outdated("table_id", "Table", ["id"]), outdated("tenant_id_uk", "Tenant", ["id"])
    (True, False)
    >>> outdated("unit_uk", "Unit", ["tenantId", "id"]), outdated("unit_tenant_id_uk", "Unit", ["tenantId", "id"])
    (True, False)
    """
    if label not in (*LABELS, "Knowledge"):
        return False
    return properties == ["id"] or (sorted(properties) == ["id", "tenantId"] and name != _constraint(label))


def drop_constraint(name: str) -> str:
    quoted = name.replace("`", "``")
    return f"DROP CONSTRAINT `{quoted}` IF EXISTS"


def upsert_nodes(label: str, vector_labels: tuple[str, ...] | None = None) -> str:
    """Create or change nodes of one label. Missing properties are removed; those of others stay.

    With `vector_labels`, all existing ones, results of models are removed, too.
    """
    gone = [
        f"n.{name}" for name in (*properties_of(_known(label, LABELS)), *(RESULTS if vector_labels is not None else ()))
    ]
    gone += [f"n:{other}" for family in _FAMILIES if label in family for other in family if other != label]
    gone += [f"n:{_vector(other)}" for other in vector_labels or ()]
    return (
        "UNWIND $rows AS row MERGE (n:Knowledge {tenantId: $tenant, id: row.id}) "
        f"SET n:{label} REMOVE {', '.join(gone)} SET n += row.properties"
    )


def set_results(label: str | None) -> str:
    """Set results of models on existing nodes; never creates a node."""
    added = f"SET n:{_vector(label)} " if label is not None else ""
    return f"UNWIND $rows AS row MATCH (n:Knowledge {{tenantId: $tenant, id: row.id}}) {added}SET n += row.properties"


def near_vectors(similarity: str) -> str:
    """Hits of the index in one tenant. The index rounds vectors, so scores are computed from those of the nodes."""
    return (
        "CALL db.index.vector.queryNodes($index, $most, $vector) YIELD node AS n "
        "WITH n WHERE n.tenantId = $tenant "
        "AND n.embedding IS NOT NULL AND (size($labels) = 0 OR any(label IN labels(n) WHERE label IN $labels)) "
        f"RETURN n.id AS id, {_score(similarity)} AS score ORDER BY score DESC, id LIMIT $limit"
    )


def scan_vectors(label: str, similarity: str) -> str:
    """The nearest of all nodes of a tenant in a vector space, where the index has found too few."""
    return (
        f"MATCH (n:{_vector(label)} {{tenantId: $tenant}}) "
        "WHERE n.embedding IS NOT NULL AND (size($labels) = 0 OR any(label IN labels(n) WHERE label IN $labels)) "
        f"RETURN n.id AS id, {_score(similarity)} AS score "
        "ORDER BY score DESC, id LIMIT $limit"
    )


def _score(similarity: str) -> str:
    if similarity not in ("cosine", "euclidean"):
        raise ValueError(f"no such similarity: {similarity!r}")
    return f"vector.similarity.{similarity}(n.embedding, $vector)"


def _vector(label: str) -> str:
    if re.fullmatch(r"Vector_\d{1,4}_(cosine|euclidean)", label) is None:
        raise ValueError(f"no label of a vector space: {label!r}")
    return label


def upsert_edges(kind: str) -> str:
    """Create or change edges of one kind; both ends must be there."""
    return (
        f"UNWIND $rows AS row {_source(kind)} MATCH (b:Knowledge {{tenantId: $tenant, id: row.target}}) "
        f"MERGE (a)-[r:{_known(kind, EDGE_KINDS)}]->(b) SET r = row.properties, r.tenantId = $tenant"
    )


def delete_edges(kind: str) -> str:
    return (
        f"UNWIND $rows AS row {_source(kind)} "
        f"MATCH (a)-[r:{_known(kind, EDGE_KINDS)}]->(b:Knowledge {{tenantId: $tenant, id: row.target}}) DELETE r"
    )


def vector_label(dimension: int, similarity: str) -> str:
    """The further label of nodes whose vectors are of one space.

    >>> vector_label(1024, "cosine")
    'Vector_1024_cosine'
    """
    if not 1 <= dimension <= 4096 or similarity not in ("cosine", "euclidean"):
        raise ValueError(f"no vector space: {dimension} {similarity}")
    return f"Vector_{dimension}_{similarity}"


def vector_index(dimension: int, similarity: str) -> str:
    """The index of one vector space. Neo4j has one for each label and property."""
    label = vector_label(dimension, similarity)
    return (
        f"CREATE VECTOR INDEX {label.lower()} IF NOT EXISTS FOR (n:{label}) ON n.embedding OPTIONS {{indexConfig: "
        f"{{`vector.dimensions`: {dimension}, `vector.similarity_function`: '{similarity}'}}}}"
    )


def _source(kind: str) -> str:
    if kind.startswith("OWNS_"):
        return "MATCH (a:Tenant {id: $tenant})"
    return "MATCH (a:Knowledge {tenantId: $tenant, id: row.source})"


def _known(word: str, words: tuple[str, ...]) -> str:
    if word not in words:
        raise ValueError(f"no such label or kind of edge: {word!r}")
    return word
