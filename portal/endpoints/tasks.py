"""Celery tasks of tickets, grants and shares."""

from celery import shared_task

from portal.endpoints import access_shares, services


@shared_task(name="endpoints.forget_old_access", ignore_result=True)
def forget_old_access() -> None:
    """Delete tickets and grants that expired long ago, and shares that open nothing any more."""
    services.forget_old_access()
    access_shares.delete_lapsed_shares()
