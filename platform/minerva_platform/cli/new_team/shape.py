"""The shapes of a new team: the template's folders that it is written from, and the values."""

import ast
import doctest
import json
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_WIDTH = 80
"""Characters of a text that a line of the written code holds."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sources of a new project."""

    layers: tuple[str, ...]
    """Folders of the template."""
    question: str
    """A request that the team answers as it is."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values of the template's placeholders, beyond those of every team."""
    requirements: tuple[str, ...] = ()
    """Distributions that the code needs beside the platform."""
    copy: tuple[Path, str] | None = None
    """A file that becomes a module of the package, and the module's name."""


FULL = Shape(
    layers=("common", "full"),
    question="How many miles are 42 km?",
    requirements=("langgraph>=1.2.22,<1.3",),
)

MINIMAL = Shape(
    layers=("common", "single", "minimal"),
    question="How many words are in this: to be or not to be",
    words={
        "worker": "word_count_agent",
        "member": "WordCountAgent",
        "description": '"Counts words."',
        "about": "It answers in one step, `work`: write your own there.",
    },
)


def worker_name(name: str) -> str:
    """Return the name of a worker that calls the function `name`, in snake_case."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return snake if snake.endswith("agent") else f"{snake}_agent"


def literal(text: str, *, indent: int) -> str:
    """Return `text` as a Python literal, in parentheses over several lines if it is long."""
    if len(text) <= _WIDTH:
        return json.dumps(text, ensure_ascii=False)
    lines = textwrap.wrap(text, _WIDTH, drop_whitespace=False, break_long_words=False)
    space = " " * indent
    inner = "\n".join(f"{space}    {json.dumps(line, ensure_ascii=False)}" for line in lines)
    return f"(\n{inner}\n{space})"


def literals(texts: Iterable[str]) -> str:
    """Return the items of a tuple, a line each."""
    return "\n".join(f"        {json.dumps(text, ensure_ascii=False)}," for text in texts)


def import_lines(names: Mapping[str, Iterable[str]], *, package: str) -> str:
    """Return the imports of `names` by module, those of the team's own package at the end."""
    lines = {
        module: f"from {module} import {', '.join(sorted(set(wanted)))}"
        for module, wanted in sorted(names.items())
    }
    own = [line for module, line in lines.items() if module.startswith(f"{package}.")]
    others = [line for module, line in lines.items() if not module.startswith(f"{package}.")]
    return "\n\n".join("\n".join(block) for block in (others, own) if block)


def description_of(doc: str) -> str:
    """Return the first paragraph of a docstring, as one line."""
    return " ".join(doc.strip().split("\n\n")[0].split())


def examples_of(doc: str, function: str = "") -> tuple[str, ...]:
    """Return requests from a docstring: its first sentence, and what `>>> function("…")` asks."""
    first = re.split(r"(?<=[.!?])\s", description_of(doc))[0]
    return tuple(dict.fromkeys([first, *_asked_in(doc, function)]))


def _asked_in(doc: str, function: str) -> Iterable[str]:
    try:
        sources = [example.source for example in doctest.DocTestParser().get_examples(doc)]
        trees = [ast.parse(source) for source in sources]
    except (SyntaxError, ValueError):  # no doctest after all
        return
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function:
            yield from (
                given.value
                for given in node.args[:1]
                if isinstance(given, ast.Constant) and isinstance(given.value, str)
            )
