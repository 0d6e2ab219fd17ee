"""Celery tasks of requests."""

from celery import shared_task

from portal.approvals import services


@shared_task(name="approvals.expire_requests", ignore_result=True)
def expire_requests() -> None:
    """Expire requests whose time, or whose work, is over."""
    services.expire_requests()
