"""A policy loads whole or not at all, and every mistake has a line."""

from pathlib import Path

import pytest

from minerva_governance.agents.policy import BASELINE
from minerva_governance.core.policy.policy import laws_of
from minerva_governance.core.policy.policy_file import PolicyError
from minerva_governance.core.reading.source_files import Source
from minerva_governance.steps.policy_loading import load_policy

POLICY = """\
apiVersion: minerva/v1
policy: {id: trial, version: 1}
rules:
- id: PII-ENC-01
  title: Encrypted
  severity: high
  applies_to: {kind: column, pii: [KR_RRN]}
  require: {encrypted: true}
waivers:
- {rule: PII-ENC-01, target: "TB_TEST.*", until: 2026-12-31, by: dpo, reason: synthetic}
"""


def written(tmp_path: Path, text: str) -> Path:
    """Write a policy for the test."""
    path = tmp_path / "privacy.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(tmp_path: Path, text: str) -> list[str]:
    """Return what loading `text` complains about."""
    with pytest.raises(PolicyError) as caught:
        load_policy(Source.of(written(tmp_path, text)))
    return [str(problem) for problem in caught.value.problems]


def test_a_good_policy_loads_with_the_lines_of_its_rules(tmp_path: Path) -> None:
    """Rules, waivers and the file's own digest are there."""
    policy = load_policy(Source.of(written(tmp_path, POLICY)))

    assert policy is not None
    assert [(rule.id, rule.line, rule.pii) for rule in policy.rules] == [
        ("PII-ENC-01", 4, ("KR_RRN",))
    ]
    assert (len(policy.sha256), str(policy.waivers[0].until)) == (64, "2026-12-31")


@pytest.mark.parametrize(
    ("said", "laws"),
    [
        ("", ["KR", "EU"]),
        (", jurisdiction: EU", ["EU"]),
        (", jurisdiction: [EU, KR]", ["KR", "EU"]),
    ],
)
def test_the_law_is_the_controllers(said: str, laws: list[str], tmp_path: Path) -> None:
    """Without a word of the policy both are candidates, whatever its language."""
    text = POLICY.replace("version: 1", f"version: 1{said}")
    policy = load_policy(Source.of(written(tmp_path, text)))

    assert policy is not None
    assert [*laws_of([policy])] == laws


def test_a_strange_jurisdiction_is_a_mistake(tmp_path: Path) -> None:
    """The line is named, and what may stand there."""
    (said,) = problems(tmp_path, POLICY.replace("version: 1", "version: 1, jurisdiction: MARS"))

    assert said.startswith("privacy.yaml:2:")
    assert "KR, EU" in said


def test_an_unknown_key_names_file_rule_and_line(tmp_path: Path) -> None:
    """G10: `requrie` is an error that says where it stands and what was meant."""
    assert problems(tmp_path, POLICY.replace("require:", "requrie:")) == [
        "privacy.yaml:8: rule PII-ENC-01: unknown key `requrie`; did you mean `require`?"
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("severity: high", "severity: huge", 6, "`severity: huge` is not one of low"),
        ("KR_RRN", "KR_XXX", 7, "KR_XXX"),
        ("kind: column", "kind: colunm", 7, "`kind: colunm` is not one of column"),
        ("kind: column", "kind: table", 4, "`encrypted` is about `kind: column`"),
        ("encrypted: true", "encrypted: 1", 8, "`encrypted` takes `true`"),
        ("encrypted: true", "retention_days: soon", 8, "`key: value` lines"),
        ("encrypted: true", "k_anonymity: {quasi: [], min: 0}", 8, "`min` takes a number"),
        ("  require: {encrypted: true}\n", "", 4, "asks nothing"),
        ("id: PII-ENC-01", "title2: x", 4, "`id` is missing"),
        ("until: 2026-12-31", "until: soon", 10, "`until` takes a day"),
        ("rule: PII-ENC-01", "rule: OTHER", 10, "there is no such rule"),
        ("minerva/v1", "minerva/v9", 1, "`apiVersion` must be `minerva/v1`"),
        ("rules:\n", "rules: 3\nextra:\n", 3, "`rules` must be a list"),
        ("version: 1}", "version: 1, id: again}", 2, "is there twice"),
    ],
)
def test_each_mistake_has_its_line(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    """Values and shapes are checked as strictly as keys."""
    found = problems(tmp_path, POLICY.replace(old, new, 1))

    assert any(text.startswith(f"privacy.yaml:{line}: ") and words in text for text in found), found


def test_all_mistakes_come_at_once(tmp_path: Path) -> None:
    """Nobody mends a file one error at a time."""
    text = POLICY.replace("require:", "requrie:").replace("severity: high", "severity: huge")

    assert len(problems(tmp_path, text)) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        "apiVersion: minerva/v1\nrules: !!python/object/apply:os.system ['touch {mark}']\n",
        "rules: !!python/object/new:pathlib.Path ['{mark}']\n",
        "rules: &a [*a]\n",
        "a: &a [x]\nrules: [*a, *a]\n",
        "rules: " + "[" * 5_000 + "\n",
        "rules: {? [a] : b}\n",
        "rules: [1\n",
        "rules: 2026-13-45\n",
        "rules: \x01\n",
    ],
)
def test_a_hostile_file_is_refused_and_runs_nothing(tmp_path: Path, hostile: str) -> None:
    """Tags, aliases, endless depth and broken YAML are errors with a line; no code runs."""
    mark = tmp_path / "mark"

    (problem,) = problems(tmp_path, hostile.replace("{mark}", str(mark)))

    assert problem.startswith("privacy.yaml:")
    assert not mark.exists()


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    """More than 256 KiB is no policy."""
    assert "larger than" in problems(tmp_path, POLICY + "# " + "x" * 300_000)[0]


def test_a_value_in_a_mistake_is_masked(tmp_path: Path) -> None:
    """People paste data where a key should be; the error must not repeat it."""
    (problem,) = problems(tmp_path, POLICY.replace("require:", '"850101-1234566":'))

    assert "850101-1******" in problem
    assert "1234566" not in problem


@pytest.mark.parametrize("text", ["site_name: docs\nnav: []\n", "- a\n- b\n", "", "just words\n"])
def test_other_yaml_is_not_taken_for_a_policy(tmp_path: Path, text: str) -> None:
    """People hand in whole folders."""
    assert load_policy(Source.of(written(tmp_path, text))) is None


def test_the_bundled_baseline_loads() -> None:
    """Whoever attaches no policy gets these rules."""
    policy = load_policy(Source.of(BASELINE))

    assert policy is not None
    assert len(policy.rules) >= 4
