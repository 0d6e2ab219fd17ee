"""The Celery task of the scheduler, sent by a wake-up or by the beat tick."""

from threading import Event
from time import monotonic
from typing import Final

from celery import shared_task

from portal.common.notifications import SCHEDULER, SCHEDULER_TASK, clear_scheduler_wake
from scheduler.runtime.loop import run_once

_RETRY_S: Final = 1
PAUSE_S_MAX: Final = 0.25
"""Between two runs, however long the first took."""


class _Pace:
    """When the next run may begin: after a pause as long as the last run.

    One change alone is decided at once. Where changes never cease, each run decides on all that came
    meanwhile, so half as many of them do the same work, and the rest of the machine is left for it.
    """

    def __init__(self) -> None:
        self._not_before = 0.0

    def wait(self) -> float:
        """Wait until a run may begin, and return the time."""
        Event().wait(max(self._not_before - monotonic(), 0.0))
        return monotonic()

    def note_end(self, began_at: float) -> None:
        """Keep the next run away for as long as this one took."""
        ended_at = monotonic()
        self._not_before = ended_at + min(ended_at - began_at, PAUSE_S_MAX)


_pace: Final = _Pace()


@shared_task(name=SCHEDULER_TASK, ignore_result=True)
def run_pass() -> None:
    """Run once; while another copy is at work, retry soon: it may have read too early."""
    began_at = _pace.wait()
    clear_scheduler_wake()
    if run_once() is None:
        run_pass.apply_async(queue=SCHEDULER, countdown=_RETRY_S)
    _pace.note_end(began_at)
