"""`minerva new team`: a project of its own that works and passes its tests at once."""

import keyword
import os
import re
import shlex
import sys
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path

from minerva_platform.assembly.platform_tree import PLATFORM_NAME
from minerva_platform.assembly.registry import GROUP
from minerva_platform.cli.io.stream import answers_only, write_text
from minerva_platform.cli.new_team.commands import NewTeamOptions
from minerva_platform.cli.new_team.project import write_project
from minerva_platform.cli.new_team.shape import FULL, MINIMAL, Shape
from minerva_platform.config.router_spec import TOOL_SPECS
from minerva_platform.errors import RunError
from minerva_platform.text.command_hint import Shell, minerva_command
from minerva_platform.validation.team_declarations import ENOUGH_EXAMPLES, RESERVED

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_MAX_CHARACTERS = 40


def write_team(options: NewTeamOptions) -> None:
    """Write the project and print the next commands.

    Raises:
        RunError: the name cannot be used, the folder is there already or inside a checkout, or
            a team cannot be made from what is named.
    """
    name = options.name
    check_name(name)
    sources = (options.minimal, options.function is not None, options.graph is not None)
    if sum(sources) > 1:
        message = "Type one of --minimal, --from-function and --from-graph."
        raise RunError(message)
    led = _led_words(options.router)
    folder = options.directory or default_directory(name)
    check_place(name, folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = f"{folder} is there already. Name a new folder: --dir DIR"
        raise RunError(message)
    with answers_only():
        shape = _shape(name, options)
    if options.router is not None:
        shape = replace(shape, layers=(*shape.layers, "led"))
    written = write_project(folder, shape, {**_words(name, folder, shape), **led})
    write_text(_next_steps(name, folder, shape, written))


def _shape(name: str, options: NewTeamOptions) -> Shape:
    """Return the shape of the project. A named function or graph is imported.

    Raises:
        RunError: a team cannot be made from it.
    """
    # ruff: noqa: PLC0415  # LangGraph, and a search through what is installed: only where named
    package = package_of_team(name)
    if options.function is not None:
        from minerva_platform.cli.new_team.function_worker import function_shape
        from minerva_platform.cli.new_team.source import find_source, parse

        wanted = parse(name, "--from-function", options.function)
        return function_shape(find_source(wanted, package), package=package)
    if options.graph is not None:
        from minerva_platform.cli.new_team.graph_worker import graph_shape
        from minerva_platform.cli.new_team.source import find_source, parse

        wanted = parse(name, "--from-graph", options.graph)
        return graph_shape(find_source(wanted, package), package=package)
    return MINIMAL if options.minimal else FULL


def _led_words(router: str | None) -> dict[str, str]:
    """Return the values of the placeholders that say how the team is led.

    Raises:
        RunError: there is no such router by tools.
    """
    if router is None:
        return {"router_import": "", "router_line": "", "chosen_by": "their examples", "led": ""}
    if router not in TOOL_SPECS:
        known = " or ".join(f"--router {name}" for name in TOOL_SPECS)
        message = (
            f"`--router {ascii(router)[1:-1]}` leads no new team; type {known}. Every other router "
            "is named in the team's file: `router: NAME` in configs/teams/."
        )
        raise RunError(message)
    made = f"{TOOL_SPECS[router].__name__}()"
    arguments = '"request": "Do it."'
    call = f"(worker.name, {{{arguments}}})"
    if router == "dispatch":
        arguments = '"agent_name": worker.name, "description": "Do it."'
        call = f'("task", {{{arguments}}})'
    return {
        "router_import": f"from minerva_platform.routing import {TOOL_SPECS[router].__name__}\n",
        "router_line": f"    router = {made}\n",
        "chosen_by": "a model's calls",
        "tools": "one tool for all workers" if router == "dispatch" else "a tool for each worker",
        "call": call,
        "led": _LED.format(made=made),
    }


_LED = """
A model leads this team: `router = {made}` in `team.py`. It calls workers, reads what they
answer, and speaks at the end. Set `MINERVA_MODEL`, or `model:` in platform.yaml. Without a model
the examples lead. `tests/test_router.py` shows it with a model by script.
"""


def check_name(name: str) -> None:
    """Refuse a name that no team may have.

    Raises:
        RunError: the name is not allowed. It says why.
    """
    if not _NAME.fullmatch(name) or len(name) > _MAX_CHARACTERS:
        shown = ascii(name)[1:-1][:_MAX_CHARACTERS]
        message = f"`{shown}` is no team name: write it in snake_case, such as `billing`."
        raise RunError(message)
    if name in RESERVED | {PLATFORM_NAME} or keyword.iskeyword(name):
        message = f"The name `{name}` is reserved; choose another."
        raise RunError(message)
    if any(point.name == name for point in entry_points(group=GROUP)):
        see = f"{minerva_command()} teams"
        message = f"A team `{name}` is installed already; choose another name. See: {see}"
        raise RunError(message)


def default_directory(name: str) -> Path:
    """Return a folder beside the checkout of MINERVA we stand in, else in the current one."""
    checkout = checkout_around(Path(distribution(name)))
    if checkout is None:
        return Path(distribution(name))
    return Path(os.path.relpath(checkout.parent / distribution(name)))


def check_place(name: str, folder: Path) -> None:
    """Refuse a folder inside a checkout of MINERVA, `teams/` included.

    An own team has its own repository. Inside the checkout its tests would lie outside `tests/`,
    and every list of the root pyproject would have to name it.

    Raises:
        RunError: the folder is inside a checkout. It names a folder beside it.
    """
    checkout = checkout_around(folder)
    if checkout is not None:
        beside = shlex.quote(str(checkout.parent / distribution(name)))
        message = (
            f"{folder} is inside a checkout of MINERVA, whose own tests would then fail. "
            f"A team has a project of its own: --dir {beside}"
        )
        raise RunError(message)


def checkout_around(folder: Path) -> Path | None:
    """Return the checkout of MINERVA that `folder` would lie in, if it would."""
    try:
        above = folder.resolve().parents
    except FileNotFoundError:  # we stand in a removed folder; writing there will say so
        return None
    return next((folder for folder in above if _is_checkout(folder)), None)


def _is_checkout(folder: Path) -> bool:
    return (folder / "platform" / "minerva_platform").is_dir() and (folder / "teams").is_dir()


def distribution(name: str) -> str:
    """Return the name of the team's distribution."""
    return f"minerva-team-{name.replace('_', '-')}"


def package_of_team(name: str) -> str:
    """Return the name of the team's package."""
    return f"minerva_{name}"


def _words(name: str, folder: Path, shape: Shape) -> dict[str, str]:
    """Return the values of the template's placeholders. Paths are relative to `folder`."""
    routing = Path(__file__).parents[2] / "routing" / "README.md"
    needs = sorted({"minerva-platform>=0.1,<0.2", *shape.requirements}, key=str.casefold)
    about = shape.words.get("about", "")
    if shape.copy is not None:
        file, module = shape.copy
        about += (
            f" `{package_of_team(name)}/{module}.py` is a copy of `{file.resolve()}`: from now on "
            "the team uses this one."
        )
    elif "source" in shape.words:
        about += " pyproject.toml names the project that brings it."
    return {
        "routing": os.path.relpath(routing, folder.resolve()),
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "package": package_of_team(name),
        "distribution": distribution(name),
        "team_class": f"{''.join(part.capitalize() for part in name.split('_'))}Team",
        "dependencies": "\n".join(f'    "{line}",' for line in needs),
        "commands": "\n".join(_readme_commands(folder, shape)),
        **shape.words,
        "about": about,
    }


def _readme_commands(folder: Path, shape: Shape) -> list[str]:
    """Return the lines of the README that install, test and ask, typed inside `folder`."""
    here = folder.resolve()
    activate = Path(sys.prefix, "bin", "activate")
    shell = Shell(is_active=activate.exists(), folder=here)
    lines = [f"source {shlex.quote(os.path.relpath(activate, here))}"] if activate.exists() else []
    return [
        *lines,
        f"{shell.install('-e', '.')}      # again after a change of pyproject.toml",
        *shell.test(Path()),
        f"{shell.program('minerva')} check",
        f"{shell.program('minerva')} ask {_quoted(shape.question)}",
    ]


def _quoted(question: str) -> str:
    """Return a request as people quote it, for a shell."""
    is_plain = not set(question) & set('"$`\\!')
    return f'"{question}"' if is_plain else shlex.quote(question)


def _next_steps(name: str, folder: Path, shape: Shape, paths: list[Path]) -> str:
    shell = Shell()
    files_shown = "\n".join(f"  {path}" for path in paths)
    tests = "".join(f"  {line}\n" for line in shell.test(folder))
    readme = folder / "README.md"
    then = f"Then make it yours: {readme}"
    if "source" in shape.words:
        worker = folder / package_of_team(name) / f"{shape.words['worker']}.py"
        then = (
            f"Then write into `examples` how people would ask, {ENOUGH_EXAMPLES} requests or more: "
            f"{worker}\nMore is in {readme}"
        )
    return (
        f"The team `{name}` is in {folder}:\n{files_shown}\n\n"
        "Next, type\n"
        f"  {shell.install('-e', str(folder))}\n"
        f"{tests}"
        f"  {minerva_command()} check\n"
        f"  {minerva_command()} ask {_quoted(shape.question)}\n\n"
        f"{then}"
    )
