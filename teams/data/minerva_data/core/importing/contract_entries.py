"""Read terms from DDL and from YAML: dbt's `schema.yml`, an ODCS contract.

A column is a physical name, its comment the name in words.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import yaml

from minerva_data.core.glossary.entry import Place, Reading
from minerva_data.core.importing.table_row import RowError, term_draft
from minerva_data.core.language.text import headline
from minerva_data.core.schema.record import Item
from minerva_data.core.schema.schema_file import SchemaError, read_schema_file
from minerva_reading import FileFault

_NO_NAME = "has no comment that says its name in words"
MAX_BYTES = 16 << 20
"""Of a YAML file; a larger one is refused."""

_LOGICAL = ("logical_name", "logicalName", "business_name", "businessName", "term", "용어명")
_DBT = ("models", "sources", "seeds", "snapshots")
_LINE = "__line__"

Column = tuple[Item, Place]
"""A column, and where it stands."""


class _PlainLoader(yaml.SafeLoader):
    """Plain data with the line of each mapping. No aliases: a few of them make a file endless."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next node."""
        if self.check_event(yaml.AliasEvent):
            mark = cast("Any", self.peek_event()).start_mark  # type: ignore[no-untyped-call]
            problem = "an alias (`*name`); write the value out"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
        return super().compose_node(parent, index)

    # `name: yes` names a column, and no truth value: all but nothing is a text
    yaml_implicit_resolvers = {
        first: [
            one for one in known if one[0] in {"tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"}
        ]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  # PyYAML's
        """Return a mapping that knows its line."""
        found = super().construct_mapping(node, deep)
        found[_LINE] = node.start_mark.line + 1
        return found


def read_contract(path: Path) -> tuple[str, Iterator[Reading]]:
    """Return what kind of file it is, and its columns as terms.

    Raises:
        FileFault: it is no YAML, or neither dbt's nor ODCS.
    """
    kind, columns = contract_columns(path, with_fields=True)
    return kind, (column_to_reading(item, place) for item, place in columns)


def contract_columns(path: Path, *, with_fields: bool = False) -> tuple[str, Iterator[Column]]:
    """Return what kind of file it is, and its columns; `with_fields`: those in objects, too.

    A column without a name says in its wording what is not read, if that is no column.

    Raises:
        FileFault: it is no YAML, or neither dbt's nor ODCS.
    """
    data = _mapping(_load(path))
    if _items(data.get("schema")):
        return "ODCS", _contract(data, with_fields=with_fields)
    if any(key in data for key in _DBT):
        return "dbt", _models(data)
    message = (
        f"{path.name} is neither dbt's schema.yml (`models:` or `sources:` with columns) "
        "nor an ODCS contract (`schema:` with properties)."
    )
    raise FileFault(message)


def _load(path: Path) -> Any:
    if path.stat().st_size > MAX_BYTES:
        message = f"{path.name} is larger than {MAX_BYTES:,} bytes; split it."
        raise FileFault(message)
    try:
        return yaml.load(path.read_bytes().decode("utf-8-sig"), Loader=_PlainLoader)  # noqa: S506  # a SafeLoader
    except UnicodeDecodeError as error:
        message = (
            f"{path.name} is not UTF-8: byte 0x{error.object[error.start]:02X} at {error.start:,}."
        )
        raise FileFault(message) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        message = f"{path.name}, line {line}: no plain YAML ({error.problem}). Mend the line."
        raise FileFault(message) from error
    except RecursionError as error:
        message = f"{path.name} is no plain YAML: it is nested too deeply."
        raise FileFault(message) from error
    except (yaml.YAMLError, ValueError, TypeError) as error:
        message = f"{path.name} is no plain YAML ({error})."
        raise FileFault(message) from error


def _models(data: dict[str, Any]) -> Iterator[Column]:
    for key in _DBT:
        for model in _items(data.get(key)):
            for table in (model, *_items(model.get("tables"))):
                columns, name = _items(table.get("columns")), _text(table.get("name"))
                if not columns and "tables" not in table:
                    yield _unread(table, name, f"{name} lists no columns")
                for column in columns:
                    inner = _mapping(column.get("config")).get("meta")
                    named = _first((column.get("meta"), inner, column), _LOGICAL)
                    comment = named or _text(column.get("description"))
                    yield _column(column, _text(table.get("name")), comment, "data_type")


def _contract(data: dict[str, Any], *, with_fields: bool) -> Iterator[Column]:
    for table in _items(data.get("schema")):
        name = _text(table.get("physicalName") or table.get("name"))
        yield from _properties(table, name, with_fields=with_fields)


def _properties(holder: dict[str, Any], table: str, *, with_fields: bool) -> Iterator[Column]:
    for item in _items(holder.get("properties")):
        comment = _first((item,), _LOGICAL) or _text(item.get("description"))
        nested = _mapping(item.get("items"))
        has_fields = item.get("properties") or nested.get("properties")
        if not (has_fields and with_fields):
            yield _column(item, table, comment, "physicalType")
        if has_fields and with_fields:
            yield from _properties(item, table, with_fields=True)
            yield from _properties(nested, table, with_fields=True)
        elif has_fields:
            name = _text(item.get("name"))
            yield _unread(item, table, f"the fields in {name} are no columns, and not read")


def _unread(holder: dict[str, Any], table: str, why: str) -> Column:
    return Item(name="", table=table, wording=why), Place(int(holder[_LINE]), table)


def _column(column: dict[str, Any], table: str, comment: str, kind: str) -> Column:
    name = _text(column.get("physicalName") or column.get("name"))
    item = Item(name=name, comment=comment, data_type=_text(column.get(kind)) or None, table=table)
    return item, Place(int(column[_LINE]), table)


def _first(holders: tuple[Any, ...], keys: tuple[str, ...]) -> str:
    for holder in holders:
        found = next(filter(None, (_text(_mapping(holder).get(key)) for key in keys)), "")
        if found:
            return found
    return ""


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _items(value: Any) -> list[dict[str, Any]]:
    found: list[Any] = list(cast("Iterable[Any]", value)) if isinstance(value, list) else []
    named = ({"name": one, _LINE: 1} if isinstance(one, str) else one for one in found)
    return [item for item in map(_mapping, named) if item]


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value).strip()


def read_ddl(path: Path) -> Iterator[Reading]:
    """Yield the columns of a schema in Oracle's, MySQL's or PostgreSQL's SQL.

    Raises:
        FileFault: the file cannot be read, or creates no table.
    """
    try:
        schema = read_schema_file(path)
    except SchemaError as error:
        raise FileFault(str(error)) from error
    if not schema.columns and not schema.problems:
        message = f"{path.name} creates no table. Give the DDL: CREATE TABLE …, with comments."
        raise FileFault(message)
    for column in schema.columns:
        yield column_to_reading(column, Place(column.line or 1, column.table or ""))
    for problem in (*schema.problems, *schema.duplicates):
        yield Reading(Place(problem.line), reason=f"{problem.error}: {problem.statement}")


def column_to_reading(column: Item, place: Place) -> Reading:
    """Return a column as a term, or why it is none. Its type stands for a domain."""
    name = headline(column.comment or "")
    if not name:
        return Reading(place, reason=f"`{column.name}` {_NO_NAME}")
    fields = {"name": name, "physical_name": column.name, "domain": column.data_type or ""}
    try:
        return Reading(place, (term_draft(fields, place),))
    except RowError as error:
        return Reading(place, reason=str(error))
