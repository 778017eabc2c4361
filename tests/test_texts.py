"""Texts in two languages lie in files; each fits the other, and the code that says it."""

import ast
import string
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from minerva_platform.text import Texts, read_texts
from minerva_platform.text.language import LANGUAGES

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path
    for pattern in ("platform/minerva_*", "teams/*/minerva_*")
    for package in ROOT.glob(pattern)
    for path in package.rglob("texts/*.toml")
)


def texts_of(file: Path) -> Texts:
    """Return the texts of `file`."""
    package = file.parents[1]
    parts = package.relative_to(_source_root(package)).parts
    return read_texts(".".join(parts), file.stem)


def _source_root(package: Path) -> Path:
    (name,) = (part for part in package.parts if part.startswith("minerva_"))
    return Path(*package.parts[: package.parts.index(name)])


def places(said: str | tuple[str, ...]) -> list[list[str]]:
    """Return the names of the places in a text, of each text in a list."""
    several = (said,) if isinstance(said, str) else said
    return [
        sorted({name for _, name, _, _ in string.Formatter().parse(one) if name}) for one in several
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_text_is_there_in_both_languages_with_the_same_places(file: Path) -> None:
    """A text without its twin, or with another place, would fail in front of a person."""
    entries = texts_of(file).entries
    keys = {key for key, _ in entries}
    misfits = {
        key
        for key in keys
        if any((key, language) not in entries for language in LANGUAGES)
        or len({str(places(entries[key, language])) for language in LANGUAGES}) > 1
    }

    assert misfits == set()


@dataclass(frozen=True)
class Module:
    """What one module says of texts, found in one walk: hundreds are asked about by each file."""

    made: dict[str, list[str]]
    """The names that are bound at its top, by the code that makes their values."""
    imported: list[tuple[str | None, str, str]]
    """Each `from A import B as C`."""
    calls: dict[str, list[ast.Call]]
    """The calls of each name, those of its `row` and `has` too."""


def _read(source: str) -> Module:
    tree = ast.parse(source)
    made, calls = defaultdict[str, list[str]](list), defaultdict[str, list[ast.Call]](list)
    imported: list[tuple[str | None, str, str]] = []
    for bound in tree.body:
        if isinstance(bound, ast.Assign):
            names = [target.id for target in bound.targets if isinstance(target, ast.Name)]
            made[ast.unparse(bound.value)] += names
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imported += [(node.module, one.name, one.asname or one.name) for one in node.names]
        elif isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr in {"row", "has"}:
                called = called.value
            if isinstance(called, ast.Name):
                calls[called.id].append(node)
    return Module(made, imported, calls)


@cache
def modules_of(root: Path) -> dict[str, Module]:
    """Return the modules below a source root by their dotted names."""
    found = sorted(root.rglob("minerva_*/**/*.py"))
    return {
        ".".join(path.relative_to(root).with_suffix("").parts): _read(path.read_text("utf-8"))
        for path in found
    }


def asked_of(root: Path, texts: Texts) -> Iterator[ast.Call]:
    """Yield each call of `texts`, whatever a module names them."""
    code = f"read_texts({texts.package!r}, {texts.name!r})"
    modules = modules_of(root)
    made = {(at, name) for at, module in modules.items() for name in module.made.get(code, ())}
    for at, module in modules.items():
        here = {name for where, name in made if where == at}
        here |= {name for where, one, name in module.imported if (where, one) in made}
        for name in here:
            yield from module.calls.get(name, ())


def _written(key: ast.expr) -> Iterator[str]:
    """Yield how a key begins; a `*` stands for what is not written."""
    if isinstance(key, ast.Constant):
        yield str(key.value)
    elif isinstance(key, ast.IfExp):
        yield from _written(key.body)
        yield from _written(key.orelse)
    elif isinstance(key, ast.JoinedStr) and isinstance(key.values[0], ast.Constant):
        yield f"{key.values[0].value!s}*"
    else:
        yield "*"


def said_with(call: ast.Call) -> Iterator[tuple[str, set[str]]]:
    """Yield the key of `NAME("key", language, …)` and the places that the call fills."""
    filled = {given.arg for given in call.keywords if given.arg}
    named = isinstance(call.func, ast.Name)
    if named and call.args and len(filled) == len(call.keywords):  # no **values
        yield from ((key, filled) for key in _written(call.args[0]))


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_place_of_a_text_is_filled(file: Path) -> None:
    """One that is left empty would fail in front of a person."""
    texts = texts_of(file)
    unfilled = {
        (key, place)
        for call in asked_of(_source_root(file.parents[1]), texts)
        for key, filled in said_with(call)
        for place in set().union(*places(texts.entries.get((key, LANGUAGES[0]), ""))) - filled
    }

    assert unfilled == set()


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_text_is_said_and_every_text_said_is_there(file: Path) -> None:
    """A key in code that no file has fails; so does a text that no code says any more."""
    texts = texts_of(file)
    there = {key for key, _ in texts.entries}
    root = _source_root(file.parents[1])
    calls = [call for call in asked_of(root, texts) if call.args]
    asked = {key for call in calls for key in _written(call.args[0])}
    whole = {key for key in asked if not key.endswith("*")}
    starts = tuple(key[:-1] for key in asked - whole)

    assert asked, f"no code reads it by read_texts({texts.package!r}, {texts.name!r})"
    assert whole - there == set()
    assert {key for key in there - whole if not key.startswith(starts)} == set()
