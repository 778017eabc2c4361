"""Which files and functions of the platform a request enters: the way a reader follows.

The second request is looked at, so nothing is learned on the way, and the first approval, as a
command has no second. What a module does when it is imported does not count. The numbers do not
depend on the machine.

    python tests/bench/way.py
"""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from minerva_platform import Platform
from minerva_platform.cli.main import app

REQUEST = "Standardise the columns pat_id and dx_cd"
PAYMENTS = """\
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, ask_approval


class Payer(BaseAgent[AgentInput, AgentOutput]):
    name = "payer"
    description = "Pays invoices."
    examples = tuple(f"pay invoice {number}" for number in range(10))

    def work(self, given: AgentInput) -> AgentOutput:
        arguments = ask_approval("Pay?", tool="pay", arguments={"amount": 9000})
        return AgentOutput(summary=f"paid {arguments['amount']}")


class Finance(Team):
    name = "finance"
    description = "Pays."
    members = [Payer()]
"""


def entered(call: Callable[[], Any]) -> tuple[int, int]:
    """Return how many files and functions of the platform `call` enters, in whatever thread."""
    seen: set[tuple[str, str]] = set()

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and "/minerva_platform/" in code.co_filename:
            seen.add((code.co_filename, code.co_qualname))

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    functions = {each for each in seen if each[1] != "<module>"}
    return len({file for file, _ in functions}), len(functions)


def request() -> tuple[int, int]:
    """Ask the shipped teams by `Platform.ask`."""
    platform = Platform()
    platform.ask(REQUEST)
    return entered(lambda: platform.ask(REQUEST))


def approval(folder: Path) -> tuple[int, int]:
    """Approve a payment by the command line."""

    def minerva(*words: str) -> None:
        sys.argv = ["minerva", *words]
        try:
            app()
        except SystemExit as end:
            if end.code:
                raise

    (folder / "finance.py").write_text(PAYMENTS, encoding="utf-8")
    (folder / "platform.yaml").write_text("teams: [./finance.py:Finance]\n", encoding="utf-8")
    os.environ["MINERVA_CONFIG"] = str(folder)
    run = Platform.from_config().ask("pay invoice 3")
    return entered(lambda: minerva("approve", run.run_id))


def ways() -> dict[str, tuple[int, int]]:
    """Return the files and functions of each way."""
    with TemporaryDirectory() as folder:
        os.environ["MINERVA_HOME"] = str(Path(folder) / "home")
        return {"a warm request": request(), "an approval": approval(Path(folder))}


def main() -> int:
    """Print a table."""
    for name, (files, functions) in ways().items():
        print(f"{name:<20}{files:>5} files{functions:>7} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
