"""The document as Markdown: the contents of the page in the page's order, with nothing cut."""

from collections.abc import Iterator

from minerva_governance.answers.plain_words import plain_words
from minerva_governance.answers.report.blocks import Block, Cell, Items, Script, Section, Table
from minerva_governance.answers.report.contents import contents_of
from minerva_governance.answers.report.document import Document
from minerva_governance.answers.report.wording import Wording
from minerva_governance.core.detection.mask import mask_text
from minerva_platform.text import code_span, markdown_table


def to_markdown(document: Document) -> str:
    """Return the report as one Markdown file."""
    contents = contents_of(document, limit=None)
    parts = [
        f"# {contents.title}",
        "\n".join(f"- {name}: {plain_words(value)}" for name, value in contents.facts),
        *map(plain_words, contents.notes),
        *map(plain_words, contents.opening),
    ]
    for section in (*contents.front, *contents.body, *contents.annex):
        parts += _section(section)
    parts += map(plain_words, Wording(document, None).signature())
    parts.append(f"_{plain_words(document.advice)}_")
    return mask_text("\n\n".join(parts) + "\n")


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.mark + '. ' if section.mark else ''}{plain_words(section.title)}"
    yield from map(_block, section.blocks)


def _block(block: Block) -> str:
    match block:
        case Table():
            return markdown_table(block.header, [[*map(_cell, row)] for row in block.rows])
        case Items():
            return "\n".join(f"- {plain_words(text)}" for text in block.texts)
        case Script():
            return "\n".join(
                ("~~~sql", *(line.replace("~~~", "~ ~ ~") for line in block.lines), "~~~")
            )
        case str():
            return plain_words(block)


def _cell(cell: Cell) -> str:
    text = code_span(cell.text) if cell.kind == "name" and cell.text else plain_words(cell.text)
    return " · ".join(filter(None, (text, plain_words(cell.also))))
