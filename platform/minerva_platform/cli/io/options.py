"""The options that commands take, each declared once."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from minerva_platform.cli.io.command import Options

Maybe = str | None
"""A text, if it is typed."""

Agent = Annotated[Maybe, Option("--agent", metavar="NAME")]
AnswerLanguage = Annotated[
    Maybe, Option("--language", metavar="ko|en", help="Answer in this language.")
]
AtOnce = Annotated[int, Option("--at-once", min=1, help="The most runs that it works on at once.")]
Config = Annotated[
    Path | None, Option("--config", metavar="DIR", help="The folder with platform.yaml.")
]
Grace = Annotated[
    float, Option("--grace", min=0, help="Seconds that runs have to end after a signal.")
]
Inputs = Annotated[
    list[Path] | None,
    Option("-i", "--input", metavar="PATH", help="A file or folder to work on; repeatable."),
]
Json = Annotated[bool, Option("--json", help="Print one JSON object and nothing else.")]
Language = Annotated[Maybe, Option("--language", metavar="ko|en", help="Speak this language.")]
Limit = Annotated[int, Option("--limit", min=1, help="How many runs to list.")]
NextRouter = Annotated[
    Maybe, Option("--router", metavar="NAME", help="Who chooses members from now on.")
]
Out = Annotated[
    Path | None, Option("--out", metavar="DIR", help="Write answer.md and all artifacts there.")
]
Question = Annotated[
    Maybe, Argument(metavar="[ID]", help="The question's id; not needed if it asks only one.")
]
Router = Annotated[
    Maybe,
    Option(
        "--router",
        metavar="NAME",
        help="Who chooses members: embedded, cascade, plan, step, tools or dispatch.",
    ),
]
Run = Annotated[str, Argument(metavar="RUN", help="The run's id, or its beginning.")]
RunOrLast = Annotated[str, Argument(metavar="ID", help="The run's id, its beginning, or `last`.")]
Sets = Annotated[
    list[str] | None,
    Option("--set", metavar="NAME=VALUE", help="A value as text or JSON; repeatable."),
]
Since = Annotated[
    Maybe, Option("--since", metavar="TIME", help="30m, 24h, 7d ago, or 2026-01-31T09:00.")
]
Source = Annotated[
    Maybe,
    Option(
        "--source",
        metavar="PATH",
        help="A file, a folder with all below it, or a pattern in quotes; default: this home.",
    ),
]
Team = Annotated[Maybe, Option("--team", metavar="NAME", help="Use this team alone.")]
TeamFilter = Annotated[Maybe, Option("--team", metavar="NAME")]
Tenant = Annotated[Maybe, Option("--tenant", metavar="NAME", help="Only what is of this tenant.")]
Text = Annotated[str, Argument(metavar="TEXT", help="What you want; - reads stdin.")]
Thread = Annotated[
    Maybe,
    Option(
        "--thread", metavar="ID", help="Go on in this thread, a conversation; `last` is the latest."
    ),
]
TokenJson = Annotated[bool, Option("--json", help="Print JSON and nothing else.")]
TokenName = Annotated[str, Argument(metavar="NAME", help="Who has it; audits name it.")]
Yes = Annotated[bool, Option("--yes", help="Do it without asking.")]


class OutputOptions(Options):
    """How a command speaks, and which configuration it reads."""

    as_json: Json = False
    language: Language = None
    config: Config = None


class TenantOptions(OutputOptions):
    """How a command speaks, and whose runs it sees."""

    tenant: Tenant = None


class RunsOptions(TenantOptions):
    """What may be typed after `minerva runs`."""

    limit: Limit = 20


class PruneOptions(TenantOptions):
    """What may be typed after `minerva prune`."""

    older_than: Annotated[
        Maybe, Option("--older-than", metavar="TIME", help="Runs that ended so long ago: 30d.")
    ] = None
    keep: Annotated[
        int | None,
        Option("--keep", min=0, metavar="N", help="All but the N newest that have ended."),
    ] = None
    run_ids: Annotated[
        list[str] | None,
        Option("--run", metavar="ID", help="This run, even if it waits; repeatable."),
    ] = None
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be removed.")] = False
    yes: Yes = False


class ForgetOptions(OutputOptions):
    """What may be typed after `minerva forget`."""

    thread: Annotated[Maybe, Argument(metavar="THREAD", help="A thread's id, or `last`.")] = None
    tenant: Annotated[
        Maybe, Option("--tenant", metavar="NAME", help="All of a tenant, or its THREAD.")
    ] = None
    yes: Yes = False


class BackupOptions(OutputOptions):
    """What may be typed after `minerva backup`."""

    file: Annotated[Path, Argument(metavar="FILE", help="A new file: store.tar.")]


class DoctorOptions(OutputOptions):
    """What may be typed after `minerva doctor`."""

    mend: Annotated[
        bool, Option("--mend", help="Remove what cannot be read; runs fall back or end.")
    ] = False
    is_copy: Annotated[
        bool, Option("--restored", help="Another tool made it as a copy: its runs rest.")
    ] = False
    is_the_store: Annotated[
        bool, Option("--this-is-the-store", help="Let runs of a restored copy go on.")
    ] = False
    yes: Yes = False


class EncryptOptions(OutputOptions):
    """What may be typed after `minerva encrypt`."""

    to_plain: Annotated[
        bool, Option("--to-plain", help="Turn the store to plain text instead.")
    ] = False


class WorkerOptions(Options):
    """What may be typed after `minerva worker`."""

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
    """What may be typed after `minerva runs wait`."""

    run: RunOrLast
    seconds: Annotated[
        float | None,
        Option("--seconds", min=0, help="Wait at most so long; ends with 1 if it goes on."),
    ] = None
    out: Out = None


class ResumeOptions(Options):
    """What may be typed after a command that lets a run go on."""

    tenant: Tenant = None
    out: Out = None
    as_json: Json = False
    router: NextRouter = None
    language: Language = None
    config: Config = None


class CreateOptions(Options):
    """What may be typed after `minerva token create`."""

    name: TokenName
    tenant: Annotated[str, Option("--tenant", help="Whose threads and runs it opens.")] = "local"
    scopes: Annotated[str, Option("--scope", help="What it opens, of: read,run,approve,admin.")] = (
        "read,run,approve"
    )
    teams: Annotated[
        list[str] | None,
        Option("--team", metavar="NAME", help="It may ask this only; may be repeated."),
    ] = None
    days: Annotated[
        float | None, Option("--days", min=0, help="It expires after so many days.")
    ] = None
    as_json: TokenJson = False
    language: Language = None
    config: Config = None


class EvalOptions(OutputOptions):
    """What may be typed after `minerva eval`."""

    file: Annotated[
        Path,
        Argument(
            metavar="FILE",
            help="Requests with `text`, `teams` and more: YAML, or JSON Lines (.jsonl).",
        ),
    ]
    least: Annotated[
        float | None,
        Option("--min", min=0, max=1, metavar="SHARE", help="End with 3 if fewer are right: 0.9."),
    ] = None
    is_run: Annotated[
        bool, Option("--run", help="Run each request: workers work, answers are judged, too.")
    ] = False
    team: Team = None
    router: Router = None


class AddOptions(OutputOptions):
    """What may be typed after `minerva route add`."""

    text: Annotated[
        str, Argument(metavar="TEXT", help="The request, as people type it; - reads stdin.")
    ]
    to: Annotated[
        Maybe, Option("--to", metavar="WORKER", help="The worker that it should reach.")
    ] = None
    decline: Annotated[bool, Option("--decline", help="No team serves it.")] = False
    team: Annotated[
        Maybe,
        Option("--team", metavar="NAME", help="With --decline: the team; else the one asked now."),
    ] = None
    source: Annotated[
        bool,
        Option(
            "--source", help="Write to examples/WORKER.txt of a team that is installed editable."
        ),
    ] = False
    yes: Annotated[bool, Option("--yes", help="Write it without asking.")] = False


class AuditOptions(Options):
    """What may be typed after `minerva audit`."""

    since: Since = None
    tenant: Tenant = None
    config: Config = None


class NewTeamOptions(Options):
    """What may be typed after `minerva new team`: without a source, a worker of several steps."""

    name: Annotated[str, Argument(metavar="NAME", help="snake_case, such as billing.")]
    minimal: Annotated[
        bool, Option("--minimal", help="One file of a worker, one of a team, one of tests.")
    ] = False
    function: Annotated[
        Maybe,
        Option(
            "--from-function",
            metavar="MODULE:NAME",
            help="Its worker calls a function of yours, `def f(request: str) -> str`; "
            "./file.py:NAME, too.",
        ),
    ] = None
    graph: Annotated[
        Maybe,
        Option(
            "--from-graph",
            metavar="MODULE:NAME",
            help="Its worker runs a LangGraph graph of yours, compiled or not, or a function that "
            "returns one; ./file.py:NAME, too.",
        ),
    ] = None
    router: Annotated[
        Maybe,
        Option(
            "--router",
            metavar="NAME",
            help="A model leads the team: `tools`, one tool for each member, or `dispatch`, one "
            "for all. Without a model the examples lead.",
        ),
    ] = None
    directory: Annotated[
        Path | None,
        Option(
            "--dir",
            metavar="DIR",
            help="A new folder, outside MINERVA's checkout. Without it: minerva-team-NAME, "
            "beside the checkout you stand in, else here.",
        ),
    ] = None
