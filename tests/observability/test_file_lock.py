"""Locks between processes; a lock belongs to the open file, so two descriptors show it."""

import os
from pathlib import Path

from minerva_observability.file_lock import (
    open_lock_file,
    release_lock,
    take_lock,
    take_lock_within,
    wait_for_lock,
)


def test_a_lock_keeps_others_out_until_it_is_released(tmp_path: Path) -> None:
    """Readers share theirs."""
    one, other = (open_lock_file(tmp_path / "lock") for _ in range(2))

    assert take_lock(one, is_shared=True)
    assert take_lock(other, is_shared=True)
    assert not take_lock(other)
    release_lock(one)
    assert take_lock_within(other, seconds=0)
    assert not take_lock_within(one, seconds=0)
    os.close(other)
    wait_for_lock(one)
    os.close(one)
