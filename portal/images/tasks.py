"""Celery tasks of saved images, and of images on nodes."""

from celery import shared_task

from portal.common.site_config import get_site_config
from portal.images import image_retention, image_saves, image_scans, node_images, registry_cleanup


@shared_task(name="images.tend_saved_images", ignore_result=True)
def tend_saved_images() -> None:
    """End saves and pulls of which nothing is heard; delete from the registry what nobody can use."""
    image_saves.fail_silent_saves()
    node_images.tend_pulls()
    registry = get_site_config().registry
    if registry is not None:
        registry_cleanup.tidy_registry(registry)


@shared_task(name="images.expire_images", ignore_result=True)
def expire_images() -> None:
    """Remove the saved images that have not been used for as long as their rules say; announce the next."""
    image_retention.announce_expiry()
    image_retention.expire_images()


@shared_task(name="images.scan_images", ignore_result=True)
def scan_images() -> None:
    """Look at the scan of an image that runs, and begin the next one."""
    image_scans.tend_scans(get_site_config())
