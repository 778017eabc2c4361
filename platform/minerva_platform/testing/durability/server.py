"""A process that forks one child for each move of a run, so that a child may be killed.

    python -m minerva_platform.testing.durability.server

It reads JSON lines. The first says where the team is. Each other one is a list of jobs, done at
the same moment by one child each; the answer is a line with how each child ended. What a child has
to say lies in the job's folder: `points`, `run` and `answer.json`.
"""

import gc
import importlib
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn

from minerva_observability import build_recorder
from minerva_platform.app import Platform
from minerva_platform.contract.team import Team
from minerva_platform.testing.durability.points import KillingRecorder, Points, watch

_HEAVY: Final = (
    "jsonschema",
    "minerva_observability.sinks.jsonl",
    "minerva_platform.durable.run_continuation",
    "minerva_platform.routing.router_choice",
    "minerva_platform.runtime.recorded_nodes",
    "minerva_platform.runtime.supervisor",
    "minerva_platform.storage.checkpoints.run_checkpointer",
    "minerva_platform.storage.engine.opening",
    "minerva_platform.storage.engine.sqlite",
    "minerva_platform.text.restrictions",
    "numpy",
)
"""What every child needs; imported once, before there are any."""


def main() -> None:
    """Serve until standard input is closed."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a team prints is no answer
    where = json.loads(sys.stdin.readline())
    sys.path[:] = where["path"]
    team: Callable[[], Team] = getattr(_module(where["module"], where["file"]), where["name"])
    for name in _HEAVY:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a child's search for garbage would copy every page it shares
    for line in iter(sys.stdin.readline, ""):
        print(json.dumps(_together(json.loads(line), team)), file=answers, flush=True)


def _module(name: str, file: str) -> ModuleType:
    """Return the module `name`: by its name, or by its file if it has none that can be imported."""
    try:
        found = importlib.util.find_spec(name) if name != "__main__" else None
    except (ImportError, ValueError):
        found = None
    if found is not None and found.origin == file:
        return importlib.import_module(name)
    own = "scenario_of_a_test" if name == "__main__" else name
    spec = importlib.util.spec_from_file_location(own, file)
    if spec is None or spec.loader is None:
        message = f"{file} cannot be imported"
        raise ImportError(message)
    module = sys.modules[own] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _together(jobs: list[dict[str, Any]], team: Callable[[], Team]) -> list[int]:
    """Do the jobs in a child each; they begin together. Return exit codes, or minus a signal."""
    told, tell = os.pipe()
    waits, go = os.pipe()
    children: list[int] = []
    for job in jobs:
        child = os.fork()
        if child == 0:
            os.close(go)
            _become_child(job, team, lambda: _stand_ready(tell, waits))
        children.append(child)
    os.close(tell)
    os.close(waits)
    for _ in jobs:
        os.read(told, 1)  # nothing, if a child ended before it was ready
    os.close(go)
    os.close(told)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def _stand_ready(tell: int, waits: int) -> None:
    """Say that this process is ready, and wait until all are."""
    os.write(tell, b".")
    os.close(tell)
    os.read(waits, 1)


def _become_child(
    job: dict[str, Any], team: Callable[[], Team], ready: Callable[[], None]
) -> NoReturn:
    """Do the job and end, by `os._exit`: nothing of the parent's is this process's to clean up."""
    folder = Path(job["folder"])
    code = 1
    try:
        answer = _done(job, folder, team, ready)
        (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
        code = 0
    except BaseException:  # noqa: BLE001  # whatever it is, the one who watches must see it
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(code)


def _done(
    job: dict[str, Any], folder: Path, team: Callable[[], Team], ready: Callable[[], None]
) -> dict[str, Any]:
    home = Path(job["home"])
    os.environ["MINERVA_HOME"] = job["home"]
    if job["storage_url"]:
        os.environ["MINERVA_STORAGE_URL"] = job["storage_url"]
    os.chdir(home)
    points = Points(folder, job["kill_at"])
    watch(points)
    recorder = build_recorder(home)
    try:
        platform = Platform(teams=[team()], home=home, recorder=KillingRecorder(recorder, points))
        if job["after_kill"]:
            _end_leases(home, job["run_id"])
        ready()
        if job["run_id"]:
            run = platform.resume(
                job["run_id"], job["decisions"], by=job["by"], batch_id=job["batch_id"]
            )
        else:
            run = platform.ask(job["request"], attachments=job["attachments"])
    except Exception as error:  # noqa: BLE001  # it is the answer
        winner = getattr(error, "winner", None)
        return {"error": type(error).__name__, "message": str(error), "winner": winner or {}}
    finally:
        recorder.close()
    return {"run": run.model_dump(mode="json"), "effects": _effects(home, run.run_id)}


def _end_leases(home: Path, run_id: str) -> None:
    """End the lease of a process that was killed, as waiting for its end would, on any database."""
    from sqlalchemy import select, update  # noqa: PLC0415  # heavy, and after MINERVA_STORAGE_URL

    from minerva_platform.storage.ledger.schema import runs, threads  # noqa: PLC0415

    thread = select(runs.c.thread_id).where(runs.c.run_id == run_id).scalar_subquery()
    _in_ledger(home, update(threads).where(threads.c.thread_id == thread).values(lease_until=0))


def _effects(home: Path, run_id: str) -> list[tuple[str, ...]]:
    from sqlalchemy import select  # noqa: PLC0415  # heavy

    from minerva_platform.storage.ledger.schema import effects  # noqa: PLC0415

    columns = (effects.c.path, effects.c.name, effects.c.kind, effects.c.state)
    found = _in_ledger(home, select(*columns).where(effects.c.run_id == run_id))
    return sorted(tuple(row) for row in found)


def _in_ledger(home: Path, statement: Any) -> list[Any]:
    from minerva_platform.storage.engine.location import find_place  # noqa: PLC0415
    from minerva_platform.storage.engine.opening import opened_engine  # noqa: PLC0415  # heavy

    with opened_engine(find_place(home)) as engine:
        return engine.write(lambda connection: _rows(connection.execute(statement)))


def _rows(result: Any) -> list[Any]:
    return list(result.all()) if result.returns_rows else []


if __name__ == "__main__":
    main()
