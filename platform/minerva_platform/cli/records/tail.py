"""`minerva tail`: a line for each span as it ends, in all processes."""

import sys
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from time import sleep
from typing import cast

import orjson
from rich.console import Console
from rich.text import Text

from minerva_observability.records import RecordFollower, RecordRow
from minerva_platform.cli.io.stream import is_terminal, one_line, write_text
from minerva_platform.cli.records.commands import TailOptions
from minerva_platform.cli.views.hops import error_text, mark_of
from minerva_platform.cli.views.progress import say
from minerva_platform.cli.views.stats import duration
from minerva_platform.config.settings import home_directory

_LAST = 10
"""Earlier rows that are shown at the start."""
_EVERY_S = 0.25
_FAILED = frozenset(("failed", "timeout"))


def tail(options: TailOptions) -> None:
    """Print rows until Ctrl-C. A terminal gets text, anything else JSON lines."""
    source = options.source or home_directory()
    as_json = options.as_json or not is_terminal(sys.stdout)
    console = Console(highlight=False)
    with RecordFollower(source, last=_LAST, is_wanted=partial(_is_wanted, options)) as follower:
        is_first = True
        while True:
            shown = 0
            for row in follower.new_rows():
                shown += 1
                if as_json:
                    write_text(_as_line(row))
                else:
                    console.print(row_to_text(row), no_wrap=True, overflow="ellipsis", crop=True)
            _tell_bad_lines(follower)
            if is_first and not shown:
                say(f"Nothing to show in {source} yet; waiting. Ctrl-C ends it.")
            is_first = False
            sleep(_EVERY_S)  # Ctrl-C within a lock's wait may end in "release unlocked lock"


def _is_wanted(options: TailOptions, row: RecordRow) -> bool:
    """True if a row is to be shown."""
    return (
        (options.team is None or row.get("team") == options.team)
        and (options.agent is None or row.get("agent_name") == options.agent)
        and (not options.failures or row["status"] in _FAILED or "action" in row)
    )


def row_to_text(row: RecordRow) -> Text:
    """Return a span as one line: when it ended, its run, how, where, what, how long and why."""
    mark, colour = mark_of(str(row["status"]), action=row.get("action"))
    text = Text()
    text.append(f"{_clock(row)} {one_line(row['run_id'][:8])} ", style="dim")
    text.append(f"{mark} ", style=colour)
    text.append(one_line(row["path"]))
    text.append(f"  {one_line(_what(row))}", style="dim")
    text.append(f"  {duration(row['ms'])}")
    if cause := _cause(row):
        text.append(f"  {one_line(cause)}", style="red" if row["status"] in _FAILED else "yellow")
    return text


def _clock(row: RecordRow) -> str:
    try:
        ended = datetime.fromisoformat(str(row.get("timestamp")))
    except ValueError:
        return " " * 8
    return f"{ended.astimezone():%H:%M:%S}"


def _what(row: RecordRow) -> str:
    name = row.get("model") if row["kind"] == "model" else row.get("node")
    attempt: object = row.get("attempt")  # the reader vouches for what every row has, only
    parts = [row["kind"], str(name) if name and row["kind"] != "route" else ""]
    if isinstance(attempt, int) and attempt > 1:
        parts.append(f"attempt {attempt}")
    return " ".join(filter(None, parts))


def _cause(row: RecordRow) -> str:
    """Return a failure's action, reason and error."""
    error: object = row.get("error")
    told = error_text(cast("Mapping[str, str]", error)) if isinstance(error, Mapping) else ""
    action, reason = str(row.get("action") or ""), str(row.get("reason") or "")
    done = f"{action} ({reason})" if action and reason else action or reason
    root = row.get("because_of")
    said = f"because of {root}" if root else " ".join(told.split())
    return ": ".join(filter(None, (done, said)))


def _as_line(row: RecordRow) -> str:
    try:
        return orjson.dumps(row).decode()
    except TypeError:  # a lone surrogate, which the tolerant reader lets through
        import json  # noqa: PLC0415  # only here

        return json.dumps(row)


def _tell_bad_lines(follower: RecordFollower) -> None:
    """Name each line that holds no record, once."""
    summary = follower.summary
    for bad in summary.bad_lines:
        say(f"{bad.file}:{bad.line} holds no record ({bad.cause}): {one_line(bad.detail)}")
    if summary.truncated:
        say(f"{summary.bad - len(summary.bad_lines):,} more lines hold no record.")
    follower.summary = type(summary)()
