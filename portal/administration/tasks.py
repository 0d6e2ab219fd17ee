"""Celery tasks of advance reservations, and of sizes of data sets."""

from celery import shared_task

from portal.administration import reservations, reserved_devices
from portal.administration.dataset_sizes import measure_datasets
from portal.common.site_config import get_site_config


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
    datasets_dir = get_site_config().datasets_dir
    if datasets_dir is not None:
        measure_datasets(datasets_dir)
