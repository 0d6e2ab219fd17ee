"""Celery tasks of services."""

from celery import shared_task

from portal.serving import reconcile


@shared_task(name="serving.reconcile", ignore_result=True)
def reconcile_services() -> None:
    """Bring the replicas of every service to what is wanted of them."""
    reconcile.reconcile_services()
