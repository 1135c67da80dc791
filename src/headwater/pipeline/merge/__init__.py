"""Merge of facts as one native aggregation of Spark."""
