"""Questions about the graph: lineage, impact, paths, differences, lists and single things."""
