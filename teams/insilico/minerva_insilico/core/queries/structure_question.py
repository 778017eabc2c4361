"""What a person asks about the shape of a code base: which topic, about which modules.

Without a topic the answer is the overview. A word names a module or a symbol only
if the index has one of that name, and it is written as a name or stands alone.
"""

import re
from dataclasses import dataclass
from typing import Literal

from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.name_question import NameQuestion, read_name_question
from minerva_insilico.core.queries.nearest import is_known, unknown
from minerva_insilico.core.queries.symbol import named_exactly

StructureTopic = Literal[
    "chain", "complexity", "cycles", "imports", "outline", "overview", "requirements", "summary"
]

_TOPICS: tuple[tuple[StructureTopic, re.Pattern[str]], ...] = (
    (
        "requirements",
        re.compile(
            r"\brequirements?\b|\bpyproject|\bundeclared|\bdeclared (?:dep|pack|lib)"
            r"|\b(?:unused|missing|third.party|external) (?:dep|pack|lib|dist)"
            r"|(?:의존성|패키지|라이브러리)[^.]{0,20}(?:선언|누락|빠[진졌]|안 ?쓰|미사용|설치)"
            r"|(?:선언|누락|빠[진졌]|안 ?쓰[는이]|미사용|설치)[^.]{0,12}"
            r"(?:의존성|패키지|라이브러리)",
            re.IGNORECASE,
        ),
    ),
    (
        "cycles",
        re.compile(
            r"\bcycl(?:es?|ic)\b|\bcircular|순환 ?(?:참조|의존|임포트|import)"
            r"|서로 ?(?:임포트|import)",
            re.IGNORECASE,
        ),
    ),
    (
        "complexity",
        re.compile(r"\bcomplex|\bcyclomatic|\bhot ?spots?\b|복잡", re.IGNORECASE),
    ),
    (
        "imports",
        re.compile(
            r"\bimport|\bdepend|\bcoupl|임포트|의존|\blayers?\b|\breach(?:es)?\b",
            re.IGNORECASE,
        ),
    ),
    (
        "summary",
        re.compile(
            r"\bsummar|\bdescribe\b|\bwhat does\b|\bexplain\b|요약|설명|뭐 ?하는", re.IGNORECASE
        ),
    ),
    (
        "outline",
        re.compile(
            r"\boutline|\bstructure|\bskeleton|\blist (?:the |all )?(?:func|class|meth|symb)"
            r"|뼈대|구조|윤곽|목록|(?:함수|클래스|메서드)[^.]{0,8}(?:나열|뭐|무엇|어떤)",
            re.IGNORECASE,
        ),
    ),
)
_ABOUT_MODULES: frozenset[StructureTopic] = frozenset({"imports", "outline", "summary"})


@dataclass(frozen=True)
class StructureQuestion:
    """What is asked."""

    topic: StructureTopic
    paths: tuple[str, ...] = ()
    """The files that are asked about."""
    names: tuple[str, ...] = ()
    """Functions, classes or files whose complexity is asked for."""


def read_structure_question(index: Index, text: str) -> StructureQuestion:
    """Read a request against what the index knows.

    Raises:
        UnknownNameError: it is about modules or functions, and the code has none of them.
    """
    found_topics: list[StructureTopic] = [name for name, pattern in _TOPICS if pattern.search(text)]
    topic = found_topics[0] if found_topics else "overview"
    if topic in {"overview", "requirements", "cycles"}:
        return StructureQuestion(topic)
    question = read_name_question(text, is_known=lambda name: bool(_paths_of(index, name)))
    words = (*question.paths, *question.names, *question.words)
    found = [path for word in words for path in _paths_of(index, word)]
    paths = tuple(dict.fromkeys(found))
    if topic == "complexity":
        symbols = tuple(
            dict.fromkeys(
                word for word in words if word not in found and named_exactly(index, word)
            )
        )
        if not (paths or symbols):
            _refuse_unknown(index, question)
        return StructureQuestion(topic, paths, symbols)
    if topic == "imports" and len(paths) == 2:  # noqa: PLR2004 - from one to the other
        return StructureQuestion("chain", paths)
    if not paths:
        _refuse_unknown(index, question)
    if topic in _ABOUT_MODULES and topic != "imports" and not paths:
        return StructureQuestion("overview")
    return StructureQuestion(topic, paths)


def _refuse_unknown(index: Index, question: NameQuestion) -> None:
    """Refuse a request about modules or functions none of which the code has."""
    wanted = (*question.paths, *question.names) or question.missing
    if wanted and not any(is_known(index, name) for name in wanted):
        raise unknown(index, "file" if "/" in wanted[0] else "module", wanted[0])


def _paths_of(index: Index, word: str) -> list[str]:
    """Return the module that a word names, if it names just one."""
    found = index.modules.matching(word.strip("/"))
    return found if len(found) == 1 else []
