"""Write what a project declares and what it imports, in the language of the request."""

from collections.abc import Iterator, Sequence

from minerva_insilico.answers.imports import place_of
from minerva_insilico.answers.lists import titled_list
from minerva_insilico.core.imports.requirement import Distribution, Requirements
from minerva_platform.text import Language, code_span, read_texts

TEXTS = read_texts("minerva_insilico.answers", "requirements")
_MAX_SHOWN = 20


def answer_requirements(requirements: Requirements, language: Language) -> str:
    """Write missing and unused requirements, with file and line."""
    unread = [f"- {code_span(path)}" for path in requirements.unread]
    if not requirements.manifests:
        nothing = TEXTS("no_manifest", language)
        return "\n\n".join([nothing, *_section("unread_files", unread, language)])
    problems = [
        f"- {code_span(f'{item.path}:{item.line}')}: {item.text(language)}"
        for item in requirements.problems
    ]
    unused = [
        f"- {code_span(item.name)} ({item.group}) {code_span(f'{item.path}:{item.line}')}"
        for item in requirements.unused
    ]
    opening = TEXTS(
        "opening",
        language,
        declared=len(requirements.declarations),
        files=", ".join(map(code_span, requirements.manifests)),
        imported=len(requirements.distributions),
    )
    sections = (
        *_section("met", _distribution_lines(requirements.in_both, language), language),
        *_section("missing", _distribution_lines(requirements.missing, language), language),
        *_section("optional", _distribution_lines(requirements.optional, language), language),
        *_section("unused", unused, language),
        *_section("unread", [*problems, *unread], language),
    )
    return "\n\n".join([opening, *sections])


def _distribution_lines(items: Sequence[Distribution], language: Language) -> list[str]:
    return [
        f"- {code_span(item.name)} ({', '.join(map(code_span, item.modules))})"
        f" {place_of(item.places[0], language)}"
        for item in items
    ]


def _section(title: str, lines: Sequence[str], language: Language) -> Iterator[str]:
    """Yield a list under its title, if there is anything in it."""
    if lines:
        head = TEXTS(f"titles.{title}", language)
        yield titled_list(head, lines[:_MAX_SHOWN], len(lines), language)
