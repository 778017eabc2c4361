"""The document as a page that prints on A4: Jinja escapes every value, and nothing is loaded."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from minerva_governance.answers.report import TEXTS as REPORT_TEXTS
from minerva_governance.answers.standing import (
    TEXTS as STANDING,
    Standing,
    quoted,
    told_standing,
    why_open,
)
from minerva_governance.core.detection.entity import label
from minerva_governance.core.review.finding import SEVERITIES
from minerva_governance.report.build import TEXTS as DOCUMENT_TEXTS
from minerva_governance.report.document import Document, PersonalColumn, Told
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.report", "page")
_JOINT: Final = re.compile(r"(?<=\w)(?:/|\.(?=[A-Z]))(?=\w)")
_ALL: Final = "findings.json"
_USES: Final = "code_uses.csv"
"""What holds the rest of a list that is cut."""
_MAX_PLACES: Final = 6
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
    environment.filters["breakable"] = _breakable
    return environment.from_string(source)


def _breakable(cell: object) -> Markup:
    """Return a cell whose long names break before a column and behind `/`."""
    return Markup(_JOINT.sub(r"\g<0><wbr>", str(escape(cell))))  # noqa: S704  # escaped here


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
        return {
            "d": document,
            "has_quotes": any(quoted(r.title, self.language) != r.title for r in document.rules),
            "t": self.text,
            "row": self.row,
            "policies": ", ".join(
                f"{p.id} v{p.version}".removesuffix(" v") for p in document.policies
            ),
            "mood": self._mood(),
            "to_do": list(self._to_do()),
            "rules": [
                (f"{r.id} {quoted(r.title, self.language)}", self._severity(r.severity),
                 r.fail, r.waived, r.not_evaluated, r.passed, r.total)
                for r in document.rules
            ],
            "unknown": list(self._unknown(found)),
            "unknown_count": len(found),
            "waived": [(w.rule_id, w.place, w.until or "", w.reason) for w in waived],
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
            "broken": list(self._broken_promises()),
            "columns_title": self.text(
                "columns", **columns.model_dump(exclude={"items"})
            ) if columns else "",
            "columns": [
                (f"{c.table}.{c.column}", c.physical_name or "–", c.domain or "", c.data_type or "",
                 c.subject_area or "", c.citation)
                for c in (columns.items if columns else ())
            ],
            "code": list(self._code()),
            "unused": self._unused(),
            "code_lines": len(
                {(use.path, use.line) for use in document.code.breaking} if document.code else ()
            ),
            "owners": ", ".join(p.owner for p in document.policies if p.owner),
            "hashes": ", ".join(p.sha256[:12] for p in document.policies if p.sha256),
            "docstrings": self._docstrings(),
            "migration": self._migration(),
            "since": DOCUMENT_TEXTS(
                "since", self.language, **document.since.model_dump(exclude={"mended_findings"})
            ) if document.since else "",
            "teams_text": self.text("teams_text.bypassed" if any(
                each.state == "bypassed" for each in document.workers
            ) else "teams_text"),
            "workers": [
                (
                    each.team,
                    each.worker or "–",
                    self.text(f"gave.{each.gave.replace('.', '_')}"),
                    self.text(f"worker.{each.state}"),
                )
                for each in document.workers
            ],
        }  # fmt: skip

    def _migration(self) -> str:
        asked = self.document.migration
        if asked is None:
            return ""
        text = DOCUMENT_TEXTS("migration.asks", self.language, count=asked.renames)
        if not asked.waived:
            return text
        names = ", ".join(asked.waived)
        waived = DOCUMENT_TEXTS(
            "migration.waived", self.language, count=len(asked.waived), names=names
        )
        return f"{text} {waived}"

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
            targets = self._listed([each.place for each in group])
            cited = (f"{one.source}:{one.line}" for one in first.citations if one.line)
            # A promise of the notice is quoted with its place beside what breaks it.
            places = [one for one in dict.fromkeys(cited) if f"({one})" not in first.evidence]
            more = len(places) - _MAX_PLACES
            rest = f" {self.text('more', count=more, file=_ALL)}" if more > 0 else ""
            yield {
                "severity": first.severity,
                "severity_word": self._severity(first.severity),
                "targets": targets,
                "what": self._what(group),
                "places": ", ".join(places[:_MAX_PLACES]) + rest,
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
        left = len(said) - len(texts)
        more = f" {self.text('more', count=left, file=_ALL)}" if left else ""
        title = quoted(first.title, self.language)
        return f"{title} ({first.rule_id}): {'; '.join(texts)}{more}"

    def _listed(self, names: Sequence[str], file: str = _ALL) -> str:
        """Return the first of the names; of a cut list also the file that holds the rest."""
        distinct = list(dict.fromkeys(names))
        shown = ", ".join(distinct[:_MAX_TARGETS])
        more = len(distinct) - _MAX_TARGETS
        return f"{shown} {self.text('more', count=more, file=file)}" if more > 0 else shown

    def _broken_promises(self) -> Iterator[tuple[str, str, str]]:
        """Yield what the notice promises, and the lines of code that do not keep it."""
        broken: dict[str, dict[str, None]] = {}
        for flow in self.document.flows:
            for promise in flow.breaks:
                sink = self.text(f"sink.{flow.sink}", host=flow.destination)
                place = f"{flow.path}:{flow.line} {flow.name} → {sink}"
                broken.setdefault(str(promise), {})[place] = None
        for words, places in broken.items():
            yield words, self._listed(list(places)), DOCUMENT_TEXTS("who.sink", self.language)

    def _unknown(self, found: Sequence[Told]) -> Iterator[tuple[str, str, str]]:
        groups: dict[tuple[str, str], list[str]] = {}
        for each in found:
            groups.setdefault((each.rule_id, why_open(each)), []).append(each.place)
        for (rule, reason), targets in groups.items():
            yield rule, self._listed(targets), reason

    def _personal(self, column: PersonalColumn) -> tuple[str, ...]:
        sure = self.text("suspected" if column.suspected else "certain")
        known = f"{sure}: {self.text(f'by.{column.by}')}"
        values = f"{column.hits}/{column.sampled}"
        if column.declared:
            values = column.proved_by or REPORT_TEXTS("not_seen", self.language)
        if column.has_no_shape:
            values = STANDING("no_shape", self.language, count=column.sampled)
        shown = ""
        if column.evidence:
            first = column.evidence[0]
            shown = self.text("row", row=first.row, shown=first.told)
        stands = Standing(
            column.standing, column.standing_rules, column.standing_why, column.standing_open
        )
        return (
            column.target,
            label(column.entity, self.language),
            told_standing(stands, self.language),
            known,
            values,
            shown,
        )

    def _code(self) -> Iterator[tuple[str, str, str]]:
        groups: dict[tuple[str, str], list[str]] = {}
        for use in self.document.code.breaking if self.document.code else ():
            groups.setdefault((use.column, use.new_name), []).append(f"{use.path}:{use.line}")
        for (column, new), places in groups.items():
            yield column, new, self._listed(places, _USES)

    def _unused(self) -> str:
        """Return the renamed columns of which the search of the code found no use."""
        columns, code = self.document.columns, self.document.code
        if columns is None or code is None:
            return ""
        used = {use.column.casefold() for use in code.breaking}
        left = [
            f"{each.table}.{each.column} → {each.physical_name}"
            for each in columns.items
            if each.status == "renamed" and each.column.casefold() not in used
        ]
        if not left:
            return ""
        key = "unused_cut" if code.truncated else "unused"
        return self.text(key, count=len(left), names=", ".join(left))

    def _docstrings(self) -> str:
        found = self.document.docstrings
        if found is None:
            return ""
        percent = "-" if found.percent is None else f"{found.percent:.1f}"
        return self.text("docstrings", total=found.total, covered=found.covered, percent=percent)
