"""Logs say which run and hop they belong to, and hold no secrets."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from minerva_observability import Masking, RunScope, configure_logging, record_span
from minerva_observability.logging import get_logger, log_format

MASKING = Masking({"CANARY_TOKEN": "canary-value"})


class Terminal(io.StringIO):
    """Claims to be a terminal."""

    def isatty(self) -> bool:
        """Answer as one."""
        return True


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    """Give the root logger back as it was."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def test_machines_get_json_with_run_and_path() -> None:
    """One object a line, bound from the context, ours and the standard library's alike."""
    out = io.StringIO()
    configure_logging(stream=out, environment={}, masking=MASKING, level="INFO")

    with RunScope(thread_id="t").bound() as scope, record_span(kind="agent", path="p/a"):
        get_logger("mine").info("visited", member="data")
        logging.getLogger("theirs").warning("slow: %d ms", 12)
    get_logger("mine").debug("not asked for")

    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line.pop("timestamp")[-1] for line in lines] == ["Z", "Z"]
    context = {"run_id": scope.run_id, "thread_id": "t", "path": "p/a"}
    assert lines == [
        {"event": "visited", "member": "data", "level": "info", "logger": "mine", **context},
        {"event": "slow: 12 ms", "level": "warning", "logger": "theirs", **context},
    ]


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_secret_reaches_a_log(form: str) -> None:
    """In messages, values, nested data, objects and tracebacks (P19)."""
    out = io.StringIO()
    configure_logging(stream=out, environment={"MINERVA_LOG": form}, masking=MASKING)
    logger = get_logger("mine")

    with RunScope().bound() as scope:
        scope.hide("patient", "홍길동")
        logger.warning("canary-value", data={"deep": ["홍길동"]}, key="sk-abcdefghijkl")
        logger.warning("object", what=ValueError("canary-value"))
        try:
            raise ValueError("홍길동 canary-value")  # noqa: EM101, TRY003, TRY301  # any message
        except ValueError:
            logger.exception("failed")
            logging.getLogger("theirs").exception("failed with %s", "canary-value")

    text = out.getvalue()
    assert "Traceback" in text
    assert "[masked patient]" in text
    assert not [secret for secret in ("canary-value", "홍길동", "sk-abc") if secret in text]


def test_people_get_plain_lines_and_no_terminal_commands() -> None:
    """A worker's text is data: an escape sequence in it is shown, not obeyed."""
    out = io.StringIO()
    configure_logging(stream=out, environment={"MINERVA_LOG": "console"}, masking=MASKING)

    get_logger("mine").warning("\x1b[2Jhello", text="\x1b]0;title\x07")

    assert "\x1b" not in out.getvalue()
    assert r"\x1b[2Jhello" in out.getvalue()


@pytest.mark.parametrize(
    ("environment", "stream", "form"),
    [
        ({}, Terminal(), "console"),
        ({}, io.StringIO(), "json"),
        ({"MINERVA_LOG": "json"}, Terminal(), "json"),
        ({"MINERVA_LOG": "console"}, io.StringIO(), "console"),
    ],
)
def test_the_form_follows_the_reader(
    environment: dict[str, str],
    stream: io.StringIO,
    form: str,
) -> None:
    """A terminal has a person in front of it, unless told otherwise."""
    assert log_format(stream, environment) == form


def test_configuring_again_replaces_the_pipeline(capsys: pytest.CaptureFixture[str]) -> None:
    """No line is written twice, and never to standard output."""
    first, second = io.StringIO(), io.StringIO()
    configure_logging(stream=first, environment={})
    logger = get_logger("mine")
    configure_logging(stream=second, environment={})

    logger.warning("once")

    assert first.getvalue() == ""
    assert second.getvalue().count("once") == 1
    assert capsys.readouterr().out == ""
