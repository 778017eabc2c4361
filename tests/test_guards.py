"""The guards of the floor plan see what they are for; `make lint` holds the source to them."""

import ast
from textwrap import dedent

import guards
import pytest


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        *((name, True) for name in ("found", "_told", "Examined")),
        *((name, False) for name in ("found_rows", "rows", "seed", "need", "red")),
    ],
)
def test_a_participle_alone_is_seen(name: str, *, is_one: bool) -> None:
    """With a noun beside it, it says what the thing is."""
    assert guards.is_participle(name) == is_one


def test_others_see_signatures_and_not_what_a_body_binds() -> None:
    """A function that returns its first argument changed, or that is a context, is an idiom."""
    source = """
        class Examined:
            held: int
            def kept(self) -> int:
                found = self.made = 1
                return found
        def told(given: str, *, wanted: int) -> int: ...
        def quoted(text: str) -> str: ...
        @contextmanager
        def opened(path: Path) -> Iterator[int]: ...
    """
    names = {
        (name, is_seen)
        for name, is_seen in guards.bare_participles(ast.parse(dedent(source)))
        if guards.is_participle(name)
    }

    signatures = {"Examined", "held", "kept", "made", "told", "given", "wanted"}
    assert names == {(name, True) for name in signatures} | {("found", False)}


def test_a_number_above_its_limit_is_named_and_one_below_it_is_lowered() -> None:
    """What has no limit has none to be under; what is not measured any more goes."""
    text = '["lines"]\n"answer" = 10  # tables\n"cli" = 20\n"calls" = 5\n'
    limits = {"lines": {"answer": 10, "cli": 20, "calls": 5}}
    figures = {"lines": {"answer": 12, "cli": 15, "people": 1}}

    assert guards.passed(figures, limits) == [
        "lines: answer: 12, and the limit is 10",
        "lines: people: 1, and the limit is 0",
    ]
    assert guards.lowered(text, figures) == '["lines"]\n"answer" = 10  # tables\n"cli" = 15\n'
