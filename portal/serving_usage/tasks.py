"""Background tasks of what the endpoints of services carried."""

from celery import shared_task

from portal.serving_usage import services


@shared_task(name="serving_usage.prune_seconds")
def prune_seconds() -> None:
    """Delete load by the second that is no longer needed."""
    services.prune_seconds()


@shared_task(name="serving_usage.roll_up_hours")
def roll_up_hours() -> None:
    """Add the requests of hours that are over."""
    services.roll_up_hours()
