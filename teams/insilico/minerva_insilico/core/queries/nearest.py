"""The names of a tree that are nearest to one that it does not have.

Nearness is the ratio of difflib, without regard to case, of the last part of a dotted name, and of
the whole name where no last part is near.
"""

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import Final

from minerva_insilico.core.facts.errors import NameKind, UnknownNameError, UnparsedSourceError
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.name_question import NameQuestion, QuestionKind
from minerva_insilico.core.queries.symbol import named_exactly
from minerva_insilico.core.queries.text import unparsed_lines
from minerva_insilico.core.visitors.visit_state import module_parts

ABOUT_NAMES: Final[frozenset[QuestionKind]] = frozenset(
    {"callees", "callers", "definition", "importers", "imports", "uses"}
)
"""Questions in which a word in the place of a name is taken for one."""
_NAME_KINDS: Final[dict[QuestionKind, NameKind]] = {
    "callees": "symbol",
    "callers": "symbol",
    "importers": "module",
    "imports": "module",
}
"""The kind of thing that a question takes a name for. Elsewhere it may be any kind."""


OF_SYMBOLS: Final[frozenset[QuestionKind]] = ABOUT_NAMES - {"uses"}
"""Questions that are never about a column of a schema, which the code need not have."""
MAX_NEAREST: Final = 5
_MIN_RATIO: Final = 0.6
"""difflib's own default: `laod` is near `load` (.75), `save` is not (.25)."""
_MAX_CHARACTERS: Final = 200

_SYMBOLS: Final = (
    "SELECT CASE WHEN s.qualname = '' THEN f.module WHEN f.module = '' THEN s.qualname"
    " ELSE f.module || '.' || s.qualname END"
    " FROM symbols AS s JOIN files AS f ON f.id = s.file"
    " UNION SELECT CASE WHEN f.module = '' THEN o.qualname ELSE f.module || '.' || o.qualname END"
    " FROM outline AS o JOIN files AS f ON f.id = o.file"
)
_MEMBERS: Final = (
    "SELECT qualname FROM outline WHERE name = ? COLLATE NOCASE"
    " UNION SELECT qualname FROM symbols WHERE name = ? COLLATE NOCASE"
)
_TABLES: Final = "SELECT name FROM models WHERE role = '#' || lower(?)"
_CLASSES: Final = "SELECT name FROM symbols WHERE kind = 'class'"
_QUERIES: Final[dict[NameKind, tuple[str, ...]]] = {
    "field": ("SELECT DISTINCT name FROM uses", "SELECT name FROM symbols WHERE kind <> 'module'"),
    "file": ("SELECT path FROM files",),
    "module": (
        "SELECT module FROM files WHERE module <> ''",
        "SELECT DISTINCT target FROM imports WHERE target NOT LIKE '.%'",
    ),
    "name": (_SYMBOLS, "SELECT DISTINCT name FROM uses", "SELECT DISTINCT name FROM calls"),
    "symbol": (_SYMBOLS, "SELECT DISTINCT name FROM calls"),
}


def unknown(index: Index, kind: NameKind, name: str) -> UnknownNameError:
    """Return the error that names what is nearest to a name of a kind.

    Raises:
        UnparsedSourceError: it is a file or a module that was not parsed.
    """
    if kind in {"file", "module"}:
        _refuse_unparsed(index, name)
    qualifier, _, field = name.rpartition(".")
    if kind == "field" and qualifier and is_field(index, field):
        classes = nearest(qualifier, _names_in_index(index, _CLASSES))
        return UnknownNameError(kind, name, [f"{item}.{field}" for item in classes])
    separator = "/" if kind == "file" else "."
    names = (item for item in _names_in_index(index, *_QUERIES[kind]) if item != name)
    found = nearest(name, names, separator)
    return UnknownNameError(kind, name, _shortest(found) if kind == "module" else found)


def _refuse_unparsed(index: Index, name: str) -> None:
    """Refuse a file that was not parsed, named by the end of its path or as a module."""
    for one in index.failed_files:
        module = ".".join(module_parts(one.path))
        if f"/{one.path}".endswith(f"/{name}") or f".{module}".endswith(f".{name}"):
            raise UnparsedSourceError(one.path, one.reason, one.detail)


def _shortest(names: Sequence[str]) -> list[str]:
    """Return modules without the longer spellings of one: `app.models`, not `shop.app.models`."""
    return [one for one in names if not any(one.endswith(f".{other}") for other in names)]


def _names_in_index(index: Index, *queries: str) -> Iterable[str]:
    return (str(row[0]) for query in queries for row in index.connection.execute(query))


def nearest(name: str, names: Iterable[str], separator: str = ".") -> tuple[str, ...]:
    """Return those of `names` that are most like `name`, at most five."""
    name = name[:_MAX_CHARACTERS].lower()
    last_parts: dict[str, list[str]] = {}
    wholes: dict[str, list[str]] = {}
    for item in dict.fromkeys(names):
        last_parts.setdefault(item.lower().rpartition(separator)[2], []).append(item)
        wholes.setdefault(item.lower(), []).append(item)
    for wanted, by_part in ((name.rpartition(separator)[2], last_parts), (name, wholes)):
        like = get_close_matches(wanted, by_part, MAX_NEAREST, _MIN_RATIO)
        found = sorted(
            (item for one in like for item in by_part[one]),
            key=lambda item: _unlike(name, item, separator),
        )
        if found:
            return tuple(found[:MAX_NEAREST])
    return ()


def is_symbol(index: Index, name: str) -> bool:
    """True if a name is defined in the tree, or called there (`json.loads`)."""
    last = name.rpartition(".")[2]
    called = "SELECT 1 FROM calls WHERE name = ? LIMIT 1"
    outlined = "SELECT 1 FROM outline WHERE name = ? COLLATE NOCASE LIMIT 1"
    return bool(named_exactly(index, name)) or any(
        index.connection.execute(query, (last,)).fetchone() is not None
        for query in ((outlined,) if "." in name else (outlined, called))
    )


def is_module(index: Index, name: str) -> bool:
    """True if a name is a module of the tree, or one that it imports."""
    imported = "SELECT 1 FROM imports WHERE target = ? OR target LIKE ? || '.%' LIMIT 1"
    return bool(index.modules.matching(name)) or (
        index.connection.execute(imported, (name, name)).fetchone() is not None
    )


def is_field(index: Index, name: str) -> bool:
    """True if the code uses a field or column of this name, and knows what it is said to be of."""
    qualifier, _, field = name.rpartition(".")
    used = "SELECT 1 FROM uses WHERE name = ? COLLATE NOCASE LIMIT 1"
    if index.connection.execute(used, (field,)).fetchone() is None:
        return False
    return not qualifier or _is_owner(index, qualifier.rpartition(".")[2])


def is_member(index: Index, name: str) -> bool:
    """True if a class or a table of the code has a member: `Book.title`, `tb_book.title`."""
    owner, _, member = name.rpartition(".")
    rows = index.connection.execute(_MEMBERS, (member, member)).fetchall()
    owners = {
        owner.lower(),
        *(row[0].lower() for row in index.connection.execute(_TABLES, (owner,))),
    }
    return any(row[0].lower().rpartition(".")[0].rpartition(".")[2] in owners for row in rows)


def is_of_code(index: Index, question: NameQuestion) -> bool:
    """True if each name is said to be of something in the code: no column of a schema alone."""
    owners = [name.rpartition(".")[0].rpartition(".")[2] for name in question.names]
    return bool(owners) and all(owner and _is_owner(index, owner) for owner in owners)


def is_known(index: Index, name: str) -> bool:
    """True if the code has a name at all: as a symbol, a module, a file or a field."""
    name = name.strip("/")
    held = "SELECT 1 FROM files WHERE path = ?1 OR path LIKE '%/' || ?1 OR path LIKE ?1 || '/%'"
    return (
        is_symbol(index, name)
        or is_module(index, name)
        or is_field(index, name)
        or bool(unparsed_lines(index, name))
        or index.connection.execute(held, (name,)).fetchone() is not None
    )


def check_place(index: Index, name: str) -> None:
    """Refuse what is neither a file, nor the beginning of a path, nor a symbol.

    Raises:
        UnknownNameError: it is none of these.
    """
    if not name or any(path.startswith(name) for path in index.modules.names):
        return
    if "/" in name or name.endswith(".py"):
        raise unknown(index, "file", name)
    if not named_exactly(index, name):
        raise unknown(index, "name", name)


def _is_owner(index: Index, name: str) -> bool:
    queries = (
        "SELECT 1 FROM symbols WHERE name = ? COLLATE NOCASE LIMIT 1",
        "SELECT 1 FROM models WHERE name IN (?1, '#' || lower(?1), '.' || ?1) LIMIT 1",
        "SELECT 1 FROM uses WHERE ' ' || lower(tables) || ' ' LIKE '% ' || lower(?1) || ' %'"
        " LIMIT 1",
        "SELECT 1 FROM uses WHERE name = ? COLLATE NOCASE LIMIT 1",
    )
    return any(index.connection.execute(query, (name,)).fetchone() for query in queries)


def _unlike(name: str, item: str, separator: str) -> tuple[float, str]:
    """Return what orders names: how unlike the last part and the whole are, then the name."""
    last = name.rpartition(separator)[2], item.lower().rpartition(separator)[2]
    ratios = (
        SequenceMatcher(None, *last).ratio() + SequenceMatcher(None, name, item.lower()).ratio()
    )
    return -ratios, item


def refuse_unknown(
    index: Index, question: NameQuestion, names: Sequence[str], *, is_found: bool
) -> None:
    """Refuse a question all of whose `names` the code does not have.

    `is_found`: its words were found, but not as names.

    Raises:
        UnknownNameError: it names the first of them, and what is nearest to it.
    """
    if question.phrases or question.kind == "text":
        return
    if not names and not is_found and question.kind in ABOUT_NAMES:
        names = question.missing
    if names and not any(is_known(index, name) for name in names):
        raise unknown(index, _NAME_KINDS.get(question.kind, "name"), names[0])


def refuse_paths(index: Index, paths: Sequence[str]) -> None:
    """Refuse paths of which nothing can be said. `input/output` is a path only in a folder `input`.

    Raises:
        UnparsedSourceError: one of them was not parsed.
        UnknownNameError: the tree has none of them.
    """
    meant = [path for path in paths if _is_path(index, path)]
    for path in meant:
        _refuse_unparsed(index, path)
    if meant and not any(is_known(index, path) for path in meant):
        raise unknown(index, "file", meant[0])


def _is_path(index: Index, path: str) -> bool:
    return path.endswith((".py", ".pyi")) or is_known(index, path.partition("/")[0])


def unknown_among(
    index: Index, question: NameQuestion, names: Sequence[str]
) -> Iterator[UnknownNameError]:
    """Yield an error for each name that the code does not have, beside some that it has."""
    if question.kind != "text":
        for name in dict.fromkeys((*names, *question.missing)):
            if not is_known(index, name):
                yield unknown(index, _NAME_KINDS.get(question.kind, "name"), name)
