"""Account for the words of a request: the answer names the parts that no member serves.

A router names such parts (`Decision.unserved`). They count only at the root, and only if the person
typed them in this turn. A team below the root sees a part that was cut for it, and a follow-up
carries the words of earlier turns. The answer also names the words that did not change it. A worker
reports these (`AgentOutput.unused`); they count if no other member took them into account.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from minerva_platform.contract.result import ErrorInfo, Result
from minerva_platform.contract.router import Decision, Goal, RoutingView
from minerva_platform.contract.task import Task
from minerva_platform.routing.clauses.splitting import words_of_clause

MAX_PARTS: Final = 32
"""The most parts of one request that are named."""
MAX_PART: Final = 4_000
"""Characters of a part. A longer one is pasted text."""


def person_words_in(task: Task) -> str:
    """Return the words of `task` that must be accounted for. None if the task names its members."""
    return "" if task.members else task.request


def quote_unserved(decision: Decision, view: RoutingView, person_words: str) -> Decision:
    """Return `decision` with the unserved parts that are quotes of `person_words`, without repeats.

    A follow-up with no other part is unserved as a whole. The members that served the earlier words
    would only answer these again.
    """
    if not decision.unserved:
        return decision
    is_told = bool(decision.goals or view.results) and not view.in_scope
    parts = {" ".join(part.split()): None for part in decision.unserved if len(part) <= MAX_PART}
    if not (view.in_scope or view.results) and _refers_back(view, person_words):
        quotes = [part for part in parts if _find(part, person_words)][:MAX_PARTS]
        if quotes and _are_all(quotes, person_words):
            none = {"goals": (), "finish": True, "unserved": tuple(quotes)}
            return decision.model_copy(update=none)
    kept = [part for part in parts if is_told and _is_part(part, person_words)][:MAX_PARTS]
    return decision.model_copy(update={"unserved": tuple(kept)})


def still_unserved(before: Iterable[str], decision: Decision, request: str) -> tuple[str, ...]:
    """Return the unserved parts after one more `decision`, less those that it gives to a member.

    A router that is asked again may name another part and need not repeat the first.
    """
    given = [goal.request for goal in decision.goals if goal.request != request]
    left = [part for part in before if not any(part in words for words in given)]
    return tuple(dict.fromkeys((*left, *decision.unserved)))[:MAX_PARTS]


def parts_to_row(parts: Iterable[str], person_words: str) -> list[dict[str, Any]]:
    """Return `parts` as a record keeps them: their positions, and their words as a digest."""
    spans = ((part, _find(part, person_words)) for part in parts)
    return [{"request": part, "start": at.start(), "end": at.end()} for part, at in spans if at]


def spans_to_error(spans: Sequence[Mapping[str, Any]]) -> ErrorInfo:
    """Return the error of a degraded run, without the person's words, which are never recorded."""
    places = ", ".join(f"{span['start']}-{span['end']}" for span in spans)
    message = f"No member serves the characters {places} of the request."
    return ErrorInfo.of("partly_served", message)


def _refers_back(view: RoutingView, person_words: str) -> bool:
    """True if the request holds words of an earlier turn."""
    return bool(person_words.strip()) and view.request.split() != person_words.split()


def _are_all(parts: Iterable[str], person_words: str) -> bool:
    """True if `parts` cover all of `person_words` but joining words."""
    left = person_words
    for part in parts:
        match = _find(part, left)
        left = f"{left[: match.start()]} {left[match.end() :]}" if match else left
    return not re.search(r"\w", words_of_clause(left))


def _is_part(part: str, person_words: str) -> bool:
    """True if `part` is a quote of `person_words`, but not all of it."""
    match = _find(part, person_words)
    return match is not None and match.group().strip() != person_words.strip()


def _find(part: str, text: str, flags: re.RegexFlag = re.NOFLAG) -> "re.Match[str] | None":
    words = part.split()
    return re.search(r"\s+".join(map(re.escape, words)), text, flags) if words else None


_NAME: Final = r"""
    \w+(?:[._]\w+)+                                        # EMAIL_ADDR, PaymentBatch.java
    | (?<=['"`“‘「])[^'"`“”‘’「」\n]{1,60}(?=['"`”’」])       # in quotation marks
    | (?<=\s)[A-Z][\w-]*(?:\s[A-Z][\w-]*)+                 # Olivia Grant
    | [가-힣]{2,4}(?=\s?(?:씨|님|과장|대리|팀장|부장)[가-힣]?[\s,])
"""
_NAMES: Final = (
    re.compile(_NAME, re.VERBOSE),
    re.compile(r"\b[A-Z]{2,}\w*|[가-힣\w]{2,}(?=(?:을|를|이라는|라는)\s)"),
)
"""What looks like a name: surely, and what a Korean verb is about."""
_PRONOUN: Final = re.compile(
    r"\b(?P<of>his|her|its|their)(?=\s\w)|\b(?:he|she|it|they|him|them)\b"
    r"|\b(?:this|that) (?:class|column|customer|field|file|function|person|table|term)\b"
    r"|(?<![가-힣])(?:그녀|그분|그것|그거|이것|이거|걔|거기|(?P<object>이걸|그걸)"
    r"|그 (?:고객|사람|컬럼|테이블|파일|함수|용어))"
    r"(?=(?:의|을|를|은|는|이|가|도|께|에|에서|로)?(?:\s|$))"
)


def with_names(decision: Decision, request: str) -> Decision:
    """Return `decision`, with the name of an earlier clause for a pronoun in a member's part.

    `look up Olivia Grant and tell me her balance`: the member of the second clause sees no first.
    """
    goals: list[Goal] = []
    for goal in decision.goals:
        words, before = goal.request, request[: max(request.find(goal.request), 0)]
        found = (list[str](pattern.findall(before)) for pattern in _NAMES)
        names = next(filter(None, found), list[str]())
        pronoun = _PRONOUN.search(words) if names else None
        if pronoun is not None and not _NAMES[0].search(words, 0, pronoun.start()):
            ending = "'s" if pronoun["of"] else "을" if pronoun["object"] else ""
            words = f"{words[: pronoun.start()]}{names[-1]}{ending}{words[pronoun.end() :]}"
        goals.append(goal.model_copy(update={"request": words}))
    return decision.model_copy(update={"goals": tuple(goals)})


_ASKED: Final = frozenset({"goal", "substitute"})


def unused_by_all(results: Iterable[Result], *, across_teams: bool) -> tuple[str, ...] | None:
    """Return the words that no result takes into account. None if no result reports any.

    Inside a team, a worker that reports no words does not count. A whole team that reports none may
    have used all its words.
    """
    given = [result for result in results if result.status == "ok" and result.given_words]
    told = [result for result in given if result.unused is not None]
    if not told:
        return None
    others = [
        result
        for result in given
        if result.unused is not None or (across_teams and result.role in _ASKED)
    ]
    words = (
        part
        for result in told
        for part in result.unused or ()
        if not any(_took(other, part) for other in others if other is not result)
    )
    return tuple(dict.fromkeys(words))


def quotes_of(
    parts: Iterable[str], person_words: str, *, unserved: Sequence[str]
) -> tuple[str, ...]:
    """Return those of `parts` that the person typed, as typed and without repeats.

    A part inside an unserved part or inside another part is left out. So is the whole request,
    because an answer that does not fit it says so itself.
    """
    said = [found for found in (_spelling(part, person_words) for part in parts) if found]
    kept = dict.fromkeys(words for words in said if words != " ".join(person_words.split()))
    longer = (*kept, *unserved)
    return tuple(words for words in kept if not any(_is_in(words, other) for other in longer))


def _took(other: Result, part: str) -> bool:
    """True if `other` was given the words of `part` and does not report them as unused."""
    if _spelling(part, other.given_words) is None:
        return False
    return not any(part == words or _is_in(part, words) for words in other.unused or ())


def _is_in(part: str, words: str) -> bool:
    return part != words and _spelling(part, words) is not None


def _spelling(part: str, text: str) -> str | None:
    """Return the words of `part` as `text` spells them, in one line."""
    match = _find(part, text, re.IGNORECASE)
    return " ".join(match.group().split()) if match else None
