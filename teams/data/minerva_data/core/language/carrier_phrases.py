"""The words around a name in a request: `… 컬럼의 표준 약어를 알려줘`, `the … column`.

Anchors say that a name stands beside them; stops end a name; fillers say nothing at all.
"""

import re

ANCHORS = frozenset(
    """
    컬럼 칼럼 필드 항목 속성 용어 약어 영문약어 표준약어 도메인 물리명 물리이름 물리컬럼명
    표준명 표준용어 표준어 표준 표준화 영문명 영문 영어 영어명 논리명 타입 자료형
    데이터타입 컬럼명 칼럼명 필드명 표준단어 명명 네이밍 작명 매핑 변환 값도메인 컬럼들
    데이터 물리 논리 칸 란 컬럼명칭 필드이름 컬럼이름 항목명 속성명 변수 변수명 정보칸 입력란 입력칸
    column columns field fields attribute attributes abbreviation abbreviations abbr
    variable variables domain domains standard term terms datatype physical logical naming mapping
    """.split()
)

AFTER_ANCHOR = frozenset("이름 명 명칭 이름들 타입 값 name names type types".split())
"""Words that belong to the anchor before them: `컬럼 이름`, `column name`, `데이터 타입`."""

OUTCOMES = frozenset(
    """
    길이 자릿수 자리수 자리 글자수 크기 미해결 대안 후보
    length lengths size sizes digits unresolved alternative alternatives
    """.split()
)
"""What is asked of a name's standard; they stand beside it as anchors do."""

ASPECTS = ANCHORS | AFTER_ANCHOR | OUTCOMES | {"data"}
"""With these alone nothing is named (`길이는?`, `and the data type?`)."""

OBJECTS = frozenset("order priority".split())
"""Stops that are what a name is about where a kind of value follows: `and order amount`."""

LISTS = frozenset("및 그리고 또는 혹은 와 과 랑 하고 , · / & and or plus".split())

STOPS = frozenset(
    """
    답변 답 표 목록 결과표 리스트 스키마 테이블 데이터베이스 디비 시스템 파일 문서 모델 명세
    엑셀 정렬 순서대로 우선순위 우선순위로 순 순으로 기준 기준으로 주제영역 사전 용어집
    뭐 뭐야 뭐지 뭘 뭘로 뭐로 뭐라고 뭔지 무엇 무엇인지 무엇인가 무슨 어떤 어떻게 어떡해
    어디 어디에 어디다 어디다가 어디로 어디서 어느 어느것 누가 누구 얼마나 며칠
    왜 언제 몇 얼마 좀 제발 부탁 부탁해요
    주고 해주고 개인정보 처리방침 보고 보고서 코드를 깨지는 어기는 곳을
    what what's which who how why is are was were be do does did have has had should would could
    can will shall may must i we you they it its me us show tell give get find list look up
    please help need needs want like use used using call called calling write written named
    abbreviate abbreviated shorten standardise standardize standardised standardized
    rename renamed in on by with to from as at into onto than then so that this these those
    there where when if not sort sorted order ordered ordering priority priorities table tables
    answer answers result schema schemas database sql ddl csv dictionary glossary official
    correct proper right short form know explain about also all any some every
    asap thanks thank thx hi hello hey quick question cheers regards
    store stores stored storing hold holds holding keep keeps kept save saving
    put puts putting go goes going enter record recording track capture save log represent denote
    represents denoting shows showing says saying telling tells indicating indicates
    kg mg ml cm mm mmhg won krw usd celsius
    contain contains containing propose suggest recommend required optional
    """.split()
)

FILLERS = frozenset(
    """
    혹시 우리 저희 이 그 저 각 모든 전체 해당 다음 아래 위 지금 현재 그냥 근데 그럼 그러면
    필수 선택 넣을 넣는 담긴 들어있는 들어올 쓰일 쓰던 만들 둘 적힌 남길
    새 새로운 신규 기존 있는 쓰는 쓸 사용하는 들어갈 들어가는 저장하는 저장할 담는 담을
    아직 아직도 여전히 이미 지금도 이거 그거 저거 이것 그것 저것 이게 그게 저게
    둘 둘다 다 모두 전부 각각 첫 첫째 첫번째 두번째 세번째 번째 것 거 게 건 것만 다시 역시 아까 방금
    적어두는 적어둘 적어놓는 써넣는 써넣을 집어넣는 넣어두는 넣어둘 채우는 채울 나오는 보는 볼
    표시하는 표시할 기입하는 기입할 표기하는 표기할 적혀있는 저장되는 저장된 기록되는 담기는 남는
    남기는 적는 적을 기록하는 기록할 보관하는 보관할 관리하는 입력하는 뜻하는 의미하는
    가리키는 쓰이는 보여주는 나타내는 같은 관련 관련된 대한 대해 대해서 위한 위해 라는 이라는
    a an the our my your new old legacy both one ones first second third last still
    """.split()
)

_ENDINGS = "|".join(
    """
    줘 줘요 주세요 줄래 줄래요 주라 주고 주시고 해라 하라 해서 니다 까요 니까 인가요 인지
    나요 어요 에요 예요 이야 뭐야 싶어 시오 하자 하면 되면 는데 은데 되나 하나 할까 하기
    되어 하여 해야 한다 된다 있어 없이 하게 대로 순으로 해봐 바꿔 알려 찾아 보여 정해
    맞춰 붙여 만들어 되지 하지 하니 인데 였지 지요 죠 냐 고요
    찾고 바꾸고 만들고 보이고 내고 뽑고 붙이고 맞추고 고치고 쓰고 넣고 적고 묻고 싶고 되고
    해요 돼요 되요 해야죠 하죠 되죠 뭐죠 예요 일까 일까요 거죠 건가요 건지 하려면 려면
    둬요 두죠 놔요 놓죠 적죠 넣죠 써요 쓰죠
    돼 할지 될지 해둬 해두면 나와 나와요 싶은데 싶습니다 싶어요
    건데 건데요 인데요 는데요 은데요 거든요 던데 던데요 려고요 할게 할게요
    있음 없음 맞음 아님 아니야 아닌가 아닌가요 아니죠 아니지 잖아 잖아요
    맞게 맞아 맞아요 맞나 맞나요 맞죠 맞지 써야
    있고 없고 맡기고 살펴보고 확인하고 나누고 며 면서 려고 도록 려는데 는지 을지
    """.split()
)
QUESTIONS = frozenset("언제 왜 얼마 얼마나 며칠 누구 누가 when why whether who".split())
"""Question words that say what is asked for: 언제 a date or a time."""

DETERMINERS = frozenset("무슨 어느 몇 which where".split())
"""Question words that ask for a name, a code or a place where they stand before content."""

_VERB = re.compile(rf"[가-힣]*(?:{_ENDINGS})")

PARTICLES = (
    "입니다 이에요 이예요 은요 는요 이요 이죠 "
    "에서의 에대한 이라는 으로는 으로 에서 에게 부터 까지 이랑 하고 이나 라는 처럼 보다 마다 "
    "만의 에는 의 을 를 은 는 이 가 와 과 랑 로 도 만 에 나 인"
).split()
"""What may end a Korean word; longer ones first."""

LIGHT_VERBS = frozenset("받은 받는 당한".split())
"""After a noun they say no more than the noun: `진단 받은 날짜` is 진단 날짜."""

LIST_PARTICLES = frozenset("이랑 하고 이나 와 과 랑 나".split())

RELATIVE = re.compile(r"([가-힣]+?)(?:하는|되는|한|된|할|될|받은|했는지|됐는지|하였는지|되었는지)")
"""`입원한 날짜`: the verb's noun says the same as the noun alone."""

REWORDED_KO = (
    (re.compile(r"(?:날짜|일자)(?:와|과|하고|랑|이랑| 및)?\s*(?:시간|시각)"), "일시"),
    (re.compile(r"\s*(?:있|하|했|인|되|됐|였|었)(?:는)?지\s+여부"), " 여부"),
    (re.compile(r"(?<=[가-힣])(?:을|를)\s+(?:한|하는|받은|본)\s+(?=[가-힣])"), " "),
)
"""`날짜와 시간` is 일시, `동의했는지 여부` 동의 여부, `예방접종을 한 횟수` 예방접종 횟수."""

IDENTIFYING_KO = re.compile(
    r"(\S{1,20}?)(?:을|를)\s+식별\S{0,6}\s+"
    r"(?=컬럼|칼럼|필드|항목|값|번호|용어)"
)
IDENTIFYING_EN = re.compile(
    r"\b(?:column|field|attribute)s?\s+(?:(?:that|which|to|used to)\s+)?(?:uniquely\s+)?"
    r"identif\w+\s+(?:the\s+|an?\s+|each\s+|our\s+)?([a-z]+)",
    re.IGNORECASE,
)


ATTRIBUTIVE = re.compile(r"[가-힣]+(?:하는|되는|하던|되던|하게될)")
"""`해당하는 표준 용어`: before a frame word it frames, too."""


COPULAS = (
    "입니까 인가요 인가 인지 이에요 이예요 예요 에요 이야 이냐 "
    "이죠 이지요 일까요 일까 임 야 냐 죠 인"
).split()
"""What may end a frame word in a question: 표준인가요, 표준용어야."""

_STANDARD = re.compile(r"(?:공통|행정|공공)?표준")


def is_standard_s(word: str) -> bool:
    """True if a word says that the standard is asked for: 공통표준, 표준이름, 표준물리명."""
    found = _STANDARD.match(word)
    rest = word[found.end() :] if found else word
    return found is not None and (not rest or rest in ANCHORS | AFTER_ANCHOR)


def is_verb(word: str) -> bool:
    """True if a Korean word ends like a verb, so that no name goes on after it."""
    return _VERB.fullmatch(word) is not None
