"""Say beside an answer what a model added to it, and which new words wait for a person.

Here alone may an abbreviation stand that no glossary has, and the text says so.
"""

from collections.abc import Iterator, Sequence

from minerva_data.answers.table import MAX_ROWS, cell
from minerva_data.core.proposals.assistance import Assistance
from minerva_data.core.proposals.proposal import Proposal
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_data.answers", "assistance")


def assistance_text(assistance: Assistance | None, language: Language) -> str:
    """Return the paragraphs that follow the answer; empty where there is nothing to say."""
    if assistance is None:
        return ""
    parts = [f"{TEXTS('why', language)}\n\n{why}"] if (why := assistance.explanation) else []
    said = " ".join(_sentences(assistance, language))
    parts += [said] if said else []
    parts += [_proposals(assistance.proposals, language)] if assistance.proposals else []
    parts += _left_out(assistance, language)
    return "\n\n".join(parts)


def _sentences(assistance: Assistance, language: Language) -> Iterator[str]:
    if assistance.is_reworded:
        yield TEXTS("reworded", language)
    if assistance.asked:
        yield TEXTS("asked", language, total=assistance.total, asked=assistance.asked)
        if assistance.truncated:
            yield TEXTS("left", language)
    if assistance.offered and not assistance.is_reworded:
        yield TEXTS("offered", language, count=assistance.offered)
    if assistance.dropped:
        yield TEXTS("dropped", language, count=assistance.dropped)


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


def _left_out(assistance: Assistance, language: Language) -> Iterator[str]:
    if assistance.refused:
        counted = sorted(assistance.refused.items())
        faults = ", ".join(f"{TEXTS(f'faults.{fault}', language)} {n}" for fault, n in counted)
        yield TEXTS("refused", language, count=sum(assistance.refused.values()), faults=faults)
    if assistance.rejected:
        yield TEXTS("rejected", language, count=assistance.rejected)
    if assistance.not_kept:
        yield TEXTS("not_kept", language, why=cell(assistance.not_kept))
