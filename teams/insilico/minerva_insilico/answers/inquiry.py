"""Write what the shape of a code base is, in the language of the request."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from minerva_insilico.answers.markdown import code, cut, table
from minerva_insilico.core.imports.graph import Cycle, ImportGraph, ImportPlace
from minerva_insilico.core.imports.manifest import COMPUTED, DYNAMIC, NAMELESS, UNREAD, WRONG
from minerva_insilico.core.imports.requirement import Requirements
from minerva_insilico.core.index.index import Page, SymbolRef
from minerva_insilico.core.queries.complexity import rank
from minerva_insilico.core.queries.summary import ModuleSummary
from minerva_platform.text import Language

SHOWN = 20

_PROBLEMS_KO: dict[str, str] = {
    COMPUTED: ": 계산되는 값이라 실행하지 않고는 알 수 없습니다",
    DYNAMIC: ": 빌드 도구가 계산하는 값이라 실행하지 않고는 알 수 없습니다",
    NAMELESS: ": 배포판 이름이 없습니다",
    UNREAD: "을(를) 읽지 않았습니다",
    WRONG: ": 읽을 수 있는 의존성이 아닙니다",
}

_GUARDS: dict[Language, dict[str, str]] = {
    "ko": {"lazy": " (함수 안)", "fallback": " (있을 때만)", "type_checking": " (타입 검사용)"},
    "en": {"lazy": " (lazy)", "fallback": " (if installed)", "type_checking": " (types only)"},
}


def answer_cycles(graph: ImportGraph, language: Language) -> str:
    """Write the cycles of a tree, each with the lines that close it."""
    cycles = graph.cycles()
    is_korean = language == "ko"
    edges = sum(map(len, graph.imports.values()))
    if not cycles:
        return (
            f"순환 import가 없습니다(모듈 {len(graph.modules):,}개, import {edges:,}개)."
            if is_korean
            else f"No import cycles among {len(graph.modules):,} modules and {edges:,} imports."
        )
    title = (
        f"순환 import **{len(cycles):,}개** (모듈 {len(graph.modules):,}개, import {edges:,}개):"
        if is_korean
        else f"Import cycles: **{len(cycles):,}** ({len(graph.modules):,} modules,"
        f" {edges:,} imports)"
    )
    parts = [title, *(_cycle(graph, cycle, language) for cycle in cycles[:SHOWN])]
    return "\n\n".join(filter(None, [*parts, cut(language, shown=SHOWN, total=len(cycles))]))


def _cycle(graph: ImportGraph, cycle: Cycle, language: Language) -> str:
    way = " → ".join(map(code, cycle.chain))
    if language == "ko":
        head = f"모듈 {len(cycle.modules):,}개: {way}"
        late = "" if cycle.at_start else " — 불러올 때는 돌지 않습니다(함수 안이나 타입 검사용)."
    else:
        head = f"{len(cycle.modules):,} modules: {way}"
        late = "" if cycle.at_start else " — not while loading (lazy, or for types only)."
    return "\n".join([head + late, "", *_steps(graph, cycle.chain, language)])


def _steps(graph: ImportGraph, chain: Sequence[str], language: Language) -> list[str]:
    return [
        f"- {_place(graph.places(*step)[0], language)} {code(step[0])} → {code(step[1])}"
        for step in pairwise(chain)
    ]


def answer_chain(graph: ImportGraph, start: str, end: str, language: Language) -> str:
    """Write the shortest chains of imports between two modules, both ways."""
    parts: list[str] = []
    for first, last in ((start, end), (end, start)):
        chain = graph.chain(first, last)
        if chain:
            title = f"{code(first)} → {code(last)}"
            parts.append("\n".join([f"{title}:", "", *_steps(graph, chain, language)]))
        elif language == "ko":
            parts.append(f"{code(first)}은(는) {code(last)}을(를) 거쳐서도 import하지 않습니다.")
        else:
            parts.append(f"{code(first)} does not import {code(last)}, not through others either.")
    return "\n\n".join(parts)


def answer_imports(graph: ImportGraph, modules: Sequence[str], language: Language) -> str:
    """Write both sides of some modules; without any, the modules with most importers."""
    if not modules:
        return _hubs(graph, language)
    is_korean = language == "ko"
    parts: list[str] = []
    for module in modules[:SHOWN]:
        layers = graph.importers(module)
        direct = layers[0] if layers else ()
        title = "import하는 모듈" if is_korean else "Imported by"
        edges = [(item, graph.places(item, module)[0]) for item in direct]
        parts += [f"**{code(module)}**", _edges(title, edges, language)]
        if len(layers) > 1:
            word = "단계" if is_korean else "step"
            further = (
                f"- {word} {number}: {_names(layer, language)}"
                for number, layer in enumerate(layers[1:], start=2)
            )
            parts.append("\n".join(further))
        title = "import하는 대상" if is_korean else "Imports"
        imported = graph.imported_by(module)
        edges = [(item, graph.places(module, item)[0]) for item in imported]
        parts.append(_edges(title, edges, language))
    return "\n\n".join(parts)


def _hubs(graph: ImportGraph, language: Language) -> str:
    counts: dict[str, int] = dict.fromkeys(graph.modules, 0)
    for targets in graph.imports.values():
        for imported in targets:
            counts[imported] += 1
    rows = sorted(counts, key=lambda name: (-counts[name], name))
    headers = (
        ("모듈", "import되는 곳", "import하는 수")
        if language == "ko"
        else ("module", "imported by", "imports")
    )
    body = table(
        headers,
        ((code(n), f"{counts[n]:,}", f"{len(graph.imported_by(n)):,}") for n in rows[:SHOWN]),
    )
    note = cut(language, shown=min(SHOWN, len(rows)), total=len(rows), artifact="imports.csv")
    return "\n\n".join(filter(None, [body, note, answer_cycles(graph, language)]))


def _edges(title: str, edges: Sequence[tuple[str, ImportPlace]], language: Language) -> str:
    lines = [f"- {_place(place, language)} {code(name)}" for name, place in edges[:SHOWN]]
    note = cut(language, shown=len(lines), total=len(edges))
    return "\n".join([f"{title} ({len(edges):,}):", "", *lines, *(["", note] if note else [])])


def answer_requirements(compared: Requirements, language: Language) -> str:
    """Write what is missing and what is unused, with file and line."""
    is_korean = language == "ko"
    unread_files = [f"- {code(path)}" for path in compared.unread]
    if not compared.manifests:
        nothing = (
            "의존성을 선언한 파일(pyproject.toml, Pipfile, setup.cfg, setup.py, requirements)이"
            " 없습니다."
            if is_korean
            else "No pyproject.toml, Pipfile, setup.cfg, setup.py or requirements file declares"
            " anything."
        )
        title = "읽지 않은 파일" if is_korean else "Files that are not read"
        return "\n\n".join(
            filter(None, [nothing, _list(title, unread_files, len(unread_files), language)])
        )
    files = ", ".join(map(code, compared.manifests))
    if is_korean:
        parts = [f"선언 {len(compared.declared):,}개({files}), 실제로 쓰는 배포판"
                 f" {len(compared.imported):,}개입니다."]  # fmt: skip
        titles = (
            "선언하고 import함",
            "선언하지 않고 import함",
            "선언하지 않았지만 없어도 됨",
            "선언했지만 import하지 않음",
        )
        unread = "읽지 못함"
    else:
        parts = [f"{len(compared.declared):,} declared in {files};"
                 f" {len(compared.imported):,} distributions are imported."]  # fmt: skip
        titles = (
            "Declared and imported",
            "Imported, not declared",
            "Not declared, but optional",
            "Declared, not imported",
        )
        unread = "Not read"
    compared_lists = (compared.met, compared.missing, compared.optional)
    for title, items in zip(titles, compared_lists, strict=False):
        lines = [
            f"- {code(item.name)} ({', '.join(map(code, item.modules))})"
            f" {_place(item.places[0], language)}"
            for item in items[:SHOWN]
        ]
        parts.append(_list(title, lines, len(items), language))
    unused = [f"- {code(i.name)} ({i.group}) {code(f'{i.path}:{i.line}')}" for i in compared.unused]
    parts.append(_list(titles[3], unused[:SHOWN], len(unused), language))
    problems = [
        f"- {code(f'{path}:{line}')}: {_problem(text, language)}"
        for path, line, text in compared.problems
    ]
    problems += unread_files
    parts.append(_list(unread, problems[:SHOWN], len(problems), language))
    return "\n\n".join(filter(None, parts))


def _problem(text: str, language: Language) -> str:
    """Return what is wrong with a manifest; the words of readers of TOML and INI are quoted."""
    if language == "en":
        return text
    for said, ko in _PROBLEMS_KO.items():
        if text.endswith(said):
            return f"{code(text.removesuffix(said).strip('`'))}{ko}"
    return f"읽을 수 없습니다({code(text)})"


def answer_outline(outlines: Iterable[tuple[str, Sequence[SymbolRef]]], language: Language) -> str:
    """Write the classes and functions of files, as they stand in each other."""
    parts: list[str] = []
    for path, symbols in outlines:
        depth = min((item.qualname.count(".") for item in symbols), default=0)
        lines = [
            f"{'  ' * (item.qualname.count('.') - depth)}- {item.kind}"
            f" {code(item.qualname.rpartition('.')[2] + item.signature)}"
            f" {item.line}-{item.end_line}, {rank(item.complexity)} {item.complexity}"
            for item in symbols[: SHOWN * 5]
        ]
        parts.append(_list(code(path), lines, len(symbols), language) or code(path))
    return "\n\n".join(parts)


def answer_complexity(page: Page[SymbolRef], language: Language) -> str:
    """Write the most complex functions of what was asked about."""
    headers = (
        ("함수", "위치", "복잡도") if language == "ko" else ("function", "place", "complexity")
    )
    rows = [
        (code(item.qualname), code(item.place), f"{item.complexity:,} ({rank(item.complexity)})")
        for item in page.items[:SHOWN]
    ]
    if not rows:
        return "함수가 없습니다." if language == "ko" else "There are no functions."
    note = cut(language, shown=len(rows), total=page.total)
    return "\n\n".join(filter(None, [table(headers, rows), note]))


def answer_summary(item: ModuleSummary, language: Language) -> str:
    """Write one module: exports, dependencies, size, complexity, documented share."""
    is_korean = language == "ko"
    heads = ", ".join(
        f"{code(f.qualname.rpartition('.')[2])} {code(f.place)} {f.complexity}"
        for f in item.complex
    )
    words = (
        ("줄 수", "문서화", "공개 이름", "import", "외부 패키지", "import되는 곳",
         "가장 복잡한 함수")
        if is_korean
        else ("lines", "documented", "exports", "imports", "foreign packages", "imported by",
              "most complex")
    )  # fmt: skip
    values = (
        f"{item.lines:,}",
        f"{item.documented.share} % ({item.documented.covered:,}/{item.documented.total:,})",
        _names(item.exports, language),
        _names(item.imports, language),
        _names(item.foreign, language),
        _names(item.imported_by, language),
        heads or "-",
    )
    title = f"**{code(item.module)}** {code(item.path)}"
    lines = [f"- {word}: {value}" for word, value in zip(words, values, strict=True)]
    first = [f"> {code(item.first_line)}", ""] if item.first_line else []
    return "\n".join([title, "", *first, *lines])


def _list(title: str, lines: Sequence[str], total: int, language: Language) -> str:
    if not lines:
        return ""
    note = cut(language, shown=len(lines), total=total)
    return "\n".join([f"{title} ({total:,}):", "", *lines, *(["", note] if note else [])])


def _names(names: Sequence[str], language: Language) -> str:
    shown = ", ".join(map(code, names[:SHOWN])) or "-"
    left = len(names) - SHOWN
    if left <= 0:
        return shown
    return f"{shown} 외 {left:,}개" if language == "ko" else f"{shown} and {left:,} more"


def _place(place: ImportPlace, language: Language) -> str:
    return f"{code(f'{place.path}:{place.line}')}{_GUARDS[language].get(place.guard, '')}"
