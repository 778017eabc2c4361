"""Read the requests that train a router from text files, where a team can add to them in a line.

`examples/retrieval_agent.txt` in a team's package holds what should reach that worker, one
request a line. Blank lines and lines that begin with `# ` say nothing.
"""

from collections import Counter
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from minerva_platform.errors import ContractError

FOLDER = "examples"
_COMMENT = "# "


def read_examples(package: str, name: str) -> tuple[str, ...]:
    """Return the requests in `examples/<name>.txt` of `package`, in the file's order.

    Raises:
        ContractError: the file is not there, or holds a request twice.
    """
    file = files(package) / FOLDER / f"{name}.txt"
    try:
        requests = _requests(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        message = f"{file} is not there; write the requests that should reach `{name}`, one a line."
        raise ContractError(message) from error
    twice = [request for request, count in Counter(requests).items() if count > 1]
    if twice:
        message = f"{file} holds `{twice[0]}` twice; leave one."
        raise ContractError(message)
    return requests


def examples_without_import(package: str) -> tuple[str, ...]:
    """Return the requests for all workers of `package`, none of whose code is run.

    They are empty if there are no such files, or if one cannot be read.
    """
    try:
        spec = find_spec(package)
        folders = (spec and spec.submodule_search_locations) or ()
        places = [file for at in folders for file in sorted(Path(at, FOLDER).glob("*.txt"))]
        files = [file for file in places if file.stem != "declined"]  # what no worker does
        text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    except (ImportError, OSError, ValueError):
        return ()
    return tuple(dict.fromkeys(_requests(text)))


def _requests(text: str) -> tuple[str, ...]:
    lines = map(str.strip, text.splitlines())
    return tuple(line for line in lines if line and not line.startswith(_COMMENT))
