"""Single files that came with a request, and files of a tree that are no source."""

from pathlib import Path
from typing import Any

from minerva_insilico import InsilicoTeam
from minerva_insilico.core.index.single_files import gather_files, places_of
from minerva_platform.testing import ScriptedRouter


def ask(worker: str, *paths: Path) -> dict[str, Any]:
    """Return the run of a request with attached paths."""
    team = InsilicoTeam(router=ScriptedRouter(worker))
    return team.invoke({"request": "who calls load", "attachments": [str(path) for path in paths]})


def test_single_files_are_read_as_one_tree(tmp_path: Path) -> None:
    """A call in one file of what the other defines is found; a broken one is told as such."""
    (tmp_path / "sub").mkdir()
    one, two, bad = tmp_path / "one.py", tmp_path / "sub" / "two.py", tmp_path / "bad.py"
    one.write_text("def load():\n    return 1\n", encoding="utf-8")
    two.write_text("from one import load\n\ndef run():\n    return load()\n", encoding="utf-8")
    bad.write_text("def (\n", encoding="utf-8")

    run = ask("code_search_agent", one, two, bad)

    assert "`sub/two.py:4`" in run["answer"]
    told = [(use["name"], use["status"]) for use in run["files"]]
    assert told == [("one.py", "used"), ("two.py", "used"), ("bad.py", "not_understood")]


def test_a_single_file_beside_a_directory_is_named(pkg: Path, tmp_path: Path) -> None:
    """The directory is what is read, and the file is said not to be."""
    alone = tmp_path / "alone.py"
    alone.write_text("x = 1\n", encoding="utf-8")

    files = {use["name"]: use for use in ask("code_search_agent", pkg, alone)["files"]}

    assert files["pkg"]["status"] == "used"
    assert files["alone.py"]["status"] == "not_understood"
    assert "a directory came, too" in files["alone.py"]["reason"]


def test_what_is_no_source_is_named_unless_hidden_or_ignored(pkg: Path) -> None:
    """A picture and a template are named, `.env` and what `.gitignore` leaves out are not."""
    for name in ("logo.png", "page.html", ".env", "trace.log"):
        (pkg / name).touch()
    (pkg / ".gitignore").write_text("*.log\n", encoding="utf-8")

    files = {use["name"]: use["status"] for use in ask("code_search_agent", pkg)["files"]}

    assert files["logo.png"] == files["page.html"] == "not_understood"
    assert not {".env", "trace.log"} & files.keys()


def test_copies_are_those_of_now_and_lie_as_the_files_do(tmp_path: Path) -> None:
    """A file that changed is copied again; one that is gone is not there."""
    one, two = tmp_path / "a" / "one.py", tmp_path / "b" / "two.py"
    for path in (one, two):
        path.parent.mkdir()
        path.write_text("x = 1\n", encoding="utf-8")
    gather_files([one, two], home=tmp_path / "home")
    one.write_text("x = 2\n", encoding="utf-8")
    two.unlink()

    root = gather_files([one, two], home=tmp_path / "home")

    assert places_of([one, two]) == ["a/one.py", "b/two.py"]
    assert (root / "a" / "one.py").read_text(encoding="utf-8") == "x = 2\n"
    assert not (root / "b" / "two.py").exists()


def test_without_code_the_answer_says_what_to_attach() -> None:
    """Neither a directory nor a file came."""
    answer = ask("ast_parser_agent")["answer"]

    assert "takes a directory or *.py" in answer
    assert "-i PATH" in answer
