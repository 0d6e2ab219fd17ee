"""What is done to samples in the background."""

from celery import shared_task

from portal.telemetry import services


@shared_task(name="telemetry.sum_up")
def sum_up() -> None:
    """Sum the last minutes and hours up."""
    services.sum_up()


@shared_task(name="telemetry.keep_partitions")
def keep_partitions() -> None:
    """Make room for the days to come, and forget what is too old."""
    services.keep_partitions()
