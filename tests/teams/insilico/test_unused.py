"""Words of a request that changed nothing are told, and no others."""

from pathlib import Path

import pytest

from minerva_insilico import InsilicoTeam
from minerva_insilico.answers.unused_words import unused_in_search
from minerva_insilico.core.queries.name_question import read_name_question
from minerva_platform.testing import ScriptedRouter


@pytest.mark.parametrize(
    ("request_", "unused"),
    [
        ("who calls load in module billing", ("in module billing",)),
        (
            "who calls load in src/billing.py, sorted by name",
            ("in src/billing.py", "sorted by name"),
        ),
        ("where is PAT_NM used, only columns added last year", ("only columns added last year",)),
        ("find uses of status except in tests", ("except in tests",)),
        ("load를 호출하는 곳을 billing 모듈에서만 찾아줘", ("billing 모듈에서만",)),
        ("테스트는 빼고 load를 누가 호출하나", ("테스트는 빼고",)),
        ("지난 달에 수정된 함수가 load를 쓰나", ("지난 달에 수정된",)),
        ("who imports pkg.a", ()),
        ("who calls load in the code, please", ()),
        ("where is load defined in this module", ()),
        ("is load written in Python", ()),
        ("이름이 바뀌면 깨지는 코드를 찾아줘", ()),
    ],
)
def test_what_no_worker_can_do_is_quoted(request_: str, unused: tuple[str, ...]) -> None:
    """A search covers the whole tree as it is now, in its own order and form."""
    known = {"load", "status", "PAT_NM"}
    question = read_name_question(request_, is_known=lambda name: name in known)

    assert unused_in_search(request_, question) == unused


def test_the_run_tells_them(pkg: Path) -> None:
    """The platform says them at the end of the answer, in the person's language."""
    run = InsilicoTeam(router=ScriptedRouter("code_search_agent")).invoke(
        {"request": "테스트는 빼고 load를 누가 호출하나", "attachments": [str(pkg)]}
    )

    assert run["unused"] == ["테스트는 빼고"]
    assert "`pkg.b.run`" in run["answer"]


def test_a_directory_and_its_files_are_accounted_for(pkg: Path) -> None:
    """The directory and each source in it, with the reason where it was not used."""
    (pkg / "link.py").symlink_to("a.py")

    run = InsilicoTeam(router=ScriptedRouter("code_search_agent")).invoke(
        {"request": "load를 누가 호출하나", "attachments": [str(pkg)]}
    )

    assert [(use["name"], use["status"], use["reason"]) for use in run["files"]] == [
        ("pkg", "used", ""),
        ("a.py", "used", ""),
        ("b.py", "used", ""),
        ("c.py", "used", ""),
        ("d.py", "not_understood", "구문 오류(`SyntaxError: invalid syntax`)"),
        ("link.py", "unreadable", "링크는 따라가지 않습니다"),
    ]
