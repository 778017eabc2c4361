"""Say a failure in the language of the person; records and programs keep the English text.

An error may bring its own Korean sentence (`MinervaError.korean`). Else the sentence follows from
its class, and the English text, which is for who mends it, stands after it as code.
"""

import re
from typing import Final

from minerva_platform.contract.result import ErrorInfo
from minerva_platform.text.language import Language, has_hangul
from minerva_platform.text.markdown import code_span

_ELSE: Final = "작업 중에 오류가 났습니다"
_SENTENCES: Final = {
    "AgentError": "요청에 답하지 못했습니다",
    "AgentExitError": "구성원이 실행 전체를 끝내려고 했습니다",
    "AllFailedError": "일한 구성원이 모두 실패했습니다",
    "BadDecisionError": "라우터의 결정을 쓸 수 없습니다",
    "BindingError": "구성원에게 맞는 입력이 없습니다",
    "DeadlineError": "실행 시간이 한도에 이르렀습니다",
    "HandoffMisfitError": "구성원이 주고받는 자료의 형식이 서로 맞지 않습니다",
    "IsolatedProcessError": "구성원의 프로세스가 답하기 전에 끝났습니다",
    "InternalError": "실행 중에 내부 오류가 났습니다",
    "LoopLimitError": "호출 횟수가 한도에 이르렀습니다",
    "MissingExamplesError": "라우터가 배울 예문이 없습니다",
    "ModelCallsSpentError": "모델 호출이 한도에 이르렀습니다",
    "ModelIncompleteError": "모델의 답이 중간에 끊겼습니다",
    "ModelOutputError": "모델의 답이 요청한 형식이 아닙니다",
    "ModelRequestError": "모델이 요청을 거절했습니다",
    "ModelTimeoutError": "모델이 제때 답하지 않았습니다",
    "ModelUnavailableError": "모델을 쓸 수 없습니다",
    "OutputError": "구성원이 돌려준 값이 약속한 형식이 아닙니다",
    "OutputLimitError": "구성원이 돌려준 값이 한도보다 큽니다",
    "RefusedAnswerError": "모델의 답을 확인할 수 없어 쓰지 않았습니다",
    "RouterFailedError": "라우터가 실패했습니다",
    "RoutingError": "요청을 맡을 구성원을 정하지 못했습니다",
    "StateBusyError": "다른 프로세스가 실행 상태 파일을 쓰고 있습니다",
    "StateDamagedError": "실행 상태 파일이 손상되었습니다",
    "StateError": "실행 상태를 읽거나 쓰지 못했습니다",
    "TokensSpentError": "토큰이 한도에 이르렀습니다",
    "UnknownMemberError": "라우터가 없는 구성원을 골랐습니다",
}
"""By the class of the error."""
_CODE: Final = re.compile(r"`[^`]*`")
_ENGLISH: Final = re.compile(r"(?:\b[A-Za-z][A-Za-z'-]*\b[ ,;:()]*){4}")
"""Words in such a row are a sentence; Korean ones hold single English words."""


def failure_text(info: ErrorInfo, language: Language) -> str:
    """Return the failure in one line, as a person of `language` reads it."""
    if language == "en":
        return info.text
    if info.korean:
        return info.korean
    if _is_korean(info.message):  # a team's own words
        return info.text
    return f"{_SENTENCES.get(info.type, _ELSE)}: {code_span(info.text)}"


def _is_korean(text: str) -> bool:
    """True if `text` is Korean; an English sentence may begin with a Korean name."""
    return has_hangul(text) and not _ENGLISH.search(_CODE.sub("·", text))
