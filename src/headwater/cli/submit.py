"""The jobs for `spark-submit`: `spark-submit [options] submit.py JOB ...`, as `headwater pipeline` takes them."""

import sys

if __name__ == "__main__":
    sys.path.pop(0)  # this folder, whose modules are no packages of their own
    from pyspark import SparkConf

    from headwater.cli.main import main

    sys.argv[1:1] = ["pipeline"]
    master = SparkConf().get("spark.master")  # the one that spark-submit was told
    if master:
        sys.argv += ["--master", master]
    main()
