"""Requests that people type into any assistant: examples of what nobody here does.

A member's own examples say what belongs to it, not what does not: to a router
that has only seen data standards, "summarise this novel" looks like
"summarise this policy". These lines are trained as examples of nobody. A line
that speaks of a subject some member serves is left out for that supervisor
(`unserved`), so that a travel team is never told that flights are nobody's.
The threshold of scope never comes from here.
"""

from collections.abc import Iterable
from functools import cache

from minerva_platform.routing.subjects import subject_stems

_KOREAN = """
다음 주 도쿄 날씨 어때
우산 챙겨야 하나
가까운 맛집 찾아줘
김치찌개 끓이는 법 알려줘
저녁 메뉴 추천해줘
호텔 방 하나 잡아줘
기차표 취소해줘
택시 불러줘
여권 발급 절차가 어떻게 돼
길 안내 시작해줘
음악 틀어줘
볼륨 좀 줄여줘
드라마 줄거리 요약해줘
소설 한 편 써줘
축구 경기 결과 알려줘
생일 선물 골라줘
운동 계획 짜줘
감기에 좋은 음식이 뭐야
두통약 먹어도 되나요
달러 시세 확인해줘
적금 이자 계산해줘
집값 전망이 궁금해
복권 당첨 번호 알려줘
세금 신고는 언제까지야
신용카드 발급해줘
택배 어디쯤 왔어
이 신발 주문해줘
환불 신청할게
거실 불 꺼줘
에어컨 온도 내려줘
다섯 시에 알람 맞춰줘
엄마한테 전화 걸어줘
사진 배경 지워줘
영어로 번역해줘
한자 뜻을 설명해줘
수학 숙제 도와줘
역사 문제 만들어줘
세상에서 제일 높은 산이 뭐야
대통령이 누구야
강아지 이름 지어줘
심심한데 얘기하자
고마워 수고했어
회의 일정 잡아줘
회의록 작성해줘
팀장님께 메일 써줘
발표 자료 만들어줘
출장비 정산해줘
휴가 며칠 남았는지 확인해줘
급여 명세서 보내줘
채용 공고 올려줘
신입 교육 일정 알려줘
법인 카드 한도 늘려줘
사무실 복사기 고쳐줘
명함 신청해줘
계약서 초안 검토해줘
거래처 연락처 찾아줘
광고 문구 써줘
고객 만족도 설문 만들어줘
매출 그래프 그려줘
지난달 판매량 집계해줘
재고가 몇 개 남았어
수요 예측 모델 학습시켜줘
신경망 성능 개선해줘
노트북이 안 켜져요
인터넷이 느려요
비밀번호 초기화해줘
계정 잠금 풀어줘
프로그램 설치해줘
서버가 죽었어
배포 일정 알려줘
도커 이미지 빌드해줘
쿠버네티스 설정해줘
데이터베이스 복구해줘
쿼리 속도 튜닝해줘
화면 디자인 바꿔줘
로그인 버튼 만들어줘
버그 고쳐줘
단위 테스트 짜줘
알고리즘 문제 풀어줘
홈페이지 만들어줘
깃 커밋 되돌려줘
병원 진료 예약해줘
입원 병실 있나요
보험 청구 도와줘
수술 일정 변경해줘
외래 대기 시간 얼마나 돼
셔틀버스 시간표 보여줘
구내식당 오늘 뭐 나와
주차장 위치 알려줘
"""
_ENGLISH = """
will it rain in tokyo next week
find a nice restaurant nearby
how do i cook rice
suggest something for dinner
get me a hotel room in paris
cancel my train ticket
call a taxi
how do i renew my passport
start the navigation to work
play my favourite song
turn down the volume
summarise this novel
write a short story
who won the football match
pick a birthday present for my sister
plan my workout
what helps against a cold
can i take this pill with milk
what is the dollar worth today
calculate the interest on my savings
when are taxes due
apply for a credit card
where is my parcel
buy these shoes
i want a refund
switch off the lights
lower the temperature in the room
wake me at five
phone my mother
remove the background of this photo
translate this letter into german
explain this proverb
help me with my homework
what is the longest river
who is the president
tell me a joke
name my puppy
thanks a lot
find a time for a meeting
take the minutes of the call
write an email to my boss
prepare the slides
submit my travel expenses
how many vacation days are left
send me my payslip
post the job advert
who is on duty tonight
raise the limit of the company card
the printer is jammed
review this contract
look up the supplier's phone
write a slogan for the campaign
create a customer survey
plot last year's revenue
how many units did we sell
is the item in stock
train a neural network
improve the model's accuracy
my laptop does not start
the internet is slow
i forgot my password
unlock my account
install the new software
the server is down
release the next version
build the docker image
set up the cluster
restore the database
make this query faster
redesign the login page
add a button to the screen
fix this bug
write the tests
solve this puzzle
set up a web site
revert my last commit
make an appointment with the doctor
is there a free bed
file an insurance claim
move the surgery to monday
when does the shuttle leave
what is for lunch in the canteen
where can i park
"""

EVERYDAY = (*_KOREAN.strip().splitlines(), *_ENGLISH.strip().splitlines())
"""Korean and English, from private life, the office, IT and a hospital."""


def unserved(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the everyday requests none of whose subjects occurs in `texts`.

    Verbs and courtesy are no subjects: "review this contract" stays where
    somebody reviews column names, and goes where somebody keeps contracts.
    """
    served: set[str] = set()
    for text in texts:
        served |= subject_stems(text)
    return tuple(line for line, stems in _subjects() if served.isdisjoint(stems))


@cache
def _subjects() -> tuple[tuple[str, frozenset[str]], ...]:
    """Give each everyday request the stems of its subjects; a line without one is left out."""
    pairs = ((line, frozenset(subject_stems(line))) for line in EVERYDAY)
    return tuple(pair for pair in pairs if pair[1])
