"""The Celery task of the scheduler, sent by a wake-up or by the beat tick."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic
from typing import Final

from celery import shared_task

from portal.common.notifications import SCHEDULER, SCHEDULER_TASK, clear_scheduler_wake
from scheduler.runtime.loop import run_once
from scheduler.runtime.pace import Pace

_RETRY_S: Final = 1
_pace: Final = Pace()
_committer: Final = ThreadPoolExecutor(1, "commit")


@shared_task(name=SCHEDULER_TASK, ignore_result=True)
def run_pass() -> None:
    """Run once; while another copy is at work, retry soon: it may have read too early."""
    Event().wait(_pace.pause_s(monotonic()))
    began_at = monotonic()
    clear_scheduler_wake()
    if run_once(_committer) is None:
        run_pass.apply_async(queue=SCHEDULER, countdown=_RETRY_S)
    _pace.note_run(began_at, monotonic())
