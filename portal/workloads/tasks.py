"""Celery tasks of workloads."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings

from portal.workloads import retention, services
from portal.workloads.sweep import run_sweep


@shared_task(name="workloads.sweep", ignore_result=True)
def sweep() -> None:
    """Do everything that is due by time."""
    run_sweep(heartbeat=timedelta(seconds=settings.HEARTBEAT_S))


@shared_task(name="workloads.recount_quotas", ignore_result=True)
def recount_quotas() -> None:
    """Compare every quota counter with what is really held, and set it right."""
    services.recount_quotas()


@shared_task(name="workloads.tidy_storage", ignore_result=True)
def tidy_storage() -> None:
    """Remove the folders of work that ended long enough ago."""
    workspaces = timedelta(days=settings.WORKSPACES_KEPT_DAYS)
    outputs = timedelta(days=settings.OUTPUTS_KEPT_DAYS)
    kinds = [
        retention.RetainedFolder("workspaces", workspaces),
        retention.RetainedFolder("outputs", outputs),
        retention.RetainedFolder("logs", outputs),
    ]
    retention.remove_expired_folders(settings.STORAGE_DIR, kinds)
