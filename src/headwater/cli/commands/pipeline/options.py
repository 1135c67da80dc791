"""Options that the commands of `headwater pipeline` share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["ConfOption", "MasterOption", "StoreOption", "WaitOption"]

StoreOption = Annotated[str | None, typer.Option("--store", help="Database URL instead of the embedded store.")]
MasterOption = Annotated[
    str, typer.Option("--master", help="Where Spark runs: local[*], spark://host:7077, yarn, k8s://..., sc://...")
]
ConfOption = Annotated[list[str] | None, typer.Option("--conf", help="A setting of Spark, key=value; may be repeated.")]
WaitOption = Annotated[
    str, typer.Option("--wait", help="Wait so long for another job that works on the same data: 0s, 10s, 5m, 1h.")
]
