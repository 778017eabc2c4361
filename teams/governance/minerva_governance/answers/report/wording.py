"""Words that all parts of a report share: texts, severities, lists that say when they are cut."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from minerva_governance.answers.finding_context import quoted
from minerva_governance.answers.report.blocks import Cell, Kind
from minerva_governance.answers.report.build import TEXTS as DOCUMENT_TEXTS
from minerva_governance.answers.report.document import (
    Document,
    ReportFinding,
    RuleCounts,
    digest_of,
)
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.answers.report", "page")
ALL: Final = "report.md"
_WORD: Final = re.compile(r"[a-z]+ ")
USES: Final = "code_uses.csv"
"""What holds all of a list that is cut on the page."""
MARK: Final = 12
"""Digits of a file's SHA-256 that the page shows; `findings.json` has all."""


class Wording:
    """The words of one document in its language; `limit` cuts the lists in its cells."""

    def __init__(self, document: Document, limit: int | None) -> None:
        self.document, self.limit = document, limit
        self.language: Language = document.language
        ids = [rule.id for rule in document.rules]
        self._twice = {each for each in ids if ids.count(each) > 1}

    def text(self, key: str, **values: object) -> str:
        """Return a text of the page."""
        return TEXTS(key, self.language, **values)

    def row(self, key: str) -> tuple[str, ...]:
        """Return the header of a table."""
        return TEXTS.row(key, self.language)

    def quote(self, text: str) -> str:
        """Return a text of the material, marked as a quotation if it is in the other language."""
        return quoted(text, self.language)

    def sentence(self, text: str) -> str:
        """Return `text` beginning as a sentence does; a name at its beginning stays as it is."""
        return text[:1].upper() + text[1:] if _WORD.match(text) else text

    def decision(self) -> Iterator[str]:
        """Yield who decided what about the migration, when and why; nothing while it is open."""
        question = self.document.migration
        if question is None or question.state == "asked":
            return
        about = {"by": question.by, "at": question.at, "count": question.renames}
        yield self.text(f"decision.{question.state}", **about)
        if question.message:
            yield self.text("decision_reason", reason=question.message)
        if question.changes:
            yield self.text("decision_changes", changes="; ".join(question.changes))

    def signature(self) -> Iterator[str]:
        """Yield what a signature is about: the run that decided, and the digest of the findings."""
        if self.document.run_id:
            yield self.text("sign_run", run_id=self.document.run_id)
        yield self.text("sign_digest", sha256=digest_of(self.document))

    def severity(self, severity: Kind, also: str = "") -> Cell:
        """Return the cell of a severity."""
        return Cell(DOCUMENT_TEXTS(f"severity.{severity}", self.language), also, severity)

    def rule(self, rule: RuleCounts | ReportFinding) -> str:
        """Return a rule's id, with its policy before it where another rule has that id, too."""
        rule_id = rule.id if isinstance(rule, RuleCounts) else rule.rule_id
        is_double = rule_id in self._twice and rule.policy
        return f"{rule.policy}/{rule_id}" if is_double else rule_id

    def join(
        self, names: Iterable[str], file: str = ALL, limit: int | None = None, mark: str = ", "
    ) -> str:
        """Return the names; of a list that is cut the first, how many there are, and where."""
        different_names = list(dict.fromkeys(names))
        most = None if self.limit is None else limit or self.limit
        if most is None or len(different_names) <= most:
            return mark.join(different_names)
        more = self.text(
            "more", count=len(different_names) - most, total=len(different_names), file=file
        )
        return f"{mark.join(different_names[:most])} {more}"

    def by_table(self, targets: Sequence[str]) -> str:
        """Return how many columns of each table are meant, instead of a long list of them."""
        if self.limit is None or len(targets) <= self.limit:
            return ", ".join(targets)
        tables: dict[str, int] = {}
        for target in targets:
            table = target.rpartition(".")[0]
            tables[table] = tables.get(table, 0) + 1
        counted = [self.text("of_table", table=name, count=n) for name, n in tables.items()]
        return self.join(counted)
