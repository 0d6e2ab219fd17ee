"""Celery tasks of advance reservations."""

from celery import shared_task

from portal.administration import reservations, reserved_devices


@shared_task(name="administration.release_unused_reservations", ignore_result=True)
def release_unused_reservations() -> None:
    """Give back open windows of which nothing is in use."""
    reservations.release_unused()


@shared_task(name="administration.replace_failed_devices", ignore_result=True)
def replace_failed_devices() -> None:
    """Give advance reservations other devices for those that failed."""
    reserved_devices.replace_failed_devices()
