"""Say why a part of a file was not read, in the person's language.

Readers give their reasons in English (`Unparsed.error`), as `unread.csv` has them. A Korean answer
says the same in Korean; of a parser's own message only that the statement is not understood.
"""

import re

from minerva_data.core.language.text import has_hangul
from minerva_data.core.schema.record import Unparsed
from minerva_platform.text import Language

_REASONS_KO = (
    (r"table (.+) is created twice; .*", r"\1: 두 번 만들어져 처음 것을 씀"),
    (r"table (.+) is not created before it", r"\1: 앞에서 만들지 않은 테이블"),
    (r"column (.+) of (.+) is (?:defined|there) twice; .*", r"\2.\1: 두 번 있어 처음 것을 씀"),
    (r"table (.+) is in (.+) too; .*", r"\1: \2에도 있어 그 정의를 씀"),
    (r"its columns are those of (.+), which .*", r"컬럼이 이 파일에 없는 \1의 것임"),
    (r"the bracket .* is not closed", "컬럼을 여는 괄호가 닫히지 않음"),
    (r"(.+) is neither UTF-8 nor cp949.*", "UTF-8도 cp949도 아님"),
    (r".* cannot be read \(.*", "파일을 열 수 없음"),
    (r".* is of the old Excel format\.", "옛 Excel 형식(.xls)임. .xlsx로 저장해야 함"),
    (r".* bytes; split it below (\d+).*", r"너무 큼. \1자보다 작게 나누어야 함"),
    (r"it names nothing", "이름이 없음"),
)
_UNKNOWN_KO = "SQL 문을 이해하지 못함"


def unread_reason(one: Unparsed, language: Language) -> str:
    """Return why `one` was not read, in one clause."""
    if language != "ko":
        return one.error
    for pattern, said in _REASONS_KO:
        found = re.fullmatch(pattern, one.error, re.DOTALL)
        if found is not None:
            return found.expand(said)
    return one.error if has_hangul(one.error) else _UNKNOWN_KO
