"""Keep numpy's linear algebra to one OS thread while a router learns.

On small matrices a second OS thread doubles the CPU for the same time, and on a busy machine its
waiting multiplies both.
"""

import ctypes
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np

_NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "openblas_{}_num_threads64_",
    "openblas_{}_num_threads",
)
"""OpenBLAS's functions in numpy's wheels and in those of distributions."""

_LINKED = f"{np.__name__}._core._multiarray_umath"
"""Numpy's own extension module, which is linked with the library."""

_learning = threading.Lock()


@contextmanager
def one_thread() -> Generator[None]:
    """Run the block with one OS thread of OpenBLAS, one such block at a time.

    With another library for linear algebra (Accelerate, MKL) nothing changes.
    """
    library = ctypes.CDLL(sys.modules[_LINKED].__file__)
    name = next((name for name in _NAMES if hasattr(library, name.format("set"))), None)
    with _learning:
        if name is None:
            yield
            return
        set_number, number = library[name.format("set")], library[name.format("get")]()
        set_number(1)
        try:
            yield
        finally:
            set_number(number)
