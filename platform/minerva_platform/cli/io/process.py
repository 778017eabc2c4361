"""A command's process: it looks for garbage seldom, and ends without waiting for threads."""

import atexit
import gc
import os
import sys
import threading


def spare_the_collector() -> None:
    """Look for cyclic garbage seldom, and not at all at the end.

    A command ends with its process. Importing langgraph and scikit-learn makes a million objects
    that stay; looking through them again and again was a quarter of the CPU of `minerva demo`.
    """
    gc.set_threshold(50_000, 20, 100)
    atexit.register(_skip_the_last_search)


def _skip_the_last_search() -> None:
    if "duckdb" not in sys.modules:  # it writes a page about every object that is not taken back
        gc.freeze()


def leave(code: object) -> None:
    """End now if a worker left a thread behind for which Python would wait."""
    main_thread = threading.main_thread()
    if any(thread is not main_thread and not thread.daemon for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0)
