"""Fields that a longer text names: a query string, a list of names, code that a test expects.

`"/?status=open&page=2"`, `"The fields race_name, position must make a unique set."`, and the lines
of `repr(serializer)`. Prose about a field is none of them.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

_QUERY = re.compile(r"(?:[^\s?]*\?)?(?P<pairs>[^\W\d][\w.-]*=[^\s&]*(?:&[^\s&=]+=[^\s&]*)*)")
_LIST = re.compile(
    r"""(?<![\w.'"])(?P<quote>['"]?)
    [^\W\d]\w*(?P=quote)               # the first name, in quotes or not
    (?:,\s?(?P=quote)[^\W\d]\w*(?P=quote))+   # and at least one more, in the same quotes
    """,
    re.VERBOSE,
)
_MANAGED = re.compile(r"\b(?P<model>[A-Z]\w*)\.objects\b")
_INPUT = re.compile(
    r"""<(?:input|select|textarea)\b[^<>]*\s
    name=(?P<quote>["'])(?P<name>[^\W\d]\w*)(?P=quote)
    """,
    re.VERBOSE,
)
_NAME = re.compile(r"[^\W\d]\w*")
_HEADER = re.compile(r"\s*(?P<name>[^\W\d]\w*)\\?\(.*\\?\):\s*")
_ASSIGNED = re.compile(r"(?P<indent>[ \t]*)(?P<name>[^\W\d]\w*) = [^\W\d]\w*\\?\(")
_CODE = re.compile(r"\b[A-Z]\w*\.[a-z_]\w*")
_MAX_CHARACTERS = 20_000
_MAX_CODE_CHARACTERS = 500


class NameInText(NamedTuple):
    """A name in a text: how many lines below its beginning, and what it belongs to."""

    below: int
    name: str
    above: str
    """The class or the name around it."""


class NameList(NamedTuple):
    """Names beside each other in a text."""

    below: int
    names: list[str]
    model: str
    """The class whose `objects` the line names. Empty if it names none."""


def query_keys(text: str) -> list[str]:
    """Return the keys of `"/?status=open"` and `"status=open&page=2"`, of no foreign address."""
    is_query = "=" in text and ("?" in text or "&" in text)
    if not is_query or "://" in text or len(text) > _MAX_CHARACTERS:
        return []
    match = _QUERY.fullmatch(text)
    pairs = match["pairs"].split("&") if match else []
    return [pair.partition("=")[0] for pair in pairs]


def listed_names(text: str) -> Iterator[NameList]:
    """Yield the lists in a text: of quoted names, or with a `snake_case` one among them."""
    if "," not in text or len(text) > _MAX_CHARACTERS:
        return
    for below, line in enumerate(text.split("\n")):
        model = _MANAGED.search(line)
        for match in _LIST.finditer(line):
            if match["quote"] or "_" in match[0]:
                names = _NAME.findall(match[0])
                yield NameList(below, names, model["model"] if model else "")


def coded_names(text: str) -> Iterator[tuple[str, str]]:
    """Yield (field, class) of a text that is code: `"and_(Ticket.status == 'open', …)"`."""
    if len(text) > _MAX_CODE_CHARACTERS or not _CODE.search(text):
        return
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # prose, or nothing that runs
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.attr, node.value.id


def input_names(text: str) -> Iterator[tuple[int, str]]:
    """Yield (lines below, name) of the inputs of a form in HTML: `<input name="status">`."""
    if "name=" not in text or len(text) > _MAX_CHARACTERS:
        return
    for match in _INPUT.finditer(text):
        yield text.count("\n", 0, match.start("name")), match["name"]


def assigned_names(text: str) -> Iterator[NameInText]:
    """Yield the names in lines `status = CharField(…)` below a line `PatientSerializer():`."""
    if " = " not in text or "\n" not in text or len(text) > _MAX_CHARACTERS:
        return
    around: list[tuple[int, str]] = []
    for below, line in enumerate(text.split("\n")):
        match = _ASSIGNED.match(line)
        header = None if match else _HEADER.fullmatch(line)
        found = match or header
        if found is None:
            continue
        indent = len(line) - len(line.lstrip())
        around = [one for one in around if one[0] < indent]
        if match and around:
            yield NameInText(below, match["name"], around[-1][1])
        around.append((indent, found["name"]))
