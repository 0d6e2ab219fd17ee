"""A visitor of a fresh demo finds something on every main page, whoever he is: no "nothing here yet"."""

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.story import SitDown
from tests.e2e.walking import go
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched, running

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

ROWS: Final = "tbody tr"
CURVES: Final = "canvas"
CONTENT: Final = {
    "/": ROWS,
    "/notebooks": ROWS,
    "/jobs": ROWS,
    "/templates": ROWS,
    "/queue": ROWS,
    "/nodes": CURVES,
    "/nodes/map": CURVES,
    "/reservations": ROWS,
    "/usage": ROWS,
    "/requests": ROWS,
}
"""What each of the ten main pages of everybody has."""
OF_ADMINISTRATORS: Final = {"/alarms": ROWS, "/quotas": ROWS, "/people": ROWS, "/what-if": ROWS}
MEMBER: Final = organisation.TEAMS[0].people[9]


@pytest.fixture(scope="module")
def lively_demo() -> Iterator[Launched]:
    """What `make run` starts, with its past and activity."""
    with running("demo", "--runtime", "process", "--nodes", "5", has_activity=True) as launched:
        yield launched
