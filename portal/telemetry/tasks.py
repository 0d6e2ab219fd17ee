"""Background tasks of samples."""

from celery import shared_task

from portal.telemetry import services


@shared_task(name="telemetry.roll_up")
def roll_up() -> None:
    """Roll the last minutes, hours and days up."""
    services.roll_up()


@shared_task(name="telemetry.maintain_partitions")
def maintain_partitions() -> None:
    """Create the partitions of the next days and drop those past their retention."""
    services.maintain_partitions()
