"""The document as a page that prints on A4: Jinja escapes every value, and nothing is loaded."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, StrictUndefined, Template

from minerva_governance.core.detection.entity import label
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.review.finding import SEVERITIES
from minerva_governance.report.build import TEXTS as DOCUMENT_TEXTS
from minerva_governance.report.document import Document, Told
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.report", "page")
_MAX_PLACES: Final = 6
"""Places of code that a row names; findings.json has all."""
_MAX_TARGETS: Final = 8
_MAX_EVIDENCE: Final = 3


def to_page(document: Document) -> str:
    """Return the report as one HTML file without external resources."""
    return _template().render(**_Page(document).values()) + "\n"


@cache
def _template() -> Template:
    source = (files("minerva_governance.report") / "report.html.jinja").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(source)


class _Page:
    """The values of the template, in the document's language."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.language: Language = document.language

    def text(self, key: str, **values: object) -> str:
        """Return a text of the page."""
        return TEXTS(key, self.language, **values)

    def row(self, key: str) -> tuple[str, ...]:
        """Return the header of a table."""
        return TEXTS.row(key, self.language)

    def values(self) -> dict[str, Any]:
        """Return everything that the template shows."""
        document = self.document
        found = [each for each in document.findings if each.status == "not_evaluated"]
        waived = [each for each in document.findings if each.status == "waived"]
        columns = document.columns
        there = [name for name, came in document.teams.items() if came]
        lost = [name for name, came in document.teams.items() if not came]
        return {
            "d": document,
            "t": self.text,
            "row": self.row,
            "policies": ", ".join(
                f"{p.id} v{p.version}".removesuffix(" v") for p in document.policies
            ),
            "mood": self._mood(),
            "to_do": list(self._to_do()),
            "rules": [
                (f"{r.id} {r.title}", self._severity(r.severity), r.fail, r.waived,
                 r.not_evaluated, r.passed, r.total)
                for r in document.rules
            ],
            "unknown": list(self._unknown(found)),
            "unknown_count": len(found),
            "waived": [(w.rule_id, w.target, w.until or "", w.reason) for w in waived],
            "inventory_title": self.text(
                "inventory",
                seen=document.columns_looked_at,
                found=len({each.target for each in document.inventory}),
            ),
            "inventory": [self._personal(each) for each in document.inventory],
            "flows": [
                (
                    f"{flow.path}:{flow.line}",
                    flow.name,
                    label(flow.entity, self.language),
                    self.text(f"sink.{flow.sink}", host=flow.destination),
                    self.text("suspected" if flow.suspected else "certain"),
                )
                for flow in document.flows
            ],
            "columns_title": self.text(
                "columns", **columns.model_dump(exclude={"items"})
            ) if columns else "",
            "columns": [
                (f"{c.table}.{c.column}", c.physical_name or "–", c.domain or "", c.data_type or "",
                 c.subject_area or "", c.citation)
                for c in (columns.items if columns else ())
            ],
            "code": list(self._code()),
            "code_lines": len(
                {(use.path, use.line) for use in document.code.breaking} if document.code else ()
            ),
            "owners": ", ".join(p.owner for p in document.policies if p.owner),
            "hashes": ", ".join(p.sha256[:12] for p in document.policies if p.sha256),
            "docstrings": self._docstrings(),
            "migration": DOCUMENT_TEXTS(
                "migration.asks", self.language, count=document.migration.renames
            ) if document.migration else "",
            "since": DOCUMENT_TEXTS(
                "since", self.language, **document.since.model_dump(exclude={"mended_findings"})
            ) if document.since else "",
            "teams": self.text(
                "teams_text",
                there=", ".join(there),
                lost=", ".join(lost) or self.text("nobody"),
            ),
        }  # fmt: skip

    def _mood(self) -> str:
        if self.document.counts["fail"]:
            return "bad"
        return "open" if self.document.counts["not_evaluated"] else "clean"

    def _severity(self, severity: str) -> str:
        return DOCUMENT_TEXTS(f"severity.{severity}", self.language)

    def _to_do(self) -> Iterator[dict[str, str]]:
        """Yield the broken rules, the gravest first; targets with the same evidence share a row.

        So do all targets of a rule of low severity: a schema breaks one in every column.
        """
        groups: dict[tuple[str, str, str], list[Told]] = {}
        for each in self.document.findings:
            if each.status == "fail":
                is_name = each.severity == "low"
                key = (each.rule_id, "" if is_name else each.evidence, each.reason)
                groups.setdefault(key, []).append(each)
        for group in sorted(groups.values(), key=lambda g: SEVERITIES.index(g[0].severity)):
            first = group[0]
            targets = self._listed([each.target for each in group])
            places = dict.fromkeys(
                f"{cited.source}:{cited.line}" for cited in first.citations if cited.line
            )
            yield {
                "severity": first.severity,
                "severity_word": self._severity(first.severity),
                "targets": targets,
                "what": self._what(group),
                "places": ", ".join(list(places)[:_MAX_PLACES]),
                "who": first.who,
                "how": first.how.replace(first.target, self._these(group)),
            }

    def _these(self, group: Sequence[Told]) -> str:
        names = list(dict.fromkeys(each.target for each in group))
        if len(names) <= _MAX_EVIDENCE:
            return ", ".join(names)
        return self.text("these", count=len(names))

    def _what(self, group: Sequence[Told]) -> str:
        """Return what is wrong; of many different ones the first three."""
        first = group[0]
        said = dict.fromkeys(f"{each.evidence} {each.reason}".strip() for each in group)
        texts = list(said)[:_MAX_EVIDENCE]
        more = (
            f" {self.text('more', count=len(said) - len(texts))}" if len(said) > len(texts) else ""
        )
        return f"{first.title} ({first.rule_id}): {'; '.join(texts)}{more}"

    def _listed(self, names: Sequence[str]) -> str:
        distinct = list(dict.fromkeys(names))
        shown = ", ".join(distinct[:_MAX_TARGETS])
        more = len(distinct) - _MAX_TARGETS
        return f"{shown} {self.text('more', count=more)}" if more > 0 else shown

    def _unknown(self, found: Sequence[Told]) -> Iterator[tuple[str, str, str]]:
        groups: dict[tuple[str, str], list[str]] = {}
        for each in found:
            groups.setdefault((each.rule_id, each.reason), []).append(each.target)
        for (rule, reason), targets in groups.items():
            yield rule, self._listed(targets), reason

    def _personal(self, column: PiiColumn) -> tuple[str, str, str, str, str]:
        sure = self.text("suspected" if column.suspected else "certain")
        known = f"{sure}: {self.text(f'by.{column.by}')}"
        values = column.proved_by if column.declared else f"{column.hits}/{column.sampled}"
        shown = ""
        if column.evidence:
            first = column.evidence[0]
            shown = self.text("row", row=first.row, shown=first.told)
        return column.target, label(column.entity, self.language), known, values, shown

    def _code(self) -> Iterator[tuple[str, str, str]]:
        groups: dict[tuple[str, str], list[str]] = {}
        for use in self.document.code.breaking if self.document.code else ():
            groups.setdefault((use.column, use.new_name), []).append(f"{use.path}:{use.line}")
        for (column, new), places in groups.items():
            yield column, new, self._listed(places)

    def _docstrings(self) -> str:
        found = self.document.docstrings
        if found is None:
            return ""
        percent = "-" if found.percent is None else f"{found.percent:.1f}"
        return self.text("docstrings", total=found.total, covered=found.covered, percent=percent)
