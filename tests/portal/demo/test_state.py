"""The one row that says what is simulated."""

from datetime import UTC, datetime, timedelta

import pytest

from portal.common.site_config import get_site_config
from portal.demo import state
from portal.demo.models import DemoState

pytestmark = pytest.mark.django_db

FROM = datetime(2026, 10, 1, tzinfo=UTC)
UNTIL = FROM + timedelta(days=35)


def test_nothing_is_simulated_before_it_is_seeded() -> None:
    found = state.get_state_for_system()

    assert (found.past_from, found.activity) == (None, False)
    assert not DemoState.objects.exists()


def test_an_installation_is_no_demo_unless_it_is_told_so() -> None:
    assert not get_site_config().is_demo


def test_there_is_one_row_from_the_seeding_to_the_removal() -> None:
    state.note_past(FROM, UNTIL)
    state.set_activity(is_on=True)
    seeded = state.get_state_for_system()
    assert (seeded.past_from, seeded.seeded_at, seeded.activity) == (FROM, UNTIL, True)

    state.note_removal(UNTIL)
    asked = DemoState.objects.get()
    assert (asked.past_from, asked.activity, asked.removed_at) == (FROM, False, UNTIL)

    state.note_gone()
    gone = DemoState.objects.get()
    assert (gone.past_from, gone.seeded_at, gone.removed_at) == (None, None, UNTIL)
