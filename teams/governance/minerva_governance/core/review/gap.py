"""Say what a review did not look at, so that silence is never read as "nothing there"."""

from collections.abc import Iterator, Sequence

from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.review.review import Review


def gaps(review: Review, problems: Sequence[str]) -> tuple[str, ...]:
    """Return one sentence for each thing that was missing, cut or unreadable."""
    say = review.say
    found = list(problems)
    found += [f"{part.name}: {part.reason}" for part in review.unseen]
    if not review.scans:
        found.append(
            say(
                "읽은 데이터 파일(*.csv 등)이 없어 값을 보지 못했습니다.",
                "No data file (*.csv and others) was read: no values were seen.",
            )
        )
    if not review.schemas:
        found.append(say("스키마(*.sql)가 없습니다.", "No schema (*.sql)."))
    if not review.clauses:
        found.append(say("처리방침(*.md)이 없습니다.", "No privacy notice (*.md)."))
    found.extend(_code_gaps(review))
    if review.naming is None:
        found.append(
            say("표준 이름 목록을 받지 못했습니다.", "No standard names were handed over.")
        )
    found.append(
        say(
            "성명과 주소는 컬럼의 이름과 설명으로만 알아봅니다. 값의 뜻은 읽지 않습니다.",
            "Names and addresses are known by a column's name or comment only; values are not read "
            "for meaning.",
        )
    )
    found.append(
        say(
            "데이터베이스에 접속하지 않았고, 라이브러리 라이선스를 보지 않았습니다.",
            "No database was connected; licences of libraries were not looked at.",
        )
    )
    return tuple(dict.fromkeys(mask_text(gap) for gap in found))


def _code_gaps(review: Review) -> Iterator[str]:
    say, code = review.say, review.code
    if code is None:
        yield say("코드 검색 결과를 받지 못했습니다.", "No search of the code was handed over.")
        return
    if code.truncated:
        yield say(
            f"코드 사용처는 {len(code.uses)}곳까지만 받았습니다 (더 있습니다).",
            f"Only {len(code.uses)} uses in the code were handed over; there are more.",
        )
