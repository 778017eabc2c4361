"""The commands of background runs, `worker` and `runs wait|events|cancel`, and their options."""

from typing import Annotated

from typer import Option

from minerva_platform.cli.io.command import Options
from minerva_platform.cli.io.options import (
    AtOnce,
    Config,
    Grace,
    Language,
    Maybe,
    Out,
    RunOrLast,
    Tenant,
    TenantOptions,
)


class WorkerOptions(Options):
    """Work off the queue of background runs, beside any number of such processes.

    SIGTERM or Ctrl-C takes no more runs and waits for those at work; a second one ends at once.
    What did not end goes on in another process.
    """

    work = "background.worker:work"
    at_once: AtOnce = 4
    grace: Grace = 30.0
    until_empty: Annotated[
        bool, Option("--until-empty", help="End once no run waits or is at work, in any process.")
    ] = False
    language: Language = None
    config: Config = None
    team: Annotated[Maybe, Option(hidden=True)] = None
    """The one team of the server that it stands beside, if that serves one alone."""
    beside: Annotated[int | None, Option(hidden=True)] = None
    """The descriptor of the link to that server; None: it stands alone."""


class WaitOptions(TenantOptions):
    """Wait for a run, and print its answer. Ends as `ask` would."""

    work = "background.kept_runs:wait_for_run"
    run: RunOrLast
    seconds: Annotated[
        float | None,
        Option("--seconds", min=0, help="Wait at most so long; ends with 1 if it goes on."),
    ] = None
    out: Out = None


class EventsOptions(Options):
    """Print what happened in a background run, one JSON object a line, as the server streams it."""

    work = "background.kept_runs:print_events"
    run: RunOrLast
    follow: Annotated[
        bool, Option("--follow", help="Go on until the run is over, or asks a person.")
    ] = False
    tenant: Tenant = None
    config: Config = None


class CancelOptions(TenantOptions):
    """Cancel a run that waits or is at work, in whichever process."""

    work = "background.kept_runs:cancel"
    run: RunOrLast
    even_decided: Annotated[
        bool, Option("--even-decided", help="Also if it goes on with an approval.")
    ] = False


OF_RUNS = {"wait": WaitOptions, "events": EventsOptions, "cancel": CancelOptions}
"""Below `minerva runs`."""
