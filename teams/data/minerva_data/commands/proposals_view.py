"""What `minerva glossary proposals` prints: each proposal with what keeps it from acceptance."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from minerva_data.core.proposals.check import Problem
from minerva_data.core.proposals.file import ProposalFile
from minerva_data.core.proposals.proposal import Proposal
from minerva_platform.cli_kit import printable, write_text

_BY_HAND = "by hand"


def show_list(
    file: ProposalFile,
    proposals: Sequence[Proposal],
    shown: Sequence[Proposal],
    wrong: Mapping[str, Problem],
    *,
    total: int,
) -> None:
    """Print the proposals, a line each, and how many there are."""
    for one in shown:
        place = f"  ← {one.places[0]}" if one.places else ""
        status = "" if one.status == "proposed" else f"{one.status}  "
        _print(f"{one.id}  {status}{_proposal_text(one)}{place}  ({one.model or _BY_HAND})")
        if one.id in wrong:
            _print(f"    cannot be accepted: {wrong[one.id].text}")
        if one.status == "rejected" and one.reason:
            _print(f"    rejected: {one.reason}")
    if total > len(shown):
        _print(f"{len(shown)} of {total} shown; --limit {total} shows all.")
    counts = Counter(one.status for one in proposals)
    said = ", ".join(f"{counts[name]} {name}" for name in ("proposed", "accepted", "rejected"))
    _print(f"{said} in {file.path}")


def show_proposal(file: ProposalFile, one: Proposal, wrong: Mapping[str, Problem]) -> None:
    """Print all that is known about a proposal."""
    said = {
        "proposal": f"{one.id}, {one.status}, {one.kind}",
        "name": one.name,
        "physical name" if one.kind == "term" else "abbreviation": one.abbreviation,
        "English": one.english,
        "class word": "yes" if one.is_class else "",
        "domain": one.domain or "",
        "description": one.description,
        "missing in": "; ".join(one.places),
        "proposed by": " ".join(filter(None, (one.model or _BY_HAND, one.proposed_at))),
        "request": one.request,
        "decided": " ".join(filter(None, (one.decided_by, one.decided_at))),
        "reason": one.reason,
        "stands in": f"{file.path}, row {one.row}",
        "cannot be accepted": wrong[one.id].text if one.id in wrong else "",
    }
    for name, text in said.items():
        if text:
            _print(f"{name}: {text}")


def list_to_json(
    file: ProposalFile,
    proposals: Sequence[Proposal],
    shown: Sequence[Proposal],
    wrong: Mapping[str, Problem],
    *,
    total: int,
) -> dict[str, Any]:
    """Return the list as JSON."""
    return {
        "file": str(file.path),
        "counts": dict(Counter(one.status for one in proposals)),
        "total": total,
        "shown": len(shown),
        "truncated": total > len(shown),
        "proposals": [proposal_to_json(one, wrong) for one in shown],
    }


def proposal_to_json(one: Proposal, wrong: Mapping[str, Problem]) -> dict[str, Any]:
    """Return a proposal as JSON; `problem` is null if it could be accepted."""
    found = wrong.get(one.id)
    fields = one.model_dump(mode="json", exclude={"further", "places"})
    return {**fields, "from": list(one.places), "problem": found.text if found else None}


def _proposal_text(one: Proposal) -> str:
    marks = f", class word of {one.domain}" if one.is_class else ""
    marks += ", term" if one.kind == "term" else ""
    english = f"  {one.english}" if one.english else ""
    return f"{one.name} = {one.abbreviation}{english}{marks}"


def _print(line: str) -> None:
    write_text(printable(line))
