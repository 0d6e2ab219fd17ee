"""Celery tasks of directories."""

from celery import shared_task

from portal.directory import application


@shared_task(name="directory.apply_due", ignore_result=True)
def apply_due() -> None:
    """Bring all people to directories whose rules have changed, and to each once a day."""
    application.apply_due()
