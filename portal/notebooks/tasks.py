"""Celery tasks of notebooks."""

from celery import shared_task

from portal.notebooks import schedules


@shared_task(name="notebooks.run_schedules", ignore_result=True)
def run_schedules() -> None:
    """Start and stop the notebooks whose schedules say so, and announce stops."""
    schedules.run_schedules()
