"""Celery tasks of accounts."""

from celery import shared_task

from portal.identity import inbox, notice_channels, notice_delivery


@shared_task(name=notice_channels.DELIVER_TASK, ignore_result=True)
def deliver_notices() -> None:
    """Send the notices to channels of people that are due."""
    notice_delivery.deliver_notices()


@shared_task(name="identity.delete_old_notices", ignore_result=True)
def delete_old_notices() -> None:
    """Delete notices that are too old."""
    inbox.delete_old_notices()
