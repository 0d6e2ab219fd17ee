"""The Celery task of mails: they say times in the zone of the site, which accounts do not know."""

from celery import shared_task

from portal.identity import mail
from portal.site.selectors import settings_for_system


@shared_task(name=mail.SEND_TASK, ignore_result=True)
def send_mails() -> None:
    """Send the mails that are due."""
    mail.send_mails(settings_for_system().time_zone)
