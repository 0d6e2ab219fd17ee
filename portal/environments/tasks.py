"""Celery tasks of notebooks."""

from celery import shared_task

from portal.common.site_config import get_site_config
from portal.environments import access_shares, schedules, services
from portal.environments.images import (
    image_retention,
    image_saves,
    image_scans,
    node_images,
    saved_images,
)


@shared_task(name="environments.forget_old_access", ignore_result=True)
def forget_old_access() -> None:
    """Delete tickets and grants that expired long ago, and shares that open nothing any more."""
    services.forget_old_access()
    access_shares.delete_lapsed_shares()


@shared_task(name="environments.run_schedules", ignore_result=True)
def run_schedules() -> None:
    """Start and stop the notebooks whose schedules say so, and announce stops."""
    schedules.run_schedules()


@shared_task(name="environments.tend_saved_images", ignore_result=True)
def tend_saved_images() -> None:
    """End saves and pulls of which nothing is heard; delete from the registry what nobody can use."""
    image_saves.fail_silent_saves()
    node_images.tend_pulls()
    registry = get_site_config().registry
    if registry is not None:
        saved_images.tidy_registry(registry)


@shared_task(name="environments.expire_images", ignore_result=True)
def expire_images() -> None:
    """Take away the saved images that have not been used for as long as their rules say; announce the next."""
    image_retention.announce_expiry()
    image_retention.expire_images()


@shared_task(name="environments.scan_images", ignore_result=True)
def scan_images() -> None:
    """Look at the scan of an image that runs, and begin the next one."""
    image_scans.tend_scans(get_site_config())
