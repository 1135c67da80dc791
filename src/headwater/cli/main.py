"""The command and its subcommands. Each imports its modules when it runs, so that all of them start fast."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from headwater import __version__
from headwater.cli.commands import demo, dump, fold, sql
from headwater.cli.commands.administration import dead_letters, edit, emit, graph, key, model, policy, task, tenant
from headwater.cli.commands.pipeline import commands as pipeline
from headwater.cli.commands.questions import (
    assets,
    attention,
    changes,
    diff,
    explain,
    impact,
    lineage,
    lists,
    paths,
    search,
    show,
    usage,
)
from headwater.cli.commands.server import config, migrate, up, worker
from headwater.cli.output.terminal import say
from headwater.errors import HeadwaterError

__all__ = ["app", "main"]

app = typer.Typer(
    name="headwater",
    help="Where does this column come from, what happened to it on the way, and what breaks if I change it?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_MODULES = (
    up,
    show,
    search,
    lists,
    lineage,
    impact,
    paths,
    explain,
    diff,
    changes,
    usage,
    assets,
    attention,
    edit,
    sql,
    dump,
    fold,
    pipeline,
    tenant,
    model,
    key,
    dead_letters,
    task,
    emit,
    policy,
    graph,
)
for module in (*_MODULES, worker, migrate, config, demo):
    module.register(app)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False) -> None:
    if version:
        say(f"headwater {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command; an error of ours is a message and exit code 1, never a stack trace."""
    try:
        app()
    except HeadwaterError as error:
        where = f" (at {error.path})" if error.path else ""
        say(f"headwater: {error.message}{where}", colour="red", err=True)
        if error.hint:
            say(f"  {error.hint}", err=True)
        for problem in getattr(error, "errors", ())[1:]:
            say(f"headwater: {problem.get('message')} (at {problem.get('path')})", colour="red", err=True)
            if problem.get("hint"):
                say(f"  {problem['hint']}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
