"""How far a reader has to go in this house, in numbers that may fall and never rise.

    python tests/support/guards.py [--write]

`guards.toml` beside this file holds the limits. `make lint` prints what is measured beside them and
fails if one is passed. `--write` lowers the limits to what is measured, and raises none: whoever
must raise one does it by hand and says why at the end of its line.
"""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import grimp

ROOT = Path(__file__).parents[2]
LIMITS = Path(__file__).with_suffix(".toml")
PLATFORM = "minerva_platform"
ROOMS = {"minerva_reading": "reading"}
"""Packages that are rooms of their own beside another one of their distribution."""
DISTRIBUTIONS = [
    ROOT / "platform",
    ROOT / "observability",
    *sorted(path.parent for path in ROOT.glob("teams/*/pyproject.toml")),
]
CLOSURES = (
    "planning.next_move",
    "contract.team",
    "runtime.supervisor",
    "conversation.follow_up",
)
"""Where changes most often begin: who reads one of these must know what it imports."""
LONG_FILE, LONG_FUNCTION = 400, 50

Figures = dict[str, dict[str, int]]
"""The sections of the limits, and the figures in each."""

_IRREGULAR = frozenset(
    "begun bound broken brought built caught chosen cut done drawn driven found given gone grown "
    "held hidden kept known left led lost made meant met put read said seen sent shown spent "
    "spoken taken told understood woken won written".split()
)
_NOUNS = frozenset(("bed", "embed", "exceed", "feed", "need", "seed", "shed", "speed"))
_CONTEXTS = ("contextmanager", "asynccontextmanager", "fixture")


def is_participle(name: str) -> bool:
    """Return True if a name is a participle alone, which does not say what the thing is."""
    word = name.strip("_").lower()
    if word in _NOUNS or not word.isalpha():
        return False
    return word in _IRREGULAR or (len(word) > 4 and word.endswith("ed"))


def bare_participles(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Yield each bare participle that a module binds, and whether others see it.

    They see functions, classes, parameters and fields. A function may have such a name where Python
    has it so: it returns a changed copy of its first argument, as `sorted` does, or is a context
    manager.
    """
    fields: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not _is_idiom(node):
                yield node.name, True
            case ast.ClassDef():
                yield node.name, True
                fields |= {line.target for line in node.body if isinstance(line, ast.AnnAssign)}
            case ast.arg():
                yield node.arg, True
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
                yield node.attr, True
            case ast.Name(ctx=ast.Store()):
                yield node.id, node in fields
            case _:
                pass


def _is_idiom(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if any(ast.unparse(each).endswith(_CONTEXTS) for each in function.decorator_list):
        return True
    result = ast.unparse(function.returns) if function.returns else ""
    parameters = [*function.args.posonlyargs, *function.args.args]
    if not parameters or result == "Self":
        return result == "Self"
    first = parameters[0].annotation
    return first is not None and ast.unparse(first) == result


def packages(place: Path) -> list[Path]:
    """Return the packages of a distribution, in the order of their names."""
    return sorted(path.parent for path in place.glob("minerva_*/__init__.py"))


def sources() -> Iterator[tuple[str, Path]]:
    """Yield every module, and its room: a folder of the platform, the readers, or a whole team."""
    for place in DISTRIBUTIONS:
        for package in packages(place):
            for path in sorted(package.rglob("*.py")):
                room = ROOMS.get(package.name, place.relative_to(ROOT).as_posix())
                if package.name == PLATFORM:
                    room = path.relative_to(package).parts[0].removesuffix(".py")
                yield room, path


def by_room(words: Mapping[str, Any]) -> Figures:
    """Count lines and words by room, and what is long over all."""
    lines, signatures, bodies = Counter[str](), Counter[str](), Counter[str]()
    sizes = Counter[str]()
    for room, path in sources():
        text = path.read_text("utf-8")
        allowed = {*words["allowed"], *words["kept"].get(room, ())}
        count = len(text.splitlines())
        lines[room] += count
        sizes[f"files over {LONG_FILE} lines"] += count > LONG_FILE
        sizes["lines of the longest file"] = max(sizes["lines of the longest file"], count)
        tree = ast.parse(text)
        for name, is_seen in bare_participles(tree):
            if is_participle(name) and name not in allowed:
                (signatures if is_seen else bodies)[room] += 1
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                sizes[f"functions over {LONG_FUNCTION} lines"] += length > LONG_FUNCTION
                longest = "lines of the longest function"
                sizes[longest] = max(sizes[longest], length)
    team = ROOT / "platform" / PLATFORM / "contract/team.py"
    sizes["lines of contract/team.py"] = len(team.read_text("utf-8").splitlines())
    sizes["lines of source"] = lines.total()
    return {
        "sizes": dict(sizes),
        "lines": dict(lines),
        "words in signatures": dict(signatures),
        "words in bodies": dict(bodies),
    }


def layers() -> dict[str, int]:
    """Return the height of each room of the platform, as the contract of its layers has it."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (rows,) = (
        contract["layers"]
        for contract in config["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    )
    return {room.strip(): -height for height, row in enumerate(rows) for room in row.split("|")}


def imports() -> Figures:
    """Count what is reached by imports, those in functions and for type checkers too."""
    figures: Figures = {"modules that are read with": {}, "modules in circles": {}, "rooms": {}}
    for package in (path.name for place in DISTRIBUTIONS for path in packages(place)):
        graph = grimp.build_graph(package, exclude_type_checking_imports=False, cache_dir=None)
        figures["modules in circles"][package] = sum(
            any(
                module in graph.find_upstream_modules(imported) or module == imported
                for imported in graph.find_modules_directly_imported_by(module)
            )
            for module in graph.modules
        )
        if package != PLATFORM:
            continue
        for module in CLOSURES:
            closure = graph.find_upstream_modules(f"{PLATFORM}.{module}")
            figures["modules that are read with"][module] = len(closure)
        heights = layers()
        arrows = {
            (a, b)
            for module in graph.modules - {PLATFORM}
            for imported in graph.find_modules_directly_imported_by(module) - {PLATFORM}
            if (a := module.split(".")[1]) != (b := imported.split(".")[1])
        }
        figures["rooms"] = {
            "arrows between rooms": len(arrows),
            "arrows back up": sum(heights[a] <= heights[b] for a, b in arrows),
        }
    return figures


def patches() -> int:
    """Count where a test replaces a part of our own code."""
    count = 0
    for path in ROOT.glob("tests/**/test_*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        ours = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("minerva_")
            for alias in node.names
        }
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(attr="setattr" | "patch"), args=[target, *_]):
                    text = ast.unparse(target).strip("'\"")
                    count += text.startswith("minerva_") or text.split(".")[0] in ours
                case _:
                    pass
    return count


def way() -> dict[str, int]:
    """Return how many files a request and an approval enter."""
    script = "import json, way; print(json.dumps(way.ways()))"
    done = subprocess.run(
        (sys.executable, "-c", script), capture_output=True, check=True, cwd=ROOT / "tests/bench"
    )
    ways: dict[str, list[int]] = json.loads(done.stdout.splitlines()[-1])
    return {name: files for name, (files, _) in ways.items()}


def measured(words: Mapping[str, Any]) -> Figures:
    """Return all figures."""
    return {
        **imports(),
        "files that are entered by": way(),
        "patches of our own code": {"tests": patches()},
        **by_room(words),
    }


def passed(figures: Figures, limits: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return a line for each figure above its limit; what has no limit is new, and has none."""
    return [
        f"{section}: {name}: {figure}, and the limit is {limits.get(section, {}).get(name, 0)}"
        for section, figures_in in figures.items()
        for name, figure in figures_in.items()
        if figure > limits.get(section, {}).get(name, 0)
    ]


def lowered(text: str, figures: Figures) -> str:
    """Return the file of limits with each number at most as high as its figure."""
    section, lines = "", []
    for line in text.splitlines():
        if heading := re.fullmatch(r'\["?([^"]+)"?\]', line):
            section = heading[1]
        if limit := re.fullmatch(r'("?)([^"]+)\1 = (\d+)(.*)', line):
            figure = figures.get(section, {}).get(limit[2], 0)
            if not figure:
                continue
            lines.append(f'"{limit[2]}" = {min(int(limit[3]), figure)}{limit[4]}')
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print figures and limits; return 1 if a limit is passed."""
    text = LIMITS.read_text("utf-8")
    limits = tomllib.loads(text)
    figures = measured(limits.pop("words"))
    rooms = ("lines", "words in signatures", "words in bodies")
    for section in (each for each in figures if each not in rooms):
        print(f"{section}:")
        for name, figure in figures[section].items():
            print(f"  {name:<40}{figure:>8}  of {limits.get(section, {}).get(name, 0)}")
    print(f"{'room':<24}" + "".join(f"{title:>24}" for title in rooms))
    for room in sorted(set(chain.from_iterable(figures[title] for title in rooms))):
        cells = (
            f"{figures[title].get(room, 0)} of {limits.get(title, {}).get(room, 0)}"
            for title in rooms
        )
        print(f"{room:<24}" + "".join(f"{cell:>24}" for cell in cells))
    if "--write" in sys.argv:
        LIMITS.write_text(lowered(text, figures), "utf-8")
    over = passed(figures, limits)
    for line in over:
        print(f"over its limit: {line}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
