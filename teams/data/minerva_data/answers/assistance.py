"""Say beside an answer what a model added to it, and which new words wait for a person.

Here alone may an abbreviation stand that no glossary has, and the text says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from minerva_data.answers.markdown import MAX_ROWS, cell
from minerva_data.core.proposals.assistance import Assistance
from minerva_data.core.proposals.check import Fault
from minerva_data.core.proposals.proposal import Proposal
from minerva_platform.text import Language


@dataclass(frozen=True, slots=True)
class _Words:
    reworded: str
    asked: str
    left: str
    offered: str
    dropped: str
    title: str
    class_word: str
    row: str
    shown: str
    review: str
    refused: str
    rejected: str
    not_kept: str
    why: str
    faults: dict[Fault, str]


_KO = _Words(
    reworded="요청을 모델이 용어로 바꿔 말했고, 이름은 모두 용어집에서 왔습니다(방법 llm).",
    asked="모르는 말이 든 이름 {total}개 가운데 {asked}개를 모델에게 물었습니다.",
    left="나머지는 묻지 않았습니다.",
    offered="모델이 말한 용어 {count}개를 용어집이 알고 있습니다.",
    dropped="용어집에 없는 용어 {count}개는 뺐습니다.",
    title="**새 단어 제안 {total}건**: 용어집에 없으며, 사람이 받아들이기 전에는 쓰이지 않습니다.",
    class_word="형식단어",
    row="- 제안 `{id}`: {name} = {abbreviation} ({english}){places}",
    shown="{total}건 가운데 {shown}건을 보였습니다.",
    review="검토: `minerva glossary proposals`",
    refused="규칙에 어긋나 뺀 제안 {count}건: {faults}.",
    rejected="전에 거절한 단어라서 다시 제안하지 않은 이름 {count}개.",
    not_kept="제안을 보관하지 못했습니다: {why}",
    why="**이유**",
    faults={
        "name": "단어의 꼴",
        "known": "이미 있는 단어",
        "forbidden": "금칙어",
        "form": "약어의 꼴",
        "taken": "이미 쓰이는 약어",
        "reserved": "SQL 예약어",
        "english": "영문명",
        "domain": "도메인",
        "elsewhere": "묻지 않은 단어",
        "surplus": "너무 많음",
    },
)
_EN = _Words(
    reworded="A model said the request in terms; every name is the glossary's (method llm).",
    asked="Names with unknown words that a model was asked about: {asked} of {total}.",
    left="It was not asked about the others.",
    offered="Terms it said that the glossary has: {count}.",
    dropped="Terms it said that the glossary does not have, left out: {count}.",
    title="**Proposed words: {total}**. In no glossary, and unused until a person accepts them.",
    class_word="class word",
    row="- proposal `{id}`: {name} = {abbreviation} ({english}){places}",
    shown="{shown} of {total} shown.",
    review="Review: `minerva glossary proposals`",
    refused="Proposals left out for breaking a rule: {count} ({faults}).",
    rejected="Names not proposed for again, since their word was rejected: {count}.",
    not_kept="The proposals could not be kept: {why}",
    why="**Why**",
    faults={
        "name": "form of the word",
        "known": "known word",
        "forbidden": "forbidden word",
        "form": "form of the abbreviation",
        "taken": "abbreviation in use",
        "reserved": "reserved by SQL",
        "english": "English",
        "domain": "domain",
        "elsewhere": "not asked for",
        "surplus": "too many",
    },
)


def assistance_text(given: Assistance | None, language: Language) -> str:
    """Return the paragraphs that follow the answer; empty where there is nothing to say."""
    if given is None:
        return ""
    words = _KO if language == "ko" else _EN
    parts = [f"{words.why}\n\n{given.explanation}"] if given.explanation else []
    said = _said(given, words)
    parts += [" ".join(said)] if said else []
    if given.proposals:
        parts.append(_proposals(given.proposals, words))
    parts += _left_out(given, words)
    return "\n\n".join(parts)


def _said(given: Assistance, words: _Words) -> list[str]:
    said = [words.reworded] if given.is_reworded else []
    if given.asked:
        said.append(words.asked.format(total=given.total, asked=given.asked))
        said += [words.left] if given.truncated else []
    if given.offered and not given.is_reworded:
        said.append(words.offered.format(count=given.offered))
    said += [words.dropped.format(count=given.dropped)] if given.dropped else []
    return said


def _proposals(proposals: Sequence[Proposal], words: _Words) -> str:
    lines = [words.title.format(total=len(proposals)), ""]
    lines += [
        words.row.format(
            id=cell(one.id),
            name=cell(one.name),
            abbreviation=cell(one.abbreviation),
            english=cell(", ".join(filter(None, (one.english, one.domain and words.class_word)))),
            places=f" ← {cell(one.places[0])}" if one.places else "",
        )
        for one in proposals[:MAX_ROWS]
    ]
    if len(proposals) > MAX_ROWS:
        lines += ["", words.shown.format(total=len(proposals), shown=MAX_ROWS)]
    return "\n".join([*lines, "", words.review])


def _left_out(given: Assistance, words: _Words) -> list[str]:
    said: list[str] = []
    if given.refused:
        listed = ", ".join(f"{words.faults[f]} {n}" for f, n in sorted(given.refused.items()))
        total = sum(given.refused.values())
        said.append(words.refused.format(count=total, faults=listed))
    said += [words.rejected.format(count=given.rejected)] if given.rejected else []
    said += [words.not_kept.format(why=cell(given.not_kept))] if given.not_kept else []
    return said
