"""Say whether names are standard, in the person's language."""

from dataclasses import dataclass

from minerva_data.core.entry import Term
from minerva_data.core.record import Candidate
from minerva_data.core.verdict import Verdict
from minerva_platform import Language

MAX_ALSO = 3
"""Names that a verdict without a standard one offers."""


@dataclass(frozen=True, slots=True)
class _Words:
    yes: str
    no: str
    retired: str
    composed: str
    instead: str
    also: str
    none: str


_KO = _Words(
    yes="예. `{name}`: 표준입니다({term}).",
    no="아니요. `{name}`: 표준이 아닙니다.",
    retired="아니요. `{name}`: 폐기된 용어라 표준이 아닙니다.",
    composed=(
        "아니요. `{name}`: 이 이름의 표준 용어는 없습니다. "
        "표준 단어로 조합한 이름입니다({term})."
    ),
    instead=" 표준: `{physical}`({term}).",
    also=" 후보: {names}.",
    none=" 대신할 표준 이름을 찾지 못했습니다.",
)
_EN = _Words(
    yes="Yes: `{name}` is standard ({term}).",
    no="No: `{name}` is not standard.",
    retired="No: `{name}` is not standard; the term was retired.",
    composed="No: `{name}` is no standard term. It is composed of standard words ({term}).",
    instead=" Standard is `{physical}` ({term}).",
    also=" Candidates: {names}.",
    none=" No standard name was found for it.",
)


def verdict_text(verdicts: tuple[Verdict, ...], language: Language) -> str:
    """Return a line for each verdict; it begins with yes or no."""
    words = _KO if language == "ko" else _EN
    return "\n".join(_line(verdict, words) for verdict in verdicts)


def _line(verdict: Verdict, words: _Words) -> str:
    name, term, also = verdict.name, verdict.term, verdict.also
    if verdict.is_standard and term is not None:
        return words.yes.format(name=name, term=_said(term))
    if also and also[0].physical_name.casefold() == name.casefold():
        return words.composed.format(name=name, term=also[0].logical_name)
    text = (words.retired if term is not None else words.no).format(name=name)
    best = verdict.instead
    if best is not None:
        return text + words.instead.format(physical=best.physical_name, term=best.logical_name)
    names = ", ".join(_offer(other) for other in also[:MAX_ALSO])
    return text + (words.also.format(names=names) if names else words.none)


def _said(term: Term) -> str:
    return f"{term.name} = {term.physical_name}"


def _offer(candidate: Candidate) -> str:
    return f"`{candidate.physical_name}` ({candidate.logical_name})"
