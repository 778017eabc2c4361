"""Read what a schema builds on its columns: keys, tables that inherit them, views, routines.

A rename moves some of it by itself and breaks the rest; which, is the database's own business.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from minerva_reading.ddl.code import code_of
from minerva_reading.ddl.object_uses import Relation, Relations, UseReader
from minerva_reading.ddl.sql_token import Path, Token, bracket, is_at, path_at, tokens_of
from minerva_reading.ddl.statement import statements
from minerva_reading.schema import Dependent, Schema, Ties

_OBJECTS = frozenset("VIEW FUNCTION PROCEDURE PROC TRIGGER EVENT RULE POLICY PACKAGE TASK".split())
_KINDS = frozenset({"TABLE", "INDEX", "SCHEMA", *_OBJECTS})
_QUERIES = frozenset({"VIEW", "POLICY", "RULE"})
"""Kinds whose texts hold no code."""

_FOLLOWERS = {
    "postgres": frozenset({"VIEW", "TRIGGER", "RULE", "POLICY"}),
    "sqlite": frozenset({"VIEW", "TRIGGER"}),
}
"""What gets a column's new name from the database: PostgreSQL keeps these parsed, SQLite rewrites
their text (both say so of ALTER TABLE)."""

_BARS = {
    "mysql": frozenset({"CHECK", "DEFAULT", "GENERATED", "PARTITION", "INDEX"}),
    "tsql": frozenset({"CHECK", "GENERATED", "SCHEMABINDING"}),
    "oracle": frozenset({"GENERATED", "INDEX"}),
    "bigquery": frozenset({"PARTITION", "CLUSTER"}),
    "postgres": frozenset({"OF"}),
}
"""Clauses whose columns a database does not rename: MySQL's errors 3959, 3108, 3855 and 3837, SQL
Server's 15336, ORA-54032 and ORA-30556, BigQuery's RENAME COLUMN, PostgreSQL's typed tables."""

_TEXT_BODY = re.compile(r"\bAS\s*(?:E?'|\$\w*\$)", re.IGNORECASE)
"""How the body of a routine begins that PostgreSQL keeps as a text, and not parsed."""

_ORDER = {"VIEW": 0, "TRIGGER": 1}
"""Views first, which others read from; triggers before their functions."""

_PATH_WORDS = frozenset("TO DATABASE SCHEMA DEFAULT TRUE FALSE".split())
_BEFORE_COLUMN = frozenset({"(", ",", "ADD", "COLUMN"})
_EXPRESSIONS = {"AS": "GENERATED"}
_TABLE_WORDS = {"TRIGGER": "ON", "POLICY": "ON", "RULE": "TO"}
_HINT = re.compile(r"/\*!\d*(.*?)\*/", re.DOTALL)
"""What MySQL runs though it looks like a remark: mysqldump writes views in it."""

_MAX_HEAD = 24
"""Tokens between CREATE and what is created."""


def read_ties(sql: str, schema: Schema) -> Ties:
    """Return what `sql` builds on the columns of `schema`, which was read from it."""
    if schema.dialect == "mysql":
        sql = _HINT.sub(lambda hint: f"{hint[1].rjust(len(hint[0]) - 2)}  ", sql)
    reader = _Reader(schema)
    reader.follow(sql)
    if schema.dialect != "postgres" and len(set(reader.ties.schemas.values())) == 1:
        reader.ties.schemas.clear()  # the one database that is chosen anyway
    reader.inherit()
    reader.find_uses()
    return reader.ties


@dataclass(frozen=True, slots=True)
class _Object:
    """An object that may use columns; `schema` is that of the names without one in it."""

    kind: str
    path: Path
    label: str
    text: str
    line: int
    schema: str


@dataclass(slots=True)
class _Clause:
    """Where the words of a table are read: at a word, in so many brackets, behind `columns`."""

    table: Relation
    tokens: Sequence[Token]
    at: int = 0
    depth: int = 0
    columns: Sequence[str] = ()

    @property
    def word(self) -> str:
        """The word, in capitals."""
        return self.tokens[self.at].upper

    @property
    def before(self) -> str:
        """The word before it."""
        return self.tokens[self.at - 1].upper

    def keys_at(self, place: int) -> list[str]:
        """Return the columns in a bracket that begins at `place`; none if there is no bracket."""
        inner = bracket(self.tokens, place)[0] if is_at(self.tokens, place, "(") else ()
        return [token.key for token in inner if token.key]


class _Reader:
    """Follows the statements of a file; `_clauses` read a table from a word of it on."""

    def __init__(self, schema: Schema) -> None:
        self.dialect = schema.dialect
        self.ties = Ties()
        self.relations = Relations(schema.columns)
        self.objects: list[_Object] = []
        self.parents: dict[str, list[Relation]] = defaultdict(list)
        self.primary: dict[str, Sequence[str]] = {}
        self.line = 1
        self._clauses = {
            "KEY": self._read_key,
            "REFERENCES": self._read_reference,
            **dict.fromkeys(("CHECK", "DEFAULT", "AS"), self._read_expression),
            "LIKE": self._read_like,
            "BY": self._read_parts,
            **dict.fromkeys(("INHERITS", "INHERIT", "OF"), self._read_parents),
            "PARTITION": self._read_heir,
            "SCHEMA": self._read_schema,
            **dict.fromkeys(("RENAME", "CHANGE"), self._read_rename),
        }

    def follow(self, sql: str) -> None:
        """Read the tables, and keep the objects: what they use may come after them."""
        code, end, current = code_of(sql, self.dialect)[0], 0, ""
        for statement in statements(sql, code, self.dialect):
            if code[end : statement.start].strip():  # else it may be an element of CREATE SCHEMA
                self.relations.current = current
            end, self.line = statement.start + len(statement.text), statement.line
            tokens = list(tokens_of(statement.text, self.dialect))
            words = [token.upper for token in tokens[:_MAX_HEAD]]
            kind = next((word for word in words if word in _KINDS), "")
            place = words.index(kind) + 1 if kind else 0
            if words and words[0] in {"SET", "RESET", "SELECT", "USE"}:
                schema_name = _current(statement.text, self.dialect)
                current = self.relations.current = current if schema_name is None else schema_name
            elif kind == "TABLE" and words[0] in {"CREATE", "ALTER"}:
                self._read_table(tokens, place)
            elif words[:1] != ["CREATE"]:
                continue
            elif kind == "SCHEMA":
                place += is_at(tokens, place, "AUTHORIZATION")
                self.relations.current = "".join(path_at(tokens, place)[0][:1])
            elif kind == "INDEX":
                self._read_index(tokens, place)
            elif kind:
                self._add_object(statement.text, tokens, kind, place)

    def _add_object(self, text: str, tokens: Sequence[Token], kind: str, place: int) -> None:
        place += is_at(tokens, place, "BODY") or is_at(tokens, place, "TRIGGER")
        place += 3 * is_at(tokens, place, "IF")
        path, end = path_at(tokens, place)
        if path:
            full = self.relations.full(path)
            names = [token.text for token in tokens[place:end] if token.key]
            label = ".".join((*(key.strip('"') for key in full[: -len(path)]), *names))
            schema = self.relations.current
            self.objects.append(_Object(kind, full, label, text, self.line, schema))

    def _read_index(self, tokens: Sequence[Token], place: int) -> None:
        """Read the expressions of CREATE INDEX: names in a bracket within its bracket."""
        on = next((at for at in range(place, len(tokens)) if is_at(tokens, at, "ON")), len(tokens))
        path, end = path_at(tokens, on + 1)
        columns, at = bracket(tokens, end)[0], 0
        while at < len(columns):
            inner, at = bracket(columns, at)
            for table in self.relations.find(path):
                self._bar(table, inner, "INDEX")

    def _read_table(self, tokens: Sequence[Token], place: int) -> None:
        """Read the clauses of CREATE TABLE and ALTER TABLE that tie columns."""
        while any(is_at(tokens, place, word) for word in ("IF", "NOT", "EXISTS", "ONLY")):
            place += 1
        path, place = path_at(tokens, place)
        if not path:
            return
        match = self.relations.find(path)
        table = match[0] if match else self.relations.add(self.relations.full(path), {})
        if len(table.path) == 1 and tokens[0].upper == "CREATE":
            self.ties.schemas.setdefault(table.key, self.relations.current)
        if is_at(tokens, place, "OF"):
            self._bar(table, tokens, "OF")
        clause = _Clause(table, tokens)
        for clause.at in range(place, len(tokens)):
            clause.depth += {"(": 1, ")": -1}.get(clause.word, 0)
            if tokens[clause.at].key and clause.depth <= 1 and clause.before in _BEFORE_COLUMN:
                clause.columns = [tokens[clause.at].key]
            reader = self._clauses.get(clause.word)
            if reader:
                reader(clause)

    def _read_key(self, clause: _Clause) -> None:
        if clause.before in {"PRIMARY", "FOREIGN"}:
            clause.columns = clause.keys_at(clause.at + 1) or clause.columns
        if clause.before == "PRIMARY":
            self.primary[clause.table.key] = clause.columns

    def _read_reference(self, clause: _Clause) -> None:
        """Keep what the columns of a foreign key refer to: by itself it is a primary key."""
        path, end = path_at(clause.tokens, clause.at + 1)
        for target in self.relations.find(path)[:1]:
            others = clause.keys_at(end) or self.primary.get(target.key, ())
            for column, other in zip(clause.columns, others, strict=False):
                if column in clause.table.columns and other in target.columns:
                    self.ties.references[clause.table.key, column] = (target.key, other)

    def _read_expression(self, clause: _Clause) -> None:
        if is_at(clause.tokens, clause.at + 1, "(") and (clause.word != "AS" or clause.depth):
            inner, _ = bracket(clause.tokens, clause.at)
            self._bar(clause.table, inner, _EXPRESSIONS.get(clause.word, clause.word))

    def _read_like(self, clause: _Clause) -> None:
        """Note what bars the columns of a table whose copy this is."""
        if clause.before not in {"(", clause.table.path[-1].upper()}:
            return
        for model in self.relations.find(path_at(clause.tokens, clause.at + 1)[0])[:1]:
            for column in clause.table.columns:
                if (model.key, column) in self.ties.bars:
                    bar = self.ties.bars[model.key, column]
                    self.ties.bars[clause.table.key, column] = bar

    def _read_parts(self, clause: _Clause) -> None:
        if clause.before in {"PARTITION", "CLUSTER"} and not clause.depth:
            inner = bracket(clause.tokens, clause.at)[0]
            names = inner if clause.before == "PARTITION" else clause.tokens[clause.at :]
            self._bar(clause.table, names, clause.before)

    def _read_parents(self, clause: _Clause) -> None:
        """Keep the tables that are named, to the first that no comma stands before, as parents."""
        if clause.depth or (clause.word == "OF" and clause.before != "PARTITION"):
            return
        at = clause.at + 1 + (clause.word == "INHERITS")
        heir, is_next = self.parents[clause.table.key], True
        while is_next:
            path, at = path_at(clause.tokens, at)
            parents = self.relations.find(path)[:1]
            heir[:] = [one for one in heir if one not in parents] + parents * (
                clause.before != "NO"
            )
            is_next, at = is_at(clause.tokens, at, ","), at + 1

    def _read_heir(self, clause: _Clause) -> None:
        if clause.before in {"ATTACH", "DETACH"}:
            for heir in self.relations.find(path_at(clause.tokens, clause.at + 1)[0]):
                others = [one for one in self.parents[heir.key] if one is not clause.table]
                self.parents[heir.key] = others + [clause.table] * (clause.before == "ATTACH")

    def _read_schema(self, clause: _Clause) -> None:
        if clause.before == "SET":
            path, _ = path_at(clause.tokens, clause.at + 1)
            self.ties.schemas[clause.table.key] = "".join(path[:1])

    def _read_rename(self, clause: _Clause) -> None:
        """Let an old name, which statements before it use, stand for what it became."""
        table, tokens = clause.table, clause.tokens
        place = clause.at + 1 + is_at(tokens, clause.at + 1, "COLUMN")
        names = [token.key for token in tokens[place : place + 3] if token.upper != "TO"]
        if not is_at(tokens, place, "TO"):
            table.columns.setdefault(names[0], table.columns.get(names[-1], set()))
            return
        for target in self.relations.find(path_at(tokens, place + 1)[0])[:1]:
            table.columns = target.columns

    def _bar(self, table: Relation, tokens: Sequence[Token], clause: str) -> None:
        """Note the columns that `tokens` name, or all that there are, as not to be renamed."""
        if clause not in _BARS.get(self.dialect, ()):
            return
        keys = {token.key for token in tokens}
        for column in table.columns if clause == "OF" else keys & table.columns.keys():
            self.ties.bars.setdefault((table.key, column), f"{clause} (line {self.line})")

    def inherit(self) -> None:
        """Let the columns of heirs stand for those of the tables that they come from."""
        for relation in self.relations:
            for parent in self._ancestors(relation):
                self.ties.parents.setdefault(relation.key, []).append(parent.key)
                own = {key: {(parent.key, key)} for key in parent.columns}
                relation.columns |= own

    def _ancestors(self, relation: Relation) -> Iterator[Relation]:
        """Yield the parents of a table and theirs, the highest last."""
        for parent in self.parents.get(relation.key, ()):
            yield parent
            yield from self._ancestors(parent)

    def find_uses(self) -> None:
        """Find the columns that each object uses, those of triggers first: they name functions."""
        rows: dict[str, list[Relation]] = defaultdict(list)
        for one in sorted(self.objects, key=lambda each: _ORDER.get(each.kind, len(_ORDER))):
            self.relations.current = one.schema
            with_texts = one.kind not in _QUERIES
            every = list(tokens_of(one.text, self.dialect, with_texts=with_texts))
            # A text of one word is a value, but for an argument of a trigger and a key of a row.
            has_arguments = one.kind == "TRIGGER" and self.dialect == "postgres"
            tokens = [token for token, before in zip(every, (every[0], *every), strict=False)
                      if not token.is_literal or has_arguments or before.upper == ">"]  # fmt: skip
            reader = UseReader(self.relations, tokens, table_word=_TABLE_WORDS.get(one.kind, ""))
            is_own = one.kind in {"TRIGGER", "RULE"}
            own = reader.tables[:1] if is_own else rows.get(one.path[-1], ())
            reader.call_rows(own)
            if one.kind == "TRIGGER":
                for name in _functions(tokens):
                    rows[name] += own
            self._note(one, tokens, reader)

    def _note(self, one: _Object, tokens: Sequence[Token], reader: UseReader) -> None:
        uses = reader.uses(with_stars=one.kind == "VIEW")
        if one.kind == "VIEW":
            self.relations.add(one.path, uses.columns)
        follows = one.kind in _FOLLOWERS.get(self.dialect, ())
        if self.dialect == "postgres" and one.kind in {"FUNCTION", "PROCEDURE"}:
            follows = _TEXT_BODY.search(one.text) is None
        words = {token.upper for token in tokens}
        for key in uses.all:
            is_moved = follows and key not in uses.literal
            dependent = Dependent(one.kind, one.label, one.line, is_moved)
            self.ties.dependents.setdefault(key, []).append(dependent)
            if "SCHEMABINDING" in words & _BARS.get(self.dialect, frozenset()):
                self.ties.bars.setdefault(key, f"SCHEMABINDING (line {one.line})")


def _current(text: str, dialect: str) -> str | None:
    """Return the schema that `SET search_path TO a, b` or `USE a` makes the current one.

    "" is that of the server's own path; None: the statement is about something else.
    """
    tokens = list(tokens_of(text, dialect, with_texts=True))
    keys = [token.key for token in tokens]
    if keys[:1] != ["use"] and "search_path" not in keys:
        return None
    place = 1 + (keys.index("search_path") if "search_path" in keys else 0)
    names = [one for one in tokens[place:] if one.key and one.upper not in _PATH_WORDS]
    return next((one.key for one in names if not one.text.startswith(("$", "pg_"))), "")


def _functions(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the names of the functions that a trigger executes."""
    for at in range(2, len(tokens)):
        is_call = is_at(tokens, at - 1, "FUNCTION") or is_at(tokens, at - 1, "PROCEDURE")
        if is_call and is_at(tokens, at - 2, "EXECUTE"):
            yield path_at(tokens, at)[0][-1]
