"""Workers settle on cores of their own; what they start does not have to."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SETTLED = """
import os, subprocess, sys
from headwater.cores import everywhere, settle
settle(int(sys.argv[1]), int(sys.argv[2]))
child = subprocess.Popen(["sleep", "10"])
everywhere(child.pid)
print(len(os.sched_getaffinity(0)), len(os.sched_getaffinity(child.pid)))
child.kill()
"""


@pytest.mark.parametrize("spare", [0, 1])
def test_as_many_workers_as_cores_settle(spare: int) -> None:
    cores = len(os.sched_getaffinity(0))
    command = [sys.executable, "-c", SETTLED, str(cores - 1), str(cores + spare)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert list(map(int, told)) == [cores if spare else 1, cores]
