"""Thanks and greetings: they get a kind answer, and no member works for them.

They ask for nothing, so a router could only choose by chance. If a team's own examples are such
words, the team gets them.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

from minerva_platform.answer.messages import offers
from minerva_platform.contract.result import TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.text.texts import read_texts
from minerva_platform.text.words import read_words

if TYPE_CHECKING:
    from minerva_platform.contract.team import Team

TEXTS = read_texts("minerva_platform.conversation", "small_talk")
ENGLISH = read_words("minerva_platform.conversation", "english")
KOREAN = read_words("minerva_platform.conversation", "korean")


def is_small_talk(text: str) -> bool:
    """True if `text` only thanks, greets or agrees."""
    rest = _any("courtesies").sub(" ", _any("greetings").sub(" ", text))
    return rest != text and not re.search(r"\w", _any("around").sub(" ", rest))


def is_served_as_small_talk(team: "Team", request: str) -> bool:
    """True if `request` is small talk, and no team's examples ask for exactly that."""
    return is_small_talk(request) and not any(map(is_small_talk, team.examples))


def kind_output(team: "Team", task: Task) -> TeamOutput:
    """Return the answer to small talk. A greeting also gets a list of what can be asked."""
    if not _any("greetings").search(task.request):
        return TeamOutput(reason="small_talk", summary=TEXTS("welcome", task.language))
    text = f"{TEXTS('hello', task.language)}\n\n{offers(team, task.language)}"
    return TeamOutput(reason="small_talk", summary=text)


@cache
def _any(name: str) -> re.Pattern[str]:
    """Return the pattern of the words of small talk `name`, in both languages."""
    key = f"small_talk.{name}"
    said = rf"\b(?:{ENGLISH.patterns(key)})\b|{KOREAN.patterns(key)}"
    return re.compile(said, re.IGNORECASE)
