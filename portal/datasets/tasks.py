"""Celery tasks of data sets: their sizes, and what is published."""

from typing import Final

from celery import shared_task

from portal.common.site_config import get_site_config
from portal.datasets.publishing.records import PUBLISH_TASK
from portal.datasets.publishing.runs import run_publications, tidy_publications
from portal.datasets.sizes import measure_datasets

PUBLISH_S_MAX: Final = 600
"""How long one turn of a publication may take: a folder of very many files is looked at as a whole."""


@shared_task(name="datasets.measure", ignore_result=True)
def measure_sizes() -> None:
    """Count the files of versions of data sets, where this machine has them."""
    site = get_site_config()
    measure_datasets(site.datasets_dir, site.storage_dir)


@shared_task(
    name=PUBLISH_TASK,
    ignore_result=True,
    soft_time_limit=PUBLISH_S_MAX,
    time_limit=PUBLISH_S_MAX + 60,
)
def publish() -> None:
    """Give one publication its turn, then start this task again for the next one."""
    run_publications(get_site_config())


@shared_task(name="datasets.tidy_publications", ignore_result=True)
def tidy_published_files() -> None:
    """Remove what was copied for publications that failed, and versions that were removed."""
    tidy_publications(get_site_config().storage_dir)
