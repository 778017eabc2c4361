"""The tables of kinds, and the kinds that people add."""

import re
from pathlib import Path

import duckdb
import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.core.detection.cell import find_in_cell
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.detector import find
from minerva_governance.core.detection.entity import category, label
from minerva_governance.core.detection.mask import mask, mask_text, use_masks
from minerva_governance.core.kinds.catalogue import bundled_catalogue
from minerva_governance.core.kinds.extra import describe_unchecked
from minerva_governance.core.kinds.kind import CATEGORIES, Kind
from minerva_governance.core.kinds.kind_file import KindFileError, read_kinds, refused
from minerva_governance.core.kinds.review_context import current_catalogue, use_kinds
from minerva_governance.core.policy.policy_file import PolicyError, read_policy
from minerva_platform.text import has_hangul, read_yaml

BADGE = Kind(
    id="EMPLOYEE_BADGE",
    category="unique_identifier",
    ko="사원증 번호",
    en="badge number",
    names=("BADGENO",),
    form="B-[0-9]{6}",
    keep=2,
)


@pytest.mark.parametrize("kind", bundled_catalogue().kinds.values(), ids=lambda kind: kind.id)
def test_every_kind_is_called_something_in_both_languages(kind: Kind) -> None:
    """A report never shows an id alone."""
    assert has_hangul(label(kind.id, "ko"))
    assert label(kind.id, "en") == kind.en
    assert kind.names or kind.comments


def test_every_category_has_a_kind() -> None:
    """A policy may name any of them."""
    assert {kind.category for kind in bundled_catalogue().kinds.values()} == set(CATEGORIES)


@pytest.mark.slow
@pytest.mark.parametrize("kind", bundled_catalogue().kinds.values(), ids=lambda kind: kind.id)
def test_every_form_is_one_of_re2(kind: Kind) -> None:
    """The scan of whole files runs them in DuckDB."""
    with duckdb.connect() as database:
        for form in (kind.form, kind.weak, kind.told, kind.named):
            if form:
                asked = database.execute("SELECT regexp_full_match('', ?)", [form]).fetchone()
                assert asked == (False,)


def test_a_name_belongs_to_one_kind() -> None:
    """Else the order of the tables would decide."""
    owners: dict[str, list[str]] = {}
    for kind in bundled_catalogue().kinds.values():
        for name in kind.names:
            owners.setdefault(name, []).append(kind.id)

    assert {name: ids for name, ids in owners.items() if len(ids) > 1} == {}


def test_a_word_of_a_policy_is_an_id_a_category_or_any() -> None:
    """Keys are no personal data by themselves, so `any` leaves them out."""
    known = bundled_catalogue()

    assert known.resolve("EMAIL") == ("EMAIL",)
    assert known.resolve("KR_PHONE") == ("PHONE",)
    assert {"DIAGNOSIS", "DRUG"} <= set(known.resolve("health"))
    assert "INTERNAL_ID" not in known.resolve("any")
    assert known.resolve("emial") == ()
    assert known.nearest("emial") == "EMAIL"


def write_policy(folder: Path, pii: str, more: str = "") -> Path:
    """Write a policy whose only rule is on `pii`."""
    path = folder / "policy.yaml"
    path.write_text(
        f"apiVersion: minerva/v1\npolicy: {{id: p}}\n{more}rules:\n- id: R-1\n"
        f"  applies_to: {{kind: column, pii: {pii}}}\n  require: {{encrypted: true}}\n",
        encoding="utf-8",
    )
    return path


def test_a_policy_may_name_a_category(tmp_path: Path) -> None:
    """`health` is every kind of health data."""
    policy = read_policy(read_yaml(write_policy(tmp_path, "[health, EMAIL]")))

    assert policy is not None
    assert policy.rules[0].pii == (*bundled_catalogue().of_category("health"), "EMAIL")


def test_an_unknown_kind_names_the_nearest(tmp_path: Path) -> None:
    """With rule and line, because a rule on nothing protects nothing."""
    with pytest.raises(PolicyError, match=r"policy.yaml:5: .*R-1.*`EMIAL`.*`EMAIL`"):
        read_policy(read_yaml(write_policy(tmp_path, "[EMIAL]")))


def test_an_added_kind_is_found_masked_and_called_by_its_name() -> None:
    """In values, in names and in whatever leaves, as long as it is in use."""
    with use_kinds([BADGE]):
        assert [match.entity for match in find("badge B-123456.")] == ["EMPLOYEE_BADGE"]
        assert mask_text("badge B-123456.") == "badge B-1*****."
        assert promised_entity("badge_no") == "EMPLOYEE_BADGE"
        assert label("EMPLOYEE_BADGE", "ko") == "사원증 번호"
        assert category("EMPLOYEE_BADGE") == "unique_identifier"

    assert find("badge B-123456.") == []
    assert current_catalogue() is bundled_catalogue()


KINDS = """\
kinds:
- id: EMPLOYEE_BADGE
  category: unique_identifier
  label: {ko: 사원증 번호, en: badge number}
  names: [badge_no, 사원증번호]
  form: "B-[0-9]{6}"
  mask: 2
"""


def test_kinds_are_read_from_yaml(tmp_path: Path) -> None:
    """Names are glued as those of columns are."""
    path = tmp_path / "kinds.yaml"
    path.write_text(KINDS, encoding="utf-8")

    (kind,) = read_kinds(read_yaml(path))

    assert (kind.id, kind.form, kind.keep) == ("EMPLOYEE_BADGE", "B-[0-9]{6}", 2)
    with use_kinds([kind]):
        assert promised_entity("BADGE_NO") == "EMPLOYEE_BADGE"
        assert promised_entity("C1", "사원증번호") == "EMPLOYEE_BADGE"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("id: badge", r":2: `id` must be"),
        ("category: healthy", r":3: `category` must be: health"),
        ("form: '(?=x)x'", r":6: `form` is no expression of RE2"),
        ("form: '[0-9]+'", r":6: .*without an end"),
        ("form: '(?:a{1,9}){1,9}'", r":6: .*repeats a repeat"),
        ("form: 'a{0,4}'", r":6: .*matches nothing"),
        ("mask: -1", r":7: `mask` must be"),
        ("lable: x", r":\d: unknown key `lable`"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_what_to_type(
    tmp_path: Path, wrong: str, message: str
) -> None:
    """Everything wrong with the file at once."""
    key = wrong.partition(":")[0]
    lines = [
        f"  {wrong}" if line.strip().startswith(f"{key}:") else line for line in KINDS.splitlines()
    ]
    if key == "id":
        lines[1] = f"- {wrong}"
    elif key == "lable":
        lines.append(f"  {wrong}")
    path = tmp_path / "kinds.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")

    with pytest.raises(KindFileError, match=message):
        read_kinds(read_yaml(path))


@pytest.mark.parametrize(
    "form", [r"(a|a){30}b", r"(a?){30}", r"((a{1,9}){1,9}){1,9}", r"(a|aa)*", "(" * 90]
)
def test_an_expression_that_may_take_for_ever_is_refused(form: str) -> None:
    """It would run over every cell of a file that is not ours either."""
    assert refused(form) is not None


@pytest.mark.parametrize("form", ["B-[0-9]{6}", "(?:AB|CD)[0-9]{4,8}[*+]?", r"\+[0-9]{3}"])
def test_plain_expressions_are_taken(form: str) -> None:
    """Signs in a class or behind a backslash repeat nothing."""
    assert refused(form) is None


def test_a_policy_with_a_kind_of_its_own_finds_and_masks_it(tmp_path: Path) -> None:
    """From the file to the report."""
    path = write_policy(tmp_path, "[EMPLOYEE_BADGE]", KINDS)
    data = tmp_path / "staff.csv"
    data.write_text("badge_no\nB-123456\nB-234567\n", encoding="utf-8")
    policy = PolicyAgent().invoke({"request": "check", "attachments": [path]})

    found = ComplianceAgent().invoke(
        {"request": "check", "policy": policy["policy"], "attachments": [data]}
    )

    (finding,) = [one for one in found["findings"]["findings"] if one["rule_id"] == "R-1"]
    assert finding["status"] == "fail"
    assert "B-1*****" in finding["evidence"]
    assert "B-123456" not in str(found)


def test_what_cannot_be_checked_says_what_to_install() -> None:
    """A rule on it is not evaluated."""
    told = describe_unchecked(["EMAIL", "IBAN_CODE"], language="en", is_installed=lambda _: False)

    assert told is not None
    assert told.startswith("IBAN_CODE: ")
    assert "pip install 'minerva-team-governance[numbers]'" in told
    assert describe_unchecked(["EMAIL"], language="en", is_installed=lambda _: False) is None


SAMPLES = {
    "KR_RRN": "850101-1234566",
    "KR_FRN": "900101-5123452",
    "KR_BRN": "220-81-98766",
    "KR_PASSPORT": "M12345678",
    "KR_DRIVER_LICENSE": "11-12-123456-78",
    "PHONE": "010-1234-5678",
    "EMAIL": "hong@example.org",
    "CREDIT_CARD": "4000-0012-3456-9010",
    "IBAN_CODE": "DE89 3704 0044 0532 0130 00",
    "IP_ADDRESS": "203.0.113.77",
    "MAC_ADDRESS": "00:1b:44:11:3a:b7",
    "DEVICE_ID": "490154203237518",
    "US_SSN": "219-09-9999",
    "US_ITIN": "912-70-1234",
    "NATIONAL_ID": "AB1234567",
    "UK_NINO": "AB 12 34 56 C",
    "UK_NHS": "943 476 5919",
    "DE_TAX_ID": "86095742719",
    "FR_NIR": "2 55 08 14 168 025 38",
    "ES_NIF": "54362315-K",
    "IT_FISCAL_CODE": "RCCMNL83S18D969H",
    "NL_BSN": "111222333",
    "PL_PESEL": "44051401359",
    "SE_PERSONNUMMER": "880320-0016",
    "BE_NN": "85.07.30-033.28",
    "AT_SVNR": "1237010180",
    "CH_AHV": "756.9217.0769.85",
    "JP_MY_NUMBER": "123456789018",
    "BANK_ACCOUNT": "110-123-456789",
    "BIRTH_DATE": "1985-01-01",
    "POSTCODE": "13503",
}


def test_every_kind_with_a_form_has_a_sample_here() -> None:
    """So that the two tests below speak of all of them."""
    assert {kind.id for kind in bundled_catalogue().kinds.values() if kind.named_form} == set(
        SAMPLES
    )


@pytest.mark.parametrize(("kind_id", "value"), SAMPLES.items())
def test_a_value_in_a_column_named_so_is_found_and_its_mask_hides_it(
    kind_id: str, value: str
) -> None:
    """A mask keeps at most the first half, and the strict one nothing."""
    found = dict(find_in_cell(value, kind_id))
    shown = mask(kind_id, value)
    with use_masks(strict=True):
        strict = mask(kind_id, value)

    assert kind_id in found
    assert strict == "****"
    assert len(re.sub("[^0-9A-Za-z]", "", shown)) <= max(12, len(value) // 2)
    assert shown != value
    assert find_in_cell(shown, None) == []
