"""Background tasks of the meter."""

from celery import shared_task

from portal.metering import services


@shared_task(name="metering.update_usage")
def update_usage() -> None:
    """Bring the meter up to now."""
    services.update_usage()
