"""Celery tasks of notices."""

from celery import shared_task

from portal.notices import channels, delivery, inbox, mail
from portal.site.selectors import settings_for_system


@shared_task(name=mail.SEND_TASK, ignore_result=True)
def send_mails() -> None:
    """Send the mails that are due."""
    mail.send_mails(settings_for_system().time_zone)


@shared_task(name=channels.DELIVER_TASK, ignore_result=True)
def deliver_notices() -> None:
    """Send the notices to channels of people that are due."""
    delivery.deliver_notices()


@shared_task(name="notices.delete_old", ignore_result=True)
def delete_old_notices() -> None:
    """Delete notices that are too old."""
    inbox.delete_old_notices()
