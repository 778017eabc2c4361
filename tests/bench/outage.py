"""Does an answer that lost nothing while a model failed say that it lacks something?

    python tests/bench/outage.py [-v]

Each request of a stranger (outage_strangers.yaml and its kept half) is asked without a model, then
with a model whose server fails in one of four ways: an error, a page of HTML, a cut connection, an
answer that no schema takes. `same` counts answers that are those without a model, to the letter;
`lack` those among them of another status, and answers that say that something is missing where the
one without a model does not; `foreign` those that hold a program's words. Of the kept half only
totals are printed.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import yaml

from minerva_platform import Platform, Run
from minerva_platform.testing import Fault, Reply, scripted_openai_server
from minerva_platform.testing.model_script import FaultName

HERE: Final = Path(__file__).parent
WAYS: Final[tuple[FaultName | None, ...]] = ("server_error", "html_page", "connection_reset", None)
FOREIGN: Final = re.compile(
    r"Traceback|\w+Error\b|Expecting|Invalid JSON|validation error|HTTP|line \d+ column|openai:|"
    r"\bfailed: |<html"
)
LACKS: Final = re.compile(r"이 답에 빠진 것|Missing from this answer|may be incomplete")


def asked(requests: list[str]) -> list[Run]:
    """Return the runs of new platforms, one for each request."""
    with TemporaryDirectory() as home:
        platform = Platform(home=Path(home))
        return [platform.ask(request) for request in requests]


def counts(without: Run, run: Run) -> Counter[str]:
    """Return what one answer counts for."""
    found = Counter({"answers": 1, "substituted": int(bool(run.bypassed))})
    found["same"] = int(run.answer == without.answer)
    new = bool(LACKS.search(run.answer)) > bool(LACKS.search(without.answer))
    found["lack"] = int((found["same"] and run.status != without.status) or new)
    found["foreign"] = int(bool(FOREIGN.search(run.answer)) > bool(FOREIGN.search(without.answer)))
    return found


def main() -> int:
    """Print a line for each half and way."""
    os.environ |= {"OPENAI_API_KEY": "none", "MINERVA_MODEL": ""}
    names = ("answers", "substituted", "same", "lack", "foreign")
    print("half  way".ljust(26) + "".join(name.rjust(12) for name in names))
    for half, file in (("open", "outage_strangers.yaml"), ("kept", "outage_strangers_kept.yaml")):
        rows = yaml.safe_load((HERE / file).read_text(encoding="utf-8"))
        requests = [row["request"] for row in rows]
        without = asked(requests)
        for way in WAYS:
            answer = Fault(way) if way else Reply(text="I'd rather not say {")
            with scripted_openai_server({"*": answer}) as server:
                os.environ |= {"MINERVA_MODEL": "openai:scripted", "OPENAI_BASE_URL": server.url}
                runs = asked(requests)
            os.environ["MINERVA_MODEL"] = ""
            found: Counter[str] = Counter()
            for request, before, run in zip(requests, without, runs, strict=True):
                one = counts(before, run)
                if half == "open" and "-v" in sys.argv and (one["lack"] or not one["same"]):
                    print(f"  {request!r}: {run.status} {run.answer[-300:]!r}")
                found += one
            cells = "".join(str(found[name]).rjust(12) for name in names)
            print(f"{half}  {way or 'unusable'}".ljust(26) + cells, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
