"""The only writer of `DemoState`."""

from datetime import datetime
from typing import Any

from portal.demo.models import ROW_ID, DemoState


def get_state_for_system() -> DemoState:
    """Return the row; one that was never saved, with nulls, where nothing was simulated."""
    return DemoState.objects.filter(pk=ROW_ID).first() or DemoState()


def lock_state() -> DemoState:
    """Return the row, locked until the transaction ends; it is made when there is none."""
    DemoState.objects.bulk_create([DemoState()], ignore_conflicts=True)
    return DemoState.objects.select_for_update().get(pk=ROW_ID)


def note_past(past_from: datetime, seeded_at: datetime) -> None:
    """Write down that a past was seeded."""
    _change(past_from=past_from, seeded_at=seeded_at)


def set_activity(*, is_on: bool) -> None:
    """Switch the simulated activity on or off."""
    _change(activity=is_on)


def note_removal(moment: datetime) -> None:
    """Write down that all of it is to be removed: activity ends, and no past is seeded again."""
    _change(activity=False, removed_at=moment)


def note_gone() -> None:
    """Write down that nothing simulated is left."""
    _change(past_from=None, seeded_at=None)


def _change(**columns: Any) -> None:
    DemoState.objects.update_or_create(pk=ROW_ID, defaults=columns)
