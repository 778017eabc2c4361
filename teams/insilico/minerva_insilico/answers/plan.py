"""Write which code a plan of renamings touches."""

from collections.abc import Iterable

from minerva_insilico.answers.findings import ARTIFACT, KINDS, SHOWN, use_line
from minerva_insilico.answers.markdown import code, cut, table
from minerva_insilico.contracts import PlannedColumn, RenamePlan
from minerva_insilico.core.fields.usage import FieldUse
from minerva_insilico.core.index.index import Page
from minerva_platform.text import Language

_PLACES = 6


def answer_plan(plan: RenamePlan, found: Page[FieldUse], language: Language) -> str:
    """Write which code each renamed column of a plan breaks."""
    by_name: dict[str, list[FieldUse]] = {}
    for use in found.items:
        if use.kind != "name":  # a variable that is logged does not break
            by_name.setdefault(use.name.lower(), []).append(use)
    renamed = _grouped(column for column in plan.columns if column.is_renamed)
    used = {name: columns for name, columns in renamed.items() if name in by_name}
    unused = [columns[0].column for name, columns in renamed.items() if name not in by_name]
    lines = sum(len({(use.path, use.line) for use in by_name[name]}) for name in used)
    parts = [_plan_opening(len(renamed), len(used), lines, language)]
    if used:
        parts.append(_plan_table(used, by_name, language))
        parts.append(_where_all(language))
    if unused:
        names = ", ".join(code(name) for name in unused)
        text = "코드에서 쓰이지 않음" if language == "ko" else "Not used in the code"
        parts.append(f"{text} ({len(unused):,}): {names}")
    parts.append(_others(plan, renamed, by_name, language))
    parts.append(_plan_sinks(found, language))
    return "\n\n".join(part for part in parts if part)


def _grouped(columns: Iterable[PlannedColumn]) -> dict[str, list[PlannedColumn]]:
    groups: dict[str, list[PlannedColumn]] = {}
    for column in columns:
        groups.setdefault(column.column.lower(), []).append(column)
    return groups


def _plan_opening(renamed: int, used: int, lines: int, language: Language) -> str:
    if language == "ko":
        return (
            f"이름이 바뀌는 컬럼 이름 {renamed:,}개 가운데 **{used:,}개**를 코드에서 쓰고 있어,"
            f" 바꾸면 **{lines:,}줄**을 함께 손봐야 하는지 확인해야 합니다."
        )
    return (
        f"The code uses **{used:,}** of {renamed:,} column names that are to change;"
        f" **{lines:,} lines** name them and have to be checked."
    )


def _plan_table(
    used: dict[str, list[PlannedColumn]], by_name: dict[str, list[FieldUse]], language: Language
) -> str:
    headers = (
        ("컬럼", "새 이름", "사용", "위치")
        if language == "ko"
        else ("column", "new name", "uses", "places")
    )
    rows: list[tuple[str, str, str, str]] = []
    for name, columns in used.items():
        uses = by_name[name]
        new = dict.fromkeys(str(column.physical_name) for column in columns)
        tables = ", ".join(dict.fromkeys(column.table for column in columns if column.table))
        column = code(columns[0].column) + (f" ({tables})" if tables else "")
        rows.append((column, ", ".join(map(code, new)), f"{len(uses):,}", _places(uses, language)))
    return table(headers, rows)


def _places(uses: list[FieldUse], language: Language) -> str:
    kinds = KINDS[language]
    shown = [f"{code(f'{use.path}:{use.line}')} {kinds[use.kind]}" for use in uses[:_PLACES]]
    left = len(uses) - len(shown)
    more = (f"외 {left:,}곳" if language == "ko" else f"{left:,} more") if left else ""
    return ", ".join([*shown, *([more] if more else [])])


def _where_all(language: Language) -> str:
    if language == "ko":
        return f"모든 위치는 {code(ARTIFACT)}에 있습니다."
    return f"All places are in {code(ARTIFACT)}."


def _others(
    plan: RenamePlan,
    renamed: dict[str, list[PlannedColumn]],
    by_name: dict[str, list[FieldUse]],
    language: Language,
) -> str:
    """Tell about the columns whose names stay, or are not decided."""
    others = _grouped(column for column in plan.columns if column.column.lower() not in renamed)
    unresolved = [
        columns[0].column
        for name, columns in others.items()
        if name in by_name and any(column.status == "unresolved" for column in columns)
    ]
    if not unresolved:
        return ""
    names = ", ".join(code(name) for name in unresolved)
    if language == "ko":
        return f"새 이름이 정해지지 않았지만 코드에서 쓰는 컬럼 ({len(unresolved):,}): {names}"
    return f"Used in the code, new name not decided ({len(unresolved):,}): {names}"


def _plan_sinks(found: Page[FieldUse], language: Language) -> str:
    flowing = [use for use in found.items if use.sink]
    if not flowing:
        return ""
    title = (
        "로그나 화면으로 나가는 컬럼 값" if language == "ko" else "Column values that are logged"
    )
    lines = [use_line(use, language) for use in flowing[:SHOWN]]
    note = cut(language, shown=len(lines), total=len(flowing), artifact=ARTIFACT)
    return "\n".join([f"{title} ({len(flowing):,}):", "", *lines, *(["", note] if note else [])])
