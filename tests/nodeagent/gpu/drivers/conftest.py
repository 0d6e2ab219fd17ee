"""A machine with cards of the fake NVML."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.nvml.machine import FakeNvml, fake_nvml, h100, t4


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[FakeNvml]:
    with fake_nvml(tmp_path, [h100(0), h100(1), t4(2)]) as made:
        yield made
