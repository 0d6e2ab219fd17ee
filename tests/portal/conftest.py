"""One frozen moment for tests of what grows or decays by the second."""

from collections.abc import Iterator

import pytest

from portal.common.clock import freeze
from tests.portal.moments import NOON


@pytest.fixture
def noon() -> Iterator[None]:
    """Let no time pass at `NOON`."""
    with freeze(NOON):
        yield
