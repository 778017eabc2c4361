"""Read and parse many files at once, in as many processes as there are cores.

Answers come in the order of the paths, and only a few wait at a time: a tree of any size takes the
memory of a few files.
"""

import hashlib
import threading
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from minerva_insilico.core.facts import readable_files
from minerva_insilico.core.facts.errors import UnreadableSourceError
from minerva_insilico.core.facts.language import PYTHON, is_read, language_of_path
from minerva_insilico.core.parsing.masked_source import masked_source
from minerva_insilico.core.parsing.parser import Failure, Parser

_WAITING_A_PROCESS = 6
_ERRORS_OF_ANOTHER_PYTHON = ("SyntaxError:", "IndentationError:", "TabError:")
_MAX_CPU_SECONDS_TO_EXPLAIN = 2.0
"""libcst reads the largest file of Python's library in 1 s. Deep chains take quadratic time."""


@dataclass(frozen=True)
class ParsedFile:
    """The outcome of one file."""

    path: str
    language: str
    digest: str
    facts: dict[str, Any] | None = None
    source: bytes = b""
    """The compressed text."""
    failure: Failure | None = None
    unreadable: str | None = None
    """Why the file could not be read any more."""


class Pool(AbstractContextManager["Pool"]):
    """Processes that parse the files of one tree. Use it in a `with` block."""

    def __init__(self, root: Path, *, processes: int, seconds: float, total: float) -> None:
        """Give each file `seconds` of CPU time, and start none once all have taken `total`."""
        self._root, self._total = root, total
        self._parsers = [Parser(seconds=seconds) for _ in range(processes)]
        self._free = deque(self._parsers)
        self._own = threading.local()
        self._threads = ThreadPoolExecutor(processes, "parse", self._take)

    def __exit__(self, *_: object) -> None:
        self._total = 0.0
        self._threads.shutdown(wait=False, cancel_futures=True)
        for parser in self._parsers:
            parser.end()
        self._threads.shutdown()

    def parse(self, paths: Sequence[str]) -> Iterator[ParsedFile]:
        """Yield what became of each file, in order."""
        waiting: deque[Future[ParsedFile]] = deque()
        for path in paths:
            waiting.append(self._threads.submit(self._parse, path))
            if len(waiting) > _WAITING_A_PROCESS * len(self._parsers):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _take(self) -> None:
        self._own.parser = self._free.popleft()

    def _parse(self, path: str) -> ParsedFile:
        language = language_of_path(path) or ""
        try:
            source = readable_files.read_source(self._root, path)
        except UnreadableSourceError as error:  # it went, or turned into a link, since the scan
            return ParsedFile(path, language, "", unreadable=error.reason)
        found = ParsedFile(path, language, digest_of(path, source))
        source = masked_source(source, language)
        if sum(parser.cpu_seconds for parser in self._parsers) > self._total:
            late = Failure("tree_time", f"{self._total:g}", None, lasting=False)
            return replace(found, failure=late)
        parser: Parser = self._own.parser
        answer = parser.ask({"do": "read", "path": path, "language": language}, source)
        if isinstance(answer, Failure):
            if answer.reason == "syntax" and language == PYTHON:
                answer = _explain(parser, answer, source)
            text = zlib.compress(source.decode("utf-8", "replace").encode(), 1)
            return replace(found, failure=replace(answer, text=text))
        facts, compressed = answer
        return replace(found, facts=facts, source=compressed)


def _explain(parser: Parser, failure: Failure, source: bytes) -> Failure:
    """Say which Python a source is written for, where that is why it does not parse.

    No other Python reads what is too deep; to find that out takes libcst seconds.
    """
    if not failure.detail.startswith(_ERRORS_OF_ANOTHER_PYTHON):
        return failure
    question = {
        "do": "version",
        "error": failure.detail,
        "line": failure.line,
        "seconds": _MAX_CPU_SECONDS_TO_EXPLAIN,
    }
    answer = parser.ask(question, source)
    if isinstance(answer, Failure) or answer[0]["written_for"] is None:
        return failure
    version, sample = answer[0]["written_for"]
    if version == "2":
        return replace(failure, reason="python_2", detail=sample)
    return replace(failure, reason="newer_python", detail=f"{version} {sample}")


def digest_of(path: str, source: bytes) -> str:
    """Return a digest of a file's content, marked if the file is only searched as text."""
    language = language_of_path(path)
    mark = "" if language is None or is_read(language) else "text-"
    return mark + hashlib.sha256(source).hexdigest()
