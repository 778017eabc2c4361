"""What a person at a terminal sees: the live tree, then the answer, drawn."""

import os
import pty
import re
import struct
import sys
import termios
from collections.abc import Generator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path

import copies
import pytest

MINERVA = Path(sys.executable).with_name("minerva")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

pytestmark = pytest.mark.usefixtures("with_trial")


def shown(*arguments: str, cwd: Path, **variables: str) -> tuple[int, str]:
    """Run the command on a terminal of 100 columns; return its code and all that was drawn."""
    with terminal() as (near, far):
        environment = {**os.environ, "TERM": "xterm-256color", **variables}
        environment.pop("COLUMNS", None)  # the terminal says how wide it is
        run = copies.Popen(
            [MINERVA, *arguments], cwd=cwd, env=environment, stdin=far, stdout=far, stderr=far
        )
        os.close(far)
        text = drawn(near)
        return run.wait(), text


@contextmanager
def terminal() -> Generator[tuple[int, int]]:
    """Yield both ends of a terminal."""
    near, far = pty.openpty()
    ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    try:
        yield near, far
    finally:
        os.close(near)


def drawn(near: int) -> str:
    """Return all that was written until the command closed its end."""
    chunks: list[bytes] = []
    while True:
        try:
            chunk = os.read(near, 65_536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    return b"".join(chunks).decode()


def test_a_tree_grows_and_the_answer_is_drawn(tmp_path: Path) -> None:
    """Marks, times and bars per hop; Markdown without its marks; no worker moves the cursor."""
    code, text = shown("ask", "speak fail 안녕", "--team", "trial", cwd=tmp_path)
    plain = ESCAPE.sub("", text)

    assert code == 0
    assert "팀을 불러오는 중" in plain
    assert re.search(r"▲ trial +→ speak, fail +[\d,]+ ms +━+", plain)
    assert re.search(r"├─ ✓ speak +work \S+ +[\d.]+ ms", plain)
    assert "└─ ✗ fail   RuntimeError: [bold]13 characters broke" in plain
    assert "speak fail 안녕 \\x1b]0;forged\\x07" in plain
    assert "\x1b]0;forged" not in text
    assert "**speak" not in plain
    assert "\x1b[32m" in text
    assert "ok_degraded · 구성원 호출 2번" in plain


def test_no_color_is_respected(tmp_path: Path) -> None:
    """https://no-color.org: the tree still lives, without a colour."""
    code, text = shown("ask", "speak", "--team", "trial", cwd=tmp_path, NO_COLOR="1")

    assert code == 0
    assert "✓ speak" in ESCAPE.sub("", text)
    assert re.findall(r"\x1b\[(?:3\d|9\d|38;[\d;]+)m", text) == []
