"""Thanks, greetings and questions about the system: answered, and no member works for them.

They ask for no work, so a router could only choose by chance. If a team's own examples are such
words, the team gets them.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Literal

from minerva_platform.answer.messages import offers
from minerva_platform.contract.result import TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.conversation.routing_probe import plainly_served_by, served_by
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.text.markdown import code_span
from minerva_platform.text.texts import read_texts
from minerva_platform.text.words import read_words

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam

TEXTS = read_texts("minerva_platform.conversation", "small_talk")
ENGLISH = read_words("minerva_platform.conversation", "english")
KOREAN = read_words("minerva_platform.conversation", "korean")

MAX_DOUBTFUL_CHARACTERS = 60
"""Characters of a message that may be about the system although a member comes near."""

SmallTalk = Literal["courtesy", "greeting", "able", "who"]
"""`able`: it asks what can be asked. `who`: it asks which member answered."""


def small_talk_of(text: str) -> SmallTalk | None:
    """Return what `text` says if it asks for no work: every word belongs to it. None otherwise."""
    text = text.lower()
    rest = _any("small_talk.courtesies").sub(" ", _any("small_talk.greetings").sub(" ", text))
    if rest != text and not _is_more(rest, "small_talk.around"):
        return "greeting" if _any("small_talk.greetings").search(text) else "courtesy"
    if _is_about("who", rest) or _any("about.plainly_who").search(rest):
        return "who"
    return "able" if _is_about("able", rest) else None


def is_small_talk(text: str) -> bool:
    """True if `text` asks for no work."""
    return small_talk_of(text) is not None


def kind_output(team: "AssembledTeam", task: Task, before: KeptTurn | None) -> TeamOutput | None:
    """Return the answer to a request that asks for no work; None if it asks for some.

    A greeting and a question about the members get a list of what can be asked. To a team with a
    declared order everything is work.
    """
    if team.shape is not None:
        return None
    kind, language = small_talk_of(task.request), task.language
    if kind is None and _may_be_about(team, task.request):
        kind = "able"
    if kind is None or any(map(is_small_talk, team.examples)):
        return None
    if kind == "courtesy":
        return TeamOutput(reason="small_talk", summary=TEXTS("welcome", language))
    if kind == "who" and before is not None and before.members:
        names = ", ".join(map(code_span, before.members))
        return TeamOutput(reason="about", summary=TEXTS("who", language, names=names))
    said = "hello" if kind == "greeting" else "able" if kind == "able" else "nobody"
    text = f"{TEXTS(said, language)}\n\n{offers(team, language)}"
    return TeamOutput(reason="small_talk" if kind == "greeting" else "about", summary=text)


def _may_be_about(team: "AssembledTeam", text: str) -> bool:
    """True if `text` speaks of the system, and no member serves it.

    If it is short or names the system's own members, one would have to serve it plainly.
    """
    lower = text.lower()
    if not _any("about.able").search(lower) or team.evidence(text, ()).words:
        return False
    is_doubtful = len(text) <= MAX_DOUBTFUL_CHARACTERS or _any("about.own_parts").search(lower)
    served = plainly_served_by if is_doubtful else served_by
    return served(team, text) == frozenset()


def _is_about(kind: str, text: str) -> bool:
    """True if `text` holds what makes a question of `kind`, and beside it only its words."""
    keys = (f"about.{kind}", "about.parts") if kind == "able" else (f"about.{kind}",)
    if not _any(*keys).search(text):
        return False
    rest = _any(f"about.beside_{kind}").sub(" ", _any(*keys).sub(" ", text))
    return not _is_more(rest, "about.around")


def _is_more(text: str, around: str) -> bool:
    return re.search(r"\w", _any(around).sub(" ", text)) is not None


@cache
def _any(*keys: str) -> re.Pattern[str]:
    """Return the pattern of the words of `keys`, in both languages and in lower case.

    Python compiles a pattern that ignores case three times as slowly: 50 ms of each start.
    """
    english, korean = ("|".join(map(words.patterns, keys)) for words in (ENGLISH, KOREAN))
    return re.compile(rf"\b(?:{english})\b|{korean}")
