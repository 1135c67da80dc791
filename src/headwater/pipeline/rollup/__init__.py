"""Derived tables out of facts, as Spark transforms. `headwater.graph.rollup` is the same in plain Python."""
