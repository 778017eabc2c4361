"""The shape of the repository: what breaks everybody at once when it drifts.

`platform/__init__.py` alone would shadow Python's own `platform` module for everything started
from the root; a registry's address in a lock would bind every clone to one company's network.
"""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEAMS = sorted(path.parent for path in ROOT.glob("teams/*/pyproject.toml"))
ROOMS = [ROOT / "platform", ROOT / "observability", *TEAMS]
LOCKS = sorted(ROOT.glob("configs/locks/*.txt"))

TOP_LEVEL = {
    ".ci",
    ".editorconfig",
    ".gitignore",
    ".pre-commit-config.yaml",
    "AGENTS.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "configs",
    "langgraph.json",
    "observability",
    "platform",
    "pyproject.toml",
    "teams",
    "tests",
}

TEAM_SHAPE = {
    *("team.py", "contracts.py", "settings.py"),
    *("agents", "steps", "answers", "commands", "core"),
    *("examples", "schemas", "seed"),  # data that is bundled
    *("__init__.py", "py.typed"),
}


def committed() -> list[str]:
    """Return the paths that git keeps, or would keep if everything were added."""
    command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    found = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    return [name for name in found.stdout.split("\0") if name and (ROOT / name).is_file()]


def packages(room: Path) -> list[Path]:
    """Return the packages of a room: a team has one, the platform two."""
    return sorted(path.parent for path in room.glob("minerva_*/__init__.py"))


def test_source_roots_and_tests_are_no_packages() -> None:
    """Otherwise `platform` hides Python's own, and two test files of one name collide."""
    roots = [ROOT / name for name in ("platform", "teams", "observability")]
    at_roots = [root / "__init__.py" for root in [*roots, *TEAMS]]
    strangers = ("requests_files", "team_inputs")
    elsewhere = (ROOT / "tests/external_team", *(ROOT / "tests/bench" / name for name in strangers))
    in_tests = [
        path
        for path in ROOT.glob("tests/**/__init__.py")
        if not any(map(path.is_relative_to, elsewhere))
    ]

    assert [path for path in at_roots if path.exists()] + in_tests == []


def test_all_tests_live_under_the_root_tests() -> None:
    """A second `tests` folder would be collected under another root, or not at all."""
    strays = [name for name in committed() if re.search(r"(^|/)(test_\w+|conftest)\.py$", name)]

    assert [name for name in strays if not name.startswith("tests/")] == []


def test_nothing_new_stands_at_the_top() -> None:
    """The top level is the first thing a newcomer reads: each name there is explained."""
    assert {name.partition("/")[0] for name in committed()} <= TOP_LEVEL


@pytest.mark.parametrize("team", TEAMS, ids=lambda path: path.name)
def test_every_team_has_the_same_files(team: Path) -> None:
    """Whoever knows one team finds the way in all of them."""
    (root,) = packages(team)
    expected = [team / "README.md", *(root / name for name in ("team.py", "contracts.py", "core"))]

    assert root.name == f"minerva_{team.name}"
    assert [path.name for path in expected if not path.exists()] == []


@pytest.mark.parametrize("team", TEAMS, ids=lambda path: path.name)
def test_every_team_has_the_same_shape(team: Path) -> None:
    """A folder of another name is one more word to learn; what workers share is a step, not one."""
    (root,) = packages(team)
    inside = f"{root.relative_to(ROOT).as_posix()}/"
    names = [name.removeprefix(inside) for name in committed() if name.startswith(inside)]
    strangers = {name.partition("/")[0] for name in names} - TEAM_SHAPE
    workers = sorted(path for path in root.glob("agents/*.py") if path.name != "__init__.py")

    assert strangers == set()
    assert [path.name for path in workers if "(BaseAgent[" not in path.read_text("utf-8")] == []


@pytest.mark.parametrize("team", TEAMS, ids=lambda path: path.name)
def test_a_team_is_named_wherever_its_neighbours_are(team: Path) -> None:
    """A team that a list forgot would be neither installed, nor checked, nor kept apart."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tool, name, folder = config["tool"], f"minerva_{team.name}", f"teams/{team.name}"
    distribution = f"minerva-team-{team.name}"
    _, platform, readers, apart, public, core, _ = tool["importlinter"]["contracts"]
    lists: dict[str, bool] = {
        "project.dependencies": any(
            distribution in line for line in config["project"]["dependencies"]
        ),
        "tool.uv.workspace": folder in tool["uv"]["workspace"]["members"],
        "tool.uv.sources": distribution in tool["uv"]["sources"],
        "tool.mypy": folder in tool["mypy"]["mypy_path"].split(":"),
        "tool.pyright": folder in tool["pyright"]["extraPaths"],
        "tool.importlinter": name in tool["importlinter"]["root_packages"],
        "contract of the platform": name in platform["forbidden_modules"],
        "contract of the readers": name in readers["forbidden_modules"],
        "contract of independence": name in apart["modules"],
        "contract of the public API": name in public["source_modules"],
        "contract of the cores": f"{name}.core" in core["source_modules"],
    }

    assert [where for where, is_named in lists.items() if not is_named] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.name)
def test_every_room_is_typed_and_explained(room: Path) -> None:
    """`py.typed` carries the annotations to whoever installs it; a README tells what it is for."""
    readme = (room / "README.md").read_text(encoding="utf-8")

    assert [path.name for path in packages(room) if not (path / "py.typed").exists()] == []
    assert len(readme.splitlines()) > 5


def test_every_module_that_a_document_names_is_there() -> None:
    """A module that was renamed is renamed in the documents, too."""
    told = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
    told += [path for room in ROOMS for path in room.rglob("*.md") if "template" not in path.parts]
    there = [path.as_posix() for room in [*ROOMS, ROOT / "tests"] for path in room.rglob("*.py")]
    missing = {
        f"{document.relative_to(ROOT)}: {name}"
        for document in told
        for name in re.findall(r"`([\w/]+\.py)`", document.read_text(encoding="utf-8"))
        if name not in {"setup.py", "platform/__init__.py"}  # neither is ours
        and not any(path.endswith(f"/{name}") for path in there)
    }

    assert missing == set()


@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.name)
def test_every_dependency_has_a_lower_bound(room: Path) -> None:
    """Without one a resolver may fall back to a version from before the API we use."""
    project = tomllib.loads((room / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert [name for name in project["dependencies"] if ">=" not in name] == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_is_only_versions_and_hashes(lock: Path) -> None:
    """No registry address, no path of the machine it was made on, no member of ours."""
    line = re.compile(
        r"[a-z0-9.-]+(\[[a-z,]+\])?==[^ /@]+( ; [^/@]+)? \\|    --hash=sha256:\w{64}( \\)?"
    )
    lines = lock.read_text(encoding="utf-8").splitlines()

    assert [text for text in lines if not line.fullmatch(text)] == []
    assert [text for text in lines if text.startswith("minerva")] == []


def test_the_locks_agree() -> None:
    """What runs in production is what the tests ran with."""
    base, dev = (
        set(
            re.findall(
                r"^\S+==\S+", (ROOT / "configs/locks" / name).read_text("utf-8"), re.MULTILINE
            )
        )
        for name in ("base.txt", "dev.txt")
    )

    assert base - dev == set()


def test_no_committed_file_is_bound_to_one_machine() -> None:
    """An address of a registry or somebody's home folder would fail everywhere else."""
    names = committed()
    here = "|".join(re.escape(str(path)) for path in (ROOT, Path.home()))
    registry = r"pypi\.org|files\.pythonhosted|registry\.npmjs|--(?:extra-)?index-url|--find-links"
    bound = re.compile(rf"(?<![\w.])(?:{here})(?=/\w)|{registry}")
    found = [
        f"{name}: {match[0]}"
        for name in names
        if name != "tests/test_layout.py"
        for match in bound.finditer((ROOT / name).read_text(encoding="utf-8", errors="replace"))
    ]

    assert [name for name in names if Path(name).name == "uv.lock"] == []
    assert found == []


BENCHMARKS = sorted(path for path in ROOT.glob("tests/bench/[!_]*.py") if path.name != "run.py")
"""What begins with `_` is what benchmarks share."""


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda path: path.stem)
def test_every_benchmark_can_be_run_by_name(benchmark: Path) -> None:
    """`make bench` calls its `main()` and gives it nothing."""
    tree = ast.parse(benchmark.read_text(encoding="utf-8"))
    (main,) = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"
    ]

    assert len(main.args.args) == len(main.args.defaults)
