"""How sure a use of a field is, what was left out, and what was searched as text, in words."""

from collections import Counter
from collections.abc import Sequence

from minerva_insilico.core.fields.elsewhere import Elsewhere
from minerva_insilico.core.fields.usage import FieldUse
from minerva_insilico.core.fields.verdict import BY_NAME
from minerva_insilico.core.index.index import Page
from minerva_platform import Artifact
from minerva_platform.text import Language, csv_text, read_texts

TEXTS = read_texts("minerva_insilico.answers", "uses")
_MAX_ENDINGS = 12


def why_of_use(score: float, reason: str, language: Language) -> str:
    """Return `possible 0.8 (the variable is called like the class)`."""
    text = TEXTS(f"reasons.{reason}", language)
    if score in {0, 1}:
        return TEXTS("certain" if score else "left_out", language, reason=text)
    return TEXTS("possible", language, score=f"{score:.1f}", reason=text)


def summary_of_uses(
    uses: Sequence[FieldUse], left_out: Sequence[FieldUse], language: Language
) -> str:
    """Count the uses that are certain and possible, and those left out by their reasons."""
    if uses and all(use.reason == BY_NAME.reason for use in uses):
        return TEXTS("by_name", language, count=len(uses))
    certain = sum(use.certainty == "certain" for use in uses)
    counts = Counter(use.reason for use in left_out).most_common()
    reasons = ", ".join(f"{TEXTS(f'reasons.{one}', language)} {count:,}" for one, count in counts)
    return TEXTS(
        "summary",
        language,
        certain=certain,
        possible=len(uses) - certain,
        left_out=len(left_out),
        reasons=f": {reasons}" if reasons else "",
    )


def as_text(elsewhere: Elsewhere, language: Language) -> str:
    """Say which files are no Python, and how many of their lines have the name."""
    kinds = [f"{count:,} {ending}" for ending, count in elsewhere.files.items()]
    more = ", …" if len(kinds) > _MAX_ENDINGS else ""
    endings = ", ".join(kinds[:_MAX_ENDINGS]) + more or TEXTS("no_files", language)
    unread = TEXTS("unread", language, count=elsewhere.unread) if elsewhere.unread else ""
    return TEXTS("as_text", language, files=endings, total=elsewhere.lines.total, unread=unread)


def uses_csv(uses: Page[FieldUse]) -> Artifact:
    """Return `code_uses.csv`: a row for each use."""
    rows = (
        (
            use.name, use.path, use.line, use.kind, use.symbol, use.sink or "",
            " ".join(use.tables), use.snippet, use.certainty, use.score, use.reason,
        )
        for use in uses.items
    )  # fmt: skip
    headers = (
        "name", "path", "line", "kind", "symbol", "sink", "sql_tables", "snippet", "certainty",
        "score", "reason",
    )  # fmt: skip
    return Artifact(name="code_uses.csv", media_type="text/csv", content=csv_text(headers, rows))
