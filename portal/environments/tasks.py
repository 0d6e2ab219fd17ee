"""Celery tasks of notebooks."""

from celery import shared_task

from portal.common.site_config import get_site_config
from portal.environments import access_shares, image_saves, saved_images, schedules, services


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
    """End saves of which nothing is heard, and delete from the registry what nobody can use."""
    image_saves.fail_silent_saves()
    registry = get_site_config().registry
    if registry is not None:
        saved_images.tidy_registry(registry)
