"""Write the report of a standardisation: what became of all columns, and what a person decides.

It shows the first rows of each list and says how many there are; the other files hold all.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from minerva_data.answers.markdown import cell, finding_cells, grid, unparsed_line, unresolved_line
from minerva_data.answers.wording import Wording, wording
from minerva_data.core.audit.rule import place
from minerva_data.core.schema.export import cited
from minerva_data.core.schema.record import Row
from minerva_data.core.standardising.spool import Spool
from minerva_data.core.standardising.tally import Tally
from minerva_data.core.standardising.wish import Wishes
from minerva_platform.text import Language

SHOWN = 500
"""Rows of a list that a report shows."""


@dataclass(frozen=True, slots=True)
class _Words:
    """What only a report says."""

    title: str
    given: str
    answering: str
    methods: str
    candidates: str
    left_out: str
    header: tuple[str, ...]
    unread: str
    cut: str


_KO = _Words(
    title="# 표준화 보고서",
    given="읽은 것: {names}",
    answering="용어 사전(앞의 것이 우선): {names}",
    methods="이름을 찾은 {named}건: {methods}",
    candidates="미해결 {unresolved}건: 후보 있음 {with_}, 후보 없음 {without}; 까닭: {reasons}",
    left_out="두 번 있어 쓰지 않은 컬럼 {count}개(아래에 적음).",
    header=(
        *("항목", "논리명", "표준 물리명", "도메인", "데이터 타입", "주제영역"),
        *("방법", "확신", "출처"),
    ),
    unread="**읽지 못했거나 쓰지 않은 것 {total}건**",
    cut="{total}건 가운데 {shown}건을 보였습니다. 전체는 {file}에 있습니다.",
)
_EN = _Words(
    title="# Standardisation",
    given="Read: {names}",
    answering="Glossaries, the first before the others: {names}",
    methods="Named, {named}: {methods}",
    candidates="Unresolved, {unresolved}: {with_} with candidates, {without} without; {reasons}",
    left_out="Columns that are there twice and were not used again: {count} (told below).",
    header=(
        *("Item", "Logical name", "Standard physical name", "Domain", "Data type"),
        *("Subject area", "Method", "Confidence", "Source"),
    ),
    unread="**Not read, or not used: {total}**",
    cut="{shown} of {total} shown. All of them are in {file}.",
)


@dataclass(frozen=True, slots=True)
class Reported:
    """What a report is about."""

    spool: Spool
    tally: Tally
    wishes: Wishes
    sources: Mapping[str, str]
    answering: tuple[str, ...]


def report_text(about: Reported, language: Language) -> Iterator[str]:
    """Yield the report's paragraphs."""
    words, said = _KO if language == "ko" else _EN, wording(language)
    names = ", ".join(f"{cell(name)} ({kind})" for name, kind in about.sources.items())
    yield words.title
    yield words.given.format(names=names)
    yield words.answering.format(names=", ".join(map(cell, about.answering)))
    yield from _counts(about, words, said)
    yield from _findings(about, words, said)
    yield from _rows(about, words, said)
    yield from _unresolved(about, words, said)
    if about.tally.problems:
        yield words.unread.format(total=about.tally.problems)
        yield "\n".join(unparsed_line(one, said) for one in about.spool.problems(limit=SHOWN))
        yield from _cut(about.tally.problems, "`unread.csv`", words)


def _counts(about: Reported, words: _Words, said: Wording) -> Iterator[str]:
    tally = about.tally
    if tally.by_status["found"]:
        yield said.terms_title.format(
            total=tally.total, found=tally.named, unresolved=tally.unresolved
        )
    else:
        counts = {name: tally.by_status[name] for name in ("renamed", "standard", "unresolved")}
        title = said.columns_title.format(total=tally.total)
        yield f"{title}: {said.counts.format(total=tally.total, **counts)}"
    if tally.named:
        yield words.methods.format(named=tally.named, methods=_listed(tally.by_method.items()))
    if tally.unresolved:
        yield words.candidates.format(
            unresolved=tally.unresolved,
            with_=tally.with_candidates,
            without=tally.unresolved - tally.with_candidates,
            reasons=_listed((said.reasons[why], count) for why, count in tally.by_reason.items()),
        )
    if tally.left_out:
        yield words.left_out.format(count=tally.left_out)
    yield said.priority.format(priority=" > ".join(map(cell, about.wishes.priority)))


def _listed(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts)


def _findings(about: Reported, words: _Words, said: Wording) -> Iterator[str]:
    tally = about.tally
    if not tally.findings:
        yield said.clean
        return
    by = tally.by_severity
    title = said.findings_title.format(
        total=tally.findings, high=by["high"], medium=by["medium"], low=by["low"]
    )
    yield f"{title}: {_listed(sorted(tally.by_rule.items()))}"
    listed = [finding_cells(found, said) for found in about.spool.findings(limit=SHOWN, but="N1")]
    if listed:
        yield grid(said.finding_header, listed)
    yield from _cut(tally.findings - tally.by_rule["N1"], "`audit.csv`", words)
    if tally.by_rule["N1"]:
        yield said.renames.format(count=tally.by_rule["N1"])
    if tally.inversions_given:
        yield said.order.format(before=tally.inversions_given, after=0)


def _rows(about: Reported, words: _Words, said: Wording) -> Iterator[str]:
    if about.tally.named:
        named = about.spool.rows(limit=SHOWN, has_name=True)
        yield grid(words.header, (_cells(row) for row in named))
        yield from _cut(about.tally.named, "`mapping.csv`", words)
    if any(name != "found" for name in about.tally.by_status):
        yield said.not_applied


def _cells(row: Row) -> tuple[str, ...]:
    texts = (
        *(place(row), row.logical_name, row.physical_name, row.domain, row.data_type),
        *(row.subject_area, row.method, f"{row.confidence:.2f}" if row.confidence else None),
    )
    return (*map(cell, texts), cell(cited(row.citations)))


def _unresolved(about: Reported, words: _Words, said: Wording) -> Iterator[str]:
    if about.tally.unresolved:
        yield said.unresolved_title.format(total=about.tally.unresolved)
        rows = about.spool.rows(limit=SHOWN, has_name=False)
        yield "\n".join(unresolved_line(row, said) for row in rows)
        yield from _cut(about.tally.unresolved, "`mapping.csv`", words)


def _cut(total: int, file: str, words: _Words) -> Iterator[str]:
    if total > SHOWN:
        yield words.cut.format(total=total, shown=SHOWN, file=file)
