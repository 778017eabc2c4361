"""What SQL can tell of a cell by itself, so that Python looks at few of millions.

The answer for each cell is a number: nothing in it, out of sight, of a kind for certain, or
unsettled, which means that `find_in_cell` decides. SQL never answers otherwise than Python would;
`tests/teams/governance/test_sieve.py` compares them. All expressions are RE2's.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.kinds.catalogue import Catalogue, bundled_catalogue
from minerva_governance.core.kinds.kind import Kind
from minerva_governance.core.tables.relation import literal
from minerva_governance.core.values.rewriting import (
    ENOUGH_DIGITS,
    READ_ANYWHERE,
    READ_WHOLE,
    STAMP,
    spread,
)
from minerva_governance.core.values.writing import (
    ESCAPED,
    EXTENSION,
    FLOAT,
    LABELLED,
    SPACED_OUT,
    WORDS_BEFORE,
    labelled_plain,
)

NOTHING: Final = 0
UNSETTLED: Final = 1
OUT_OF_SIGHT: Final = 2
FIRST_KIND: Final = 3
"""The answer of the first of `Sieve.kinds`; the others follow."""

NULLS: Final = ("", "null", "none", "nan", "n/a", "\\n")
"""What a cell without a value says, case and blanks aside."""
MAX_NULL_CHARACTERS: Final = 16
"""Of a cell that may be a null, blanks included: longer cells are not folded to be compared."""
MIN_HIT_CHARACTERS: Final = 6
"""Of the shortest value that any form fits where no name tells the kind: a@b.kr."""
_MAX_CHARACTERS: Final = 1_000
"""Of a cell that SQL settles; longer ones are few."""
_NULL: Final = " *(?i:" + "|".join(re.escape(each) for each in NULLS) + ") *"
_ODD: Final = rf"[^\x20-\x7e가-힣]|{ESCAPED}"
"""What `normalised` may change."""
_AROUND: Final = r"[ =\"'`<>\[\]{}|;,:*().!?]*"
"""What `bare` takes away."""
_LIST: Final = r"[0-9A-Za-z][^0-9A-Za-z]*(?:[;|,&]| / |<br ?/?>)[^0-9A-Za-z]*[0-9A-Za-z]"
_HEX: Final = r"(?:0x|\\x)?(?:[0-9A-Fa-f]{2}){6,}"
_BASE64: Final = r"[A-Za-z0-9+/_-]{12,}={0,2}"
_BASE64_OF_TEXT: Final = (
    r"(?:[I-Za-z0-9][A-Za-z0-9+/_-]{3})*(?:[I-Za-z0-9][A-Za-z0-9+/_-]{1,2})?={0,2}"
)
"""Other letters at the start of a group of four give a byte that no text has there."""
_CODE: Final = rf"^ *(?:{_HEX}|{_BASE64}) *$"
_GZIP_TEXT: Final = (
    r"(?:(?:0x|\\x)?(?i:1f8b08|7801|789c|78da)|H4sI|eA[E-H]|eJ[w-z]|eN[o-r])[A-Za-z0-9+/_=-]*"
)
"""How what gzip and zlib pack begins, in hexadecimal and base64."""
_BYTES_OF_TEXT: Final = (
    r"(?:[ -\[\]-~]|\\x[2-7][0-9A-F]|\\x[CD][0-9A-F]\\x[89AB][0-9A-F]"
    r"|\\xE[0-9A-F](?:\\x[89AB][0-9A-F]){2}|\\xF[0-7](?:\\x[89AB][0-9A-F]){3})*"
)
"""UTF-8, as DuckDB writes bytes out."""
_MASKED: Final = r"[*#]{3}|[xX]{4}"
"""See `is_out_of_sight`; the other characters of a mask are odd."""
_WRITTEN_OUT: Final = r"[A-Za-z0-9+/_=.:$-]{12,}|\\x[0-9A-Fa-f]{12,}"


class Sieve(NamedTuple):
    """The expression for one column; `{cell}` stands for its text."""

    template: str
    kinds: tuple[Entity, ...]

    def sql(self, cell: str) -> str:
        """Return the expression of `cell`'s answer; NULL for a cell without a value."""
        return self.template.replace("{cell}", cell)

    def kind(self, answer: int) -> Entity:
        """Return what an answer from `FIRST_KIND` on means."""
        return self.kinds[answer - FIRST_KIND]


@lru_cache(maxsize=512)
def sieve(catalogue: Catalogue, promise: Entity | None) -> Sieve:
    """Return what SQL knows of a column that is named like `promise`, or like no kind.

    One expression finds the cells that could hold anything. Only these are looked at further.
    """
    kinds = list(catalogue.kinds.values())
    # The values of kinds that a person added may look like any of ours.
    has_own = any(kind != bundled_catalogue().get(kind.id) for kind in kinds)
    asked = catalogue.get(promise) if promise is not None else None
    settled_forms = [] if has_own else _settled_forms(kinds, asked)
    is_checked = asked is not None and (bool(asked.check) or asked.id == "NATIONAL_ID" or has_own)
    named = () if asked is None or is_checked or not asked.named_form else (asked.id,)
    cases: list[str] = []
    if asked is not None:
        sibling = catalogue.get(asked.sibling)
        cases += _by_name(asked, then=UNSETTLED if is_checked else FIRST_KIND + len(settled_forms))
        cases += _by_name(sibling, then=UNSETTLED) if sibling is not None else []
    cases.append(f"WHEN {_unusual(kinds, asked)} THEN {UNSETTLED}")
    cases += [_out_of_sight()] if asked is not None else []
    quiet = f"CASE {' '.join(cases)} ELSE {NOTHING} END"
    template = (
        "CASE WHEN {cell} IS NULL THEN NULL "
        f"WHEN length({{cell}}) > {_MAX_CHARACTERS} THEN {UNSETTLED} "
        f"WHEN length({{cell}}) <= {MAX_NULL_CHARACTERS} AND {_whole(_NULL)} THEN NULL "
        f"WHEN {_any(_anything(kinds, asked))} THEN {_loud(kinds, asked, settled_forms, quiet)} "
        f"ELSE {quiet} END"
    )
    return Sieve(template, (*(entity for entity, _ in settled_forms), *named))


def _settled_forms(kinds: list[Kind], asked: Kind | None) -> list[tuple[Entity, str]]:
    """Return the forms that need no look, and what they are of."""
    if asked is None:
        return [(kind.id, kind.sure) for kind in kinds if kind.sure]
    form = _union((asked.sure, asked.sure_named))
    return [(asked.id, form)] if form else []


def _anything(kinds: list[Kind], asked: Kind | None) -> tuple[str, str]:
    """Return expressions for all that Python could find something in."""
    context = _union(_without_look_around(kind.context) for kind in kinds)
    numbers, emails = _strong(kinds, asked)
    return _union((numbers, f"(?i:{context})" if context else "", _CODE)), emails


def _strong(kinds: list[Kind], asked: Kind | None) -> tuple[str, str]:
    """Return the forms that are believed without a word beside them, and what is odd.

    Addresses are an expression of their own. With anything but `_ODD` beside them RE2's automaton
    outgrows its memory, and each cell takes two hundred times as long.
    """
    emails = _union(kind.form for kind in kinds if kind.mask == "email")
    forms = _union(kind.form for kind in kinds if kind.mask != "email")
    lettered = _bounded(_union(kind.weak for kind in kinds if kind.joined and not kind.form))
    written = [f"^{_wrapped(FLOAT)}$", f"^ *(?:{LABELLED}) *$", SPACED_OUT, *READ_ANYWHERE]
    if asked is None:
        weak = _union(kind.weak for kind in kinds)
        written.append(f"^{_wrapped(weak)}$" if weak else "")
    return _union((_bounded(forms), _ODD, lettered, *written)), emails


def _unusual(kinds: list[Kind], asked: Kind | None) -> str:
    """Return whether a cell as a whole may be written in one of the unusual ways.

    It is an expression of its own for the same reason, behind one that most cells fail.
    """
    ways = [*READ_WHOLE, *(spread(kind.joined) for kind in kinds if kind.joined)]
    weak = _union(kind.weak for kind in kinds)
    if asked is None and weak:
        behind = rf"(?:{EXTENSION})?(?:[^0-9A-Za-z][^0-9]{{0,30}})?"
        ways.append(rf"^(?:{WORDS_BEFORE})?[+( ]{{0,3}}(?:{weak}){behind}$")
        ways.append(rf"^[^0-9A-Za-z]{{0,4}}(?:{weak}) ?(?:[;|,&]|/ |<br)")
    return f"({_some(ENOUGH_DIGITS)} AND NOT {_some(STAMP)} AND {_some(_union(ways))})"


def _bounded(forms: str) -> str:
    return rf"(?:^|[^0-9A-Za-z_])(?:{forms})(?:$|[^0-9A-Za-z_])" if forms else ""


def _loud(
    kinds: list[Kind], asked: Kind | None, settled_forms: list[tuple[Entity, str]], quiet: str
) -> str:
    """Return the answer for a cell that could hold something."""
    told = _bounded(_union(kind.told_form for kind in kinds if kind.context))
    context = _union(_without_look_around(kind.context) for kind in kinds)
    unsettled = [_any(_strong(kinds, asked)), _decodes()]
    if told:
        unsettled.append(f"({_some(told)} AND {_some(f'(?i:{context})')})")
    cases = [
        f"WHEN {_whole(form)} THEN {FIRST_KIND + at}" for at, (_, form) in enumerate(settled_forms)
    ]
    cases += [f"WHEN {condition} THEN {UNSETTLED}" for condition in unsettled]
    return f"CASE {' '.join(cases)} ELSE {quiet} END"


def _by_name(kind: Kind, *, then: int) -> list[str]:
    """Return the cases of cells that are of `kind` only if their column is named so."""
    cases: list[str] = []
    if kind.named_form:
        cases.append(f"WHEN {_whole(_blanks_around(kind.named_form))} THEN {then}")
        cases.append(f"WHEN {_whole(_wrapped(kind.named_form))} THEN {UNSETTLED}")
        if kind.plain and kind.check:
            cases.append(f"WHEN {_some(_bounded(kind.named_form))} THEN {UNSETTLED}")
    if kind.plain:
        letters = "regexp_replace({cell}, '[^0-9A-Za-z]', '', 'g')"
        plain = f"regexp_full_match({letters}, {literal(labelled_plain(kind.plain))})"
        cases.append(f"WHEN {plain} OR {_some(_LIST)} THEN {UNSETTLED}")
    return cases


def _out_of_sight() -> str:
    """Return the case of a cell that a column with a name may hold encrypted or masked."""
    both_cases = f"{_some('[a-z]')} AND {_some('[A-Z]')}"
    return (
        f"WHEN length({{cell}}) >= {MIN_HIT_CHARACTERS} AND ({_some(_MASKED)} "
        f"OR ({_whole(_blanks_around(_WRITTEN_OUT))} AND {_some('[A-Za-z]')} "
        f"AND ({_some('[0-9]')} OR ({both_cases})))) THEN {OUT_OF_SIGHT}"
    )


def _decodes() -> str:
    """Return whether hexadecimal or base64 may encode text in the cell."""
    code, text = "trim({cell})", literal(_BYTES_OF_TEXT)
    is_none = f"NOT {_whole(_blanks_around(_BASE64_OF_TEXT))} OR {_whole(' *[A-Za-z]+ *')}"
    digits = f"regexp_replace({code}, '^(0x|\\\\x)', '')"
    plain = f"replace(replace(rtrim({code}, '='), '-', '+'), '_', '/')"
    padded = f"rpad({plain}, ((length({plain}) + 3) // 4 * 4)::INTEGER, '=')"
    return (
        f"CASE WHEN NOT {_some(_CODE)} OR {_whole(' *[0-9]+ *')} THEN false "
        f"WHEN {_whole(_blanks_around(_GZIP_TEXT))} THEN true "
        f"WHEN {_whole(_blanks_around(_HEX))} "
        f"THEN regexp_full_match(unhex({digits})::VARCHAR, {text}) "
        f"WHEN {is_none} THEN false "
        f"ELSE regexp_full_match(from_base64({padded})::VARCHAR, {text}) END"
    )


def _some(form: str) -> str:
    return f"regexp_matches({{cell}}, {literal(form)})"


def _any(forms: tuple[str, str]) -> str:
    """Return whether a cell has a number or, where it has an @, an address."""
    numbers, emails = forms
    addresses = f"(contains({{cell}}, '@') AND {_some(emails)})" if emails else "false"
    return f"({_some(numbers)} OR {addresses})"


def _whole(form: str) -> str:
    return f"regexp_full_match({{cell}}, {literal(form)})"


def _blanks_around(form: str) -> str:
    return f" *(?:{form}) *"


def _wrapped(form: str) -> str:
    remark = r"(?:\([^()0-9]{1,20}\))?"
    return (
        f"{_AROUND}{remark}{_AROUND}(?:{form})(?:[.,]0{{1,2}})?(?:{EXTENSION})?"
        f"{_AROUND}{remark}{_AROUND}"
    )


def _union(forms: Iterable[str]) -> str:
    return "|".join(f"(?:{form})" for form in forms if form)


def _without_look_around(form: str) -> str:
    """Return a form of RE2's that fits wherever `form` does, and elsewhere, too."""
    return _LOOK_AROUND.sub("", form)


_LOOK_AROUND: Final = re.compile(r"\(\?<?[!=](?:\[[^]]*\]|[^()\[\]])*\)")
