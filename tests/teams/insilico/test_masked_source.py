"""Sources are indexed without values of persons, and nothing else of them changes."""

from pathlib import Path

from minerva_insilico.core.facts import readable_files
from minerva_insilico.core.index.listing import list_sources
from minerva_insilico.core.parsing.masked_source import masked_source


def test_texts_and_comments_are_masked_and_products_of_matrices_stay() -> None:
    """Lines and columns stay; `@` between names is an operator."""
    source = b"y = a@b.view  # kim@hospital.kr\nz = '850101-1234566'\n"
    shown = b"y = a@b.view  # xxx@xxxxxxxx.xx\nz = '000000-0000000'\n"

    assert masked_source(source, "python") == shown
    assert masked_source(shown, "python") == shown  # what is masked stays


def test_a_source_without_a_value_is_the_same_object() -> None:
    """Most sources are; bytes that are no text stay, too."""
    source = b"x = '2020-10-05~'  # \xff v1.2.3 a.py:10:4\n"

    assert masked_source(source, "python") is source


def test_a_masked_path_leads_to_its_file(tmp_path: Path) -> None:
    """Of two names that look alike each leads to its own file."""
    folder = tmp_path / "kim@hospital.kr"
    folder.mkdir()
    for number in (6, 7):
        (folder / f"900101-123456{number}.py").write_text(f"x = {number}\n", encoding="utf-8")

    files = list_sources(tmp_path).files

    assert all(path.startswith("xxx@xxxxxxxx.kr/000000-0000000~") for path in files)
    assert {readable_files.read_source(tmp_path, path) for path in files} == {
        b"x = 6\n",
        b"x = 7\n",
    }
