"""`minerva prune`: shows what would be removed, and removes it if the person wants that."""

import shlex
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from minerva_platform.cli.io.command import option_words
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import write_json, write_text
from minerva_platform.cli.maintenance.commands import PruneOptions
from minerva_platform.cli.maintenance.open_store import (
    OpenedStore,
    bytes_to_text,
    is_confirmed,
    opened_store,
    reader_language,
    show_heads,
)
from minerva_platform.cli.records.stats import text_to_moment
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import find_settings
from minerva_platform.errors import RunError
from minerva_platform.storage.maintenance.prune import (
    PrunePlan,
    PruneReport,
    PruneRule,
    plan_prune,
    prune,
)
from minerva_platform.storage.maintenance.retention import retention_rule
from minerva_platform.storage.maintenance.space import Space, give_back
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.maintenance", "prune")

_COUNTED: Final = ("turns", "run_checkpoints", "interrupts", "decisions", "effects")
"""The tables whose rows a person knows by name."""


def prune_store(options: PruneOptions) -> ExitCode:
    """Show what would go; remove it if the person says so. Return the exit code.

    Raises:
        RunError: no limit was typed or configured, a run is not there, or the store cannot be read
            or written.
    """
    language, now = reader_language(options.language), time.time()
    rule = _rule(options, now)
    with opened_store(options.config) as store:
        plan = PrunePlan() if store is None else _make_plan(store, rule, now)
        if not options.as_json:
            write_text("\n".join(_plan_lines(plan, language)))
            if store is not None:
                show_heads(store, [run.run_id for run in plan.runs if run.run_id])
        done = space = None
        if store is not None and _is_wanted(plan, options, language):
            done = prune(store.engine, plan)
            space = give_back(store.engine)
    if options.as_json:
        write_json(_to_json(plan, done, space))
    elif done is not None and space is not None:
        write_text("\n".join(_done_lines(done, space, language)))
    elif not plan.is_empty:
        say(TEXTS("not_removed", language, command=_command(options)))
    return ExitCode.ANSWERED


def _is_wanted(plan: PrunePlan, options: PruneOptions, language: Language) -> bool:
    if plan.is_empty or options.dry_run:
        return False
    if options.yes:
        return True
    return not options.as_json and is_confirmed(TEXTS("question", language)) is True


def _rule(options: PruneOptions, now: float) -> PruneRule:
    if options.older_than is None and options.keep is None and not options.run_ids:
        rule = retention_rule(find_settings(options.config).platform.retention)
        if rule is not None:
            return replace(rule, tenant=options.tenant)
        message = (
            "What is to go? Type a limit, or both: --older-than 30d, --keep 1000; or name a run: "
            "--run ID. Add --dry-run to look only. Or set `retention: {default: 90d}` in "
            "platform.yaml, which `minerva prune` and running servers follow."
        )
        raise RunError(message)
    age = None
    if options.older_than is not None:
        moment = datetime.fromtimestamp(now, UTC)
        since = text_to_moment(options.older_than, option="--older-than", now=moment)
        age = now - since.timestamp()
    named_ids = tuple(options.run_ids or ())
    return PruneRule(age, options.keep, named_ids, tenant=options.tenant)


def _make_plan(store: OpenedStore, rule: PruneRule, now: float) -> PrunePlan:
    work = partial(
        plan_prune,
        engine=store.engine,
        place=store.artifacts,
        rule=rule,
        now=now,
        used_elsewhere=store.digests_elsewhere(),
    )
    return store.engine.read(work, empty=PrunePlan())


def _plan_lines(plan: PrunePlan, language: Language) -> Iterator[str]:
    if plan.spared_runs:
        yield TEXTS("spared", language, count=plan.spared_runs)
    if plan.is_empty:
        yield TEXTS("nothing", language)
    else:
        yield TEXTS("would_go", language, size=bytes_to_text(plan.bytes))
        if plan.runs:
            threads = len({run.thread_id for run in plan.runs})
            yield TEXTS("runs", language, count=len(plan.runs), threads=threads)
            yield TEXTS("rows", language, **{name: plan.rows.get(name, 0) for name in _COUNTED})
        if count := plan.rows.get("host_effects"):
            yield TEXTS("host_effects", language, count=count)
        for run in plan.runs:
            if not run.has_ended:
                yield TEXTS("named", language, run=run.run_id, status=run.status)
        if plan.files:
            size = bytes_to_text(sum(file.size for file in plan.files))
            yield TEXTS("artifacts", language, count=len(plan.files), size=size)


def _done_lines(done: PruneReport, space: Space, language: Language) -> Iterator[str]:
    yield TEXTS("gone", language, runs=done.runs, files=done.files)
    sizes = {"before": bytes_to_text(space.before), "after": bytes_to_text(space.after)}
    yield TEXTS("space", language, **sizes)
    if done.skipped_runs:
        yield TEXTS("skipped", language, count=done.skipped_runs)


def _command(options: PruneOptions) -> str:
    """Return the same command with `--yes`."""
    limits = {
        "--older-than": options.older_than,
        "--keep": options.keep,
        "--tenant": options.tenant,
        "--config": options.config,
    }
    runs = [word for run_id in options.run_ids or () for word in ("--run", run_id)]
    words = ["prune", *option_words(limits), *runs, "--yes"]
    return f"{minerva_command()} {shlex.join(words)}"


def _to_json(plan: PrunePlan, done: PruneReport | None, space: Space | None) -> dict[str, Any]:
    return {
        "would_remove": {
            "runs": [run.run_id for run in plan.runs],
            "threads": sorted({run.thread_id for run in plan.runs}),
            "rows": dict(plan.rows),
            "artifacts": [file.digest or file.path.name for file in plan.files],
            "bytes": plan.bytes,
        },
        "spared": plan.spared_runs,
        "removed": None
        if done is None or space is None
        else {
            "runs": done.runs,
            "artifacts": done.files,
            "skipped": done.skipped_runs,
            "database_bytes_before": space.before,
            "database_bytes_after": space.after,
        },
    }
