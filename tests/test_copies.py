"""A copy of a process is to a test what a process of its own is."""

import signal
import subprocess
import sys
from pathlib import Path

import copies
import pytest

PYTHON = sys.executable


def test_it_has_its_own_folder_variables_words_and_streams(tmp_path: Path) -> None:
    """And none of those of its origin, which has imported MINERVA already."""
    (tmp_path / "beside.py").write_text("NAME = 'beside'")
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys, beside\n"
        "print(sys.argv[1:], os.environ, os.getcwd(), beside.NAME, input(), __name__)\n"
        "print('minerva_platform' in sys.modules, file=sys.stderr)\n"
        "sys.exit(7)\n"
    )
    done = copies.run(
        [PYTHON, program, "a", "ㅎ"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"ONLY": "this"},
        input="said\n",
    )

    own = f"['a', 'ㅎ'] environ({{'ONLY': 'this'}}) {tmp_path} beside said __main__\n"
    assert (done.returncode, done.stdout, done.stderr) == (7, own, "True\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_it(number: signal.Signals) -> None:
    """As it ends any process, and whoever waits learns which it was."""
    program = "import os, time; os.write(1, b'x'); time.sleep(600)"
    with copies.Popen(
        [PYTHON, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"x"
        assert process.poll() is None
        process.send_signal(number)

    assert process.returncode == -number


def test_it_may_lead_processes_of_its_own() -> None:
    """So that a test ends all of them by one signal."""
    program = "import os; print(os.getpgid(0) == os.getsid(0) == os.getpid())"
    command = [PYTHON, "-c", program]
    apart = copies.run(command, capture_output=True, text=True, start_new_session=True)
    beside = copies.run(command, capture_output=True, text=True)

    assert (apart.stdout, beside.stdout) == ("True\n", "False\n")


def test_a_failure_is_no_success() -> None:
    """An error that nobody catches ends with 1, and `check` raises."""
    with pytest.raises(subprocess.CalledProcessError) as raised:
        copies.run([PYTHON, "-c", "raise LookupError(3)"], capture_output=True, check=True)

    assert raised.value.returncode == 1
    assert b"LookupError: 3" in raised.value.stderr


def test_a_copy_of_a_process_that_cannot_start_is_refused() -> None:
    """It has no pid; 0 in its place would let a signal reach all of this group."""
    with pytest.raises((RuntimeError, OSError), match=r"has ended|Broken pipe|reset by peer"):
        copies.Parser([PYTHON, "--no-such-flag", "-c", "pass"])
