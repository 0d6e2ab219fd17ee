"""Reading `/proc` while what is in it ends."""

import gc
import warnings
from pathlib import Path

import pytest

from nodeagent.host import procfs


def test_a_thread_that_ends_meanwhile_leaves_no_folder_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for thread in ("7", "8"):
        (tmp_path / "7" / "task" / thread).mkdir(parents=True)
    monkeypatch.setattr(procfs, "PROC", tmp_path)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert procfs.list_family(7) == []
        gc.collect()

    assert [str(each.message) for each in caught] == []
