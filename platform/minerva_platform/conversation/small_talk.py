"""Answer thanks and greetings kindly, and let nobody work for them.

They ask for nothing, so a router could only choose by chance. A team whose own examples are
such words keeps them.
"""

import re
from typing import TYPE_CHECKING, Final

from minerva_platform.answer.messages import offers
from minerva_platform.contract.result import TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.text.language import Language

if TYPE_CHECKING:
    from minerva_platform.contract.team import Team

_GREETING: Final = re.compile(
    r"\b(?:hi|hello|hey|good (?:morning|afternoon|evening))\b"
    r"|안녕(?:하세요|하십니까)?|반갑습니다|반가워요?",
    re.IGNORECASE,
)
_COURTESY: Final = re.compile(
    r"\b(?:thanks|thank you|thx|cheers|great|perfect"
    r"|excellent|awesome|cool|wonderful|ok(?:ay)?|nice"
    r"|good|fine|alright|all right|(?:good)?bye|see you|yes|yep|sure|got it|i see|understood"
    r"|that(?:'s| is) (?:all|it|fine|great|good))\b"
    r"|고마(?:워요?|웠어요?)|고맙습니다|감사(?:합니다|해요|드려요|드립니다)"
    r"|(?:알겠|알았)(?:어요?|습니다)|그렇(?:군요?|구나|네요?)|좋(?:아요?|네요?|습니다)"
    r"|(?:훌륭|완벽)(?:해요?|합니다|하네요)|수고(?:하셨습니다|했어요?|하세요)|잘 ?가요?"
    r"|(?<![가-힣])(?:네|넵|예|응|어|아|오|와|음)(?![가-힣])",
    re.IGNORECASE,
)
_AROUND: Final = re.compile(
    r"\b(?:very|so|a|much|lot|lots|many|for|your|the|help|again|there|you|that|was|really|now|oh|ah"
    r"|everyone|all|works?)\b"
    r"|정말|너무|아주|다들|여러분|덕분에|도와주셔서|도움|많이|(?<![가-힣])(?:참|잘|됐어요?|됐습니다|이제|다)(?![가-힣])",
    re.IGNORECASE,
)
"""Says nothing beside a courtesy; alone it is none."""
_KIND: Final[dict[Language, str]] = {
    "ko": "네, 언제든지 더 물어보세요.",
    "en": "You're welcome. Ask on whenever you like.",
}
_HELLO: Final[dict[Language, str]] = {
    "ko": "안녕하세요. 무엇을 도와드릴까요? 맡길 수 있는 일과 예:",
    "en": "Hello. What can I do for you? What can be asked for, with examples:",
}


def is_courtesy(text: str) -> bool:
    """Tell whether `text` only thanks, greets or agrees."""
    rest = _COURTESY.sub(" ", _GREETING.sub(" ", text))
    return rest != text and not re.search(r"\w", _AROUND.sub(" ", rest))


def is_served_as_courtesy(team: "Team", request: str) -> bool:
    """Tell whether nobody need work for `request`; some team's work may be just that."""
    return is_courtesy(request) and not any(map(is_courtesy, team.examples))


def kind_output(team: "Team", task: Task) -> TeamOutput:
    """Return the answer to a courtesy: to a greeting what can be asked for, too."""
    if not _GREETING.search(task.request):
        return TeamOutput(reason="courtesy", summary=_KIND[task.language])
    text = f"{_HELLO[task.language]}\n\n{offers(team, task.language)}"
    return TeamOutput(reason="courtesy", summary=text)
