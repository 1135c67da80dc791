"""The jobs for `spark-submit`: `spark-submit [options] submit.py JOB ...`, as `headwater pipeline` takes them."""

import sys

if __name__ == "__main__":
    sys.path.pop(0)  # this folder, whose modules are no packages of their own
    from headwater.cli.main import main

    sys.argv[1:1] = ["pipeline"]
    main()
