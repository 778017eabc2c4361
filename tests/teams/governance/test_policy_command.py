"""`minerva policy check`, `explain` and `schema`: what they print, and how they end."""

import json
from pathlib import Path

import pytest
from policy_schema import schema_text
from typer.testing import CliRunner, Result

from minerva_governance.commands.policy import app

POLICY = """\
apiVersion: minerva/v1
policy: {id: trial, version: 1}
rules:
- id: ENC
  title: {ko: 암호화한다, en: encrypted}
  severity: high
  applies_to: {kind: column, pii: [KR_RRN], tag: [patient, export]}
  require: {encrypted: true}
  authority: [{title: the Act}]
- {id: RET, applies_to: {kind: table}, require: {retention_days: {max: 1095}}}
waivers:
- {rule: ENC, target: "TB_OLD.*", until: 2099-12-31, by: dpo, reason: goes next year}
"""


def run(*words: str | Path) -> Result:
    """Type `minerva policy …`."""
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """Write a policy."""
    path = tmp_path / "privacy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return path


def test_a_policy_that_loads_ends_with_0(policy: Path) -> None:
    """With what it holds."""
    result = run("check", policy, "--language", "en")

    assert (result.exit_code, result.stdout) == (
        0,
        "privacy.yaml: policy `trial` 1, rules: 2, waivers: 1\n",
    )


def test_a_mistake_names_file_line_rule_and_what_to_do(policy: Path) -> None:
    """G10 ends with 2, and the policy beside it is told as well."""
    broken = policy.with_name("broken.yaml")
    broken.write_text(POLICY.replace("require: {enc", "requrie: {enc"), encoding="utf-8")
    result = run("check", policy.parent, "--language", "en")

    assert result.exit_code == 2
    assert "privacy.yaml: policy `trial`" in result.stdout
    assert (
        "broken.yaml:8: rule ENC: unknown key `requrie`; did you mean `require`?" in result.stderr
    )


def test_cel_is_refused_with_its_line_and_a_way_out(policy: Path) -> None:
    """A rule that is never asked would look like one that is kept."""
    policy.write_text(
        POLICY.replace("  require: {encrypted: true}", "  cel: a == b"), encoding="utf-8"
    )
    result = run("check", policy, "--language", "ko")

    assert result.exit_code == 2
    assert "privacy.yaml:8: 규칙 ENC: `cel`은" in result.stderr
    assert "`require`나 `forbid`" in result.stderr


def test_what_is_odd_ends_with_3_only_if_asked(policy: Path) -> None:
    """As every command that judges."""
    policy.write_text(POLICY.replace("2099", "2020"), encoding="utf-8")
    result = run("check", policy, "--language", "en")

    assert "odd: privacy.yaml:12: the waiver of ENC for `TB_OLD.*` ended" in result.stdout
    assert (result.exit_code, run("check", policy, "--strict").exit_code) == (0, 3)


def test_no_policy_at_all_ends_with_2(tmp_path: Path) -> None:
    """The baseline does not stand in for a policy that somebody wants checked."""
    (tmp_path / "compose.yaml").write_text("services: {}\n", encoding="utf-8")
    result = run("check", tmp_path, "--language", "en")

    assert (result.exit_code, result.stdout) == (2, "")
    assert "There is no policy here" in result.stderr


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """Of the platform's kind, which ends a command with 2."""
    result = run("check", tmp_path / "none.yaml")

    assert type(result.exception).__name__ == "PolicyCommandError"


def test_json_holds_policies_mistakes_and_oddities(policy: Path) -> None:
    """For programs: lines as numbers."""
    broken = policy.with_name("broken.yaml")
    broken.write_text("apiVersion: minerva/v1\nruls: []\n", encoding="utf-8")
    answer = json.loads(run("check", policy.parent, "--json", "--language", "en").stdout)

    assert [one["rules"] for one in answer["policies"]] == [["ENC", "RET"]]
    assert {(one["file"], one["line"]) for one in answer["mistakes"]} >= {("broken.yaml", 2)}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            [
                "## ENC (high): encrypted",
                "about: columns that hold resident registration number (KR_RRN) that carry one of",
                "authority: the Act",
                "waiver: `TB_OLD.*` until 2099-12-31 (by dpo; reason: goes next year)",
            ],
        ),
        (
            "ko",
            [
                "## ENC (높음): 암호화한다",
                "근거: the Act",
                "위반: 평문 값이 하나라도",
                "2099-12-31까지",
            ],
        ),
    ],
)
def test_a_rule_is_explained_in_the_readers_language(
    policy: Path, language: str, words: list[str]
) -> None:
    """What it asks, of what, what passes and fails, authority and waivers."""
    result = run("explain", policy, "ENC", "--language", language)

    assert result.exit_code == 0
    assert [each for each in words if each not in result.stdout] == []
    assert "RET" not in result.stdout


def test_all_rules_are_explained_with_their_order(policy: Path) -> None:
    """Which of two rules of one id is asked."""
    other = policy.with_name("z.yaml")
    other.write_text(POLICY.replace("id: trial", "id: ours, overrides: [trial]"), encoding="utf-8")
    answer = json.loads(run("explain", policy.parent, "--json", "--language", "en").stdout)
    order = {(rule["policy"], rule["id"]): rule["precedence"] for rule in answer["rules"]}

    assert order["trial", "ENC"] == [
        "not asked: the rule of the same id in policy `ours` (z.yaml:4) goes before it."
    ]
    assert order["ours", "RET"] == [
        "goes before the rule of the same id in policy `trial` (privacy.yaml:10)."
    ]


def test_an_unknown_rule_names_those_that_are_there(policy: Path) -> None:
    """A misspelt id is no empty answer."""
    result = run("explain", policy, "ENK")

    assert str(result.exception).endswith("has no rule ENK. It has ENC, RET.")


def test_the_schema_is_printed() -> None:
    """To be saved beside one's own policies."""
    assert run("schema").stdout == schema_text()
