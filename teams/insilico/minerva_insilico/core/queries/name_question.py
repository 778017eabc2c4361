"""A person's question about code: its names, and what it asks about them.

A word is taken for a name if it is written like one (`PAT_NM`, `load()`,
`pkg.a`), if it stands in quotes, or if it stands where a name is expected
*and* the code knows it. Ordinary words of a sentence never become names.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from minerva_insilico.core.parsing.encoding import well_formed
from minerva_platform.text import has_hangul, read_words

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

_KINDS: tuple[QuestionKind, ...] = (
    "callees",
    "imports",
    "callers",
    "importers",
    "sinks",
    "uses",
    "definition",
    "text",
)
"""In the order in which they are tried: "what does f call" is about callees, though it says call,
and "where is f used" about uses, though it says where."""

WORDS = read_words("minerva_insilico.core.queries", "name_question")

_QUOTED = re.compile(r"(?<!\w)([`'\"‘“「『])(.{1,120}?)[`'\"’”」』](?![A-Za-z])")
_PATH = re.compile(
    r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.py(?![A-Za-z0-9_])|(?<![\w/.-])(?:[\w-]+/)+(?:[a-zA-Z_][\w-]*)?",
    re.ASCII,
)
_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"
_MEMBER = re.compile(
    r"(?P<owner>[a-z_]\w*)(?:['’]s\s+|의\s*)(?P<member>[a-z_]\w*)"
    r"|(?P<part>[a-z_]\w*)\s+(?:of|in)\s+(?:the\s+)?(?:(?:class|model|table)\s+)?(?P<whole>[a-z_]\w*)",
    re.IGNORECASE | re.ASCII,
)
"""`Book's title`, `title of Book` and `Book의 title`, which mean `Book.title` if there is one."""
_HANGUL = re.compile(r"[가-힣]+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*(\(\))?")
_WRITTEN = re.compile(r".*_.*|.*\..*|[A-Z0-9]{3,}|[a-z]+[A-Z]\w*|(?:[A-Z][a-z0-9]+){2,}|\w*\d\w*")
_MAX_CHARACTERS_BEFORE = 60
"""How far before a word a cue such as "who calls the function" may begin."""
_MAX_CHARACTERS = 20_000
"""Of a request that is read: what follows is a pasted file, not a question."""


@dataclass(frozen=True)
class NameQuestion:
    """The question, with its names, texts and paths."""

    kind: QuestionKind
    names: tuple[str, ...]
    phrases: tuple[str, ...]
    paths: tuple[str, ...]
    words: tuple[str, ...]
    """The other words that are not ordinary: searched for when nothing is named."""
    missing: tuple[str, ...] = ()
    """Words that stand where a name does, and that the code does not know as one."""
    unread: tuple[str, ...] = ()
    """Words beside the names that say what is asked, and that this reader does not know."""


class _Grammar:
    """The words around names, as patterns. They are made from the files at the first question."""

    def __init__(self) -> None:
        self.kinds: list[tuple[QuestionKind, re.Pattern[str]]] = [
            (kind, _pattern(WORDS.patterns(f"kinds.{kind}"))) for kind in _KINDS
        ]
        self.ordinary = frozenset(WORDS["ordinary"])
        self.never = frozenset(WORDS["never"])
        nouns = WORDS.patterns("before.nouns")
        self.before_known = _pattern(
            rf"\b(?:{WORDS.patterns('before.known')})\s+(?:(?:the|a|our)\s+)?(?:(?:{nouns})\s+)?$"
        )
        self.before_ordinary = _pattern(
            rf"\b(?:{WORDS.patterns('before.ordinary')})\s+"
            r"(?:the\s+(?:function|method|class)\s+)?$"
        )
        self.before_missing = _pattern(rf"\b(?:{WORDS.patterns('before.missing')})\s+$")
        self.after_missing = re.compile(
            rf"\s?(?:{WORDS.patterns('after.nouns')})?"
            rf"(?:[을를]\s*(?:누가|어디\S*)?\s*(?:{WORDS.patterns('after.verbs')})"
            rf"|[은는이가]\s*(?:{WORDS.patterns('after.questions')}))"
        )
        english, korean = WORDS.patterns("lists.english"), WORDS.patterns("lists.korean")
        self.joins = _pattern(rf"\s*(?:,|,?\s*\b(?:{english})\b|{korean})\s*")
        self.ends_list = re.compile(
            rf"\s*(?:$|[?.!,]|(?:{english})\b|{WORDS.patterns('lists.ends')})"
        )
        """Pattern of the text after a name in a list, without a verb or a continuing noun."""
        changes = WORDS.patterns("changes.english")
        self.new_name = _pattern(
            rf"(?:[-=]>|→)\s*`?(?P<arrow>{_NAME})"
            rf"|\b(?:{changes})\b[^?!]{{1,80}}?\s(?:in)?to\s+`?(?P<english>{_NAME})"
            rf"|(?<![\w.])(?P<korean>{_NAME})`?(?:으로|로)\s*(?:{WORDS.patterns('changes.korean')})"
        )
        self.asking = _pattern(rf"(?:{WORDS.patterns('asking.words')})")


@cache
def _grammar() -> _Grammar:
    return _Grammar()


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def read_name_question(
    text: str,
    *,
    is_known: Callable[[str], bool],
    is_member: Callable[[str], bool] = lambda _: False,
) -> NameQuestion:
    """Return the question of a request.

    `is_known` is true for names that the code has, `is_member` for those of a class or a table with
    its member. The new name of something that is to be renamed is none that is asked about.
    """
    text = _with_members(well_formed(text[:_MAX_CHARACTERS]), is_member)
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
    new = {match.group(match.lastgroup or 0) for match in _grammar().new_name.finditer(text)}
    if set(names) - new:
        names = dict.fromkeys(name for name in names if name not in new)
    missing = {} if names else dict.fromkeys(_missing(plain))
    for name in _names_in_lists(plain, {*names, *missing}):
        (names if is_known(name) else missing)[name] = None
    words = (match.group() for match in _WORD.finditer(plain))
    others = dict.fromkeys(word for word in words if word.lower() not in _grammar().ordinary)
    around = _without(text, (*names, *paths))
    kind = _kind_of(around, has_names=bool(names), has_phrases=bool(phrases))
    return NameQuestion(
        kind=kind,
        names=tuple(names),
        phrases=tuple(phrases),
        paths=paths,
        words=tuple(word for word in others if word not in names),
        missing=tuple(name for name in missing if name not in new),
        unread=tuple(_unread(around)) if kind == "any" and names else (),
    )


def _with_members(text: str, is_member: Callable[[str], bool]) -> str:
    """Return the text with `Book.title` for `the title of Book`, where the code has that."""

    def member_name(match: re.Match[str]) -> str:
        owner, member = match["owner"] or match["whole"], match["member"] or match["part"]
        return f"{owner}.{member}" if is_member(f"{owner}.{member}") else match.group()

    return _MEMBER.sub(member_name, text)


def _without(text: str, names: Iterable[str]) -> str:
    """Return the text without names: the verb in `delete_user` asks nothing."""
    for name in names:
        text = re.sub(rf"(?<![\w.]){re.escape(name)}(?![A-Za-z0-9_])", " ", text)
    return text


def _unread(text: str) -> Iterator[str]:
    """Yield the words that are neither ordinary nor words of asking."""
    words = _grammar()
    for match in _WORD.finditer(text):
        if match.group().lower() not in words.ordinary:
            yield match.group()
    for match in _HANGUL.finditer(text):
        if not words.asking.fullmatch(match.group()):
            yield match.group()


def _before(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - _MAX_CHARACTERS_BEFORE) : match.start()]


def _names(text: str, is_known: Callable[[str], bool]) -> Iterator[str]:
    is_korean, words = has_hangul(text), _grammar()
    for match in _WORD.finditer(text):
        name = match.group().removesuffix("()")
        before = _before(text, match)
        is_cued = words.before_ordinary.search(before) and name.lower() not in words.never
        if match.group(1) or (is_cued and is_known(name)):
            yield name
        elif name.lower() in words.ordinary:
            continue
        elif _WRITTEN.fullmatch(name) or (
            (is_korean or words.before_known.search(before)) and is_known(name)
        ):
            yield name


def _missing(text: str) -> Iterator[str]:
    """Yield `laod` of "who calls laod" and of "laod를 누가 호출하나"."""
    words = _grammar()
    for match in _WORD.finditer(text):
        name = match.group().removesuffix("()")
        is_cued = words.before_missing.search(_before(text, match)) or words.after_missing.match(
            text, match.end()
        )
        if is_cued and name.lower() not in words.ordinary | words.never:
            yield name


def _names_in_lists(text: str, heads: set[str]) -> Iterator[str]:
    """Yield `laod` of "who calls load and laod", where `load` is one of `heads`."""
    end, words = -1, _grammar()
    for match in _WORD.finditer(text):
        name = match.group().removesuffix("()")
        is_listed = end >= 0 and words.joins.fullmatch(text[end : match.start()])
        if name in heads:
            end = match.end()
        elif name.lower() in {"and", "or"}:
            continue  # of what joins
        elif (
            is_listed
            and name.lower() not in words.ordinary
            and (words.ends_list.match(text, match.end()))
        ):
            yield name
            end = match.end()
        else:
            end = -1


def _kind_of(text: str, *, has_names: bool, has_phrases: bool) -> QuestionKind:
    if has_phrases and not has_names:
        return "text"
    for kind, pattern in _grammar().kinds:
        if pattern.search(text) and not (kind == "sinks" and has_names):
            return kind
    return "any"
