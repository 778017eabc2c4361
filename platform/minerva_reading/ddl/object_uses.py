"""Find the columns that a view, a routine, a trigger, a rule or a policy uses.

No grammar is asked for. The tables that a statement names, and their other names in it, say which
of its words are columns. A word that may be one counts: what is named too often costs a look, what
is not named breaks unseen.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from minerva_platform.text import read_words
from minerva_reading.ddl.sql_token import Path, Token, path_at
from minerva_reading.schema import ColumnKey, SchemaColumn

_WORDS = read_words("minerva_reading.ddl", "dependents")
_OLD_AND_NEW = ("new", "old", "inserted", "deleted")
"""What a trigger calls the rows of its table."""


_AFTER_ROW = ([","], [")"], [";"], ["%"], ["LANGUAGE"], ["AS"])
"""What comes after a table whose rows are the type of a variable or a result."""


@dataclass(slots=True, eq=False)
class Relation:
    """A table or a view: the columns of tables behind each of its own."""

    path: Path
    columns: dict[str, set[ColumnKey]]

    @property
    def key(self) -> str:
        """What no other table of the schema has."""
        return ".".join(self.path)


class Relations:
    """The tables and views of a schema; `current` is the schema of names without one."""

    def __init__(self, columns: Iterable[SchemaColumn]) -> None:
        self.current = ""
        self._by_name: dict[str, list[Relation]] = defaultdict(list)
        for table, inner in groupby(columns, key=_table_path):
            own = {column: {(".".join(table), column)} for column in map(_column_key, inner)}
            self.add(table, own)

    def __iter__(self) -> Iterator[Relation]:
        """Yield all of them."""
        return (one for relations in self._by_name.values() for one in relations)

    def add(self, path: Path, columns: dict[str, set[ColumnKey]]) -> Relation:
        """Add a table or a view."""
        relation = Relation(path, columns)
        self._by_name[path[-1]].append(relation)
        return relation

    def full(self, path: Path) -> Path:
        """Return a name with the current schema, if it has none."""
        return path if len(path) > 1 or not self.current else (self.current, *path)

    def find(self, path: Path) -> list[Relation]:
        """Return what a name means: of several, what is in the current schema."""
        ends = [
            one for one in self._by_name.get(path[-1], ())
            if all(a == b for a, b in zip(reversed(one.path), reversed(path), strict=False))
        ] if path else []  # fmt: skip
        schema = self.full(path)[:-1]
        return [one for one in ends if one.path[:-1] == schema] or ends


def _table_path(column: SchemaColumn) -> Path:
    names = (*column.table_path, column.table)
    exact = column.exact_path or (False,) * len(names)
    return tuple(map(_name_key, names, exact))


def _column_key(column: SchemaColumn) -> str:
    return _name_key(column.name, column.is_exact)


def _name_key(name: str, is_exact: bool) -> str:  # noqa: FBT001  # mapped over names
    return f'"{name}"' if is_exact else name.casefold()


@dataclass(slots=True)
class Uses:
    """The columns that an object uses, by the names that it calls them by.

    `literal` are those that it names in a text, as an argument say.
    """

    columns: dict[str, set[ColumnKey]] = field(default_factory=lambda: defaultdict(set))
    literal: set[ColumnKey] = field(default_factory=set[ColumnKey])

    @property
    def all(self) -> set[ColumnKey]:
        """The columns, whatever they are called."""
        return {key for keys in self.columns.values() for key in keys}


class UseReader:
    """Reads one statement: first what it calls tables, then the names that are left.

    `table_word` is what the table of a trigger, a policy or a rule stands after.
    """

    def __init__(self, relations: Relations, tokens: Sequence[Token], *, table_word: str) -> None:
        self.relations = relations
        self.tables: list[Relation] = []
        self.names: list[tuple[Path, bool]] = []
        self.stars: list[Path] = []
        self._aliases: dict[str, list[Relation]] = {}
        self._collect(tokens, table_word)

    def call_rows(self, relations: Sequence[Relation]) -> None:
        """Take `relations` for those whose rows the statement calls new and old."""
        self.tables += relations
        for name in _OLD_AND_NEW:
            self._aliases.setdefault(name, []).extend(relations)

    def _collect(self, tokens: Sequence[Token], table_word: str) -> None:
        is_next = is_list = False
        lists: list[bool] = []
        place = 0
        while place < len(tokens):
            token = tokens[place]
            word = token.upper
            if word in _WORDS.set_of("before_table") or (word and word == table_word):
                is_next = tokens[place - 1].upper != "DISTINCT"
                is_list = is_next and word in {"FROM", "JOIN", "UPDATE"}
                table_word = "" if word == table_word else table_word
            elif word in _WORDS.set_of("after_tables"):
                is_named = any(one.key for one in tokens[place + 1 : place + 2])
                is_list, is_next = False, word == "USING" and is_named
                place += word == "AS" and is_named
            elif word == "(":
                lists.append(is_list)
                is_list = is_next
            elif word == ")":
                is_list, is_next = bool(lists) and lists.pop(), False
            elif word == ",":
                is_next = is_list
            elif word == "*":
                self._star(tokens, place, ())
            elif token.key and not (is_next and word in _WORDS.set_of("inside")):
                place = self._name(tokens, place, is_table=is_next)
                is_next = False
                continue
            place += 1

    def _star(self, tokens: Sequence[Token], place: int, path: Path) -> None:
        if path or (place and tokens[place - 1].upper in {"SELECT", "DISTINCT", ","}):
            self.stars.append(path)

    def _name(self, tokens: Sequence[Token], place: int, *, is_table: bool) -> int:
        if tokens[place].is_literal:
            self.names.append(((tokens[place].key,), True))
            return place + 1
        path, end = path_at(tokens, place)
        after = [token.upper for token in tokens[end : end + 2]]
        before = tokens[place - 1] if place else tokens[place]
        is_row = bool(before.key) and after[:1] in _AFTER_ROW  # `r emp`, `r emp%ROWTYPE`
        is_row = is_row and before.upper not in _WORDS.set_of("no_variables", "after_tables")
        matches = self.relations.find(path) if is_table or is_row else []
        if matches and not is_table:
            self._aliases.setdefault(before.key, []).extend(matches)
        if matches:
            self.tables += matches
            self._aliases.setdefault(path[-1], []).extend(matches)
            alias = end + (after[:1] == ["AS"])
            for other in tokens[alias : alias + 1]:
                if other.key and other.upper not in _WORDS.set_of("after_tables", "before_table"):
                    self._aliases.setdefault(other.key, []).extend(matches)
                    return alias + 1
        elif after[:1] == ["*"] and tokens[end - 1].upper == ".":
            self._star(tokens, end, path)
        elif after[:1] != ["("] or len(path) > 1:
            self.names.append((path, False))
        return end

    def uses(self, *, with_stars: bool) -> Uses:
        """Return the columns that the names mean; `with_stars`, those of `*` too."""
        uses = Uses()
        for path, is_literal in self.names:
            for relation in self._owners(path[:-1]):
                columns = relation.columns.get(path[-1], set())
                uses.columns[path[-1]] |= columns
                if is_literal:
                    uses.literal |= columns
        for path in self.stars if with_stars else ():
            for relation in self._owners(path):
                for name, columns in relation.columns.items():
                    uses.columns[name] |= columns
        return uses

    def _owners(self, path: Path) -> Iterable[Relation]:
        """Return the relations whose columns stand behind `path.`; of none, all that are named."""
        if len(path) == 1 and path[0] in self._aliases:
            return self._aliases[path[0]]
        return (self.relations.find(path) if path else []) or self.tables
