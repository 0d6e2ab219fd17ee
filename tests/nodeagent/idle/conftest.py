"""The fake libcuda, compiled once per module and reset for each test."""

import ctypes
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.cuda.library import PIDS, build


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of the library."""
    return build(tmp_path_factory.mktemp("cuda"))


@pytest.fixture
def fake(library: Path) -> Iterator[ctypes.CDLL]:
    """Load the library with two processes that it knows."""
    loaded = ctypes.CDLL(str(library))
    loaded.fake_reset()
    for pid in PIDS:
        loaded.fake_process(pid)
    yield loaded
    loaded.fake_reset()
