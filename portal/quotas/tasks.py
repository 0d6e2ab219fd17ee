"""Celery tasks of quotas."""

from celery import shared_task

from portal.quotas import services


@shared_task(name="quotas.recount", ignore_result=True)
def recount_quotas() -> None:
    """Compare every quota counter with what is really held, and set it right."""
    services.recount_quotas()
