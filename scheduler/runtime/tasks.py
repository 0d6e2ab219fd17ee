"""The Celery task of the scheduler, sent by a wake-up or by the beat tick."""

from typing import Final

from celery import shared_task

from portal.common.poke import SCHEDULER, SCHEDULER_TASK, scheduler_pass_begins
from scheduler.runtime.loop import run_once

_RETRY_S: Final = 1


@shared_task(name=SCHEDULER_TASK, ignore_result=True)
def run_pass() -> None:
    """Run once; while another copy is at work, retry soon: it may have read too early."""
    scheduler_pass_begins()
    if run_once() is None:
        run_pass.apply_async(queue=SCHEDULER, countdown=_RETRY_S)
