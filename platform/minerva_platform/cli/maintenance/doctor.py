"""`minerva doctor`: says what is wrong, where, and what to type; mends what cannot be read."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from typer import BadParameter

from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import one_line, write_json, write_text
from minerva_platform.cli.maintenance.commands import DoctorOptions
from minerva_platform.cli.maintenance.examination import Examination, examine
from minerva_platform.cli.maintenance.open_store import bytes_to_text, is_confirmed, reader_language
from minerva_platform.cli.maintenance.restored import set_mark
from minerva_platform.cli.views.progress import say
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.maintenance.examination.finding import MEND, Finding
from minerva_platform.storage.maintenance.repair import Mend, mend
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.maintenance", "doctor")

_SHELL: Final = "$ "
"""Begins a whole command; others begin with `minerva`."""


def examine_store(options: DoctorOptions) -> ExitCode:
    """Print what was found; mend what cannot be read if that was asked for. Return the exit code.

    Of a restored copy, say so to the store instead, if that was asked for.

    Raises:
        SettingsError: MINERVA does not speak the language.
        StateError: the database cannot be mended.
        BadParameter: more than one of these was asked for.
    """
    if options.mend + options.is_copy + options.is_the_store > 1:
        message = "Type one of these alone: --mend, --restored, --this-is-the-store."
        raise BadParameter(message)
    if options.is_copy or options.is_the_store:
        return set_mark(options)
    language = reader_language(options.language)
    examination = examine(options.config)
    if not options.as_json:
        write_text("\n".join(_lines(examination, language)))
    done: list[Mend] = []
    if (
        options.mend
        and _is_wanted(examination, options, language)
        and examination.place is not None
    ):
        with opened_engine(examination.place) as engine:
            done = mend(engine)
        examination = examine(options.config)
    faults = [finding for finding in examination.findings if not finding.is_note]
    if options.as_json:
        write_json(_to_json(examination, faults, done))
    elif done:
        write_text("\n".join(_mended_lines(done, faults, language)))
    return ExitCode.FAILED if faults else ExitCode.ANSWERED


def _is_wanted(examination: Examination, options: DoctorOptions, language: Language) -> bool:
    count = sum(finding.command == MEND for finding in examination.findings)
    if not count or not examination.can_be_opened:
        return False
    if options.yes:
        return True
    if not options.as_json and is_confirmed(TEXTS("question", language, count=count)) is True:
        return True
    say(TEXTS("not_mended", language, command=f"{minerva_command()} {MEND} --yes"))
    return False


def _lines(examination: Examination, language: Language) -> Iterator[str]:
    names = ("runs", "turns", "checkpoints", "artifacts", "records", "workers")
    counts = {name: examination.counts.get(name, 0) for name in names}
    is_unread = any(one.code.startswith("database") for one in examination.findings)
    key = "unread" if is_unread and not examination.can_be_opened else "examined"
    yield TEXTS(key, language, place=examination.place or examination.home, **counts)
    faults = [finding for finding in examination.findings if not finding.is_note]
    notes = [finding for finding in examination.findings if finding.is_note]
    for number, finding in enumerate(faults, 1):
        yield f"{number}. {_text(finding, language)}"
        yield TEXTS("type", language, command=_command(finding))
    if notes:
        yield TEXTS("notes", language)
        for finding in notes:
            yield f"- {_text(finding, language)}"
            yield TEXTS("type", language, command=_command(finding))
    yield TEXTS("findings" if faults else "clean", language, count=len(faults))


def _mended_lines(
    done: Sequence[Mend], faults: Sequence[Finding], language: Language
) -> Iterator[str]:
    for each in done:
        resume = f"{minerva_command()} resume {each.run_id}"
        told = {"where": one_line(each.where), "run": each.run_id, "command": resume}
        yield TEXTS(f"mended.{each.deed}", language, **told)
    yield TEXTS("left" if faults else "clean", language, count=len(faults))


def _text(finding: Finding, language: Language) -> str:
    """Return what is wrong and where, in a sentence."""
    values = {name: _value_text(name, value) for name, value in finding.values.items()}
    return TEXTS(f"finding.{finding.code}", language, where=one_line(finding.where), **values)


def _value_text(name: str, value: object) -> object:
    if name == "bytes" and isinstance(value, int):
        return bytes_to_text(value)
    return one_line(value) if isinstance(value, str) else value


def _command(finding: Finding) -> str:
    if finding.command.startswith(_SHELL):
        return finding.command.removeprefix(_SHELL)
    return f"{minerva_command()} {finding.command}"


def _to_json(
    examination: Examination, faults: Sequence[Finding], done: Sequence[Mend]
) -> dict[str, Any]:
    return {
        "ok": not faults,
        "place": str(examination.place) if examination.place is not None else None,
        "examined": examination.counts,
        "findings": [_finding_to_json(finding) for finding in faults],
        "notes": [_finding_to_json(finding) for finding in examination.findings if finding.is_note],
        "mended": [
            {"deed": each.deed, "where": each.where, "run_id": each.run_id} for each in done
        ],
    }


def _finding_to_json(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "where": finding.where,
        "what": _text(finding, "en"),
        "type": _command(finding),
    }
