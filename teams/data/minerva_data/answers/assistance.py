"""Say beside an answer what a model added to it, and which new words wait for a person.

Here alone may an abbreviation stand that no glossary has, and the text says so.
"""

from collections.abc import Iterator, Sequence

from minerva_data.answers.table import MAX_ROWS, cell
from minerva_data.core.proposals.assistance import Assistance
from minerva_data.core.proposals.proposal import Proposal
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_data.answers", "assistance")


def assistance_text(given: Assistance | None, language: Language) -> str:
    """Return the paragraphs that follow the answer; empty where there is nothing to say."""
    if given is None:
        return ""
    parts = [f"{TEXTS('why', language)}\n\n{given.explanation}"] if given.explanation else []
    said = " ".join(_said(given, language))
    parts += [said] if said else []
    parts += [_proposals(given.proposals, language)] if given.proposals else []
    parts += _left_out(given, language)
    return "\n\n".join(parts)


def _said(given: Assistance, language: Language) -> Iterator[str]:
    if given.is_reworded:
        yield TEXTS("reworded", language)
    if given.asked:
        yield TEXTS("asked", language, total=given.total, asked=given.asked)
        if given.truncated:
            yield TEXTS("left", language)
    if given.offered and not given.is_reworded:
        yield TEXTS("offered", language, count=given.offered)
    if given.dropped:
        yield TEXTS("dropped", language, count=given.dropped)


def _proposals(proposals: Sequence[Proposal], language: Language) -> str:
    lines = [TEXTS("title", language, total=len(proposals)), ""]
    lines += [_row(one, language) for one in proposals[:MAX_ROWS]]
    if len(proposals) > MAX_ROWS:
        lines += ["", TEXTS("shown", language, total=len(proposals), shown=MAX_ROWS)]
    return "\n".join([*lines, "", TEXTS("review", language)])


def _row(one: Proposal, language: Language) -> str:
    kind = TEXTS("class_word", language) if one.domain else ""
    return TEXTS(
        "row",
        language,
        id=cell(one.id),
        name=cell(one.name),
        abbreviation=cell(one.abbreviation),
        english=cell(", ".join(filter(None, (one.english, kind)))),
        places=f" ← {cell(one.places[0])}" if one.places else "",
    )


def _left_out(given: Assistance, language: Language) -> Iterator[str]:
    if given.refused:
        counted = sorted(given.refused.items())
        faults = ", ".join(f"{TEXTS(f'faults.{fault}', language)} {n}" for fault, n in counted)
        yield TEXTS("refused", language, count=sum(given.refused.values()), faults=faults)
    if given.rejected:
        yield TEXTS("rejected", language, count=given.rejected)
    if given.not_kept:
        yield TEXTS("not_kept", language, why=cell(given.not_kept))
