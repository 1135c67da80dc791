"""The pipeline: everything that touches many events, on Spark through PySpark.

The same `interpret` and the same merge rules as the online path, run at scale.
"""
