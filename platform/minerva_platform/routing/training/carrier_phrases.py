"""Requests with their content taken out: the counterweight to courtesy.

Ten examples cannot teach that "how … is", "can you" or 해줘 belong to no
member. Trained as examples of nobody, these frames do; and since they name no
subject, they stand in nobody's way, whatever subjects a platform serves.
"""

_KOREAN = """
알려줘
이거 좀 알려줘
어떻게 해?
뭐야?
이게 뭐예요
무엇인가요
어디 있어
어디에 있나요
언제야
언제 하나요
누구야
왜 그래
왜 안 돼?
얼마야
얼마나 돼?
몇 개야
해줘
이것 좀 해줘
해주세요
부탁해
부탁드립니다
보여줘
보여주세요
찾아줘
찾아주세요
만들어줘
만들어주세요
바꿔줘
보내줘
써줘
골라줘
추천해줘
정리해줘
설명해줘
확인해줘
비교해줘
계산해줘
도와줘
도와주세요
말해줘
읽어줘
가르쳐줘
하나만 골라서 보내줘
내일까지 해줄 수 있어?
오늘 할 수 있을까
지금 되나요
어떤 게 좋아
뭐가 좋을까
내가 어떻게 해야 하지
안녕하세요
고마워요
그게 무슨 뜻이야
나는 잘 모르겠어
우리 이번에 뭐 할까
이 중에서 뭐가 제일 커
다시 한번 해봐
"""
_ENGLISH = """
what is it
what's this
what is the best one
what are they
what should i do
what does it do
what does it mean
how do i do it
how are you
how is it
how much is it
how many are there
how long will it take
how well does it go
how far is it from here
can you help me
can you tell me
could you please do it for me
i want to
i need to have one
i would like to know
i have a question for you
tell me about it
tell me more
show me
show me one
give me one
give me some
find me a good one
make me one
make one for me
write me something
get me the best one for two of us
where is it
where can i get it
when is it
when does it start
who is he
who are you
who was the first to do it in the world
which one is the best
which of them is it
why is it so
why not
is it good
is there any
are there any in here
are you there
do you have any
does it have one
did you do it
will it be there tomorrow
do it now
put it in there
turn it on
set it to the next one
please do this for me by today
let me know about it
explain it to me
change it to another one
my own one is not working
hello
thank you
i don't know what this is
"""

FRAMES = (*_KOREAN.strip().splitlines(), *_ENGLISH.strip().splitlines())
"""What people say around a subject, in Korean and English."""
