"""YAML is read as plain data; every complaint names file and line, and nothing is executed."""

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from minerva_platform import SettingsError, YamlError
from minerva_platform.text import read_yaml


class Limits(BaseModel):
    """A nested part of a configuration."""

    model_config = ConfigDict(extra="forbid")
    seconds: float = 1.0
    hops: int = 3


class Config(BaseModel):
    """A configuration file."""

    model_config = ConfigDict(extra="forbid")
    limits: Limits = Limits()
    names: list[str] = []
    timeouts: dict[str, float] = {}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the file under test is written."""
    return tmp_path / "it.yaml"


def fault(file: Path, text: str) -> str:
    """Return what reading `text` as a Config complains of."""
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read_yaml(file).as_model(Config)
    return str(caught.value).replace(str(file), "it.yaml")


def test_a_file_is_read_as_its_model(file: Path) -> None:
    """What is left out keeps its default; an empty file leaves out everything."""
    file.write_text("# limits\nlimits:\n  seconds: 2.5\nnames: [a, b]\n", encoding="utf-8")
    read = read_yaml(file)

    assert read.as_model(Config) == Config(limits=Limits(seconds=2.5), names=["a", "b"])
    assert read.line_of(("limits", "seconds")) == 3
    assert read.line_of(("limits", "nowhere")) == 2
    assert read.line_of(("names", 1)) == 4
    file.write_text("", encoding="utf-8")
    assert read_yaml(file).as_model(Config) == Config()


def test_an_unknown_key_is_an_error_with_line_and_nearest_key(file: Path) -> None:
    """A typo must not silently keep a default."""
    assert fault(file, "names: []\nlimits:\n  secnds: 3\n") == (
        "it.yaml:3: unknown key `limits.secnds`; did you mean `seconds`?"
    )
    assert fault(file, "zzz: 1\n") == (
        "it.yaml:1: unknown key `zzz`; known keys: limits, names, timeouts."
    )


def test_all_faults_are_told_at_once(file: Path) -> None:
    """Each on a line of its own."""
    text = "limits:\n  seconds: soon\nnames:\n  - a\n  - [b]\ntimeouts:\n  a: later\n"

    assert fault(file, text).splitlines() == [
        "it.yaml:2: `limits.seconds`: Input should be a valid number, unable to parse string as "
        "a number.",
        "it.yaml:5: `names.1`: Input should be a valid string.",
        "it.yaml:7: `timeouts.a`: Input should be a valid number, unable to parse string as a "
        "number.",
    ]


def test_a_key_that_is_there_twice_is_an_error(file: Path) -> None:
    """YAML would let the last one win without a word."""
    assert fault(file, "limits:\n  hops: 1\n  seconds: 2\n  hops: 4\n") == (
        "it.yaml:4: `hops` is there twice, first in line 2."
    )


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system ['touch {mark}']",
        "a: !!python/name:os.system",
        "!!python/object/new:subprocess.Popen [['touch', '{mark}']]",
        "a: !!python/module:antigravity",
        "a: !anything x",
    ],
)
def test_tags_build_nothing(file: Path, tmp_path: Path, text: str) -> None:
    """A configuration file cannot run code."""
    mark = tmp_path / "mark"

    complaint = fault(file, text.replace("{mark}", str(mark)))

    assert complaint == "it.yaml:1: a tag (`!…`) or merge key; only plain YAML is read."
    assert not mark.exists()


@pytest.mark.small(6)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a: [1, 2\nb: 3", "it.yaml:2: not YAML: "),
        ("a: *nobody", "it.yaml:1: not YAML: found undefined alias"),
        ("a: 1\n---\nb: 2", "it.yaml:2: not YAML: but found another document"),
        ("a: \x07", "it.yaml:1: not YAML: it holds characters that YAML forbids."),
        ("b: 1\na: 2024-13-45", "it.yaml:2: a value that is no date or number."),
        ("? [a, b]\n: 1", "it.yaml:1: a key that is not plain text."),
        ("a: &x 1\nb: *x", "it.yaml:1: an alias (`*name`); write the value out."),
        ("a: {<<: {b: 1}}", "it.yaml:1: a key that is not plain text."),
        ("[" * 100_000, "it.yaml:1: nested too deeply."),
        ("# " + "x" * 300_000, "it.yaml:1: larger than 262,144 bytes; split it."),
        ("just words", "it.yaml:1: ``: Input should be a valid dictionary"),
    ],
)
def test_what_is_no_usable_yaml_is_said(file: Path, text: str, start: str) -> None:
    """With the line where there is one."""
    assert fault(file, text).startswith(start)


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    """Also a directory; the error holds the place for who shows it another way."""
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"a: 1\nb: \xff")
    for path, line, reason in (
        (tmp_path / "nowhere.yaml", 1, "cannot be read (No such file or directory)."),
        (binary, 2, "not UTF-8; save the file as UTF-8."),
        (tmp_path, 1, "cannot be read (Is a directory)."),
    ):
        with pytest.raises(YamlError) as caught:
            read_yaml(path)
        assert (caught.value.path, caught.value.line, caught.value.reason) == (path, line, reason)


def test_aliases_cannot_make_a_file_huge(file: Path) -> None:
    """Ten lines of nested aliases would stand for billions of items."""
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10)]
    text = "\n".join(["l0: &l0 [x, x, x, x, x, x, x, x, x]", *levels])

    assert "an alias" in fault(file, text)


class Settings(Config):
    """One that also has a choice and an address."""

    model_config = ConfigDict(extra="forbid")
    keep: bool = True
    url: str = ""
    rules: list[Limits] = []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limits:\n  seconds: 1:30\n", "it.yaml:2: YAML reads `1:30` as a number of base 60"),
        ("limits:\n  hops: 1:30:00\n", "it.yaml:2: YAML reads `1:30:00` as a number of base 60"),
        ("limits:\n  seconds: 1:30.5\n", "it.yaml:2: YAML reads `1:30.5` as a number of base 60"),
        ("limits:\n  hops: 010\n", "it.yaml:2: YAML reads `010` as a number of base 8"),
        ("limits:\n  seconds: .inf\n", "it.yaml:2: `.inf` is no number"),
        ("limits:\n  seconds: -.INF\n", "it.yaml:2: `-.INF` is no number"),
        ("timeouts:\n  a: .nan\n", "it.yaml:2: `.nan` is no number"),
        ("limits:\n  hops: true\n", "it.yaml:2: `limits.hops`: YAML reads true here"),
        ("timeouts:\n  a: 1\n  b: yes\n", "it.yaml:3: `timeouts.b`: YAML reads true here"),
        ("rules:\n- hops: 1\n- hops: off\n", "it.yaml:3: `rules.1.hops`: YAML reads false here"),
        ("keep: true\nurl: ${URL}\n", "it.yaml:2: `url`: `${URL}` stays as it is"),
        ("names: [a, 'x ${HOME:-y}']\n", "it.yaml:1: `names.1`: `${HOME:-y}` stays as it is"),
    ],
)
def test_what_yaml_reads_as_something_else_is_refused(file: Path, text: str, said: str) -> None:
    """With the value that was written, and where; a limit of 90 s is not asked for by `1:30`."""
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read_yaml(file).as_model(Settings)

    assert said in str(caught.value).replace(str(file), "it.yaml")


def test_what_is_meant_as_it_is_written_is_read(file: Path) -> None:
    """Quotes say that a text is meant; a choice may be `on`."""
    file.write_text("keep: off\nurl: '1:30'\nlimits:\n  hops: 0\n  seconds: 1e2\n")

    read = read_yaml(file).as_model(Settings)

    assert (read.keep, read.url, read.limits) == (False, "1:30", Limits(hops=0, seconds=100))
