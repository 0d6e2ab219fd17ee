"""Celery tasks of volumes."""

from celery import shared_task

from portal.common.site_config import get_site_config
from portal.volumes.tidying import tidy_volumes


@shared_task(name="volumes.tidy_files", ignore_result=True)
def tidy_files() -> None:
    """Remove old trash and unfinished uploads."""
    tidy_volumes(get_site_config().storage_dir)
