"""A text is added to a list in a person's YAML file, and nothing else of the file changes."""

import re
from pathlib import Path

import pytest
import yaml

from minerva_platform.cli.training.yaml_list import UneditableError, with_item

README = Path(__file__).parents[3] / "platform" / "README.md"
KEYS = ("examples", "finder")

FORMS = {
    "": 'examples:\n  finder:\n    - "b: \\"c\\" # d"\n',
    "# only words": '# only words\nexamples:\n  finder:\n    - "b: \\"c\\" # d"\n',
    "a: 1  # one\n# the end\n": (
        'a: 1  # one\n# the end\nexamples:\n  finder:\n    - "b: \\"c\\" # d"\n'
    ),
    "examples:\n": 'examples:\n  finder:\n    - "b: \\"c\\" # d"\n',
    "examples:\n    other: [x]\nz: 1\n": (
        'examples:\n    other: [x]\n    finder:\n      - "b: \\"c\\" # d"\nz: 1\n'
    ),
    "examples:\n  finder:\n  other:\n  - x\n": (
        'examples:\n  finder:\n    - "b: \\"c\\" # d"\n  other:\n  - x\n'
    ),
    "examples:\n  finder:\n  - x  # why\n\n# next\nz: 1": (
        'examples:\n  finder:\n  - x  # why\n  - "b: \\"c\\" # d"\n\n# next\nz: 1'
    ),
    "examples:\n  finder:\n    - |\n      x\n      y\nz: 1\n": (
        'examples:\n  finder:\n    - |\n      x\n      y\n    - "b: \\"c\\" # d"\nz: 1\n'
    ),
    "examples: {finder: [x, 'y']}  # short\n": (
        'examples: {finder: [x, \'y\', "b: \\"c\\" # d"]}  # short\n'
    ),
    "examples:\n  finder: [x, 'y']  # short\n": (
        'examples:\n  finder: [x, \'y\', "b: \\"c\\" # d"]  # short\n'
    ),
    "examples:\n  finder: []\n": 'examples:\n  finder: ["b: \\"c\\" # d"]\n',
    "examples:\r\n  finder:\r\n    - x\r\n": (
        'examples:\r\n  finder:\r\n    - x\r\n    - "b: \\"c\\" # d"\r\n'
    ),
    "examples:\n  finder:\n    - x": 'examples:\n  finder:\n    - x\n    - "b: \\"c\\" # d"\n',
}
"""A file, and the file with one text more."""


@pytest.mark.parametrize("text", FORMS)
def test_the_text_comes_last_and_all_else_stays(text: str) -> None:
    """Comments, quotes, indentation and the ends of lines, in every form that is edited."""
    changed = with_item(text, KEYS, 'b: "c" # d')

    assert changed == FORMS[text]
    assert yaml.safe_load(changed)["examples"]["finder"][-1] == 'b: "c" # d'


@pytest.mark.parametrize(
    "text",
    [
        "- a list\n",
        "{a: 1}\n",
        "examples: text\n",
        "examples: {other: [x]}\n",
        "examples:\n  finder: text\n",
        "examples:\n  finder: ~\n",
        "examples:\n  finder: [x, ]\n",
        "a: 1\n...\n",
        "a: [\n",
    ],
)
def test_another_form_is_left_to_the_person(text: str) -> None:
    """Who gets the lines to add; a file is never half right."""
    with pytest.raises(UneditableError) as caught:
        with_item(text, KEYS, "b")

    assert caught.value.lines == 'examples:\n  finder:\n    - "b"\n'


def test_the_commands_of_the_readme_write_the_file_that_it_shows() -> None:
    """Both ways of saying the same stand beside each other there."""
    text = README.read_text(encoding="utf-8")
    example = re.search(r'minerva route add "(.+)" --to (\w+)', text)
    decline = re.search(r'minerva route add "(.+)" --decline --team data', text)
    shown = text.partition("# configs/teams/data.yaml\n")[2].partition("```")[0]
    assert example is not None
    assert decline is not None
    written = with_item("", ("examples", example[2]), example[1])

    assert with_item(written, ("declines",), decline[1]) == shown
