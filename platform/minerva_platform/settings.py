"""Where a run keeps its files, and what the configuration says."""

import os
from pathlib import Path


def home_directory() -> Path:
    """Return where runs keep their files: `MINERVA_HOME`, else `.minerva` where you stand."""
    return Path(os.environ.get("MINERVA_HOME") or ".minerva")
