"""Celery tasks of advance reservations."""

from celery import shared_task

from portal.administration import reservations


@shared_task(name="administration.release_unused_reservations", ignore_result=True)
def release_unused_reservations() -> None:
    """Give back open windows of which nothing is in use."""
    reservations.release_unused()
