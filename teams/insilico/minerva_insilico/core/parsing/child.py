"""The process that touches foreign source: it parses, and may be killed for it.

It runs isolated (`-I -S`), with a memory limit, and never imports what it
reads. A source that cannot be parsed is an answer; one that brings the process
down costs only itself, because `core.parser` starts the next one.
"""

import ast
import contextlib
import gc
import importlib
import signal
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache
from typing import Any

from minerva_insilico.core.docstrings.document import split_document
from minerva_insilico.core.facts.identifier_words import symbol_words
from minerva_insilico.core.facts.language import DOCUMENTS, GRAMMARS, PYTHON, has_grammar
from minerva_insilico.core.facts.vocabulary import table
from minerva_insilico.core.parsing import wire
from minerva_insilico.core.parsing.encoding import decode
from minerva_insilico.core.visitors import reader
from minerva_insilico.core.visitors.visit_state import split_lines

_KINDS = table("languages", "definitions")
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
_MAX_NAME_CHARACTERS = 200
_MAX_SIGNATURE = 200
"""Characters."""
MAX_MEMORY_BYTES = 1024 * 1024 * 1024
_RARELY = 200_000
_DEEP = 10_000
"""Calls in each other that rewriting may need: 900 `elif` are a tree 900 deep."""
_MARK = b"\x00"
_PEAK_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024

Answer = tuple[dict[str, Any], bytes]


def serve() -> None:
    """Answer messages on standard input until it closes."""
    seconds = float(sys.argv[1])
    _limit_memory()
    _let_the_alarm_kill()
    gc.set_threshold(_RARELY)  # trees are freed by their counts; only sqlglot leaves cycles
    warnings.simplefilter("ignore")
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            message, source = wire.receive(incoming)
        except wire.BrokenWireError:
            return
        # The kernel counts this process's CPU time, also inside the C parser, and the signal kills
        # it there. So an orphan ends, too.
        signal.setitimer(signal.ITIMER_PROF, message.get("seconds", seconds))
        began = time.process_time()
        found, blob = answer(message, source)
        found["cpu_seconds"] = time.process_time() - began
        wire.send(outgoing, found, blob)
        signal.setitimer(signal.ITIMER_PROF, 0)


def answer(message: dict[str, Any], source: bytes) -> Answer:
    """Return what `message` asks about `source`, or its typed failure."""
    try:
        return _OPERATIONS[message["do"]](message, source)
    except SyntaxError as error:
        return _failure(error, error.msg, _line(error, source))
    except (ValueError, RecursionError, MemoryError, LookupError) as error:
        if isinstance(error, MemoryError) and _is_memory_full():
            return {"reason": "memory", "detail": str(MAX_MEMORY_BYTES), "line": None}, b""
        text = str(error) or "the source is too deep or too large"
        return _failure(error, text, _null_line(source))
    except Exception as error:  # noqa: BLE001 - a fault of ours must cost one file, not all
        return _failure(error, str(error), None)


def _failure(error: Exception, text: str, line: int | None) -> Answer:
    return {"reason": "syntax", "detail": f"{type(error).__name__}: {text}", "line": line}, b""


def _read_source(message: dict[str, Any], source: bytes) -> Answer:
    language, path = message.get("language", PYTHON), message["path"]
    if language == PYTHON:
        tree = ast.parse(source)
        text = decode(source).removeprefix("\ufeff")
        facts: dict[str, Any] = {"is_parsed": 1, **reader.read_module(tree, text=text, path=path)}
    else:
        text = source.decode("utf-8-sig", "replace")
        lines = split_lines(text)
        facts = {"is_parsed": 1, "lines": len(lines) - (lines[-1] == "")}
        if language in DOCUMENTS:
            facts["sections"] = split_document(lines, language)
        else:
            facts.update(read_outline(source, language, path))
    facts["language"] = language
    return facts, zlib.compress(text.encode("utf-8", "replace"), 1)


def _arguments(message: dict[str, Any], source: bytes) -> Answer:
    """Return what the calls on some lines are given; the source is text as it was indexed."""
    text = source.decode("utf-8", "replace")
    rows = reader.read_arguments(
        ast.parse(text), text=text, path=message["path"], lines=message["lines"]
    )
    return {"rows": rows}, b""


def _draft(message: dict[str, Any], source: bytes) -> Answer:
    from minerva_insilico.core.docstrings.module_draft import draft_module  # noqa: PLC0415 - libcst takes 0.3 s

    sys.setrecursionlimit(_DEEP)
    words = {int(place): said for place, said in message.get("words", {}).items()}
    drafted = draft_module(
        source, message["path"], message["wanted"], style=message["style"], words=words
    )
    found = asdict(drafted)
    del found["content"]  # the patch says it shorter
    return found, b""


def _version(message: dict[str, Any], source: bytes) -> Answer:
    from minerva_insilico.core.parsing.python_version import written_for  # noqa: PLC0415 - libcst

    found = written_for(source, message["error"], message["line"])
    return {"written_for": found}, b""


def _manifest(message: dict[str, Any], source: bytes) -> Answer:
    from minerva_reading import read_declarations  # noqa: PLC0415 - rarely asked

    return read_declarations(source, message["path"]), b""


def _match(message: dict[str, Any], source: bytes) -> Answer:
    from ast_grep_py import SgRoot  # noqa: PLC0415 - an extra

    root = SgRoot(source.decode(), message["language"]).root()
    found = root.find_all(pattern=message["pattern"])
    return {"lines": sorted({node.range().start.line for node in found})}, b""


_OPERATIONS: dict[str, Callable[[dict[str, Any], bytes], Answer]] = {
    "read": _read_source,
    "arguments": _arguments,
    "draft": _draft,
    "manifest": _manifest,
    "match": _match,
    "version": _version,
}


def _line(error: SyntaxError, source: bytes) -> int | None:
    if error.lineno:
        return error.lineno
    if _MARK in source:
        return _null_line(source)
    try:
        source.decode()
    except UnicodeDecodeError as wrong:
        return source.count(b"\n", 0, wrong.start) + 1
    return 1  # what has no line is about the encoding cookie, or the file as a whole


def _null_line(source: bytes) -> int | None:
    position = source.find(_MARK)
    return source.count(b"\n", 0, position) + 1 if position >= 0 else None


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource  # noqa: PLC0415 - POSIX only

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def _is_memory_full() -> bool:
    """Tell a lack of memory from the parser's own bound, which is a MemoryError as well."""
    with contextlib.suppress(ImportError):
        import resource  # noqa: PLC0415 - POSIX only

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT_BYTES
        return peak > MAX_MEMORY_BYTES // 2
    return False


def _let_the_alarm_kill() -> None:
    """Undo what the process that started us may have set: an ignored or blocked signal."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})


def read_outline(source: bytes, language: str, path: str) -> dict[str, Any]:
    """Return the definitions in a source, or nothing where the grammar is not installed.

    What does not parse still has an outline, because tree-sitter goes on behind a fault.
    """
    if not has_grammar(language):
        return {"is_parsed": 0, "outline": []}
    outline: list[list[Any]] = []
    words: list[tuple[str, str, str]] = []
    for kind, above, node, name in _definitions(_parser(language).parse(source).root_node):
        qualname = ".".join((*above, name))
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        outline.append([qualname, name, kind, line, end, _signature(node)])
        words.append(symbol_words(qualname, path, None))
    return {"is_parsed": 1, "outline": outline, "outline_words": words}


@cache
def _parser(language: str) -> Any:
    from tree_sitter import Language, Parser  # noqa: PLC0415 - an extra

    module, function = GRAMMARS[language]
    grammar: Any = getattr(importlib.import_module(module), function)()
    return Parser(Language(grammar))  # pyright: ignore[reportDeprecated]  # a capsule, or a number of old


def _definitions(root: Any) -> Iterator[tuple[str, tuple[str, ...], Any, str]]:
    """Yield (kind, names of the definitions around, node, name) in the order of the text."""
    pending: list[tuple[Any, tuple[str, ...]]] = [(root, ())]
    while pending:
        node, above = pending.pop()
        kind = _kind(node)
        name = _name(node) if kind else ""
        if kind and name:
            yield kind, above, node, name
            above = (*above, name)
        pending.extend((child, above) for child in reversed(node.named_children))


def _kind(node: Any) -> str | None:
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        return "function" if value is not None and value.type in _FUNCTION_VALUES else None
    return _KINDS.get(node.type)


def _name(node: Any) -> str:
    named = node.child_by_field_name("name")
    if named is None:  # SQL has no fields: its first reference is what is created
        named = next((one for one in node.named_children if one.type == "object_reference"), None)
    text = named.text.decode("utf-8", "replace") if named is not None else ""
    return text.strip('"`[]') if len(text) <= _MAX_NAME_CHARACTERS else ""


def _signature(node: Any) -> str:
    parameters = node.child_by_field_name("parameters")
    text = parameters.text.decode("utf-8", "replace") if parameters is not None else ""
    flat = " ".join(text[: _MAX_SIGNATURE * 2].split())
    return flat if len(flat) <= _MAX_SIGNATURE else flat[: _MAX_SIGNATURE - 1] + "…"
