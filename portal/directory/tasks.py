"""Celery tasks of directories."""

from celery import shared_task

from portal.directory import application
from portal.directory.ldap import sync


@shared_task(name="directory.apply_due", ignore_result=True)
def apply_due() -> None:
    """Bring all people to directories whose rules have changed, and to each once a day."""
    application.apply_due()


@shared_task(name="directory.sync_due", ignore_result=True)
def sync_due() -> None:
    """Read the directories that are due by LDAP, and follow them."""
    sync.sync_due()
