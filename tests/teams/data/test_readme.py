"""The examples of the README run as they stand."""

import re
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from minerva_data.commands import glossary, standardise

README = Path(__file__).parents[3] / "teams" / "data" / "README.md"
COMMANDS = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_hold() -> None:
    """Each asserts what the text around it says, one after another as a reader pastes them."""
    names: dict[str, Any] = {}
    for example in EXAMPLES:
        assert "assert" in example
        exec(compile(example, str(README), "exec"), names)  # noqa: S102  # our own documentation


def test_the_commands_can_be_typed() -> None:
    """Each subcommand and option of the README is one that the team's command knows."""
    lines = [line.split() for block in COMMANDS for line in block.splitlines()]
    for words in (line for line in lines if line[1] != "ask"):
        options = {word for word in words if word.startswith("--")}
        app = {"glossary": glossary.app, "standardise": standardise.app}[words[1]]
        is_group = words[2] == "proposals" and words[3] != "#"
        names = {"glossary": words[2:4] if is_group else words[2:3], "standardise": []}[words[1]]
        said = CliRunner().invoke(app, [*names, "--help"], env={"TERMINAL_WIDTH": "200"})

        assert words[0] == "minerva"
        assert said.exit_code == 0
        assert all(option in said.output for option in options)
