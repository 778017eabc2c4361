"""Read a privacy notice in prose: its clauses, what it says is collected and for how long.

Nothing is understood beyond words and numbers that stand there; a notice that does not name its
collected items is "not evaluated", never "compliant".
"""

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.policy.period import Periods, periods_in
from minerva_governance.core.reading.source import Source
from minerva_governance.core.reading.text_file import read_text
from minerva_governance.core.report.wording import UnreadableError, Wording

MAX_BYTES = 1_048_576

_NUMBERED = r"(제\s*\d+\s*조(?:의\s*\d+)?|\d+(?:\.\d+)*|[IVX]+(?=\.))"
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_ARTICLE = re.compile(r"^(?:\*\*)?(제\s*\d+\s*조(?:의\s*\d+)?)(?:\*\*)?\s*(.*)$")
_HEAD_NUMBER = re.compile(rf"^{_NUMBERED}[.)]?\s*(.*)$")
_ITEM = re.compile(
    r"^\s*(?:(\d+(?:\.\d+)*)[.)]|\((\d+)\)|([①-⑳])|([가나다라마바사아자차카타파하])[.)])\s+(.+)$"
)
_NOTICE_NAME = re.compile(r"방침|개인정보|privacy", re.IGNORECASE)
_NOTICE_TITLE = re.compile(
    r"(?:처리|취급|보호)\s*방침|privacy\s*(?:notice|policy|statement)?\s*$"
    r"|privacy\s+(?:notice|policy|statement)|data protection (?:notice|policy|statement)",
    re.IGNORECASE,
)
_COLLECTED = re.compile(
    r"(?:수집|처리)[^.]{0,20}항목|개인정보의?\s*항목|수집하는\s*(?:개인)?정보"
    r"|(?:information|data|items?|details)\s+(?:that\s+)?we\s+(?:collect|process)"
    r"|(?:collected|categories of)\s+(?:personal\s+)?(?:items|data|information)"
    r"|what\s+we\s+collect",
    re.IGNORECASE,
)
_NOT_COLLECTED = re.compile(
    r"(?:수집|처리)하지\s*(?:않|아니)|not\s+(?:be\s+)?collect|never\s+collect", re.IGNORECASE
)
_KEPT = re.compile(
    r"보유|보존|보관|이용\s*기간|파기|retain|retention|kept|keep|store[sd]?\b|delet", re.IGNORECASE
)

_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+(?=[A-Z가-힣(“\"'])")  # not in "approx. 6 months"
_ANNOUNCES = re.compile(r"다음|아래|follow|below|:\s*$", re.IGNORECASE)

_ITEM_WORDS: dict[Entity, re.Pattern[str]] = {
    "KR_RRN": re.compile(
        r"주민\s*(?:등록)?\s*번호|resident (?:registration )?number", re.IGNORECASE
    ),
    "KR_FRN": re.compile(r"외국인\s*등록\s*번호|(?:foreigner|alien) registration", re.IGNORECASE),
    "KR_PASSPORT": re.compile(r"여권|passport", re.IGNORECASE),
    "KR_DRIVER_LICENSE": re.compile(r"운전\s*면허|driver'?s? licen[cs]e", re.IGNORECASE),
    "KR_BRN": re.compile(r"사업자\s*(?:등록)?\s*번호|business registration", re.IGNORECASE),
    "CREDIT_CARD": re.compile(r"카드\s*(?:번호|정보)|card (?:number|details)", re.IGNORECASE),
    "KR_PHONE": re.compile(r"전화|휴대폰|핸드폰|연락처|phone|mobile|telephone", re.IGNORECASE),
    "EMAIL": re.compile(r"이메일|전자\s*우편|메일\s*주소|e-?mail", re.IGNORECASE),
    "PERSON_NAME": re.compile(r"성명|이름|(?<!user)(?<!user )\bnames?\b", re.IGNORECASE),
    "BIRTH_DATE": re.compile(
        r"생년월일|생일|출생|(?:date|day) of birth|birth ?da(?:te|y)", re.IGNORECASE
    ),
    "ADDRESS": re.compile(
        r"(?<!메일)(?<!메일 )(?<!ip)(?<!ip )(?<!mac )주소|(?<!mail )(?<!ip )\baddress",
        re.IGNORECASE,
    ),
}


_NO_NOTICE = Wording(
    "이름과 제목으로 보아 처리방침이 아니어서 쓰지 않았습니다.",
    "not a privacy notice by its name or titles; not used.",
)
_NO_CLAUSES = Wording("조항을 찾지 못했습니다.", "no clauses found.")
_NO_ITEMS = Wording(
    "수집 항목을 적은 조항을 찾지 못했습니다.", "no clause lists the items that are collected."
)


class Clause(BaseModel):
    """One clause: its number, the heading it stands under, its words (masked) and its line."""

    model_config = ConfigDict(frozen=True)

    id: str
    heading: str = ""
    text: str
    source: str
    line: int
    lists_items: bool = False
    """It names personal data that is collected."""
    periods: tuple[int, ...] = ()
    """How long it says that data is kept, in days (a year is 365 days, a month 30)."""
    unclear_period: str = ""
    """Its words on how long data is kept where they are no number of days."""

    @property
    def retention_days(self) -> int | None:
        """The longest period it promises, in days."""
        return max(self.periods, default=None)

    def names(self, entity: Entity) -> bool:
        """Tell whether its words name `entity`."""
        return bool(_ITEM_WORDS[entity].search(self.text))


def read_notice(source: Source) -> tuple[tuple[Clause, ...], Wording | None]:
    """Return the clauses of a notice, and what is wrong with it; no clauses if it is none.

    Raises:
        UnreadableError: it cannot be opened, is too large, or is no text.
        NoNoticeError: it is no privacy notice by its name or its titles.
    """
    text = read_text(source.path, limit=MAX_BYTES)
    if not _NOTICE_NAME.search(source.path.name) and not _is_titled(text[:2_000]):
        raise NoNoticeError(_NO_NOTICE)
    clauses = _Reader(source.name).read(text)
    return clauses, _oddity(clauses)


def looks_like_notice(source: Source) -> bool:
    """True if a file that is not read as a notice may be one, by its name or its first words."""
    if _NOTICE_NAME.search(source.path.name):
        return True
    try:
        with source.path.open("rb") as stream:
            return bool(_NOTICE_TITLE.search(stream.read(8_192).decode("utf-8", "replace")))
    except OSError:
        return True


def _is_titled(text: str) -> bool:
    """True if the first line, or a heading, calls the text a privacy notice."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    titles = [*lines[:1], *(line for line in lines if line.startswith("#"))]
    return any(map(_NOTICE_TITLE.search, titles))


class NoNoticeError(UnreadableError):
    """A document that is no privacy notice."""


def _oddity(clauses: tuple[Clause, ...]) -> Wording | None:
    if not clauses:
        return _NO_CLAUSES
    return None if any(clause.lists_items for clause in clauses) else _NO_ITEMS


class _Reader:
    """Collects clauses line by line: a heading opens one, an item opens one below it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.head, self.heading = "", ""
        self.in_title = False
        self.open: tuple[str, int, list[str]] | None = None
        self.clauses: list[Clause] = []

    def read(self, text: str) -> tuple[Clause, ...]:
        for number, raw in enumerate(text.splitlines(), 1):
            line = raw.strip()
            if line and not line.startswith("```"):  # what stands in a fence is said, too
                self._line(line, number)
        self._close()
        return tuple(self.clauses)

    def _line(self, line: str, number: int) -> None:
        heading = _HEADING.match(line)
        title = heading.group(1) if heading else line
        article = _ARTICLE.match(title)
        if heading or (article and len(title) < 60):  # noqa: PLR2004  # longer is a sentence
            self._close()
            numbered = article or _HEAD_NUMBER.match(title)
            self.head = re.sub(r"\s", "", numbered.group(1)) if numbered else ""
            self.heading = (numbered.group(2) if numbered else title).strip("()（） *")
            self.in_title = line.startswith("# ") and not numbered
            self.open = (self.head, number, [])
            return
        item = _ITEM.match(line)
        if item:
            self._close()
            label = next(group for group in item.groups()[:4] if group)
            self.open = (self._joined(label), number, [item.group(5)])
        elif self.open is None or (self.in_title and not self.open[2]):
            self.open = (self.head, number, [line])
        else:
            self.open[2].append(line)

    def _joined(self, label: str) -> str:
        if not self.head or label.startswith(f"{self.head}."):
            return label
        return f"{self.head}.{label}" if self.head[0].isdigit() else f"{self.head} {label}"

    def _close(self) -> None:
        if self.open is None:
            return
        clause_id, line, words = self.open
        self.open = None
        text = " ".join(words)
        if not text:
            return
        # What stands under the title, or under none, is called after its line.
        clause_id = clause_id or ("" if self.in_title else self.heading) or f"L{line}"
        collected = _COLLECTED.search(self.heading) or _COLLECTED.search(text)
        kept = kept_periods(text, self.heading)
        self.clauses.append(
            Clause(
                id=mask_text(clause_id),
                heading=mask_text(self.heading),
                text=mask_text(text),
                source=self.source,
                line=line,
                lists_items=bool(collected) and not _NOT_COLLECTED.search(text),
                periods=kept.days,
                unclear_period=mask_text(kept.unclear),
            )
        )


def kept_periods(text: str, heading: str = "") -> Periods:
    """Return what `text` says about how long data is kept.

    Under a heading about that every sentence counts; else one that speaks of it, and those that
    it announces ("as follows").
    """
    return periods_in(text if _KEPT.search(heading) else " ".join(_kept_sentences(text)))


def _kept_sentences(text: str) -> Iterator[str]:
    is_announced = False
    for sentence in _SENTENCE_END.split(text):
        is_kept = bool(_KEPT.search(sentence))
        if is_kept or is_announced:
            yield sentence
        is_announced = is_announced or (is_kept and bool(_ANNOUNCES.search(sentence)))
