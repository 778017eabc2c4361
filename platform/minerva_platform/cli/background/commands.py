"""The grammar of the commands of background runs: `worker`, and `runs wait|events|cancel`."""

from typing import Annotated

import typer

from minerva_platform.cli.io.command import command
from minerva_platform.cli.io.options import (
    Config,
    RunOrLast,
    Tenant,
    TenantOptions,
    WaitOptions,
    WorkerOptions,
)

# ruff: noqa: PLC0415  # each command's imports wait for its call


@command
def worker(options: WorkerOptions) -> int:
    """Work off the queue of background runs, beside any number of such processes.

    SIGTERM or Ctrl-C takes no more runs and waits for those at work; a second one ends at once.
    What did not end goes on in another process.
    """
    from minerva_platform.cli.background.worker import work

    return work(options)


@command
def wait(options: WaitOptions) -> int:
    """Wait for a run, and print its answer. Ends as `ask` would."""
    from minerva_platform.cli.background.kept_runs import wait_for_run

    return wait_for_run(options)


def events(
    run: RunOrLast,
    *,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on until the run is over, or asks a person.")
    ] = False,
    tenant: Tenant = None,
    config: Config = None,
) -> None:
    """Print what happened in a background run, one JSON object a line, as the server streams it."""
    from minerva_platform.cli.background.kept_runs import print_events

    raise typer.Exit(print_events(run, tenant, follows=follow, config=config))


@command
def cancel(
    run: RunOrLast,
    *,
    even_decided: Annotated[
        bool, typer.Option("--even-decided", help="Also if it goes on with an approval.")
    ] = False,
    options: TenantOptions,
) -> int:
    """Cancel a run that waits or is at work, in whichever process."""
    from minerva_platform.cli.background.kept_runs import cancel as cancel_run

    return cancel_run(run, options, even_decided=even_decided)
