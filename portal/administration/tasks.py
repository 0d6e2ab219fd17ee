"""Celery tasks of advance reservations, of sizes of data sets, and of what is published."""

from typing import Final

from celery import shared_task

from portal.administration import reservations, reserved_devices
from portal.administration.dataset_sizes import measure_datasets
from portal.administration.publication_runs import run_publications, tidy_publications
from portal.common.site_config import get_site_config
from portal.datasets.publications import PUBLISH_TASK

PUBLISH_S_MAX: Final = 600
"""How long one turn of a publication may take: a folder of very many files is looked at as a whole."""


@shared_task(name="administration.release_unused_reservations", ignore_result=True)
def release_unused_reservations() -> None:
    """Give back open windows of which nothing is in use."""
    reservations.release_unused()


@shared_task(name="administration.replace_failed_devices", ignore_result=True)
def replace_failed_devices() -> None:
    """Give advance reservations other devices for those that failed."""
    reserved_devices.replace_failed_devices()


@shared_task(name="administration.measure_datasets", ignore_result=True)
def measure_sizes_of_datasets() -> None:
    """Count the files of versions of data sets, where this machine has them."""
    site = get_site_config()
    measure_datasets(site.datasets_dir, site.storage_dir)


@shared_task(
    name=PUBLISH_TASK,
    ignore_result=True,
    soft_time_limit=PUBLISH_S_MAX,
    time_limit=PUBLISH_S_MAX + 60,
)
def publish_datasets() -> None:
    """Give one publication its turn, then start this task again for the next one."""
    run_publications(get_site_config())


@shared_task(name="administration.tidy_publications", ignore_result=True)
def tidy_published_files() -> None:
    """Remove what was copied for publications that failed, and versions that were removed."""
    tidy_publications(get_site_config().storage_dir)
