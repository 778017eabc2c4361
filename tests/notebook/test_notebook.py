"""The notebook of the examples runs from its first cell to its last, in a kernel of Jupyter."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "configs" / "examples" / "notebook.ipynb"


def test_every_cell_runs(tmp_path: Path) -> None:
    """`ask` and `resume` work although the kernel's event loop is running."""
    copy = Path(shutil.copy(NOTEBOOK, tmp_path))
    done = subprocess.run(
        [Path(sys.executable).with_name("jupyter-execute"), "--inplace", copy],
        env=os.environ | {"MINERVA_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads(copy.read_text(encoding="utf-8"))["cells"]
    told = [
        "".join(text for output in cell["outputs"] for text in output.get("text", ()))
        for cell in cells
        if cell["cell_type"] == "code"
    ]
    asked, counted, waiting, booked = told
    assert asked.startswith("ok ")
    assert "PT_HSPTLZ_YMD" in asked
    assert counted == "6 words\n5 words\n"
    assert waiting == "needs_human For how many?\n"
    assert booked == "ok booked for 4\n"
