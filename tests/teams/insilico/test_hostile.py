"""Hostile sources: a typed failure each, in time, and nothing of them ever runs."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico.agents.ast_parser import AstParserAgent
from minerva_insilico.core.facts.errors import UnknownNameError, WrongQueryError
from minerva_insilico.core.fields.sql import read_statement
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import ReadLimits, index_tree
from minerva_insilico.core.parsing.parser import Failure, Parser
from minerva_insilico.core.queries.search import SearchQuery, search
from minerva_insilico.core.queries.text import find_sections, find_text

Write = Callable[[str, Mapping[str, str | bytes]], Path]

DEEP = 100_000

HOSTILE: dict[str, tuple[bytes, str, int | None]] = {
    "brackets.py": (b"x = " + b"[" * DEEP + b"]" * DEEP, "SyntaxError", 1),
    "minus.py": (b"x = " + b"-" * DEEP + b"1", "MemoryError", None),
    "attributes.py": (b"x = a" + b".b" * DEEP, "RecursionError", None),
    "sum.py": (b"x = " + b"+".join([b"1"] * DEEP), "RecursionError", None),
    "indents.py": (b"".join(b" " * n + b"if 1:\n" for n in range(200)), "IndentationError", 101),
    "null.py": (b"a = 1\nb = 2\n\0\n", "SyntaxError", 3),
    "cookie.py": (b"# -*- coding: nonsense -*-\nx = 1\n", "SyntaxError", 1),
    "bytes.py": (b"a = 1\nb = '\xff\xfe'\n", "SyntaxError", 2),
    "number.py": (b"x = " + b"9" * 10_000, "SyntaxError", 1),
}

HARMLESS: dict[str, bytes] = {
    "literal.py": b"x = '" + b"a" * 4_000_000 + b"'\n",
    "korean.py": "# -*- coding: euc-kr -*-\nx = '환자'\n".encode("euc-kr"),
    "mark.py": b"\xef\xbb\xbfx = 1\n",
    "empty.py": b"",
    "long.py": b"x = " + b"+".join([b"1"] * 900),
    "comments.py": b"x = '" + b"/* */ " * 100_000 + b"'\n",
    "sql.py": b"x = 'SELECT a FROM t WHERE " + b"(" * 20_000 + b"a" + b")" * 20_000 + b"'\n",
}


def test_each_hostile_source_is_a_failure_with_its_line_where_known(write: Write) -> None:
    """One tree holds them all: the others are indexed as if they were alone."""
    sources = {name: content for name, (content, _, _) in HOSTILE.items()}
    root = write("tree", {**sources, **HARMLESS})

    found = index_tree(root)

    kinds = {item.path: (item.error.partition(":")[0], item.line) for item in found.failed}
    assert kinds == {name: (kind, line) for name, (_, kind, line) in HOSTILE.items()}
    assert found.parsed == len(HARMLESS)


async def test_the_event_loop_answers_while_hostile_code_is_indexed(write: Write) -> None:
    """A server goes on: the loop turns while they are worked on, elsewhere."""
    sources = {name: HOSTILE[name][0] for name in ("brackets.py", "attributes.py", "number.py")}
    root = write("tree", {**sources, "mark.py": HARMLESS["mark.py"]})
    turns = 0
    asked = AstParserAgent().ainvoke({"request": "index", "source": str(root)})
    task = asyncio.create_task(asked)
    while not task.done():
        await asyncio.sleep(0.01)
        turns += 1

    assert (await task)["index"]["parsed"] == 1
    assert turns > len(sources)


@pytest.mark.small(3)
@pytest.mark.parametrize(
    "text", ["(a+)+$", "(a|aa)+$", "(.*a){25}", "^(([a-z])+.)+[A-Z]([a-z])+$", "a{1000}{1000}"]
)
def test_a_pattern_that_explodes_elsewhere_is_harmless(write: Write, text: str) -> None:
    """RE2 takes linear time, or refuses the pattern; as plain text it is plain text."""
    root = write("tree", {"a.py": f"x = '{'a' * 100_000}!'\n", "b.py": f"# {text}\n"})

    with Index(index_tree(root).database) as index:
        try:
            find_text(index, text, is_pattern=True)
        except WrongQueryError as error:
            assert text[:80] in str(error)  # noqa: PT017  # refusing is right, too
        assert [hit.path for hit in find_text(index, text).items] == ["b.py"]


@pytest.mark.parametrize(
    "words", ['"', "*", "q AND (", "NEAR(q z", "{x}: y", "\0", "ㄱ" * 5_000, "%"]
)
def test_no_words_break_a_search(write: Write, words: str) -> None:
    """Whatever is typed is words to look for, never the full-text language."""
    root = write("tree", {"a.py": "def load(): ...\n"})
    with Index(index_tree(root).database) as index:
        for mode in ("symbol", "callers", "callees", "imports", "importers", "field_uses"):
            with pytest.raises(UnknownNameError):
                search(index, SearchQuery(mode, words))
        assert search(index, SearchQuery("text", words)).total == 0
        assert find_sections(index, words).total == 0


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("deep.md", b"#" * 3_000_000),
        ("fences.md", b"```\n" * 500_000),
        ("titles.rst", b"a\n=\n===\n" * 300_000),
        ("line.rst", b"=" * 4_000_000),
        ("deep.js", b"f(" * 100_000),
        ("deep.sql", b"SELECT " + b"(" * 100_000),
        ("Null.java", b"class A { \0\0 int b() {} }"),
        ("deep.go", b"package a\nvar x = " + b"[" * 100_000),
    ],
)
def test_hostile_documents_and_other_languages(write: Write, path: str, content: bytes) -> None:
    """They are answered in time as well, parsed or with an error of their own."""
    root = write("tree", {path: content})

    found = index_tree(root)

    assert sum(item.files for item in found.languages) == 1


def test_nothing_is_imported(write: Write, tmp_path: Path) -> None:
    """Neither a module with effects nor one that bears the name of a library of ours runs."""
    effect = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    names = ("ast.py", "json.py", "sqlglot.py", "sitecustomize.py", "minerva_insilico/__init__.py")
    root = write("tree", dict.fromkeys(names, f'{effect}Q = "SELECT A FROM T"\n'))  # noqa: S608  # a source to read

    found = index_tree(root)

    assert found.parsed == len(names)
    assert not (tmp_path / "ran").exists()


def test_a_source_that_takes_too_long_is_killed_and_the_next_is_parsed(write: Write) -> None:
    """The limit is the file's, not the batch's; a killed file may be tried again."""
    slow = b"x = f'" + b"{a}" * 200_000 + b"'"
    root = write("tree", {"a.py": slow, "b.py": "y = 1\n"})

    found = index_tree(root, limits=ReadLimits(cpu_seconds_a_file=0.4))

    assert [(item.path, item.error) for item in found.failed] == [
        ("a.py", "TimeoutError: not parsed within 0.4 s of CPU time")
    ]
    assert found.parsed == 1
    (root / "a.py").write_text("x = 1\n")
    assert index_tree(root).parsed == 2


@pytest.mark.slow
def test_a_source_that_needs_too_much_memory_is_a_failure() -> None:
    """The parsing process has a limit; without it the machine would swap."""
    hungry = b"x = [" + b"[]," * 2_700_000 + b"]\n"

    with Parser() as parser:
        answer = parser.ask({"do": "read", "path": "a.py"}, hungry)
        after = parser.ask({"do": "read", "path": "b.py"}, b"y = 1\n")

    assert isinstance(answer, Failure)
    assert not isinstance(after, Failure)


def test_a_parser_ends_with_its_block() -> None:
    """No process is left behind, and a second close does no harm."""
    with Parser() as parser:
        assert not isinstance(parser.ask({"do": "read", "path": "a.py"}, b"x = 1\n"), Failure)
        process = parser._process  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # the process is the thing under test
    parser.close()

    assert process is not None
    assert process.poll() is not None


def test_a_parser_that_has_ended_starts_no_process_for_who_still_asks() -> None:
    """Another thread's second try would keep Ctrl-C waiting until its limit."""
    with Parser() as parser:
        parser.ask({"do": "read", "path": "a.py"}, b"x = 1\n")
        parser.end()

        answer = parser.ask({"do": "read", "path": "b.py"}, b"y = 1\n")

    assert answer == Failure("crash", "ended", None, lasting=False)


def test_a_process_that_dies_is_a_failure_of_one_file() -> None:
    """Whatever kills it (a crash of the interpreter, the kernel), the next file gets a new one."""
    with Parser() as parser:
        parser.ask({"do": "read", "path": "a.py"}, b"x = 1\n")
        process = parser._process  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # killed as the kernel would
        assert process is not None
        process.kill()
        process.wait()

        assert not isinstance(parser.ask({"do": "read", "path": "b.py"}, b"y = 1\n"), Failure)


@pytest.mark.parametrize(
    "text",
    ["/* " + "*/ /* " * 20_000, "--\n" * 50_000, "SELECT " + "a " * 50_000, "(" * 100_000],
)
def test_a_literal_cannot_freeze_the_search_for_sql(text: str) -> None:
    """The expressions that recognise SQL take linear time on what almost matches."""
    read_statement(text)  # it ends: back-tracking would take years
