"""Celery tasks of accounts."""

from celery import shared_task

from portal.identity import mail


@shared_task(name=mail.SEND_TASK, ignore_result=True)
def send_mails() -> None:
    """Send the mails that are due."""
    mail.send_mails()
