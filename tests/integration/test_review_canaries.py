"""Personal values, planted wherever a review looks, come out nowhere: each place has its own.

The review waits for a person and goes on in another process: a masked path is found again there.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import copies
import httpx
import pytest
from collector import collecting
from reviews import last_run, minerva, typed

PLACES: Final = (
    "cell in a column of its kind", "cell in a text", "cell of JSON", "row of a schema",
    "comment of a column", "comment of SQL", "default of a column", "comment of code", "docstring",
    "literal", "literal that is logged", "line that does not parse", "constant", "notice",
    "name of a data file", "name of a code file", "name of a folder", "policy",
    "path of the input", "name of an attached file",
)  # fmt: skip
_WEIGHTS: Final = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)


@dataclass(frozen=True)
class Canary:
    """Four values of one person."""

    number: int

    @property
    def resident(self) -> str:
        """A resident number with a right check digit."""
        digits = f"85{1 + self.number % 12:02}171{23450 + self.number:05}"
        total = sum(int(a) * b for a, b in zip(digits, _WEIGHTS, strict=True))
        return f"{digits[:6]}-{digits[6:]}{(11 - total % 11) % 10}"

    @property
    def card(self) -> str:
        """A card number with a right check digit."""
        digits = f"400000{123456700 + self.number:09}"
        twice = [int(c) * (2 - i % 2) for i, c in enumerate(digits)]
        whole = digits + str(-sum(d - 9 * (d > 9) for d in twice) % 10)
        return "-".join(whole[i : i + 4] for i in range(0, 16, 4))

    @property
    def phone(self) -> str:
        """A mobile number."""
        return f"010-{9870 + self.number}-{5430 + self.number}"

    @property
    def mail(self) -> str:
        """An address."""
        return f"canary{self.number:02}bird@example.org"

    @property
    def all(self) -> str:
        """The four in one line."""
        return f"{self.resident} {self.card} {self.phone} {self.mail}"

    def spellings(self) -> Iterator[bytes]:
        """Yield how each value might be written."""
        for text in (self.resident, self.card, self.phone):
            yield text.encode()
            yield text.replace("-", "").encode()
            yield text.replace("-", " ").encode()
        yield self.mail.encode()
        yield self.mail.partition("@")[0].encode()


CANARIES: Final = {place: Canary(number) for number, place in enumerate(PLACES)}


CODE: Final = '''\
"""Patients. {docstring}"""

import logging

DOCTOR = "{constant}"


def find(cursor, EMAIL):  # {comment of code}
    cursor.execute("SELECT EMAIL FROM TB_PATIENT WHERE PAT_ID = '{literal}'")
    logging.info("{literal that is logged} %s", EMAIL)
'''


def of(place: str) -> str:
    """Return the values that are planted in one place."""
    return CANARIES[place].all


def plant(folder: Path) -> None:
    """Write a small hospital that is full of persons."""
    app = folder / CANARIES["name of a folder"].mail
    app.mkdir(parents=True)
    cell, text = CANARIES["cell in a column of its kind"], of("cell in a text")
    rows = f"{cell.resident},{cell.mail},{cell.phone},{text}\n" * 8
    files = {
        folder / "patients.csv": f"JUMIN_NO,EMAIL,HP_NO,MEMO\n{rows}",
        folder / "events.jsonl": "".join(
            json.dumps({"id": n, "note": of("cell of JSON")}) + "\n" for n in range(8)
        ),
        folder / f"{CANARIES['name of a data file'].resident}.csv": "AGE\n30\n40\n",
        folder / "schema.sql": (
            f"-- {of('comment of SQL')}\n"
            "CREATE TABLE TB_PATIENT (PAT_ID CHAR(10), JUMIN_NO CHAR(14), EMAIL VARCHAR2(90)"
            f" DEFAULT '{of('default of a column')}');\n"
            "COMMENT ON COLUMN TB_PATIENT.PAT_ID IS '환자번호';\n"
            f"COMMENT ON COLUMN TB_PATIENT.EMAIL IS '이메일 {of('comment of a column')}';\n"
            f"INSERT INTO TB_PATIENT VALUES ('1', '{CANARIES['row of a schema'].resident}',"
            f" '{CANARIES['row of a schema'].mail}');\n"
        ),
        folder / "notice.md": (
            "# 개인정보 처리방침\n## 제2조 수집 항목\n1. 성명, 주민등록번호 "
            f"{of('notice')}\n## 제3조 보유 기간\n1. 3년간 보유합니다. {of('notice')}\n"
        ),
        folder / "policy.yaml": (
            "apiVersion: minerva/v1\npolicy: {id: house, version: 1}\nrules:\n"
            f"- id: ENC-1\n  title: '암호화 {of('policy')}'\n  severity: high\n"
            "  applies_to: {kind: column, pii: any}\n  require: {encrypted: true}\n"
            "- id: LOG-1\n  severity: high\n  applies_to: {kind: code_use, pii: any}\n"
            "  forbid: {sink: [print, logging]}\n"
            "- id: NAME-1\n  applies_to: {kind: column}\n  require: {standard_name: true}\n"
        ),
        app / "service.py": CODE.format_map({name: of(name) for name in PLACES}),
        app / "broken.py": f"print '{of('line that does not parse')}'\n",
        app
        / f"{CANARIES['name of a code file'].mail}.py": "def nothing(EMAIL):\n    print(EMAIL)\n",
    }
    for path, content in files.items():
        path.write_text(content, encoding="utf-8")


def unpacked(data: bytes, depth: int = 0) -> Iterator[bytes]:
    """Yield bytes, and what they hold when they are unpacked."""
    yield data
    if depth < 3:
        for start in (0, 1):
            try:
                inner = zlib.decompress(data[start:], wbits=47)
            except zlib.error:
                continue
            yield from unpacked(inner, depth + 1)


def contents(path: Path) -> Iterator[bytes]:
    """Yield the name and the bytes of a file; of a database its values, too."""
    yield os.fsencode(path.name)
    data = path.read_bytes()
    yield from unpacked(data)
    if data.startswith(b"SQLite format 3"):
        with closing(sqlite3.connect(path)) as database:
            database.text_factory = bytes
            names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (name,) in names.fetchall():
                rows = database.execute(f'SELECT * FROM "{name.decode()}"')  # noqa: S608  # its own
                for row in rows:
                    for value in row:
                        yield from unpacked(
                            value if isinstance(value, bytes) else str(value).encode()
                        )


def leaked(data: bytes) -> set[str]:
    """Return the places whose values are in `data`."""
    return {
        place
        for place, canary in CANARIES.items()
        if any(spelling in data for spelling in canary.spellings())
    }


@dataclass
class Reviewed:
    """What a review left, what it said, and what servers say of it."""

    home: Path
    out: Path
    said: bytes = b""
    spans: bytes = b""
    asked: str = ""
    pages: bytes = b""
    answers: bytes = b""
    findings: dict[str, object] = field(default_factory=dict)


@contextmanager
def served(home: Path, *words: str) -> Generator[httpx.Client]:
    """Start a command that serves, and yield a client of it."""
    process = copies.Popen(
        (Path(sys.executable).with_name("minerva"), *words, "--port", "0"),
        env={**os.environ, "MINERVA_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        (url,) = re.findall(r"http://[\w.:]+", line)
        with httpx.Client(base_url=url, timeout=None, follow_redirects=True) as client:  # noqa: S113  # pytest ends what hangs
            yield client
    finally:
        process.terminate()  # so that it closes its database
        process.communicate()


def told(client: httpx.Client, *paths: str) -> bytes:
    """Return what is answered at all of `paths`."""
    found = [client.get(path) for path in paths]
    assert [each.status_code for each in found] == [200] * len(paths), paths
    return b"\n".join(each.content for each in found)


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    """Review the folder, decide the question, and look at the run with every command."""
    base = tmp_path_factory.mktemp("review")
    folder, config = base / CANARIES["path of the input"].mail / "hospital", base / "configs"
    given = base / CANARIES["name of an attached file"].mail
    file = given / f"환자_{CANARIES['name of an attached file'].resident}.csv"
    done = Reviewed(base / "home", base / "out")
    plant(folder)
    given.mkdir()
    file.write_text("JUMIN_NO\n" + f"{CANARIES['literal'].resident}\n" * 8, encoding="utf-8")
    config.mkdir()
    (config / "platform.yaml").write_text("keep_checkpoints: all\n", encoding="utf-8")
    with collecting() as collector, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        patch.setenv("MINERVA_LOG", "json")
        ends: list[subprocess.CompletedProcess[str]] = []

        ends.append(minerva(done.home, "review", folder, "--out", done.out, "--config", config))
        assert ends[0].returncode == 4, ends[0].stderr
        run = last_run(done.home)
        ends.append(typed(done.home, "waiting", "show", run))
        ends.append(minerva(done.home, "approve", run, "--out", done.out))
        ends.append(typed(done.home, "runs", run))
        ends.append(typed(done.home, "runs", run, "--json"))
        words = ("ask", "Scan this file for personal data", "--input", file, "--json")
        asked = minerva(done.home, *words)
        patch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT")
    assert all(end.returncode in {0, 4} for end in [*ends, asked]), [*ends, asked]
    done.asked = asked.stdout
    done.said = "\n".join(end.stdout + end.stderr for end in ends).encode()
    done.said += asked.stderr.encode()
    done.spans = b"".join(collector.bodies.values())
    with served(done.home, "dashboard") as client:
        pages = ("/", "/agents", "/calls", "/routing", "/failures", "/runs", f"/runs/{run}")
        done.pages = told(client, *pages)
    with served(done.home, "serve") as client:
        threads = client.post("/threads/search", json={})
        ids = [each["thread_id"] for each in threads.json()]
        paths = [f"/threads/{each}/{part}" for each in ids for part in ("state", "history", "runs")]
        done.answers = threads.content + told(client, "/approvals", "/metrics", *paths)
    done.findings = json.loads((done.out / "findings.json").read_text(encoding="utf-8"))
    return done


def test_the_values_are_found(reviewed: Reviewed) -> None:
    """The review has looked where they lie: what is never read could not leak."""
    text = json.dumps(reviewed.findings, ensure_ascii=False)

    for name in ("patients.csv", "events.jsonl", "TB_PATIENT", "service.py", "notice.md"):
        assert name in text
    assert (reviewed.out / "migration.sql").exists()


def test_nothing_that_is_said_holds_one(reviewed: Reviewed) -> None:
    """The terminal, the log in JSON, the question, the record of the run."""
    assert leaked(reviewed.said) == set()


def test_no_span_holds_one(reviewed: Reviewed) -> None:
    """Of OpenTelemetry, as a collector gets them."""
    assert b"compliance_agent" in reviewed.spans
    assert leaked(reviewed.spans) == set()


def test_no_file_of_the_report_holds_one(reviewed: Reviewed) -> None:
    """Names and contents of all that `--out` names."""
    found = {path.name: leaked(b"\n".join(contents(path))) for path in reviewed.out.iterdir()}

    assert len(found) > 7
    assert {name: places for name, places in found.items() if places} == {}


def test_no_file_of_the_home_holds_one(reviewed: Reviewed) -> None:
    """Records, states of all steps, turns, artifacts and the index of the code, unpacked."""
    files = [path for path in sorted(reviewed.home.rglob("*")) if path.is_file()]
    found = {
        str(path.relative_to(reviewed.home)): leaked(b"\n".join(contents(path))) for path in files
    }

    assert {"state.db", "runs.jsonl"} <= found.keys()
    assert {name: places for name, places in found.items() if places} == {}


def test_no_answer_of_a_server_holds_one(reviewed: Reviewed) -> None:
    """The pages of the dashboard, and what the HTTP API says of the same runs."""
    assert b"MINERVA" in reviewed.pages
    assert leaked(reviewed.pages) == set()
    assert b"JUMIN_NO" in reviewed.answers
    assert leaked(reviewed.answers) == set()


def test_a_run_as_json_holds_none(reviewed: Reviewed) -> None:
    """`minerva ask --json` prints hand-offs whole; the file has a value in its name and cells."""
    files = json.JSONDecoder().raw_decode(reviewed.asked)[0]["files"]

    assert [(one["name"], one["status"]) for one in files] == [("환자_000000-0000000.csv", "used")]
    assert leaked(reviewed.asked.encode()) == set()
