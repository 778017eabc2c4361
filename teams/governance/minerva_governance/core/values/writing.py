"""How programs and people write a value: folded to one writing before forms and checks see it.

Spreadsheets put formulas and quotes around a number, or make a floating-point number of it; web
pages leave entities and spaces of all widths; people write the name of a number before it, and
group its digits as they like. What changes nothing for a reader changes nothing here.
"""

import html
import re
import unicodedata
from typing import Final
from urllib.parse import unquote

ESCAPED: Final = (
    r"&(?:#[0-9]{1,6}|#[xX][0-9A-Fa-f]{1,5}|[A-Za-z]{2,6});|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}"
)
"""A character as HTML, an address of the web and JSON write it."""
AROUND: Final = " \t\r\n=\"'`<>[]{}|;,:*"
"""What stands around a value without being of it: ="…", '…, <…>, a list's comma."""
FLOAT: Final = r"[0-9](?:[.,][0-9]{1,18})?[eE]\+?[0-9]{1,2}"
"""A floating-point number as programs write it: 8.501011234566E12."""
LABELLED: Final = (
    r"[^0-9:=#]{1,40}[:=#)]{1,2} {0,3}"
    r"[A-Za-z+(]{0,8}[- ]?[0-9](?:[^0-9]{0,4}[0-9]){5,24}[^0-9]{0,8}"
)
"""A name, a colon, and a number: `NIF: 12345678-Z`."""

WORDS_BEFORE: Final = r"[^0-9]{0,30}[ .:;,)\]\"'>]"
"""Words that stand before a number and have none themselves."""
SPACED_OUT: Final = r"[0-9] {2,}[^ ]|[^ ] {2,}[0-9]|^[^ ](?: +[^ ]){7,} *$"
"""What `squeeze` makes a value of, line breaks aside."""

_QUOTES: Final = AROUND + "“”„‟‘’‚‛«»‹›「」『』【】〈〉《》"
_ESCAPED: Final = re.compile(ESCAPED)
_REMARK: Final = re.compile(r"^\([^()0-9]{1,20}\) ?| ?\([^()0-9]{1,20}\)$")
"""(home), (집): a word in brackets."""
_FLOAT: Final = re.compile(FLOAT)
_LABELLED: Final = re.compile(r"(?P<label>[^0-9:=#]{1,40})[:=#)]{1,2} {0,3}(?P<value>.+)")
_IS_LABELLED: Final = re.compile(LABELLED)
_SPACED_OUT: Final = re.compile(SPACED_OUT)
_FRACTION: Final = re.compile(r"(?P<digits>[0-9]{5,})[.,]0{1,2}")
EXTENSION: Final = (
    r"(?:[, ]{0,2}\(?(?i:x|ext\.?|extension|dw|durchwahl|app\.|poste|int\.|내선)|;ext=|,,| ?#|~)"
    r" ?[0-9]{1,5}\)?"
)
"""Behind a phone number: the line within a house."""
_HIDDEN: Final = re.compile(r"[*●○■□×?]|•(?! ?[0-9A-Za-z])|(?<![0-9A-Za-z ])•|[xX]{3}")
"""A mask: what is left of a value proves none. One bullet between two parts separates them."""
_OTHERS: Final = re.compile(r"[^0-9A-Za-z]+")
_LOST_DIGITS: Final = 2
"""Zeros at its end that a floating-point number does not show; more were cut off by a program."""
_MIN_EXPONENT: Final = 6

_DASH: Final = r"[\u30fc\u1173\u2500\u2501\u00b7\u30fb\u2022\u2027\u02d7\u2043]"
"""Signs that keyboards of Korea and Japan have where others have a dash."""
_DASHES_BETWEEN: Final = re.compile(
    rf"(?<=[0-9]) ?{_DASH} ?(?=[0-9])|(?<=[0-9A-Za-z]){_DASH}(?=[0-9A-Za-z])"
)
"""They are dashes between digits, and between letters and digits that they join."""


_INVISIBLE: Final = (
    *(
        (0, 8),
        (0xE, 0x1F),
        (0x7F, 0x84),
        (0x86, 0x9F),
        (0xAD, 0xAD),
        (0x34F, 0x34F),
        (0x61C, 0x61C),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
    ),
    *(
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0x20E3, 0x20E3),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
    ),
    *((0xFFF9, 0xFFFC), (0xE0001, 0xE0001), (0xE0020, 0xE007F), (0xE0100, 0xE01EF)),
)
_ZEROS: Final = (
    *(0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50),
    *(0xED0, 0xF20, 0x1040, 0x17E0, 0x1810),
)
"""The zeros of scripts whose digits are not ours: Arabic, Persian, Hindi, Thai, and more."""
_FOLD: Final = {
    **{zero + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
    **dict.fromkeys((0x2044, 0x2215), "/"),
    **dict.fromkeys((0x3002, 0xFF61), "."),
    **dict.fromkeys((9, 0x1680, 0x2800), " "),
    **dict.fromkeys((0xB, 0xC, 0x85, 0x2028, 0x2029), "\n"),
    **{code: "" for first, last in _INVISIBLE for code in range(first, last + 1)},
}

_CONTROLS: Final = {code: sign for code, sign in _FOLD.items() if code < 0x80}  # noqa: PLR2004


def normalised(text: str) -> str:
    """Fold digits and dashes of all kinds, escapes and invisible characters.

    What a person reads as a resident number must not hide behind another code point.
    """
    if ("&" in text or "%" in text or "\\" in text) and _ESCAPED.search(text):
        text = _ESCAPED.sub(_unescape, text)
    if text.isascii():
        return text if text.isprintable() else text.translate(_CONTROLS)
    folded = unicodedata.normalize("NFKC", text).translate(_FOLD)
    return _DASHES_BETWEEN.sub("-", folded)


def _unescape(escape: re.Match[str]) -> str:
    written = escape.group()
    if written[0] == "&":
        return html.unescape(written)
    if written[0] == "\\":
        letter = chr(int(f"0x{written[2:]}", 0))
        return written if unicodedata.category(letter) == "Cs" else letter
    letter = unquote(written, errors="ignore")
    return letter if letter.isascii() and letter else written


def bare(cell: str) -> str:
    """Return a normalised cell without what stands around its value, and numbers in digits."""
    inner = cell.strip(_QUOTES).rstrip(".!?")
    if len(inner) > 1 and inner[0] == "(" and inner[-1] == ")" and inner.count("(") == 1:
        inner = inner[1:-1].strip(_QUOTES)
    elif inner[-1:] == ")" and "(" not in inner:
        inner = inner[:-1].rstrip(_QUOTES)
    inner = _REMARK.sub("", inner)
    fraction = _FRACTION.fullmatch(inner)
    if fraction:
        return fraction["digits"]
    return _in_digits(inner) if _FLOAT.fullmatch(inner) else inner


def _in_digits(number: str) -> str:
    """Return the digits of a floating-point number; `number` if it does not show them all."""
    mantissa, _, power = number.lower().replace(",", ".").partition("e")
    whole, _, decimals = mantissa.partition(".")
    exponent = int(power)
    if exponent < _MIN_EXPONENT or not 0 <= exponent - len(decimals) <= _LOST_DIGITS:
        return number
    return whole + decimals.ljust(exponent, "0")


def squeeze(cell: str) -> str | None:
    """Return a cell with one blank at most between its parts, none if each is a single letter.

    None if that changes nothing.
    """
    line = cell.replace("\r", "").replace("\n", " ") if "\n" in cell else cell
    may_be = line is not cell or "  " in cell or cell[1:2] == " "
    if not may_be or (line is cell and not _SPACED_OUT.search(cell)):
        return None
    parts = line.split()
    is_spaced_out = len(parts) >= _MIN_SPACED_OUT and all(len(part) == 1 for part in parts)
    return ("" if is_spaced_out else " ").join(parts)


_MIN_SPACED_OUT: Final = 8
"""Letters with a blank between them, as forms of one box a letter and PDF have them."""


def split_label(cell: str) -> tuple[str, str] | None:
    """Return the label and the value of a cell that is a name, a colon and a number."""
    if not _IS_LABELLED.fullmatch(cell):
        return None
    match = _LABELLED.fullmatch(cell)
    return (match["label"].strip(), bare(match["value"])) if match else None


def compact(cell: str) -> str:
    """Return the letters and digits of a cell in order; nothing if a part of them is masked."""
    return "" if is_masked(cell) else letters_of(cell)


def letters_of(cell: str) -> str:
    """Return the Latin letters and digits of a cell in order."""
    return _OTHERS.sub("", cell)


def is_masked(cell: str) -> bool:
    """True if a part of a cell is hidden by signs that stand for letters."""
    return _HIDDEN.search(cell) is not None


def labelled_plain(plain: str) -> str:
    """Return an expression for what `compact` gives of a value and the words around it."""
    return f"[A-Za-z]{{0,24}}?(?P<value>{plain})[A-Za-z]{{0,16}}"
