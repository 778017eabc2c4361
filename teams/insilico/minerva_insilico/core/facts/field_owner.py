"""The owner of a field, as far as the text shows it, and its spelling in an index."""

from typing import Final, NamedTuple, TypeAlias


class KnownClass(NamedTuple):
    """A class: `Patient`, or `PatientForm` that the same text gives a model."""

    name: str
    model: str = ""


class CalledFunction(NamedTuple):
    """A function that is called with the name as a keyword."""

    name: str


class Siblings(NamedTuple):
    """The names beside the field's name."""

    names: tuple[str, ...]


class LoneText(NamedTuple):
    """A text without an owner in its surroundings."""

    mark: str = "?"


LONE_TEXT: Final = LoneText()


class Origin(NamedTuple):
    """The way to a value whose class only the whole tree shows, and its name in the text.

    `Order.customer` and `@shop.find()` begin at a class and at an import, `.lines` at anything.
    """

    way: str
    hint: str


Owner: TypeAlias = KnownClass | CalledFunction | Siblings | LoneText | Origin | str
"""A `str` is the name of a variable, behind a dot that of an attribute, empty if there is none.

Most owners are variables, and a module has hundreds of thousands of uses: a plain text costs
nothing, where an object for each would be felt.
"""


def spell_owner(owner: Owner | list[Owner]) -> str:
    """Return an owner as an index keeps it. Several owners are joined with `|`.

    `=PatientForm:Patient` is a class with its model, `(f)` a function, `{a,b}` are siblings, `?` is
    a lone text, `<Order.customer>one` the way to a value, and all else a variable.
    """
    if isinstance(owner, str):
        return owner
    match owner:
        case list():
            spelling = "|".join(map(spell_owner, owner))
        case KnownClass(name, model):
            spelling = f"={name}:{model}" if model else f"={name}"
        case CalledFunction(name):
            spelling = f"({name})"
        case Siblings(names):
            spelling = f"{{{','.join(names)}}}"
        case LoneText(mark):
            spelling = mark
        case Origin(way, hint):
            spelling = f"<{way}>{hint}"
    return spelling


def attribute(name: str) -> str:
    """Return an attribute or a relation as an owner: `.ward` of `patient.ward.status`."""
    return f".{name}" if name else ""


def read_owners(text: str) -> tuple[Owner, ...]:
    """Return the owners that an index keeps as `text`."""
    return tuple(map(_read_owner, text.split("|")))


def _read_owner(text: str) -> Owner:
    if text.startswith("="):
        name, _, model = text[1:].partition(":")
        return KnownClass(name, model)
    if text.startswith("<"):
        way, _, hint = text[1:].partition(">")
        return Origin(way, hint)
    if text.startswith("{"):
        return Siblings(tuple(text[1:-1].split(",")))
    if text.startswith("("):
        return CalledFunction(text[1:-1])
    return LONE_TEXT if text == LONE_TEXT.mark else text
