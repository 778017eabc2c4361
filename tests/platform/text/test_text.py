"""What all rooms share of texts: two languages, words, Markdown, CSV, encodings."""

import csv
import io
import sys
from pathlib import Path

import pytest

from minerva_platform import ContractError
from minerva_platform.text import (
    UndecodableError,
    code_span,
    csv_cell_back,
    csv_text,
    encoding_of,
    escaped,
    markdown_table,
    read_texts,
    read_words,
)

FORMULAS = ["=1+1", "+1", "-1", "@sum", "\tx", "\uff1d1"]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a package with texts and words of its own."""
    root = tmp_path / "office_of_tests"
    for folder in ("texts", "words"):
        (root / folder).mkdir(parents=True)
    (root / "__init__.py").touch()
    (root / "texts" / "table.toml").write_text(
        '[shown]\nko = "{total:,}건"\nen = "{total:,} rows"\n'
        '[header]\nko = ["이름", "값"]\nen = ["name", "value"]\n'
        '[status.new]\nko = "새것"\nen = "new"\n',
        encoding="utf-8",
    )
    (root / "words" / "korean.toml").write_text(
        'particles = ["은", "는", "에서", "에"]\nelse = "밖"\n[units]\ntime = ["일", "개?월"]\n',
        encoding="utf-8",
    )
    (root / "texts" / "broken.toml").write_text("[half\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, root.name, raising=False)
    return root.name


def test_a_text_is_said_in_either_language_with_its_values(package: str) -> None:
    """Lists and nested tables have keys, too."""
    texts = read_texts(package, "table")

    assert texts("shown", "ko", total=1200) == "1,200건"
    assert texts("status.new", "en") == "new"
    assert texts.row("header", "ko") == ("이름", "값")
    assert texts.has("status.new")
    assert not texts.has("status")


@pytest.mark.parametrize(
    ("name", "key", "says"),
    [
        ("table", "shwon", "texts/table.toml has no text `shwon`"),
        ("table", "header", "`header` is a list"),
        ("nowhere", "shown", "nowhere.toml is not there"),
        ("broken", "shown", "broken.toml: "),
    ],
)
def test_a_text_that_is_not_there_is_named_with_its_file(
    package: str, name: str, key: str, says: str
) -> None:
    """An author reads where to mend it."""
    with pytest.raises(ContractError, match=says):
        read_texts(package, name)(key, "ko")


def test_lists_of_words_make_regular_expressions(package: str) -> None:
    """Words are escaped and the longest comes first; patterns stay as they are."""
    words = read_words(package, "korean")

    assert words["particles"] == ("은", "는", "에서", "에")
    assert words.any_of("particles") == "에서|는|에|은"
    assert words.patterns("units.time") == "일|개?월"
    assert words.table("units") == {"time": ("일", "개?월")}
    assert words.set_of("else", "units.time") == {"밖", "일", "개?월"}
    assert read_words(package, "korean") is words
    with pytest.raises(ContractError, match=r"words/korean.toml has no list `verbs`"):
        words["verbs"]


def test_a_table_keeps_its_columns_whatever_a_cell_holds() -> None:
    """A pipe that is escaped already is not escaped twice."""
    table = markdown_table(["name"], [[code_span("a|b`c")], [escaped("x|y\n<z>")], ["p\\|q"]])

    assert table.splitlines()[2:] == ["| `` a\\|b`c `` |", "| x\\|y &lt;z&gt; |", "| p\\|q |"]


def test_a_long_text_is_cut_before_it_is_escaped() -> None:
    """So no escape is cut in two."""
    assert escaped("ab|cd", 4) == "ab\\|…"


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_of_csv_runs_and_each_is_read_back(formula: str) -> None:
    """A spreadsheet shows what begins like a formula."""
    (_, row) = csv.reader(io.StringIO(csv_text(["a", "b", "c"], [[formula, None, 5]])))

    assert row == [f"'{formula}", "", "5"]
    assert csv_cell_back(row[0]) == formula


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
def test_a_text_file_tells_its_encoding(encoding: str) -> None:
    """It is read to its end, so a late letter counts."""
    data = ("a" * 3_000 + "환자번호").encode(encoding)

    assert encoding_of(io.BytesIO(data)) == encoding


def test_a_file_in_no_known_encoding_names_the_byte_and_its_line() -> None:
    """Half a file in wrong letters is worse than none."""
    with pytest.raises(UndecodableError, match=r"0xFF at 2 \(line 2\)"):
        encoding_of(io.BytesIO(b"a\n\xff\n"))
