"""No English sentence stands in the three teams' Korean answers."""

from collections.abc import Callable
from pathlib import Path

import pytest

from minerva_platform import Attachment, Task
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions

SCHEMA = "CREATE TABLE TB_A (PT_NM VARCHAR(10), CUST_ADR INT);"
CODE = "def load(x):\n    return x\n\n\nclass Patient:\n    PT_NM = 1\n"


@pytest.fixture(scope="module")
def platform() -> AssembledTeam:
    """Return the platform of the three teams."""
    return build_platform()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder of files, good and bad."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "ok.sql").write_text(SCHEMA, encoding="utf-8")
    (tmp_path / "rows.csv").write_text("name,rrn\nkim,900101-1234567\n", encoding="utf-8")
    (tmp_path / "policy.yaml").write_text("rules:\n  - id: A-1\n    requrie: x\n", encoding="utf-8")
    (tmp_path / "x.bin").write_bytes(b"\x00\xff")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("request_", "attached"),
    [
        ("환자명 표준 컬럼명 알려줘", ()),
        ("이 스키마를 표준화해줘", ()),
        ("이 스키마를 표준화해줘", ("ok.sql", "x.bin")),
        ("코드에서 load를 호출하는 곳을 찾아줘", ()),
        ("코드에서 load를 호출하는 곳을 찾아줘", ("src",)),
        ("이 폴더의 코드를 분석해서 색인해줘", ("rows.csv",)),
        (
            "이 파일들에 개인정보가 있는지 점검하고 정책 위반을 보고해줘",
            ("rows.csv", "policy.yaml"),
        ),
        ("이 파일들에 개인정보가 있는지 점검해줘", ("rows.csv",)),
        ("이름을 표준으로 바꾸면 깨지는 코드를 찾아줘", ()),
        ("환자명 표준명 알려주고 커피도 주문해줘", ()),
        ("오늘 저녁 메뉴 추천해줘", ()),
    ],
)
async def test_a_korean_answer_is_korean(
    platform: AssembledTeam,
    files: Path,
    minerva_home: Path,
    english_in: Callable[[str], list[str]],
    request_: str,
    attached: tuple[str, ...],
) -> None:
    """Whether they can do it or not, and whatever lacks; a file's name is a name."""
    attachments = tuple(Attachment(path=files / name) for name in attached)

    run = await run_team(
        platform,
        Task(request=request_, attachments=attachments),
        RunOptions(home=minerva_home),
    )

    assert english_in(run.answer) == []
    assert [use.name for use in run.files if "/" not in use.name and use.name != "a.py"] == [
        *attached
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- `a`: it needs data.recommendation, which no member gave", ["which no member gave"]),
        ("환자명: No answer could be made.", ["No answer could be made"]),
        ("`no answer could be made`: “no answer could be made” PT_NM VARCHAR", []),
    ],
)
def test_a_sentence_is_four_words(
    english_in: Callable[[str], list[str]], text: str, found: list[str]
) -> None:
    """What finds English sentences here finds them, outside of code and quotes."""
    assert english_in(text) == found
