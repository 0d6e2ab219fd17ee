"""Celery tasks of advance reservations."""

from celery import shared_task

from portal.reserving import replacement, requests


@shared_task(name="reserving.release_unused", ignore_result=True)
def release_unused_reservations() -> None:
    """Give back open windows of which nothing is in use."""
    requests.release_unused()


@shared_task(name="reserving.replace_failed_devices", ignore_result=True)
def replace_failed_devices() -> None:
    """Give advance reservations other devices for those that failed."""
    replacement.replace_failed_devices()
