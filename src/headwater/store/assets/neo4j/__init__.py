"""The asset graph on a Neo4j server."""
