"""What a person asks about code: which names, and what about them.

A word is taken for a name if it is written like one (`PAT_NM`, `load()`,
`pkg.a`), if it stands in quotes, or if it stands where a name is expected
*and* the code knows it. Ordinary words of a sentence never become names.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from minerva_insilico.core.parsing.encoding import well_formed

QuestionKind = Literal[
    "any",
    "callees",
    "callers",
    "definition",
    "importers",
    "imports",
    "sinks",
    "text",
    "uses",
]

_KINDS: tuple[tuple[QuestionKind, re.Pattern[str]], ...] = (
    (
        "callees",
        re.compile(
            r"\bcallees?\b|\bwhat (?:does|do|functions does)\b[^?]{0,80}\bcall\b"
            r"|[이가]\s{0,3}(?:호출하는|부르는)\s{0,3}(?:함수|것|메서드)",
            re.IGNORECASE,
        ),
    ),
    (
        "imports",
        re.compile(
            r"\bwhat (?:does|do)\b[^?]{0,80}\bimport\b"
            r"|[이가]\s{0,3}(?:import|임포트)\s{0,3}하는\s{0,3}(?:것|모듈)",
            re.IGNORECASE,
        ),
    ),
    (
        "callers",
        re.compile(r"\bcall(?:s|ed|ers?|ing)?\b|\binvo[ck]|호출|부르|불러|콜하", re.IGNORECASE),
    ),
    ("importers", re.compile(r"\bimport|\bdepend|임포트|가져다|의존", re.IGNORECASE)),
    ("sinks", re.compile(r"\blog(?:s|ged|ging|gers?)?\b|\bprint|로그|출력|로깅", re.IGNORECASE)),
    (
        "uses",
        re.compile(
            r"\bus(?:e|es|ed|ages?|ing)\b|\bbr(?:eak|oke)|\breferenc|\brenam|\bimpact|\baffect"
            r"|\bread|\bwrit|\btouch|쓰|사용|참조|깨지|깨질|영향|바뀌|바꾸|변경|건드|고쳐",
            re.IGNORECASE,
        ),
    ),
    (
        "definition",
        re.compile(r"\bdefin|\bdeclar|\bwhere\b|\blocat|정의|선언|어디|위치", re.IGNORECASE),
    ),
    (
        "text",
        re.compile(r"\btext\b|\bgrep\b|\bphrase\b|\bliteral|문자열|문구|텍스트", re.IGNORECASE),
    ),
)
_QUOTED = re.compile(r"(?<!\w)([`'\"‘“「『])(.{1,120}?)[`'\"’”」』](?![A-Za-z])")
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.py(?![A-Za-z0-9_])|(?<![\w/.-])(?:[\w-]+/)+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*(\(\))?")
_WRITTEN = re.compile(r".*_.*|.*\..*|[A-Z0-9]{3,}|[a-z]+[A-Z]\w*|(?:[A-Z][a-z0-9]+){2,}|\w*\d\w*")
_CUE = re.compile(
    r"(?:\b(?:calls?|called|calling|callers? of|invokes?|uses?|using|usages? of|uses of|users? of"
    r"|imports?|importing|importers? of|references? to|definition of|depends? on|where is|where's"
    r"|is|are|does|for|of|if|named|rename|renaming|function|method|class|symbol|field|column"
    r"|module|attribute|keyword|key)\s+(?:(?:the|a|our)\s+)?"
    r"(?:(?:function|method|class|symbol|field|column|module|attribute|key)\s+)?)$",
    re.IGNORECASE,
)
_STRONG_CUE = re.compile(
    r"\b(?:calls?|calling|callers? of|invokes?|function|method|class|symbol|field|column|module"
    r"|attribute|imports?|importers? of|named|docstrings? (?:for|of)|definition of)\s+"
    r"(?:the\s+(?:function|method|class)\s+)?$",
    re.IGNORECASE,
)
_BEFORE_MISSING = re.compile(
    r"""\b(?:
        calls | calling | callers?\ of | invokes        # a verb of asking, never `import cycles`
        | imports | importers?\ of | depends\ on
        | where(?:\ is|'s) | us(?:es?|ages?|ers?)\ of | who\ uses
        | named | definition\ of | docstrings?\ (?:for|of)
        | (?:summari[sz]e|describe|explain|outline)\ (?:the\ )?(?:module|class|function|file)
    )\s+$""",
    re.IGNORECASE | re.VERBOSE,
)
_AFTER_MISSING = re.compile(
    r"""\s?(?:함수|메서드|클래스|모듈|파일|필드|컬럼)?
        (?: [을를]\s*(?:누가|어디\S*)?\s*(?:호출|부르|불러|import|임포트|쓰|사용|요약|설명|정의)
          | [은는이가]\s*(?:어디|누가) )""",
    re.VERBOSE,
)
_NEVER = frozenset(
    "a all an and any are as at be by by for from in is it of on or our that the their them these"
    " they this those to what where which who whom with".split()
)
_AND = re.compile(r"\s*(?:,|,?\s*\b(?:and|or)\b|와|과|하고|이?랑)\s*", re.IGNORECASE)
_ENDS_LIST = re.compile(r"\s*(?:$|[?.!,]|(?:and|or)\b|을|를|은|는|이|가|의|와|과|하고|이?랑)")
"""What follows a name in a list, but not a verb or a noun that goes on."""
_CUE_REACH = 60
_LONGEST = 20_000
_HANGUL = re.compile(r"[가-힣]")
_ORDINARY = frozenset(
    "a about after all an and any api are as ast at be because been before break breaks but by"
    " call called callers calls can change changed changes class classes code codebase column"
    " columns coverage csv data database db ddl define defined definition dict do docstring"
    " docstrings does draft each etc every field fields file files find for from function"
    " functions get give github has have hello how html http https i if import imported importers"
    " imports in index insilico is it its json key keys list log logged logging logs main many me"
    " method methods minerva module modules my name names new not of ok on once or orm our out pdf"
    " pii please print project py python query read readme rename renamed report request rest run"
    " schema search see show so source sql string table tables tell test text that the their them"
    " there these they this those to type url usage use used uses using utf value values was we"
    " what when where which who why will with word write xml yaml you your".split()
)


@dataclass(frozen=True)
class NameQuestion:
    """What is asked, and about which names, texts and paths."""

    kind: QuestionKind
    names: tuple[str, ...]
    phrases: tuple[str, ...]
    paths: tuple[str, ...]
    words: tuple[str, ...]
    """The other words that are not ordinary: searched for when nothing is named."""
    missing: tuple[str, ...] = ()
    """Words that stand where a name does, and that the code does not know as one."""


def read_name_question(text: str, *, is_known: Callable[[str], bool]) -> NameQuestion:
    """Read a request; `is_known` tells whether the code knows a name."""
    text = well_formed(text[:_LONGEST])
    phrases: list[str] = []
    names: dict[str, None] = {}
    for quoted in (match.group(2).strip() for match in _QUOTED.finditer(text)):
        if _WORD.fullmatch(quoted):
            names[quoted.removesuffix("()")] = None
        elif quoted and not _PATH.fullmatch(quoted):
            phrases.append(quoted)
    paths = tuple(dict.fromkeys(match.group().strip("`'\"") for match in _PATH.finditer(text)))
    plain = _QUOTED.sub(" ", _PATH.sub(" ", text))
    names.update(dict.fromkeys(_names(plain, is_known)))
    missing = {} if names else dict.fromkeys(_missing(plain))
    for name in _joined(plain, {*names, *missing}):
        (names if is_known(name) else missing)[name] = None
    words = (match.group() for match in _WORD.finditer(plain))
    others = dict.fromkeys(word for word in words if word.lower() not in _ORDINARY)
    return NameQuestion(
        kind=_kind_of(text, has_names=bool(names), has_phrases=bool(phrases)),
        names=tuple(names),
        phrases=tuple(phrases),
        paths=paths,
        words=tuple(word for word in others if word not in names),
        missing=tuple(missing),
    )


def _names(text: str, is_known: Callable[[str], bool]) -> Iterator[str]:
    is_korean = _HANGUL.search(text) is not None
    for match in _WORD.finditer(text):
        name = match.group().removesuffix("()")
        before = text[max(0, match.start() - _CUE_REACH) : match.start()]
        is_cued = _STRONG_CUE.search(before) and name.lower() not in _NEVER
        if match.group(1) or (is_cued and is_known(name)):
            yield name
        elif name.lower() in _ORDINARY:
            continue
        elif _WRITTEN.fullmatch(name) or ((is_korean or _CUE.search(before)) and is_known(name)):
            yield name


def _missing(text: str) -> Iterator[str]:
    """Yield `laod` of "who calls laod" and of "laod를 누가 호출하나"."""
    for match in _WORD.finditer(text):
        name = match.group().removesuffix("()")
        before = text[max(0, match.start() - _CUE_REACH) : match.start()]
        is_cued = _BEFORE_MISSING.search(before) or _AFTER_MISSING.match(text, match.end())
        if is_cued and name.lower() not in _ORDINARY | _NEVER:
            yield name


def _joined(text: str, heads: set[str]) -> Iterator[str]:
    """Yield `laod` of "who calls load and laod", where `load` is one of `heads`."""
    end = -1
    for match in _WORD.finditer(text):
        name = match.group().removesuffix("()")
        is_listed = end >= 0 and _AND.fullmatch(text[end : match.start()])
        if name in heads:
            end = match.end()
        elif name.lower() in {"and", "or"}:
            continue  # of what joins
        elif is_listed and name.lower() not in _ORDINARY and _ENDS_LIST.match(text, match.end()):
            yield name
            end = match.end()
        else:
            end = -1


def _kind_of(text: str, *, has_names: bool, has_phrases: bool) -> QuestionKind:
    if has_phrases and not has_names:
        return "text"
    for kind, pattern in _KINDS:
        if pattern.search(text) and not (kind == "sinks" and has_names):
            return kind
    return "any"
