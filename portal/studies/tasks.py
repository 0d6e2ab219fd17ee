"""Celery tasks of studies."""

from celery import shared_task

from portal.common.notifications import start_task
from portal.studies import services


@shared_task(
    name=services.TASK,
    ignore_result=True,
    soft_time_limit=services.STUDY_S_MAX,
    time_limit=services.STUDY_S_MAX + 60,
)
def run_next() -> None:
    """Run one study, then start this task again for the next one."""
    if services.run_next_study():
        start_task(services.TASK)
