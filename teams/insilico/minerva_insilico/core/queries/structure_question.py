"""A person's question about the structure of a code base: its topic and its modules.

Without a topic the answer is the overview. A word names a module or a symbol only
if the index has one of that name, and it is written as a name or stands alone.
"""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.name_question import NameQuestion, read_name_question
from minerva_insilico.core.queries.nearest import is_known, refuse_paths, unknown
from minerva_insilico.core.queries.symbol import named_exactly
from minerva_platform.text import read_words

StructureTopic = Literal[
    "chain", "complexity", "cycles", "imports", "outline", "overview", "requirements", "summary"
]

_TOPICS: tuple[StructureTopic, ...] = (
    "requirements",
    "cycles",
    "complexity",
    "imports",
    "summary",
    "outline",
)
"""In the order in which they are tried: "unused dependencies" are requirements, not imports."""

WORDS = read_words("minerva_insilico.core.queries", "structure_question")

_ABOUT_MODULES: frozenset[StructureTopic] = frozenset({"imports", "outline", "summary"})


@dataclass(frozen=True)
class StructureQuestion:
    """The question."""

    topic: StructureTopic
    paths: tuple[str, ...] = ()
    """The files that are asked about."""
    names: tuple[str, ...] = ()
    """Functions, classes or files whose complexity is asked for."""


def read_structure_question(index: Index, text: str) -> StructureQuestion:
    """Read a request against what the index knows.

    Raises:
        UnknownNameError: it is about modules or functions, and the code has none of them.
        UnparsedSourceError: it is about a file that was not parsed.
    """
    found: list[StructureTopic] = [name for name in _TOPICS if WORDS.says(f"topics.{name}", text)]
    topic = found[0] if found else "overview"
    if topic in {"overview", "requirements", "cycles"}:
        return StructureQuestion(topic)
    question = read_name_question(text, is_known=lambda name: bool(_paths_of(index, name)))
    refuse_paths(index, question.paths)
    words = (*question.paths, *question.names, *question.words)
    paths = tuple(dict.fromkeys(path for word in words for path in _paths_of(index, word)))
    if topic == "complexity":
        folders = {f"{path.strip('/')}/" for path in question.paths} & _folders(index)
        inside = tuple(folders)
        paths = inside + tuple(path for path in paths if not path.startswith(inside))
        symbols = tuple(
            dict.fromkeys(
                word for word in words if word not in paths and named_exactly(index, word)
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


def _folders(index: Index) -> set[str]:
    """Return the folders with modules, each with a slash behind it."""
    return {f"{folder}/" for path in index.modules.names for folder in PurePosixPath(path).parents}


def _paths_of(index: Index, word: str) -> list[str]:
    """Return the module that a word names, if it names just one."""
    found = index.modules.matching(word.strip("/"))
    return found if len(found) == 1 else []
