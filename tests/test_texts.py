"""Texts in two languages lie in files; each fits the other, and the code that says it."""

import ast
import string
from collections.abc import Iterator
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


def keys_in(tree: ast.AST, name: str) -> Iterator[str]:
    """Yield how each key begins that is asked of `name`; a `*` stands for what is not written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr in {"row", "has"}:
                called = called.value
            if isinstance(called, ast.Name) and called.id == name:
                yield from _written(node.args[0])


def _written(key: ast.expr) -> Iterator[str]:
    if isinstance(key, ast.Constant):
        yield str(key.value)
    elif isinstance(key, ast.IfExp):
        yield from _written(key.body)
        yield from _written(key.orelse)
    elif isinstance(key, ast.JoinedStr) and isinstance(key.values[0], ast.Constant):
        yield f"{key.values[0].value!s}*"
    else:
        yield "*"


@cache
def modules_of(root: Path) -> dict[str, ast.Module]:
    """Return the modules below a source root by their dotted names."""
    found = sorted(root.rglob("minerva_*/**/*.py"))
    return {
        ".".join(path.relative_to(root).with_suffix("").parts): ast.parse(path.read_text("utf-8"))
        for path in found
    }


def readers(root: Path, texts: Texts) -> Iterator[tuple[ast.Module, str]]:
    """Yield each module that asks for `texts`, and what it calls them."""
    made = {
        (module, target.id)
        for module, tree in modules_of(root).items()
        for node in tree.body
        if isinstance(node, ast.Assign)
        and ast.unparse(node.value) == f"read_texts({texts.package!r}, {texts.name!r})"
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for module, tree in modules_of(root).items():
        yield from ((tree, name) for where, name in made if where == module)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                yield from (
                    (tree, one.asname or one.name)
                    for one in node.names
                    if (node.module, one.name) in made
                )


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_text_is_said_and_every_text_said_is_there(file: Path) -> None:
    """A key in code that no file has fails; so does a text that no code says any more."""
    texts = texts_of(file)
    there = {key for key, _ in texts.entries}
    root = _source_root(file.parents[1])
    asked = {key for tree, name in readers(root, texts) for key in keys_in(tree, name)}
    whole = {key for key in asked if not key.endswith("*")}
    starts = tuple(key[:-1] for key in asked - whole)

    assert asked, f"no code reads it by read_texts({texts.package!r}, {texts.name!r})"
    assert whole - there == set()
    assert {key for key in there - whole if not key.startswith(starts)} == set()
