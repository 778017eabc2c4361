"""The examples of the README run as they stand."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[3] / "teams" / "data" / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_holds(example: str) -> None:
    """Each asserts what the text around it says."""
    assert "assert" in example
    exec(compile(example, str(README), "exec"), {})  # noqa: S102  # our own documentation
