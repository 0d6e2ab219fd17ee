"""Celery tasks of notebooks."""

from celery import shared_task

from portal.environments import access_shares, schedules, services


@shared_task(name="environments.forget_old_access", ignore_result=True)
def forget_old_access() -> None:
    """Delete tickets and grants that expired long ago, and shares that open nothing any more."""
    services.forget_old_access()
    access_shares.delete_lapsed_shares()


@shared_task(name="environments.run_schedules", ignore_result=True)
def run_schedules() -> None:
    """Start and stop the notebooks whose schedules say so, and announce stops."""
    schedules.run_schedules()
