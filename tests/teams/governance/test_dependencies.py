"""Libraries come out of manifests and locks with their licences, and into an SBOM."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.core.dependencies.dependency import Dependencies
from minerva_governance.core.dependencies.manifest_file import ManifestScan
from minerva_governance.core.dependencies.sbom import to_sbom
from minerva_governance.core.reading.source_files import Source, gather
from minerva_reading import UnreadableError

REQUIREMENTS = """\
# what the server needs
requests[socks]==2.31.0 ; python_version > "3.8"  # pinned
Flask_Login >= 0.6, < 1
numpy==1.26.4 \\
    --hash=sha256:00 \\
    --hash=sha256:01
pkg @ https://example.org/pkg.whl
--no-binary :all:
-e .
-r more.txt
./local.whl
"""
PYPROJECT = """\
[project]
name = "shop"
dependencies = ["django>=5", "requests"]
optional-dependencies = {extra = ["rich==13.0"]}
[dependency-groups]
dev = ["pytest", {include-group = "docs"}]
[tool.poetry.dependencies]
python = "^3.11"
httpx = "^0.27"
own = {path = "../own"}
"""
UV_LOCK = """\
version = 1
requires-python = ">=3.11"
[[package]]
name = "shop"
source = { editable = "." }
[[package]]
name = "django"
version = "5.1"
source = { registry = "https://packages.example/simple" }
[[package]]
name = "requests"
version = "2.32.0"
"""
POETRY_LOCK = """\
[[package]]
name = "django"
version = "5.0"
[metadata]
lock-version = "2.0"
"""
PIPFILE_LOCK = """\
{"_meta": {}, "default": {"django": {"version": "==4.2"}},
 "develop": {"pytest": {"version": "==8.0"}}}
"""
PACKAGE = """\
{"name": "shop", "dependencies": {
   "left-pad": "1.3.0",
   "@types/node": "^20"},
 "devDependencies": {"jest": "*"}}
"""
PACKAGE_LOCK = """\
{"lockfileVersion": 3, "packages": {
  "": {"name": "shop"},
  "node_modules/@types/node": {"version": "20.1.0", "license": "MIT"},
  "node_modules/a/node_modules/b": {"version": "2.0.0", "license": "(MIT OR GPL-3.0)"},
  "node_modules/own": {"link": true, "resolved": "packages/own"}}}
"""
OLD_LOCK = """\
{"lockfileVersion": 1, "dependencies": {
  "a": {"version": "1.0.0", "dependencies": {"b": {"version": "2.0.0"}}}}}
"""
METADATA = """\
Metadata-Version: 2.1
Name: Some.Thing
Version: 3.1
License: Apache Software License
Classifier: License :: OSI Approved :: Apache Software License

The text below the headers: License: GPL
"""

POLICY = """\
apiVersion: minerva/v1
policy: {id: libraries}
rules:
- id: LIC
  severity: high
  applies_to: {kind: dependency}
  forbid: {license: [GPL-3.0-only, AGPL-3.0-or-later]}
"""


def scanned(path: Path, files: Mapping[str, str]) -> tuple[Dependencies, list[str]]:
    """Return the libraries of `files`, and what of them was not read."""
    folder = path / "given"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    scan, unread = ManifestScan("en"), list[str]()
    sources = gather([folder]).sources
    for source in sources:
        unread += scan.read_manifest(source)
    unread += [reason for _, reason in scan.missing(sources)]
    return scan.dependencies(), unread


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "requirements.txt",
            REQUIREMENTS,
            {"requests@2.31.0": 2, "Flask_Login": 3, "numpy@1.26.4": 4, "pkg": 7},
        ),
        (
            "pyproject.toml",
            PYPROJECT,
            {"django": 3, "requests": 3, "rich@13.0": 4, "pytest": 6, "httpx": 9},
        ),
        ("uv.lock", UV_LOCK, {"django@5.1": 7, "requests@2.32.0": 11}),
        ("poetry.lock", POETRY_LOCK, {"django@5.0": 2}),
        ("Pipfile.lock", PIPFILE_LOCK, {"django@4.2": 1, "pytest@8.0": 2}),
        ("package.json", PACKAGE, {"left-pad@1.3.0": 2, "@types/node": 3, "jest": 4}),
        ("package-lock.json", PACKAGE_LOCK, {"@types/node@20.1.0": 3, "b@2.0.0": 4}),
        ("package-lock.json", OLD_LOCK, {"a@1.0.0": 2, "b@2.0.0": 2}),
        ("Some.Thing-3.1.dist-info/METADATA", METADATA, {"Some.Thing@3.1": 1}),
    ],
)
def test_each_library_has_its_version_and_its_line(
    tmp_path: Path, name: str, text: str, expected: dict[str, int]
) -> None:
    """The project itself, its parts and its options are no libraries."""
    found, _ = scanned(tmp_path, {name: text})

    assert {one.target: one.line for one in found.libraries} == expected
    assert found.manifests == (name,)


def test_what_a_manifest_leaves_open_is_said(tmp_path: Path) -> None:
    """Lines without a name, files that are not there, dependencies that a build computes."""
    computed = '[project]\nname = "x"\ndynamic = ["dependencies"]\n'
    _, unread = scanned(tmp_path, {"requirements.txt": REQUIREMENTS, "a/pyproject.toml": computed})

    assert unread == [
        "lines that name no library: 11",
        "its dependencies are computed when it is built (dynamic).",
        "it refers to files that were not attached: more.txt",
    ]


def test_a_lock_settles_what_the_manifests_below_it_leave_open(tmp_path: Path) -> None:
    """A library is there once, in its locked version; another folder's is not settled."""
    files = {
        "app/pyproject.toml": '[project]\ndependencies = ["Django>=5", "numpy"]\n',
        "app/uv.lock": UV_LOCK,
        "app/deep/requirements.txt": "django\n",
        "other/requirements.txt": "django>=4\n",
    }
    found, _ = scanned(tmp_path, files)

    assert [(one.target, one.source) for one in found.libraries] == [
        ("django", "other/requirements.txt"),
        ("django@5.1", "app/uv.lock"),
        ("numpy", "app/pyproject.toml"),
        ("requests@2.32.0", "app/uv.lock"),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", '{"patients": [{"ssn": 1}]}'),
        ("package.json", "[" * 100_000),
        ("package-lock.json", "{}"),
        ("pyproject.toml", "= broken"),
        ("pyproject.toml", "x = " + "[" * 5_000),
        ("uv.lock", "rows = 1"),
        ("requirements.txt", "the system shall\nstore patients\n"),
        ("Pipfile.lock", '{"default": {}}'),
    ],
)
def test_a_file_that_only_has_such_a_name_is_no_manifest(
    tmp_path: Path, name: str, text: str
) -> None:
    """It may hold anything, so it is refused instead of being read as an empty list."""
    (tmp_path / name).write_text(text, encoding="utf-8")

    with pytest.raises(UnreadableError, match="cannot be read as a list of libraries"):
        ManifestScan("en").read_manifest(Source.of(tmp_path / name))


def test_the_sbom_is_valid_and_always_the_same(tmp_path: Path) -> None:
    """By the schema that CycloneDX publishes; with licences as SPDX, or `unknown`."""
    from cyclonedx.validation.json import JsonStrictValidator  # noqa: PLC0415  # it compiles 38 grammars

    files = {"package-lock.json": PACKAGE_LOCK, "requirements.txt": "requests==2.31.0\n"}
    files["Some.Thing-3.1.dist-info/METADATA"] = METADATA
    found, _ = scanned(tmp_path, files)
    content = to_sbom(found)
    bom: dict[str, Any] = json.loads(content)

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(content) is None
    assert content == to_sbom(Dependencies.model_validate(found.model_dump()))
    assert {each["purl"]: each["licenses"] for each in bom["components"]} == {
        "pkg:npm/%40types/node@20.1.0": [{"license": {"id": "MIT"}}],
        "pkg:npm/b@2.0.0": [{"expression": "MIT OR GPL-3.0-only"}],
        "pkg:pypi/requests@2.31.0": [{"license": {"name": "unknown"}}],
        "pkg:pypi/some-thing@3.1": [{"license": {"id": "Apache-2.0"}}],
    }
    assert bom["serialNumber"].startswith("urn:uuid:")
    assert "timestamp" not in bom["metadata"]


def test_licences_of_the_environment_are_not_taken(tmp_path: Path) -> None:
    """They speak for the code only where both share an environment."""
    path = tmp_path / "requirements.txt"
    path.write_text("pydantic\njinja2==0.0\n", encoding="utf-8")
    scan = ManifestScan("en")
    scan.read_manifest(Source.of(path))

    assert {one.licence for one in scan.dependencies().libraries} == {""}


def answered(folder: Path, policy: str = POLICY) -> dict[str, Any]:
    """Review `folder` by `policy`."""
    path = folder.parent / "policy.yaml"
    path.write_text(policy, encoding="utf-8")
    loaded = PolicyAgent().invoke({"request": "check", "attachments": [path]})
    return ComplianceAgent().invoke(
        {"request": "check", "policy": loaded["policy"], "attachments": [folder]}
    )


def statuses(answer: dict[str, Any]) -> dict[str, str]:
    """Return what the rule came to at each target."""
    return {item["target"]: item["status"] for item in answer["findings"]["findings"]}


def test_a_review_judges_each_library_and_hands_out_the_sbom(tmp_path: Path) -> None:
    """OR leaves a way out, AND does not; what is not known is not evaluated."""
    lock = {
        "lockfileVersion": 3,
        "packages": {
            f"node_modules/{name}": {"version": "1.0.0", "license": licence}
            for name, licence in {
                "free": "MIT",
                "choice": "MIT OR GPL-3.0-only",
                "both": "MIT AND GPL-3.0-or-later",
                "network": "AGPL-3.0",
                "vague": "BSD License",
                "linked": "GPL-3.0-only WITH GCC-exception-3.1",
            }.items()
        },
    }
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "package-lock.json").write_text(json.dumps(lock, indent=1), encoding="utf-8")
    answer = answered(folder)

    assert statuses(answer) == {
        "both@1.0.0": "fail",
        "choice@1.0.0": "pass",
        "free@1.0.0": "pass",
        "linked@1.0.0": "not_evaluated",
        "network@1.0.0": "fail",
        "vague@1.0.0": "not_evaluated",
    }
    (written,) = [each for each in answer["artifacts"] if each["name"] == "sbom.json"]
    assert len(json.loads(written["content"])["components"]) == 6
    assert "licences were not looked at" not in answer["summary"]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (POLICY, {"a": "not_evaluated"}),
        (POLICY + "  unknown: fail\n", {"a": "fail"}),
        (
            POLICY.replace("GPL-3.0-only", "GPL-3"),
            {"requirements.txt": "not_evaluated", "a": "not_evaluated"},
        ),
    ],
)
def test_what_is_not_known_never_passes(
    tmp_path: Path, policy: str, expected: dict[str, str]
) -> None:
    """A licence that nobody states, and a policy's word that is no licence."""
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "requirements.txt").write_text("a\n", encoding="utf-8")

    assert statuses(answered(folder, policy)) == expected


@pytest.mark.parametrize("name", ["go.mod", "yarn.lock", "setup.py", "nothing.csv"])
def test_without_a_list_that_is_read_nothing_passes(tmp_path: Path, name: str) -> None:
    """A manifest in another form is named."""
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / name).write_text("module\n1\n", encoding="utf-8")
    found = statuses(answered(folder))

    assert set(found.values()) == {"not_evaluated"}
    assert name == "nothing.csv" or name in found


def test_a_bill_of_materials_names_libraries_with_licences(tmp_path: Path) -> None:
    """CycloneDX: ids, expressions, components inside others; a file of that name may be data."""
    inner = {"name": "lodash", "version": "4", "purl": "pkg:npm/lodash@4", "licenses": []}
    licences = [{"license": {"id": "MIT"}}, {"expression": "Apache-2.0"}]
    outer: dict[str, Any] = {"name": "requests", "version": "2", "purl": "pkg:pypi/requests@2"}
    outer |= {"licenses": licences, "components": [inner]}
    text = json.dumps({"bomFormat": "CycloneDX", "components": [outer]}, indent=1)
    found, unread = scanned(tmp_path, {"sbom.json": text})

    assert [(one.ecosystem, one.name, one.version, one.licence) for one in found.libraries] == [
        ("npm", "lodash", "4", ""),
        ("pypi", "requests", "2", "MIT AND Apache-2.0"),
    ]
    assert unread == []
