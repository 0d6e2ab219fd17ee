"""Tasks that delete expired rows of small tables."""

from celery import shared_task
from django.contrib.sessions.models import Session

from portal.common.clock import now
from portal.common.rest.idempotency import delete_expired_responses
from portal.common.rest.throttling import delete_expired_counts


@shared_task(name="common.delete_expired", ignore_result=True)
def delete_expired() -> None:
    """Delete stored responses older than a day, counts of past windows, and ended sessions."""
    delete_expired_responses()
    delete_expired_counts()
    Session.objects.filter(expire_date__lt=now()).delete()
