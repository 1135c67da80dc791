"""The jobs: each has a `run` function, for the command line, `spark-submit` and the tests alike."""
