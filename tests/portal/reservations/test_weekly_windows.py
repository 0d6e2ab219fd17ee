"""Weekly reservations where the clock of the site is put forward and back."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from portal.common.clock import freeze
from portal.common.ids import new_id
from portal.reserving.requests import ReservationRequest, list_windows
from tests.builders.people import a_user
from tests.rest import API, browser

pytestmark = pytest.mark.django_db
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture(autouse=True)
def _in_berlin() -> None:
    admin = browser(a_user(role="platform_admin"))
    changed = admin.patch(f"{API}/site-settings", {"time_zone": "Europe/Berlin"}, format="json")
    assert changed.status_code == 200


def windows(begin: datetime, length: timedelta, weeks: int) -> list[tuple[datetime, datetime]]:
    """Return the windows of so many weeks after the first, as somebody in Berlin asks for them."""
    last = begin + timedelta(weeks=weeks)
    request = ReservationRequest(
        name="Course",
        group_id=new_id(),
        pool_id=new_id(),
        starts_at=begin.astimezone(UTC),
        ends_at=(begin + length).astimezone(UTC),
        weekly_until=last.astimezone(UTC),
    )
    with freeze(begin.astimezone(UTC) - timedelta(days=1)):
        return list(list_windows(request))


@pytest.mark.parametrize("month", [3, 10], ids=["clock put forward", "clock put back"])
@pytest.mark.parametrize("weeks", [0, 1, 2, 5])
def test_the_last_week_that_is_asked_for_is_there(month: int, weeks: int) -> None:
    begin = datetime(2027, month, 20, 9, 0, tzinfo=BERLIN)
    found = windows(begin, timedelta(hours=3), weeks)
    assert [start.astimezone(BERLIN) for start, _ in found] == [
        begin + timedelta(weeks=number) for number in range(weeks + 1)
    ]
    assert {end.astimezone(BERLIN).hour for _, end in found} == {12}


def test_a_window_in_the_hour_that_the_clock_skips_is_as_long_as_the_others() -> None:
    begin = datetime(2027, 3, 21, 2, 30, tzinfo=BERLIN)
    found = windows(begin, timedelta(minutes=45), 2)
    assert len(found) == 3
    assert {end - start for start, end in found} == {timedelta(minutes=45)}
