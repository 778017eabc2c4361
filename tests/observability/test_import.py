"""What importing the package costs, and what it never imports."""

import ast
import subprocess
import sys
from pathlib import Path

import minerva_observability


def modules_after(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter holds after `statement`."""
    process = subprocess.run(
        [sys.executable, "-c", f"{statement}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(process.stdout.split())


def test_recording_to_a_file_loads_no_heavy_library() -> None:
    """OpenTelemetry, structlog and asyncio are paid for where they are used."""
    loaded = modules_after(
        "from minerva_observability import RunScope, build_recorder, record_span\n"
        "with RunScope().bound(), record_span(kind='run', path='p'): pass",
    )

    heavy = {"opentelemetry", "structlog", "pydantic", "asyncio", "orjson", "langgraph", "requests"}
    heavy |= {"duckdb", "nicegui", "fastapi"}
    assert not loaded & heavy


def test_every_exported_name_exists() -> None:
    """A lazy export is found out when it is used; so use them all."""
    for name in dir(minerva_observability):
        assert getattr(minerva_observability, name) is not None
    assert {"RunScope", "build_recorder", "record_span"} <= set(dir(minerva_observability))


def test_what_an_extra_brings_is_named_where_it_is_missing() -> None:
    """A team has the package alone; who asks it for figures is told what to install."""
    program = (
        "import sys; sys.modules['duckdb'] = None; import minerva_observability as m;"
        "m.find_run, m.list_runs, m.build_recorder; m.SpanStore"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)  # noqa: PLW1510

    assert done.returncode == 1
    assert done.stderr.strip().endswith(
        "minerva_observability.SpanStore needs duckdb."
        " Type: pip install 'minerva-observability[dashboard]'"
    )


def test_the_package_knows_no_agent_framework() -> None:
    """Records outlive frameworks: nothing here imports one, nor another room."""
    root = Path(str(minerva_observability.__file__)).parent
    pages = set(root.glob("dashboard/**/*.py"))

    assert imported_by(set(root.rglob("*.py")) - pages) == {
        "duckdb",
        "minerva_observability",
        "opentelemetry",
        "orjson",
        "prometheus_client",
        "structlog",
    }
    web = {"fastapi", "markupsafe", "nicegui", "starlette", "uvicorn"}
    assert imported_by(pages) == {"minerva_observability", *web}


def imported_by(paths: set[Path]) -> set[str]:
    """Return the top-level modules of others that the code of `paths` imports."""
    imported: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    return imported - set(sys.stdlib_module_names)
