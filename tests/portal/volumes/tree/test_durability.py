"""Which file systems are made durable by one call."""

import os
from pathlib import Path

import pytest

from portal.volumes.tree.durability import sync_all, syncs_at_once


def test_a_daemon_or_a_file_system_without_files_is_not_trusted(tmp_path: Path) -> None:
    for path, known in (("/proc", False), ("/sys", False), (str(tmp_path), True)):
        handle = os.open(path, os.O_RDONLY)
        try:
            assert syncs_at_once(handle) is known, path
        finally:
            os.close(handle)


def test_sync_that_fails_is_told(tmp_path: Path) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    sync_all(handle)
    os.close(handle)
    with pytest.raises(OSError, match="Bad file descriptor"):
        sync_all(handle)
    assert not syncs_at_once(handle)
