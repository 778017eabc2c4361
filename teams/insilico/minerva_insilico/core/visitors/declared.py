"""Visit fields that classes declare: of Django, SQLAlchemy, Pydantic, dataclasses and others.

What a class is follows from its bases, which may lie in other modules; so here everything is noted
that may be a field, and `core.fields.declared` decides when the whole tree is known.
"""

import ast
import json
from typing import Any

from minerva_insilico.core.facts.log_calls import name_chain
from minerva_insilico.core.facts.signature import text_of
from minerva_insilico.core.facts.vocabulary import parts_of, word_list, words
from minerva_insilico.core.visitors.visit_state import Frame, Walk

_MAX_TEXT = 300
"""Characters of a label or a comment."""
_MAX_TYPE = 120
_NO_FIELDS = frozenset({"ClassVar", "Final", "InitVar"})


def note_field(
    walk: Walk, node: ast.Assign | ast.AnnAssign, target: ast.Name, frame: Frame
) -> None:
    """Note a name of a class body that may be a field."""
    if target.id.startswith("__"):
        return _note_table_name(walk, node, target, frame)
    value = node.value
    annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
    maker, call = _maker_of(value)
    if annotation is not None:
        head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        if name_chain(head)[-1:] and name_chain(head)[-1] in _NO_FIELDS:
            return None
    elif call is None or not maker.endswith(word_list("models", "maker", "endings")):
        return None
    chain = name_chain(call.func) if call is not None else ()
    binding = frame.scope.resolve(chain) if chain else ""
    details = details_of(call, annotation) if call is not None else {}
    if call is not value and _is_encrypted(value):
        details["encrypted"] = True
    if isinstance(annotation, ast.Subscript):
        details = {**_details_in_annotation(annotation), **details}
    written = text_of(annotation)[:_MAX_TYPE] if annotation is not None else ""
    row = [target.lineno, frame.symbol, target.id, maker, binding, written, json.dumps(details)]
    walk.facts.declarations.append(row)
    return None


def _note_table_name(
    walk: Walk, node: ast.Assign | ast.AnnAssign, target: ast.Name, frame: Frame
) -> None:
    text = _text(node.value)
    if target.id == "__tablename__" and text:
        _note_options(walk, node.lineno, frame.symbol, {"table": text})


def note_class(walk: Walk, node: ast.ClassDef, symbol: int) -> None:
    """Note what `class Meta` says of a model, and `table=True` of a SQLModel."""
    options: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg == "table" and isinstance(keyword.value, ast.Constant):
            options["is_table"] = bool(keyword.value.value)
    for meta in node.body:
        if isinstance(meta, ast.ClassDef) and meta.name == "Meta":
            options |= _options_of(meta)
    if options:
        _note_options(walk, node.lineno, symbol, options)


def _options_of(meta: ast.ClassDef) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for statement in meta.body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        name, value = statement.targets[0].id, statement.value
        if name in {"abstract", "proxy", "managed"} and isinstance(value, ast.Constant):
            found[name] = bool(value.value)
        elif name in {"db_table", "app_label", "verbose_name", "db_table_comment"}:
            text = _text(value)
            if text:
                found[{"db_table": "table", "verbose_name": "label"}.get(name, name)] = text
    return found


def _note_options(walk: Walk, line: int, symbol: int, options: dict[str, Any]) -> None:
    walk.facts.declarations.append([line, symbol, "", "", "", "", json.dumps(options)])


def note_table(walk: Walk, node: ast.Call, frame: Frame) -> None:
    """Note the columns of `Table("users", metadata, Column("name", String))`."""
    table = _text(node.args[0]) if node.args else ""
    if not table:
        return
    for one in node.args[1:]:
        maker, call = _maker_of(one)
        if call is None or maker not in words("models", "sqlalchemy", "columns") or not call.args:
            continue
        column = _text(call.args[0])
        if column:
            binding = frame.scope.resolve(name_chain(call.func) or ("",))
            details = {**details_of(call, None), "table": table, "is_core": True}
            row = [call.lineno, frame.symbol, column, maker, binding, "", json.dumps(details)]
            walk.facts.declarations.append(row)


def details_of(call: ast.Call, annotation: ast.expr | None) -> dict[str, Any]:
    """Return what a field's call says of it: label, comment, column, length, type, relation."""
    maker = name_chain(call.func)[-1:] or ("",)
    found: dict[str, Any] = {}
    for kind in ("label", "comment", "column", "length", "nullable"):
        for name in word_list("models", "labels", kind):
            value = next((one.value for one in call.keywords if one.arg == name), None)
            said = _literal_of(value)
            if said is not None and kind not in found:
                found[kind] = said
    is_column = maker[0] in words("models", "sqlalchemy", "columns")
    if is_column:
        _read_column(call, found)
    elif maker[0] in words("models", "django", "relations"):
        to = next((one.value for one in call.keywords if one.arg == "to"), None)
        other = to or (call.args[0] if call.args else None)
        found["relation"] = _text(other) or "".join(name_chain(other)[-1:] if other else ())
    elif call.args and "label" not in found and annotation is None:
        text = _text(call.args[0])
        if text:
            found["label"] = text
    if _is_encrypted(call):
        found["encrypted"] = True
    return found


def _read_column(call: ast.Call, details: dict[str, Any]) -> None:
    """Read `Column("name", String(50), ForeignKey("users.id"))`."""
    details.pop("label", None)
    for one in call.args:
        text = _text(one)
        if text:
            details["column"] = text
            continue
        name, inner = _maker_of(one)
        if name == "ForeignKey" and inner is not None and inner.args:
            details["relation"] = _text(inner.args[0])
        elif "type" not in details:
            details["type"] = text_of(one)[:_MAX_TYPE]
            length = inner.args[0] if inner is not None and inner.args else None
            if isinstance(length, ast.Constant) and isinstance(length.value, int):
                details.setdefault("length", length.value)


def _details_in_annotation(node: ast.Subscript) -> dict[str, Any]:
    """Return what `Annotated[str, Field(description=…)]` says."""
    if name_chain(node.value)[-1:] != ("Annotated",) or not isinstance(node.slice, ast.Tuple):
        return {}
    found: dict[str, Any] = {}
    for one in node.slice.elts[1:]:
        if isinstance(one, ast.Call):
            found |= details_of(one, node)
    return found


def _maker_of(value: ast.expr | None) -> tuple[str, ast.Call | None]:
    """Return the name of what makes a field, and the call: of `encrypt(CharField())` the inner."""
    if not isinstance(value, ast.Call):
        return "", None
    maker = "".join(name_chain(value.func)[-1:])
    inner = value.args[0] if value.args else None
    if maker in {"encrypt", "deferred"} and isinstance(inner, ast.Call):
        return "".join(name_chain(inner.func)[-1:]), inner
    return maker, value


def _is_encrypted(call: ast.expr | None) -> bool:
    """True if the field's class, or the type that it is given, says that it encrypts."""
    if not isinstance(call, ast.Call):
        return False
    named = [name_chain(call.func)]
    named += [name_chain(one.func if isinstance(one, ast.Call) else one) for one in call.args]
    known = words("models", "encrypted", "words")
    return any(not parts_of(chain[-1]).isdisjoint(known) for chain in named if chain)


def _literal_of(value: ast.expr | None) -> str | int | bool | None:
    if isinstance(value, ast.Constant) and isinstance(value.value, bool | int):
        return value.value
    return _text(value) or None


def _text(value: ast.expr | None) -> str:
    """Return a literal text, also one that is translated: `_("First name")`."""
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        value = value.args[0]
    text = value.value if isinstance(value, ast.Constant) else None
    return text[:_MAX_TEXT] if isinstance(text, str) else ""
