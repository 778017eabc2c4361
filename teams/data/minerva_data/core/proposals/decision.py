"""What a person decides about proposals: accept, reject, edit.

Nothing enters a glossary but by `accept`. It is checked against the glossary as it is now, all
that were named enter or none, and accepting again changes nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from minerva_data.core.glossary.entry import Draft, Place
from minerva_data.core.glossary.glossary import ACCEPTED_NAME
from minerva_data.core.importing.importer import file_digest, is_glossary_name
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.proposals.check import Problem, problem
from minerva_data.core.proposals.file import ProposalFile
from minerva_data.core.proposals.proposal import Proposal, ProposalError, proposal_id
from minerva_data.core.proposals.proposal_sheet import FILE
from minerva_data.core.store.store import Edition, GlossaryStore
from minerva_data.core.store.writer import EditionWriter, Source

INTO = ACCEPTED_NAME
"""The glossary that accepted words enter unless another is named: one that no import replaces."""

_FIRST_EDITION = "1"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What an acceptance did, and in which glossary and edition."""

    glossary: str
    edition: str
    entered: list[Proposal] = field(default_factory=list[Proposal])
    already_there: list[Proposal] = field(default_factory=list[Proposal])
    """Those that were there already."""


@dataclass(frozen=True, slots=True)
class Decider:
    """Decides in the name of `by`, at a time that `now` tells."""

    file: ProposalFile
    by: str
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def accept(
        self,
        ids: Sequence[str],
        store: GlossaryStore,
        *,
        into: str = INTO,
        names: Sequence[str] | None = None,
    ) -> Acceptance:
        """Put the proposals `ids` into the glossary `into`; without ids all that are open.

        They are checked against the glossaries that answer, `names`, and the one they enter.

        Raises:
            ProposalError: one of them cannot be accepted (nothing is), or is not in the file.
            StoreError: the glossary cannot be written.
        """
        with self.file.writing() as proposals:
            wanted = select(ids, proposals) if ids else _open(proposals)
            target = _target(store, into)
            there = _there(store, target)
            done = Acceptance(into, target.edition if target else _FIRST_EDITION)
            for one in wanted:
                is_there = there.get((one.kind, one.key)) == one.abbreviation
                (done.already_there if is_there else done.entered).append(one)
            _refuse(done.entered, Lookup(store.glossary(_answering(names, target))))
            if done.entered:
                self._enter(done, store)
            self._mark(proposals, wanted, status="accepted", reason="")
        return done

    def reject(self, ids: Sequence[str], *, reason: str) -> list[Proposal]:
        """Remember that the proposals `ids` are not wanted, so that they are not proposed again.

        Raises:
            ProposalError: one is not in the file, or was accepted.
        """
        with self.file.writing() as proposals:
            wanted = select(ids, proposals)
            for one in wanted:
                if one.status == "accepted":
                    message = f"`{one.id}` ({one.name}) was accepted on {one.decided_at[:10]}."
                    raise ProposalError(message)
            self._mark(proposals, wanted, status="rejected", reason=reason)
        return wanted

    def edit(self, id_: str, **changes: Any) -> Proposal:
        """Change fields of a proposal, which is open again; another name gives it another id.

        Raises:
            ProposalError: it is not in the file, or was accepted.
        """
        with self.file.writing() as proposals:
            (one,) = select([id_], proposals)
            if one.status == "accepted":
                message = f"`{id_}` was accepted; what a glossary holds is changed there."
                raise ProposalError(message)
            undone = {"status": "proposed", "decided_at": "", "decided_by": "", "reason": ""}
            own_id = proposal_id(one.kind, changes.get("name", one.name))
            changed = one.model_copy(update={**changes, **undone, "id": own_id})
            proposals[proposals.index(one)] = changed
        return changed

    def _enter(self, done: Acceptance, store: GlossaryStore) -> None:
        now = self.now().isoformat(timespec="seconds")
        source = Source(
            glossary=done.glossary,
            kind="org",
            edition=done.edition,
            file=FILE,
            sha256=file_digest(self.file.path),
            imported_at=now,
        )
        with store.writing() as connection:
            writer = EditionWriter(connection, source)
            for one in done.entered:
                writer.write(_draft(one, by=self.by, at=now))

    def _mark(
        self, proposals: list[Proposal], selection: Sequence[Proposal], *, status: str, reason: str
    ) -> None:
        now = self.now().isoformat(timespec="seconds")
        for one in selection:
            if one.status != status or not one.decided_at:
                marks = {"decided_at": now, "decided_by": self.by, "reason": reason}
                decided = one.model_copy(update={"status": status, **marks})
                proposals[proposals.index(one)] = decided


def problems(proposals: Sequence[Proposal], lookup: Lookup) -> dict[str, Problem]:
    """Return what is wrong with each open proposal, by id; earlier ones of the file go first."""
    found: dict[str, Problem] = {}
    before: list[Proposal] = []
    for one in _open(proposals):
        said = problem(one, lookup, beside=before)
        if said is None:
            before.append(one)
        else:
            found[one.id] = said
    return found


def _open(proposals: Sequence[Proposal]) -> list[Proposal]:
    return [one for one in proposals if one.status == "proposed"]


def select(ids: Sequence[str], proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the proposals that `ids` name, each once.

    Raises:
        ProposalError: one is not there; names those that are open.
    """
    by_id = {one.id: one for one in proposals}
    strangers = [id_ for id_ in ids if id_ not in by_id]
    if strangers:
        shown = ", ".join([one.id for one in _open(proposals)][:10]) or "none"
        message = f"There is no proposal `{strangers[0]}`. Open ones: {shown}."
        raise ProposalError(message)
    return [by_id[id_] for id_ in dict.fromkeys(ids)]


def _refuse(proposals: Sequence[Proposal], lookup: Lookup) -> None:
    """Raise if one of them breaks a rule, or two of them clash: then none is accepted."""
    said: list[str] = []
    for place, one in enumerate(proposals):
        found = problem(one, lookup, beside=proposals[:place])
        if found is not None:
            said.append(f"{one.id}: {found.text}")
    if said:
        reasons = "; ".join(said[:10]) + (f"; and {len(said) - 10} more" if len(said) > 10 else "")  # noqa: PLR2004  # a list that is read at once
        message = f"Nothing was accepted. {reasons}. Edit or reject what is wrong."
        raise ProposalError(message)


def _target(store: GlossaryStore, into: str) -> Edition | None:
    """Return the newest edition of the glossary to write into; None if it is not there yet."""
    if not is_glossary_name(into):
        message = f"`{into}` cannot be a glossary's name. Name one of your own: --into {INTO}"
        raise ProposalError(message)
    known = [one for one in store.editions() if one.glossary == into and one.is_newest]
    if known and known[0].kind != "org":
        message = f"`{into}` is a public glossary. Name one of your own: --into {INTO}"
        raise ProposalError(message)
    return known[0] if known else None


def _answering(names: Sequence[str] | None, target: Edition | None) -> Sequence[str] | None:
    """Return `names` with the glossary that is written to, if they leave it out."""
    if names is None or target is None:
        return names
    is_named = any(name.partition("@")[0] == target.glossary for name in names)
    return names if is_named else (*names, target.glossary)


def _there(store: GlossaryStore, target: Edition | None) -> dict[tuple[str, str], str]:
    """Return the names that the target's declared words and terms have."""
    if target is None:
        return {}
    drafts = ((row.key, row.draft) for row in store.rows(target) if row.draft.support is None)
    return {
        (draft.kind, spelled): draft.body.get("abbreviation") or draft.body.get("physical_name", "")
        for spelled, draft in drafts
        if draft.kind in {"word", "term"}
    }


def _draft(one: Proposal, *, by: str, at: str) -> Draft:
    """Return the glossary's entry; its citation tells the proposal, who accepted it, and when."""
    place = Place(one.row, sheet=f"{one.id}, accepted {at[:10]} by {by},")
    body: dict[str, Any] = {
        "subject_area": None,
        "description": one.description,
        "proposal": one.id,
        "proposed_by": one.model or "a person",
        "accepted_by": by,
        "accepted_at": at,
    }
    if one.kind == "term":
        body |= {"physical_name": one.abbreviation, "domain": one.domain}
        body |= {"synonyms": [], "replaced_by": None}
        return Draft("term", one.name, body, place, also=(one.abbreviation,))
    body |= {"abbreviation": one.abbreviation, "english": one.english, "is_class": one.is_class}
    body |= {"domain_class": one.domain if one.is_class else None, "synonym": [], "forbidden": []}
    return Draft("word", one.name, body, place, also=(one.abbreviation, one.english))
