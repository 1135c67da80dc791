"""Record what the Python client sends: one event of every kind, most facets, plain and gzipped.

python scripts/record/client.py
"""

from __future__ import annotations

from pathlib import Path

from capture import capture
from workshop import environment, keep, run, working_folder

REQUIREMENTS = ("openlineage-python==1.54.0",)


def main() -> None:
    python = environment("client", *REQUIREMENTS) / "bin" / "python"
    folder = working_folder("client")
    captured = folder / "events.ndjson"
    with capture(captured) as url:
        run(python, Path(__file__).parent / "applications" / "client_application.py", url)
    keep(captured, "client", folder)


if __name__ == "__main__":
    main()
