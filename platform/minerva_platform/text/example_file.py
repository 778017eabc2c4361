"""Read the requests that train a router from text files, where a team can add to them in a line.

`examples/retrieval_agent.txt` in a team's package holds what should reach that worker, one
request a line. Blank lines and lines that begin with `# ` say nothing.
"""

from collections import Counter
from importlib.resources import files

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
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except FileNotFoundError as error:
        message = f"{file} is not there; write the requests that should reach `{name}`, one a line."
        raise ContractError(message) from error
    requests = tuple(line for line in lines if line and not line.startswith(_COMMENT))
    twice = [request for request, count in Counter(requests).items() if count > 1]
    if twice:
        message = f"{file} holds `{twice[0]}` twice; leave one."
        raise ContractError(message)
    return requests
