"""The jobs: each has a `run` function, used by the command line, `spark-submit` and the tests."""
