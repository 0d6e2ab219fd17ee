"""Celery tasks of volumes."""

from celery import shared_task

from portal.common.site_config import get_site_config
from portal.volumes import services
from portal.volumes.tidying import tidy_volumes


@shared_task(name="volumes.empty_trash", ignore_result=True)
def empty_trash() -> None:
    """Remove volumes that have been in the trash for long enough, with their files."""
    services.empty_trash(get_site_config().storage_dir)


@shared_task(name="volumes.tidy_files", ignore_result=True)
def tidy_files() -> None:
    """Remove old trash and unfinished uploads inside of volumes."""
    tidy_volumes(get_site_config().storage_dir)
