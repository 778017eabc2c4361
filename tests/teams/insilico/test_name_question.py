"""Reading a request: which names it is about, and what it asks."""

import pytest

from minerva_insilico.core.queries.name_question import QuestionKind, read_name_question

KNOWN = {"load", "find", "patient", "code", "name"}


@pytest.mark.parametrize(
    ("text", "mode", "names"),
    [
        ("who calls load?", "callers", ("load",)),
        ("Who calls find?", "callers", ("find",)),
        ("load 호출하는 곳", "callers", ("load",)),
        ("what does `load` call?", "callees", ("load",)),
        ("`load`가 호출하는 함수", "callees", ("load",)),
        ("what does pkg.a import?", "imports", ("pkg.a",)),
        ("load를 부르는 함수", "callers", ("load",)),
        ("PAT_NM 쓰는 곳", "uses", ("PAT_NM",)),
        ("PAT_NM을 고치면 깨지는 데", "uses", ("PAT_NM",)),
        ("where is PAT_NM used?", "uses", ("PAT_NM",)),
        ("what breaks if these are renamed?", "uses", ()),
        ("이름이 바뀌면 깨지는 코드를 찾고", "uses", ()),
        ("find the code that breaks when columns change their name", "uses", ()),
        ("Which modules import pkg.a?", "importers", ("pkg.a",)),
        ("where is the class PatientService defined", "definition", ("PatientService",)),
        ("which code logs personal data?", "sinks", ()),
        ("주민번호를 로그에 남기는 곳", "sinks", ()),
        ("is JUMIN_NO logged anywhere?", "any", ("JUMIN_NO",)),
        ("`load` 정의", "definition", ("load",)),
        ("Show run() and T.m", "any", ("run", "T.m")),
        ("the SQL and the API of this JSON", "any", ()),
        ("", "any", ()),
    ],
)
def test_names_and_modes(text: str, mode: QuestionKind, names: tuple[str, ...]) -> None:
    """Ordinary words are no names, even if some function happens to bear them."""
    question = read_name_question(text, is_known=KNOWN.__contains__)

    assert (question.kind, question.names) == (mode, names)


def test_quotes_hold_texts_and_paths_are_paths() -> None:
    """A quoted sentence is searched as text; a path narrows the answer."""
    question = read_name_question(
        "'환자를 찾을 수 없습니다' 문구가 app/api.py 에 있나", is_known=KNOWN.__contains__
    )

    assert question.kind == "text"
    assert question.phrases == ("환자를 찾을 수 없습니다",)
    assert question.paths == ("app/api.py",)
    assert question.names == ()


def test_an_apostrophe_is_no_quote() -> None:
    """`what's` and `doesn't` must not swallow the words between them."""
    question = read_name_question("what's it mean that it doesn't use PAT_NM", is_known=bool)

    assert question.phrases == ()
    assert "PAT_NM" in question.names
