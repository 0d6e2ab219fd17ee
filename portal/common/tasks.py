"""Celery doors that keep the small tables small."""

from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore

from portal.common.idempotency import forget_old_answers
from portal.common.throttling import forget_old_counts


@shared_task(name="common.forget_old", ignore_result=True)
def forget_old() -> None:
    """Delete stored answers older than a day, counts of past windows, and ended sessions."""
    forget_old_answers()
    forget_old_counts()
    SessionStore.clear_expired()
