"""A folder for what the modes keep."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture
def state() -> Iterator[Path]:
    """Return a folder with a short name, as the sockets of MPS need it."""
    with TemporaryDirectory(prefix="berth") as name:
        yield Path(name)
