"""`minerva glossary proposals`: review new words before any of them is used."""

import getpass
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_platform import MinervaError
from minerva_platform.cli_kit import say, write_json
from minerva_platform.config import home_directory

if TYPE_CHECKING:
    from minerva_data.core.proposals.check import Problem
    from minerva_data.core.proposals.decision import Decider
    from minerva_data.core.proposals.file import ProposalFile
    from minerva_data.core.proposals.proposal import Proposal

# ruff: noqa: PLC0415  # each command's imports wait for its call

app = typer.Typer(
    name="proposals",
    help="Review new words for a glossary of your own: in MINERVA's home, proposals.csv.",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
_Id = Annotated[str, typer.Argument(metavar="ID", help="A proposal's id, as `list` shows it.")]
_By = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Who decides; else your login.")
]


class ProposalsError(MinervaError):
    """Proposals cannot be read, accepted or written; says what to do."""


@contextmanager
def _told() -> Generator[None]:
    """Say what goes wrong in the core as every command does."""
    from minerva_data.core.proposals.proposal import ProposalError
    from minerva_data.core.store.schema import StoreError

    try:
        yield
    except (ProposalError, StoreError) as error:
        raise ProposalsError(str(error)) from error


@app.callback(invoke_without_command=True)
def _default(context: typer.Context) -> None:
    """Review new words for a glossary of your own; without a command, list those that are open."""
    if context.invoked_subcommand is None:
        _list()


@app.command("list")
def _list(
    *,
    all_: Annotated[bool, typer.Option("--all", help="Accepted and rejected ones, too.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    as_json: _Json = False,
) -> None:
    """Show the proposals that are open, and what keeps one from being accepted."""
    from minerva_data.commands.proposals_view import list_to_json, show_list

    with _told():
        file, known, wrong = _review()
    chosen = [one for one in known if all_ or one.status == "proposed"]
    if as_json:
        write_json(list_to_json(file, known, chosen[:limit], wrong, total=len(chosen)))
    else:
        show_list(file, known, chosen[:limit], wrong, total=len(chosen))


@app.command("show")
def _show(id_: _Id, *, as_json: _Json = False) -> None:
    """Show a proposal whole: where it was missing, who proposed it, what is wrong with it."""
    from minerva_data.commands.proposals_view import proposal_to_json, show_proposal
    from minerva_data.core.proposals.decision import select

    with _told():
        file, known, wrong = _review()
        (one,) = select([id_], known)
    if as_json:
        write_json(proposal_to_json(one, wrong))
    else:
        show_proposal(file, one, wrong)


@app.command("accept")
def _accept(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID…")] = None,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="Every one that is open; none if one cannot enter.")
    ] = False,
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="GLOSSARY", help="One of your own; else `organisation`."),
    ] = None,
    by: _By = None,
) -> None:
    """Put proposals into a glossary of your own: all that are named, or none of them."""
    from minerva_data.core.proposals.decision import INTO
    from minerva_data.core.store.store import FILE, GlossaryStore
    from minerva_data.settings import configured_glossaries

    if bool(ids) == every:
        message = "Say which: `minerva glossary proposals accept ID…`, or `--all` for all of them."
        raise ProposalsError(message)
    names = configured_glossaries()
    with _told(), GlossaryStore(home_directory() / FILE) as store:
        done = _decider(by).accept(ids or (), store, into=into or INTO, names=names)
    for one in done.entered:
        say(f"accepted: {one.name} = {one.abbreviation}, in {done.glossary} {done.edition}")
    for one in done.already_there:
        say(f"there already: {one.name} = {one.abbreviation}, in {done.glossary} {done.edition}")
    if not (done.entered or done.already_there):
        say("No proposal is open.")
    if names is not None and done.glossary not in {name.partition("@")[0] for name in names}:
        say(
            f"note: `glossaries:` in configs/teams/data.yaml does not name {done.glossary}: "
            "add it there, else it does not answer."
        )


@app.command("reject")
def _reject(
    ids: Annotated[list[str], typer.Argument(metavar="ID…")],
    *,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="For whoever wonders later.")
    ] = "",
    by: _By = None,
) -> None:
    """Refuse proposals for good: a model is not asked for these words again."""
    with _told():
        rejected = _decider(by).reject(ids, reason=reason)
    for one in rejected:
        say(f"rejected: {one.name} = {one.abbreviation}")


@app.command("edit")
def _edit(  # each is a field that people type
    id_: _Id,
    *,
    name: Annotated[str | None, typer.Option("--name", metavar="WORD")] = None,
    english: Annotated[str | None, typer.Option("--english", metavar="TEXT")] = None,
    abbreviation: Annotated[str | None, typer.Option("--abbreviation", metavar="ABBR")] = None,
    class_word: Annotated[bool | None, typer.Option("--class-word/--no-class-word")] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", help="A class word's class, a term's domain.")
    ] = None,
    description: Annotated[str | None, typer.Option("--description", metavar="TEXT")] = None,
) -> None:
    """Change a proposal, which is open again then; or edit the file that `list` names."""
    from minerva_data.core.language.text import cleaned

    said = {
        "name": name and cleaned(name),
        "english": english and cleaned(english),
        "abbreviation": abbreviation and cleaned(abbreviation).upper(),
        "is_class": class_word,
        "domain": domain and cleaned(domain),
        "description": description,
    }
    changes = {field: value for field, value in said.items() if value is not None}
    if class_word is False:
        changes["domain"] = domain or ""
    if not changes:
        message = "Say what to change, such as: --abbreviation QNTM"
        raise ProposalsError(message)
    with _told():
        changed = _decider(None).edit(id_, **changes)
        _, _, wrong = _review()
    what = f"{changed.name} = {changed.abbreviation} ({changed.english})"
    say(f"changed: {what}, {changed.id}")
    if changed.id in wrong:
        say(f"it cannot be accepted: {wrong[changed.id].text}")


def _review() -> "tuple[ProposalFile, tuple[Proposal, ...], dict[str, Problem]]":
    """Return the file, what is in it, and what is wrong with those that are open."""
    from minerva_data.core.lookup.lookup import Lookup
    from minerva_data.core.proposals.decision import problems
    from minerva_data.core.proposals.file import ProposalFile
    from minerva_data.core.store.store import FILE, GlossaryStore
    from minerva_data.settings import configured_glossaries

    file = ProposalFile(home_directory())
    known = file.read()
    if not known:
        return file, known, {}
    with GlossaryStore(home_directory() / FILE) as store:
        return file, known, problems(known, Lookup(store.glossary(configured_glossaries())))


def _decider(by: str | None) -> "Decider":
    from minerva_data.core.proposals.decision import Decider
    from minerva_data.core.proposals.file import ProposalFile

    return Decider(ProposalFile(home_directory()), by=by or _login())


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "somebody"
