"""One requirement of one rule, asked of one review.

A predicate never guesses: where the material is missing or proves nothing, the answer is
`not_evaluated` with the reason and the way out.
"""

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from minerva_governance.core.detection.entity import ENTITIES
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.policy.policy import Policy, Requirement, Rule, is_named
from minerva_governance.core.reading.declaration import Schema, SchemaColumn, SchemaTable
from minerva_governance.core.review.finding import Finding, Promise, Reference, Status
from minerva_governance.core.review.review import Review
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.predicates", "predicates")


class RuleCheck:
    """One requirement of one rule, asked of one review."""

    def __init__(
        self, review: Review, policy: Policy, rule: Rule, requirement: Requirement
    ) -> None:
        self.review, self.policy, self.rule, self.requirement = review, policy, rule, requirement
        self.language: Language = review.language
        self.declared_tags = DeclaredTags(review.schemas)

    def finding(self, status: Status, target: str, **fields: object) -> Finding:
        """Return a finding of this rule."""
        return Finding.model_validate(
            {
                "rule_id": self.rule.id,
                "policy": self.rule.policy,
                "severity": self.rule.severity,
                "status": status,
                "target": target,
                "predicate": self.requirement.predicate,
                **fields,
            }
        )

    def unreviewed_parts(self, within: str | None = None) -> list[Unreviewed]:
        """Return what was not looked at and could break the rule, `within` one table or at all."""
        return [
            part
            for part in self.review.unreviewed_parts
            if self.rule.kind in part.kinds and (within is None or part.name == within)
        ]

    def unread_notices(self) -> tuple[str, ...]:
        """Return the names of unread documents that may be a privacy notice."""
        return tuple(part.name for part in self.review.unreviewed_parts if part.may_be_notice)

    def pass_finding(self, target: str, *, within: str | None = None, **fields: object) -> Finding:
        """Return a pass, or `not_evaluated` where something was not looked at.

        `within` names the table that the claim is about; None means that it speaks for nothing
        that was left out. Claims about everything ask `unreviewed_parts` themselves.
        """
        parts = self.unreviewed_parts(within) if within is not None else []
        if not parts:
            return self.finding("pass", target, **fields)
        reason = " ".join(dict.fromkeys(part.reason for part in parts))
        return self.not_evaluated(target, reason, **fields)

    def not_evaluated(self, target: str, reason: str, **fields: object) -> Finding:
        """Return the honest answer where nothing can be said."""
        return self.finding("not_evaluated", target, reason=reason, **fields)

    def covers(self, table: str, column: str = "", *, is_dataset: bool) -> bool:
        """True if the rule is about a table or file, or about its column."""
        rule, tags = self.rule, self.declared_tags
        has_tag = not rule.tags or (
            any(self.policy.has_tag(tag, table, is_dataset=is_dataset) for tag in rule.tags)
            or tags.has_tag(rule.tags, table, column)
        )
        return (
            has_tag
            and (
                not rule.classifications or tags.is_classified(rule.classifications, table, column)
            )
            and (not rule.tables or is_named(table, rule.tables))
            and (not rule.columns or is_named(column, rule.columns))
        )

    def has_target(self) -> bool:
        """True if something that was looked at carries what the rule asks for."""
        return self.rule.tag is None or any(
            self.covers(table, column, is_dataset=is_dataset)
            for table, column, is_dataset in self.looked_at()
        )

    def looked_at(self) -> Iterator[tuple[str, str, bool]]:
        """Give table, column and whether it is a data file, of all that was looked at."""
        for scan in self.review.scans:
            yield scan.table, "", scan.is_dataset
            for column in scan.columns:
                yield scan.table, column.name, scan.is_dataset
        for schema in self.review.schemas:
            for table in schema.tables:
                yield table.name, "", False
            for declared in schema.columns:
                yield declared.table, declared.name, False

    def personal_columns(self) -> list[PiiColumn]:
        """Return the columns of the inventory that the rule is about."""
        rule = self.rule
        return [
            column
            for column in self.review.columns
            if (not rule.pii or column.entity in rule.pii)
            and self.covers(column.table, column.column, is_dataset=not column.declared)
        ]

    def unknown_columns(self) -> list[str]:
        """Return the columns that the rule names and of which nobody knows what they hold.

        A rule for some kinds of personal data leaves them out; one that names the columns itself
        (by tag, class or name) is about them whatever they hold.
        """
        rule = self.rule
        if not rule.names_columns or (rule.pii and not set(ENTITIES) <= set(rule.pii)):
            return []
        known = {(column.table, column.column) for column in self.review.columns}
        return list(
            dict.fromkeys(
                f"{table}.{column}"
                for table, column, is_dataset in self.looked_at()
                if column
                and (table, column) not in known
                and self._names(table, column)
                and self.covers(table, column, is_dataset=is_dataset)
            )
        )

    def _names(self, table: str, column: str) -> bool:
        """True if the rule means this column and not just all columns of its table."""
        rule, tags = self.rule, self.declared_tags
        is_tagged = bool(rule.tags) and tags.has_tag(rule.tags, table, column)
        return bool(rule.columns or rule.classifications) or is_tagged

    def not_known(self) -> Iterator[Finding]:
        """Give one answer for each of `unknown_columns`."""
        for target in self.unknown_columns():
            yield self.not_evaluated(target, TEXTS("unknown_column", self.language))


def told_promises(check: RuleCheck, promises: Iterable[Promise]) -> str:
    """Return, behind evidence, the promises of the notice that are not kept."""
    words = "; ".join(map(str, promises))
    return TEXTS("promise", check.language, promises=words) if words else ""


def told_place(place: Reference) -> str:
    """Return where a quotation stands, behind it: ` (notice.md:12)`."""
    return f" ({place.source}:{place.line})" if place.line else f" ({place.source})"


def doubt(check: RuleCheck, column: PiiColumn) -> str:
    """Return why a column that is suspected by its values must be looked at by a person."""
    return TEXTS(
        "doubt" if column.by == "value" else "doubt.unborn",
        check.language,
        count=column.hits,
        total=column.sampled,
        entity=column.entity,
    )


_Place = tuple[str, str]
"""Table and column, without case; the column is empty for the table itself."""


class DeclaredTags:
    """Tags and classifications by table and column, compared without case."""

    def __init__(self, schemas: Sequence[Schema]) -> None:
        self._tags: dict[_Place, set[str]] = {}
        self._classes: dict[_Place, set[str]] = {}
        for schema in schemas:
            for table in schema.tables:
                self._add((_bare(table.name), ""), table)
            for column in schema.columns:
                self._add((_bare(column.table), column.name.casefold()), column)

    def _add(self, place: _Place, element: SchemaTable | SchemaColumn) -> None:
        self._tags.setdefault(place, set()).update(tag.casefold() for tag in element.tags)
        if element.classification:
            self._classes.setdefault(place, set()).add(element.classification.casefold())

    def has_tag(self, patterns: Iterable[str], table: str, column: str = "") -> bool:
        """True if the column, or its table, carries one of the tags `patterns`."""
        return _fits(patterns, self._of(self._tags, table, column))

    def is_classified(self, patterns: Iterable[str], table: str, column: str = "") -> bool:
        """True if the column is classified so, or its table where the column says nothing."""
        own = self._classes.get((_bare(table), column.casefold()), set[str]())
        return _fits(patterns, own or self._classes.get((_bare(table), ""), set[str]()))

    def _of(self, words_by_place: dict[_Place, set[str]], table: str, column: str) -> set[str]:
        name = _bare(table)
        empty = set[str]()
        return words_by_place.get((name, ""), empty) | words_by_place.get(
            (name, column.casefold()), empty
        )


def _fits(patterns: Iterable[str], words: Iterable[str]) -> bool:
    wanted = [pattern.casefold() for pattern in patterns]
    return any(fnmatchcase(word, pattern) for word in words for pattern in wanted)


def _bare(name: str) -> str:
    """Return a table's name without its schema, folder and ending, without case."""
    last = PurePosixPath(name.casefold())
    is_file = "." in last.name and last.suffix in _ENDINGS
    return last.stem if is_file else last.name.rpartition(".")[2]


_ENDINGS = frozenset(
    {".csv", ".tsv", ".psv", ".tab", ".json", ".jsonl", ".ndjson", ".xlsx", ".parquet"}
)
