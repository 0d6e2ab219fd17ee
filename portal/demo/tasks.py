"""Celery tasks of the demo."""

from celery import shared_task

from portal.demo import removal


@shared_task(name=removal.TASK, ignore_result=True)
def finish_removal() -> None:
    """Continue the removal of what was simulated, if one was requested."""
    removal.finish_removal()
