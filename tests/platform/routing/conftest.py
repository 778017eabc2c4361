"""Nine invented workers in three teams, as the routers of a small platform see them."""

import pytest

from minerva_platform.routing import MemberCard

RETRIEVAL = """
환자 번호 컬럼의 표준 약어를 알려줘
진료과 코드는 어떤 도메인을 써야 해?
'입원일자'의 물리명을 찾아줘
표준 용어 사전에서 수술 관련 단어를 검색해줘
이 테이블 컬럼들의 표준 물리명을 추천해줘
보험 번호는 영문 약어가 뭐야
컬럼 이름을 우리 표준 단어로 바꾸면 뭐가 되지?
처방일시에 맞는 데이터 타입과 길이를 찾아줘
생년월일 필드의 표준 이름과 도메인 좀 알려줘
what is the standard abbreviation for admission date
look up the domain of the ward code
find standard terms for these columns
which physical name should a blood type column have
suggest standard names for the fields in schema.sql
"""
POST_PROCESSOR = """
결과를 주제영역 우선순위로 정렬해줘
추천된 컬럼을 도메인 순서대로 표로 만들어줘
용어 목록을 표 형태로 정리해줘
우선순위가 높은 도메인부터 보여줘
답변을 마크다운 표로 바꿔줘
표준화 결과표를 다시 순서대로 배열해줘
컬럼 매핑표를 업무 영역별로 묶어서 보여줘
중복된 행은 합치고 정렬해줘
sort the recommended names by domain priority
put the standard terms in an ordered table
format the mapping as a markdown table
group the columns by subject area
arrange the answer by priority
show the rename table in order
"""
AUDITOR = """
추천된 물리명이 명명 규칙에 맞는지 검사해줘
표준을 어긴 컬럼이 있는지 감사해줘
금칙어를 쓴 컬럼명을 찾아내줘
도메인과 데이터 타입이 서로 맞는지 확인해줘
표준화 결과에 오류가 없는지 검증해줘
약어 규칙 위반을 모두 지적해줘
같은 뜻의 컬럼이 다른 이름을 쓰는지 점검해줘
길이 제한을 넘은 물리명이 있나 봐줘
audit the proposed physical names
check the table against the naming rules
are there forbidden words in our column names
verify that domains and types agree
point out violations of the data standard
validate the standard table
"""
AST_PARSER = """
이 저장소의 코드를 색인해줘
파이썬 소스를 파싱해서 심볼 목록을 만들어줘
app 폴더의 클래스와 함수를 분석해줘
문법 오류가 있는 파이썬 파일을 찾아줘
코드 인덱스를 새로 만들어줘
모듈별 함수 개수를 세어줘
소스 코드 구조를 보여줘
어떤 파일이 파싱에 실패했는지 알려줘
parse the python sources and build an index
which classes and functions are in the app folder
list files that do not parse
index this repository
show the structure of the code
count the functions of each module
"""
CODE_SEARCH = """
이 필드가 코드 어디에서 쓰이는지 찾아줘
컬럼 이름을 바꾸면 어느 소스가 깨져?
JUMIN_NO를 사용하는 함수를 모두 찾아줘
SQL 문자열에서 환자 테이블을 조회하는 곳을 찾아줘
get_patient를 호출하는 코드가 어디야
이 변수를 로그로 찍는 줄을 찾아줘
코드에서 암호화 함수가 쓰인 위치를 보여줘
이름 변경의 영향 범위를 소스에서 조사해줘
where is PT_ID used in the code
find all callers of load_patient
which lines break if this column is renamed
search the sources for uses of the email field
show me where we log the phone number
locate the function that saves admissions
"""
DOCSTRING = """
독스트링이 없는 함수를 알려줘
코드 문서화율을 계산해줘
이 모듈 함수에 설명을 달아줘
주석이 빠진 클래스를 목록으로 보여줘
함수 설명 문서를 작성해줘
docstring 커버리지가 몇 퍼센트야?
공개 함수 중에 문서가 없는 것을 찾아줘
구글 스타일 독스트링 초안을 써줘
which functions have no docstring
measure docstring coverage
write docstrings for this module
how well documented is the code
list undocumented public classes
draft the missing documentation of our functions
"""
POLICY = """
개인정보 처리 정책에 뭐라고 되어 있어?
보관 기간 규정을 찾아줘
privacy.yaml 정책 파일에 문제가 없는지 봐줘
주민등록번호에 적용되는 규칙을 알려줘
처리방침에서 수집 항목 조항을 찾아줘
암호화해야 하는 항목은 어떤 정책에 나와?
보안 규정을 요약해줘
정책 파일의 문법을 검사해줘
what does our privacy policy say about retention
find the rule about resident numbers
lint the policy file
which clause covers e-mail addresses
summarise the security policy
what must be encrypted according to the rules
"""
COMPLIANCE = """
개인정보가 평문으로 저장되어 있는지 점검해줘
데이터 파일에 주민등록번호가 들어 있나 검사해줘
규정 준수 여부를 평가해줘
카드 번호 유출이 있는지 확인해줘
정책 위반 보고서를 만들어줘
이 CSV에서 이메일과 전화번호를 탐지해줘
개인정보 보호법에 어긋나는 점이 있어?
컴플라이언스 점검 결과를 보고해줘
check whether export.csv holds resident numbers
scan the data for personal information
are we compliant with the privacy policy
report policy violations
detect card numbers in this file
evaluate our compliance and write a report
"""

TEAMS = {
    "data": {
        "retrieval_agent": RETRIEVAL,
        "post_processor_agent": POST_PROCESSOR,
        "auditor_agent": AUDITOR,
    },
    "insilico": {
        "ast_parser_agent": AST_PARSER,
        "code_search_agent": CODE_SEARCH,
        "docstring_agent": DOCSTRING,
    },
    "governance": {"policy_agent": POLICY, "compliance_agent": COMPLIANCE},
}


def card(name: str, *examples: str) -> MemberCard:
    """Build a member's card from lines of examples."""
    lines = tuple(line for text in examples for line in text.strip().splitlines())
    return MemberCard(name=name, description=f"What {name} does.", examples=lines)


@pytest.fixture(scope="session")
def team_cards() -> tuple[MemberCard, ...]:
    """Cards of three teams, as the platform's router gets them."""
    return tuple(card(name, *workers.values()) for name, workers in TEAMS.items())


@pytest.fixture(scope="session")
def data_cards() -> tuple[MemberCard, ...]:
    """Cards of the data team's workers."""
    return tuple(card(name, text) for name, text in TEAMS["data"].items())
