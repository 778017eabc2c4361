"""A path with a person's value is kept masked, and leads to the file again."""

from pathlib import Path

from minerva_platform import Attachment


def test_a_kept_attachment_opens_its_file(tmp_path: Path) -> None:
    """Another process reads what was kept, and finds the file where it lies."""
    file = tmp_path / "kim@hospital.kr" / "900101-1234567.csv"
    file.parent.mkdir()
    file.touch()

    kept = Attachment(path=file).model_dump_json()

    assert "kim" not in kept
    assert "900101" not in kept
    assert Attachment.model_validate_json(kept).path == file


def test_a_file_that_came_since_is_not_taken_for_it(tmp_path: Path) -> None:
    """If two look alike now, the kept path leads to none of them."""
    file = tmp_path / "900101-1234567.csv"
    file.touch()
    kept = Attachment(path=file).model_dump_json()
    (tmp_path / "900101-1234568.csv").touch()

    assert not Attachment.model_validate_json(kept).path.exists()
