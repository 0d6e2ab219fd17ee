"""Celery tasks of accounts."""

from celery import shared_task

from portal.identity import inbox, mail


@shared_task(name=mail.SEND_TASK, ignore_result=True)
def send_mails() -> None:
    """Send the mails that are due."""
    mail.send_mails()


@shared_task(name="identity.delete_old_notices", ignore_result=True)
def delete_old_notices() -> None:
    """Delete notices that are too old."""
    inbox.delete_old_notices()
