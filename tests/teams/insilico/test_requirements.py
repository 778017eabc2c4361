"""What is declared against what is imported; manifests are read, never run."""

from collections.abc import Callable, Mapping
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from minerva_insilico.core.imports.requirement import (
    Requirements,
    compare_requirements,
    distributions_of,
    known_distributions,
    likeliest_distribution,
)
from minerva_insilico.core.index.index import Index

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]


@pytest.fixture
def compare(write: Write, open_index: Open) -> Callable[[Mapping[str, str]], Requirements]:
    """Give a function that compares the requirements of a tree."""
    return lambda sources: compare_requirements(open_index(write("proj", sources)))


Compare = Callable[[Mapping[str, str]], Requirements]


def names(items: tuple[object, ...]) -> list[str]:
    """Return the names of requirements or distributions."""
    return [getattr(item, "name", "") for item in items]


def test_b10_missing_and_unused(compare: Compare) -> None:
    """B10: `httpx` is declared, `requests` imported."""
    found = compare(
        {
            "pyproject.toml": '[project]\nname = "proj"\ndependencies = ["httpx>=0.28"]\n',
            "proj/__init__.py": "import json\nimport requests\n",
        }
    )

    assert names(found.missing) == ["requests"]
    assert names(found.unused) == ["httpx"]
    assert [(place.path, place.line) for place in found.missing[0].places] == [
        ("proj/__init__.py", 2)
    ]
    assert (found.unused[0].path, found.unused[0].line) == ("pyproject.toml", 3)


PYPROJECT = """
[project]
name = "proj"
dependencies = ["PyYAML", "never-imported ; python_version >= '3.11'", "types-PyYAML"]
[project.optional-dependencies]
image = ["Pillow[xmp]~=11.0", "unused-extra"]
[dependency-groups]
dev = ["pytest", {include-group = "docs"}]
docs = ["sphinx"]
[tool.poetry.dependencies]
python = "^3.11"
attrs = "*"
[tool.poetry.group.lint.dependencies]
ruff = "*"
"""


def test_pyproject_extras_groups_and_poetry(compare: Compare) -> None:
    """Import names are not distribution names; tools of developers need no import."""
    found = compare(
        {"pyproject.toml": PYPROJECT, "a.py": "import yaml, attr\nfrom PIL import Image\n"}
    )

    assert names(found.missing) == names(found.optional) == []
    assert [(item.name, item.group) for item in found.unused] == [
        ("never-imported", "main"),
        ("unused-extra", "extra:image"),
    ]
    assert {item.group for item in found.declarations} == {
        "main", "extra:image", "dev:dev", "dev:docs", "dev:lint",
    }  # fmt: skip


SETUP_PY = """
from setuptools import setup, find_packages
open("ran", "w").write("it ran")
REQUIRED = ["requests>=2", 'not a requirement!']
setup(name="proj", install_requires=REQUIRED, extras_require={"x": ["rich"]},
      tests_require=open("tests.txt").read().split())
"""


def test_setup_py_is_read_and_not_run(compare: Compare, tmp_path: Path) -> None:
    """Lists, names of lists, extras; what is computed is said to be."""
    found = compare({"setup.py": SETUP_PY, "proj.py": "import requests, rich\n"})

    assert names(found.declarations) == ["requests", "rich"]
    assert found.unused == ()
    assert {item.text("en") for item in found.problems} == {
        "`not a requirement!` is no requirement that can be read",
        "`tests_require` is computed: it is read, not run",
    }
    assert not list(tmp_path.rglob("ran"))
    assert not Path("ran").exists()


def test_setup_cfg_and_requirements_files(compare: Compare) -> None:
    """Options, comments, links, markers and other files in them; dev files are for developers."""
    found = compare(
        {
            "setup.cfg": "[metadata]\nname = proj\n[options]\ninstall_requires =\n    click>=8\n"
            "    # a comment\n[options.extras_require]\nfast =\n    orjson\n",
            "requirements.txt": "-r other.txt\n--no-binary :all:\nhttpx==1.0 ; "
            "python_version > '3'  # why\n\n-e .\n./local\n"
            "git+https://x.test/a.git#egg=fromgit\nboltons \\\n  --hash=sha256:00\n",
            "requirements-dev.txt": "black\n",
            "requirements/test.txt": "pytest\n",
            "a.py": "import click, orjson\n",
        }
    )

    groups = {item.name: item.group for item in found.declarations}
    assert groups == {
        "click": "main", "orjson": "extra:fast", "httpx": "lock", "fromgit": "lock",
        "boltons": "lock", "black": "dev:requirements-dev", "pytest": "dev:test",
    }  # fmt: skip
    assert found.unused == ()
    assert [(item.path, item.text("en")) for item in found.problems] == [
        ("requirements.txt", "`./local` names no distribution"),
        ("other.txt", "No such file or directory"),
    ]


def test_what_a_resolver_wrote_is_no_declaration_of_the_project(compare: Compare) -> None:
    """It names what others need; nothing of it is unused."""
    lock = "httpx==0.28\n    # via -r requirements.in\nidna==3\n    # via httpx\n"
    found = compare(
        {"requirements.txt": lock, "requirements.in": "httpx\n", "a.py": "import httpx"}
    )

    assert names(found.unused) == names(found.missing) == []


def test_imports_that_the_code_can_do_without_are_optional(compare: Compare) -> None:
    """Caught, or for type checkers only; one import without a net makes it missing."""
    caught = "try:\n    import orjson\nexcept ImportError:\n    import simplejson as orjson\n"
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pandas import Series\n"
    found = compare({"requirements.txt": "", "a.py": caught + typed, "b.py": "import orjson\n"})

    assert names(found.missing) == ["orjson"]
    assert names(found.optional) == ["pandas", "simplejson"]


def test_the_trees_own_packages_need_no_requirement(compare: Compare) -> None:
    """Neither by module name nor by the name of a project in the tree."""
    found = compare(
        {
            "pyproject.toml": '[project]\nname = "proj"\ndependencies = ["proj-core"]\n',
            "core/pyproject.toml": '[project]\nname = "proj-core"\n',
            "core/proj_core/__init__.py": "",
            "app/main.py": "import proj_core, helper\nfrom proj_core import x\n",
            "app/helper.py": "",
        }
    )

    assert names(found.missing) == names(found.unused) == []


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("pyproject.toml", "[project\n"),
        ("pyproject.toml", "a = " + "[" * 20_000),
        ("setup.py", "def (:\n"),
        ("setup.py", "x = " + "(" * 100_000),
        ("setup.cfg", "no section\n"),
        ("setup.cfg", "[options]\ninstall_requires = %(x)s\n"),
        ("requirements.txt", "\0\0\n" + "a" * 5000),
        ("pyproject.toml", '[project]\ndependencies = "all"\noptional-dependencies = 3\n'),
    ],
)
def test_a_broken_manifest_is_a_problem_with_its_place(
    compare: Compare, path: str, content: str
) -> None:
    """It ends nothing: the others are compared."""
    sources = {path: content, "sub/requirements.txt": "rich\n", "sub/a.py": "import rich\n"}

    found = compare(sources)

    assert found.missing == ()
    assert "rich" in names(found.declarations)
    assert found.problems or found.declarations[0].name == "all"
    assert all(item.path == path for item in found.problems)


def test_a_manifest_that_is_a_link_is_not_read(
    write: Write, open_index: Open, tmp_path: Path
) -> None:
    """It may lead out of the tree."""
    (tmp_path / "secret.txt").write_text("secret\n")
    root = write("proj", {"a.py": ""})
    (root / "requirements.txt").symlink_to(tmp_path / "secret.txt")
    (root / "pyproject.toml").mkdir()

    assert compare_requirements(open_index(root)).declarations == ()


def test_namespaces_belong_to_the_distribution_with_the_module() -> None:
    """`google.cloud.storage` is not `google`; `opentelemetry` is what is installed of it."""
    assert "google-cloud-storage" in distributions_of("google.cloud.storage.Client")
    assert likeliest_distribution("google.protobuf.message") == "protobuf"
    assert likeliest_distribution("opentelemetry.sdk.trace") == "opentelemetry-sdk"
    assert likeliest_distribution("requests.sessions") == "requests"


def test_the_table_agrees_with_what_is_installed() -> None:
    """A pair that an installed distribution contradicts would be wrong for everybody."""
    installed = packages_distributions()

    for module, known in known_distributions().items():
        found = {canonicalize_name(name) for name in installed.get(module, ())}
        assert not found or found & set(known), module


@pytest.mark.parametrize(
    ("path", "content", "declared"),
    [
        ("Pipfile", '[packages]\nhttpx = "*"\n[dev-packages]\nruff = {version = "*"}\n',
         {("httpx", "main"), ("ruff", "dev:dev-packages")}),
        ("pyproject.toml", '[tool.pdm.dev-dependencies]\ntest = ["pytest"]\n',
         {("pytest", "dev:test")}),
        ("pyproject.toml", '[tool.uv]\ndev-dependencies = ["ruff"]\n', {("ruff", "dev:uv")}),
        ("pyproject.toml", '[tool.hatch.envs.lint]\ndependencies = ["mypy"]\n',
         {("mypy", "dev:lint")}),
        ("pyproject.toml", '[tool.flit.metadata]\nrequires = ["httpx"]\n', {("httpx", "main")}),
        ("setup.cfg", "[options]\ninstall_requires =\n  httpx\n", {("httpx", "main")}),
        ("setup.cfg", "[options]\ninstall_requires = file: need.txt\n", {("attrs", "main")}),
        ("requirements.txt", "-r need.txt\nhttpx\n", {("attrs", "main"), ("httpx", "main")}),
        ("pyproject.toml",
         '[project]\nname = "p"\ndynamic = ["dependencies"]\n'
         '[tool.setuptools.dynamic]\ndependencies = {file = ["need.txt"]}\n',
         {("attrs", "main")}),
    ],
)  # fmt: skip
def test_each_form_of_declaring_is_read(
    compare: Compare, path: str, content: str, declared: set[tuple[str, str]]
) -> None:
    """A file that another refers to is read with it."""
    found = compare({path: content, "need.txt": "attrs\n", "a.py": "x = 1\n"})

    assert {(item.name, item.group) for item in found.declarations} == declared
    assert found.problems == ()


@pytest.mark.parametrize(
    ("path", "content", "problem"),
    [
        ("requirements.txt", "-r ../outside.txt\n", "`../outside.txt` is not read"),
        ("requirements.txt", "-r https://a.example/r\n", "`https://a.example/r` is not read"),
        ("requirements.txt", "./wheels/a.whl\n", "`./wheels/a.whl` names no distribution"),
        ("pyproject.toml", '[project]\nname = "p"\ndynamic = ["dependencies"]\n',
         "`dependencies` is dynamic: a build backend computes it, and it is not run"),
        ("setup.py", "setup(install_requires=read())\n",
         "`install_requires` is computed: it is read, not run"),
    ],
)  # fmt: skip
def test_what_is_declared_elsewhere_and_not_read_is_said(
    compare: Compare, path: str, content: str, problem: str
) -> None:
    """Nothing that a manifest says is left out without a word."""
    found = compare({path: content, "a.py": "x = 1\n"})

    assert [item.text("en") for item in found.problems] == [problem]


@pytest.mark.parametrize(
    "name",
    ["Pipfile.lock", "poetry.lock", "pdm.lock", "uv.lock", "pylock.toml", "environment.yml",
     "meta.yaml", "tox.ini", "noxfile.py", "constraints.txt"],
)  # fmt: skip
def test_files_that_name_distributions_and_are_not_read_are_listed(
    compare: Compare, name: str
) -> None:
    """A lock repeats what others need; conda's and tox's files are not read."""
    found = compare({name: "", "a.py": "x = 1\n"})

    assert found.unread == (name,)
