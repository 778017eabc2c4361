"""Strict masks show nothing that one person alone has; the owner of a policy can be reached."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.core.detection.detector import find
from minerva_governance.core.detection.mask import mask, mask_text, use_masks

Make = Callable[[random.Random], str]
MAKERS: dict[str, Make] = {
    "KR_RRN": lambda dice: (
        f"{dice.randrange(600101, 991231):06d}{dice.choice(['-', ''])}"
        f"{dice.choice('12')}{dice.randrange(10**6):06d}"
    ),
    "EMAIL": lambda dice: (
        f"{'x' * dice.randint(1, 9)}{dice.randrange(99)}@"
        f"{dice.choice(['gmail.com', 'naver.com', f'h{dice.randrange(99)}.example.org'])}"
    ),
    "PHONE": lambda dice: (
        f"010{dice.choice(['-', '', ' '])}{dice.randrange(10**4):04d}-{dice.randrange(10**4):04d}"
    ),
    "CREDIT_CARD": lambda dice: f"4{dice.randrange(10 ** dice.choice([12, 15]))}",
    "IP_ADDRESS": lambda dice: ".".join(str(dice.randrange(256)) for _ in range(4)),
    "PERSON_NAME": lambda dice: "가" * dice.randint(2, 5),
}
POLICY = """\
apiVersion: minerva/v1
policy: {id: shop, owner: "Privacy team <dpo@shop.example>"}
rules:
- id: ENC
  applies_to: {kind: column, pii: any}
  require: {encrypted: true}
- id: KANON
  applies_to: {kind: dataset}
  require: {k_anonymity: {quasi: [PHONE], min: 5}}
waivers:
- {rule: ENC, target: "*.EMAIL", until: 2099-12-31, by: "Privacy team <dpo@shop.example>"}
"""
STRICT = "report: {mask: strict}\n"
ROWS = "JUMIN_NO,EMAIL,PHONE\n" + "".join(
    f"850101-123456{n},a{n}@mail{n}.example.org,010-1234-567{n}\n" for n in range(10)
)
SHOWN_PARTLY = ("850101", "010-", "@mail")


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", range(4))
def test_a_strict_mask_is_that_of_at_least_two_values(kind: str, seed: int) -> None:
    """On generated values of any length, separator and host."""
    dice = random.Random(seed)  # noqa: S311  # no secret
    values = {MAKERS[kind](dice) for _ in range(40)}
    with use_masks(strict=True):
        holders: dict[str, set[str]] = {}
        for value in values:
            holders.setdefault(mask(kind, value), set()).add(value)

    assert all(len(held) > 1 for held in holders.values())


def test_partial_masks_may_tell_one_person_apart() -> None:
    """Or the test above would prove nothing."""
    assert mask("EMAIL", "kim@one.example") != mask("EMAIL", "lee@two.example")
    assert mask("KR_RRN", "850101-1234566") == "850101-1******"


def test_a_text_is_masked_as_strictly() -> None:
    """Where values stand in sentences: names of files, comments, lines of code."""
    text = "850101-1234566 lives at kim@one.example"
    with use_masks(strict=True):
        assert mask_text(text) == "**** lives at ****"
    assert "850101" in mask_text(text)


def test_only_the_address_of_an_owner_is_shown_in_a_text() -> None:
    """Among the values of the data it is one like the others, and numbers of persons never are."""
    with use_masks(strict=False, owners=["850101-1234566 dpo@shop.example"]):
        shown = mask_text("ask dpo@shop.example, not kim@shop.example or 850101-1234566")

        assert shown == "ask dpo@shop.example, not k***@shop.example or 850101-1******"
        assert mask("EMAIL", "dpo@shop.example") == "d***@shop.example"


def reviewed(folder: Path, *policies: str) -> dict[str, Any]:
    """Return the answer of a review of the rows above by `policies`."""
    folder.mkdir()
    for at, text in enumerate(policies):
        (folder / f"policy{at}.yaml").write_text(text, encoding="utf-8")
    (folder / "rows.csv").write_text(ROWS, encoding="utf-8")
    about = {"request": "check", "attachments": [folder]}
    policy = PolicyAgent().invoke(about)["policy"]
    return ComplianceAgent().invoke({**about, "policy": policy})


def files(answer: dict[str, Any]) -> dict[str, str]:
    """Return the content of each file of the answer."""
    return {each["name"]: each["content"] for each in answer["artifacts"]}


@pytest.mark.slow
def test_a_policy_asks_for_strict_masks(tmp_path: Path) -> None:
    """No file shows a part of a value, every file is as it was otherwise, the owner is named."""
    partly = reviewed(tmp_path / "partly", POLICY)
    strictly = reviewed(tmp_path / "strictly", POLICY + STRICT)

    assert all(part in json.dumps(partly, default=str) for part in SHOWN_PARTLY)
    told = files(strictly)
    for content in (*told.values(), strictly["summary"], str(strictly["findings"])):
        assert [part for part in SHOWN_PARTLY if part in content] == []
    assert [(one["target"], one["status"]) for one in strictly["findings"]["findings"]] == [
        (one["target"], one["status"]) for one in partly["findings"]["findings"]
    ]
    document = json.loads(told["findings.json"])
    assert document["policies"][0]["owner"] == "Privacy team <dpo@shop.example>"
    assert "dpo@shop.example" in told["report.md"]
    assert "dpo@shop.example" in told["report.html"]


def test_a_file_that_only_masks_takes_no_baselines_place(tmp_path: Path) -> None:
    """It asks nothing, so the bundled rules are asked, and nobody is told to mend it."""
    answer = reviewed(tmp_path / "in", f"apiVersion: minerva/v1\n{STRICT}")
    rules = {one["rule_id"] for one in answer["findings"]["findings"]}
    told = files(answer)

    assert "BASE-ENC-01" in rules
    assert "850101" not in told["findings.json"]
    assert "the policy has no rules" not in told["report.md"]


def test_a_phone_number_is_shown_with_its_region(tmp_path: Path) -> None:
    """G6: the kind is PHONE, the region KR; strict masks tell no region of a single row."""
    partly = files(reviewed(tmp_path / "partly", POLICY))
    strictly = files(reviewed(tmp_path / "strictly", POLICY + STRICT))

    def regions(content: str) -> set[str]:
        return {
            hit["region"]
            for column in json.loads(content)["inventory"]
            for hit in column["evidence"]
            if column["entity"] == "PHONE"
        }

    assert regions(partly["findings.json"]) == {"KR"}
    assert regions(strictly["findings.json"]) == {""}
    assert "010-****-**** (KR)" in partly["report.md"]
    assert "010-****-****</span> (KR)" in partly["report.html"]


def test_the_makers_make_what_they_say() -> None:
    """Their values are found, or their masks would be those of anything."""
    dice = random.Random(1)  # noqa: S311  # no secret
    for kind in ("EMAIL", "PHONE"):
        assert {match.entity for match in find(MAKERS[kind](dice))} == {kind}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("kim@hospital.kr.lee@clinic.org", "k***@hospital.kr.l***@clinic.org"),
        (
            "kim@hospital.kr.lee@clinic.org+park@office.example",
            "k***@hospital.kr.l***@clinic.org+p***@office.example",
        ),
        ("kim@hospital.kr. Then we rest.", "k***@hospital.kr. Then we rest."),
        ("ki@mail.hospital.co.kr", "k***@mail.hospital.co.kr"),
    ],
)
def test_addresses_that_a_sign_alone_parts_are_both_masked(text: str, shown: str) -> None:
    """The domain of the first does not swallow the name of the second."""
    assert mask_text(text) == shown
