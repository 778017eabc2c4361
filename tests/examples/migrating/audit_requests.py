"""Twenty requests for the worker that audits."""

AUDIT = (
    "check the birth date against the standard",
    "audit the types of ward code and admission date",
    "does discharge time have the right type?",
    "do patient name, birth date and ward code violate the rules",
    "is anything wrong with the admission date",
    "may a column be called patient name",
    "is customer number longer than the standard allows",
    "which of these columns break the naming rules",
    "are there forbidden words in the order table",
    "review every column of the schema for mistakes",
    "병동코드가 표준에 맞는지 검사해줘",
    "퇴원일시와 입원일자의 타입이 맞나 확인해줘",
    "입원일자가 표준을 위반하지는 않아?",
    "환자 이름, 생년월일, 병동코드가 규칙에 맞는지 점검해줘",
    "생년월일 컬럼에 잘못된 게 있어?",
    "환자 이름이라고 써도 돼?",
    "고객번호가 표준 길이를 넘는지 봐줘",
    "이 컬럼들 중에 규칙을 어긴 게 뭐야?",
    "주문 테이블에 금지된 단어가 있나 검토해줘",
    "스키마의 모든 컬럼에서 틀린 곳을 찾아줘",
)
