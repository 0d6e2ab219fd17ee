"""One whole platform for all fault tests; each test leaves it working and empty."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.platform import Platform


@pytest.fixture(scope="package")
def platform() -> Iterator[Platform]:
    """Return the running platform, stopped before other tests want the processors; at its end every
    invariant must hold in its database.
    """
    # Not pytest's own folder: PostgreSQL runs as another user and must be able to enter.
    folder = Path(tempfile.mkdtemp(prefix="berth-faults-"))
    folder.chmod(0o755)
    platform = Platform(folder)
    try:
        platform.start()
        yield platform
        platform.audit()
    finally:
        platform.stop()
        shutil.rmtree(folder, ignore_errors=True)
