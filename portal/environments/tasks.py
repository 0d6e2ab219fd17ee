"""Celery tasks of notebooks."""

from celery import shared_task

from portal.environments import services


@shared_task(name="environments.forget_old_access", ignore_result=True)
def forget_old_access() -> None:
    """Delete tickets and grants that expired long ago."""
    services.forget_old_access()
