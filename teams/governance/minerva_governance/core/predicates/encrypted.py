"""`encrypted`: the values are out of sight, declared so or seen so."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from minerva_governance.core.detection.cell import has_named_form
from minerva_governance.core.detection.ciphertext import may_hold_cipher
from minerva_governance.core.detection.column_tally import MaskedHit
from minerva_governance.core.detection.inventory import RATE, PiiColumn
from minerva_governance.core.detection.split_values import LOOKED_AT
from minerva_governance.core.policy.policy import is_named
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck, doubt, told_promises
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.notice_claims import broken_by_values, promises_in
from minerva_platform.text import read_words

_WORDS = read_words("minerva_governance.core.predicates", "encrypted")


def judge_encryption(check: RuleCheck) -> Iterator[Finding]:
    """Answer whether the values are out of sight: declared so, or no plain value among them."""
    review = check.review
    if not review.columns_seen and not check.unreviewed_parts():
        yield check.not_evaluated("*", TEXTS("encrypted.no_material", check.language))
        return
    columns = check.personal_columns()
    yield from check.not_known()
    if not columns and not check.unknown_columns():
        yield from _no_such_column(check)
    for column in columns:
        judge = _declared_cipher if column.declared else _seen_cipher
        yield judge(check, column)


def _no_such_column(check: RuleCheck) -> Iterator[Finding]:
    """Pass if everything was looked at; `evaluate` names what was not, file by file."""
    count = check.review.columns_seen
    if not check.has_target():
        reason = TEXTS("encrypted.no_target", check.language, tag=check.rule.tag)
        yield check.not_evaluated("*", reason)
    elif not check.unreviewed_parts():
        evidence = TEXTS("encrypted.no_column", check.language, count=count)
        yield check.finding("pass", "*", evidence=evidence, total=count)


def _declared_cipher(check: RuleCheck, column: PiiColumn) -> Finding:
    place = Reference(
        source=column.source,
        line=column.line,
        quote=f"{column.column} {column.data_type} {column.comment}".strip(),
    )
    short = "" if may_hold_cipher(column.data_type) else TEXTS("encrypted.short", check.language)
    if declares_encryption(column):
        return _judge_declaration(check, column, place, short)
    proof = _proof(check, column)
    if proof is None and short:
        evidence = TEXTS("encrypted.no_room", check.language, data_type=column.data_type)
        fields = {"evidence": f"{evidence}{short}", "citations": (place,)}
        return check.finding("fail", column.target, **fields)
    if proof is None:
        reason = TEXTS("encrypted.not_declared", check.language, data_type=column.data_type)
        return check.not_evaluated(
            column.target, f"{reason}{short}", citations=(place,), must_decide=True
        )
    promises = broken_by_values(promises_in(check.review.clauses), column.entity)
    evidence = TEXTS(
        "encrypted.proved",
        check.language,
        data_type=column.data_type,
        proof=proof.target,
        count=proof.hits,
        total=proof.sampled,
    )
    rows = (_place(proof, hit) for hit in proof.evidence)
    return check.finding(
        "fail",
        column.target,
        evidence=f"{evidence}{short}{told_promises(check, promises)}",
        count=proof.hits,
        total=proof.sampled,
        breaks=promises,
        citations=(place, *rows, *(promise.place for promise in promises)),
    )


def _judge_declaration(
    check: RuleCheck, column: PiiColumn, place: Reference, short: str
) -> Finding:
    """Judge what is declared: a cipher needs room, a name proves nothing, and a code hides nothing.

    What keeps the form of a value (format-preserving encryption, tokens) needs no more room.
    """
    text = TEXTS("encrypted.declared", check.language)
    fields = {"citations": (place,), "must_decide": True}
    weak = _WORDS.pattern("no_cipher").search(column.comment)
    if weak:
        reason = TEXTS("encrypted.no_cipher", check.language, word=weak.group())
        return check.not_evaluated(column.target, reason, **fields)
    if short and not _WORDS.says("keeps_form", column.comment):
        evidence = f"{text} ({column.data_type}){short}"
        return check.finding("fail", column.target, evidence=evidence, citations=(place,))
    is_said = column.declared_encrypted is not None or _declares(column.comment)
    if not is_said and not _is_hidden(check, column):
        reason = TEXTS("encrypted.name_only", check.language)
        return check.not_evaluated(column.target, reason, **fields)
    return check.pass_finding(column.target, evidence=text, citations=(place,))


def _is_hidden(check: RuleCheck, column: PiiColumn) -> bool:
    """True if data files have a column of the name, and none of its values can be read."""
    name = column.column.casefold()
    same = [one for one in check.review.columns if one.column.casefold() == name]
    samples = [one for one in same if one.sampled]
    return bool(samples) and all(one.out_of_sight == one.sampled for one in samples)


def _proof(check: RuleCheck, column: PiiColumn) -> PiiColumn | None:
    """Return the data whose plain values are this column's, or None if they may be another's.

    A column of a file is of the schema's only column of its name, or of the table that the file
    is called after.
    """
    columns = check.review.columns
    proof = next((one for one in columns if one.target == column.proved_by and one.hits), None)
    if proof is None or is_named(proof.table, [column.table]):
        return proof
    same = [one for one in columns if one.declared and one.proved_by == column.proved_by]
    return proof if len(same) == 1 else None


def declares_encryption(column: PiiColumn) -> bool:
    """True if a field of the declaration, the comment or the name says that it is encrypted."""
    if column.declared_encrypted is not None:
        return column.declared_encrypted
    words = (column.comment, column.column)
    return any(map(_declares, words)) and not any(_WORDS.says("undoes", each) for each in words)


def _declares(words: str) -> bool:
    return _WORDS.says("declares", words)


def _seen_cipher(check: RuleCheck, column: PiiColumn) -> Finding:
    language = check.language
    numbers: dict[str, Any] = {
        "count": column.hits,
        "total": column.sampled,
        "citations": tuple(_place(column, hit) for hit in column.evidence),
    }
    # One plain value breaks the rule, however many of the others are ciphers.
    if column.hits and not column.suspected:
        key = "encrypted.line" if _is_script(column) else "encrypted.row"
        rows = ", ".join(
            TEXTS(key, language, row=hit.row, shown=hit.shown) for hit in column.evidence
        )
        promises = broken_by_values(promises_in(check.review.clauses), column.entity)
        numbers["citations"] = (
            *(_place(column, hit) for hit in column.evidence),
            *(promise.place for promise in promises),
        )
        rows += told_promises(check, promises)
        return check.finding("fail", column.target, evidence=rows, breaks=promises, **numbers)
    if column.hits:
        reason = doubt(check, column)
        return check.not_evaluated(column.target, reason, must_decide=True, **numbers)
    if not column.sampled:
        return check.not_evaluated(column.target, TEXTS("encrypted.no_values", language))
    if not has_named_form(column.entity) and column.out_of_sight < column.sampled:
        return _judge_formless(check, column)
    plain = column.sampled - column.out_of_sight
    if plain:
        reason = TEXTS("encrypted.unknown_form", language, count=plain, total=column.sampled)
        return check.not_evaluated(column.target, reason, **numbers)
    evidence = TEXTS("encrypted.no_plain", language, total=column.sampled)
    return check.pass_finding(column.target, within=column.table, evidence=evidence, **numbers)


def _judge_formless(check: RuleCheck, column: PiiColumn) -> Finding:
    """Judge values without a form: a name or an amount is plain where it is words or a number.

    A column that only its own name makes personal may hold other words; a rule that names it says
    what it is.
    """
    total = min(column.sampled, LOOKED_AT)
    if check.rule.columns and column.readable >= RATE * total:
        counts = {"count": column.readable, "total": total}
        evidence = TEXTS("encrypted.readable", check.language, **counts)
        return check.finding("fail", column.target, evidence=evidence, **counts)
    reason = TEXTS("encrypted.no_form", check.language, entity=column.entity)
    return check.not_evaluated(column.target, reason, total=column.sampled)


def _is_script(column: PiiColumn) -> bool:
    """True if the values stand in a script, whose rows are counted by lines."""
    return Source.of(Path(column.source)).kind == "schema"


def _place(column: PiiColumn, hit: MaskedHit) -> Reference:
    if _is_script(column):
        return Reference(source=column.source, line=hit.row, quote=hit.shown)
    return Reference(source=column.source, row=hit.row, quote=hit.shown)
