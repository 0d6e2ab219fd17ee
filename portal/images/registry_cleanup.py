"""What nobody can use any more is deleted from the registry: removed images, and rests of failed saves."""

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, Final

import structlog
from django.db.models import Exists, OuterRef

from portal.common.clock import now
from portal.common.site_config import RegistryConfig
from portal.images import image_saves, registry, saved_images
from portal.images.models import ImageSave, SavedImage
from portal.images.registry import RegistryUnavailableError
from portal.images.save_rules import ImageSaveState
from portal.workloads.selectors import unfinished_for_system

DELETED_AFTER: Final = timedelta(minutes=10)
"""How long after its removal the registry deletes an image: work submitted meanwhile still has it."""
CLEANED_AFTER: Final = timedelta(hours=1)
"""How long after its end the registry is searched for what a failed save has left there."""
TURN_MAX: Final = 20
"""Images that one turn deletes from the registry."""

logger = structlog.get_logger(__name__)


def tidy_registry(config: RegistryConfig) -> int:
    """Delete removed images and what failed saves have left; return how many were dealt with."""
    try:
        return _delete_removed(config) + _clean_failed(config)
    except RegistryUnavailableError as error:
        logger.warning("registry.unavailable", error=str(error))
        return 0


def _delete_removed(config: RegistryConfig) -> int:
    """Delete the manifests of removed images that no work needs any more."""
    using = unfinished_for_system().filter(image=OuterRef("pk"))
    due = SavedImage.objects.filter(
        ~Exists(using), removed_at__lt=now() - DELETED_AFTER, deleted_at=None
    )
    rows = list(due.select_related("image").order_by("removed_at")[:TURN_MAX])
    for row in rows:
        reference, _, digest = row.image.reference.partition("@")
        _run(registry.delete_manifest(config, _repository(reference), digest))
        saved_images.mark_deleted(row.pk)
    return len(rows)


def _clean_failed(config: RegistryConfig) -> int:
    """Delete what saves have pushed that failed or were cancelled afterwards."""
    due = ImageSave.objects.filter(
        state__in=[ImageSaveState.FAILED.value, ImageSaveState.CANCELLED.value],
        ended_at__lt=now() - CLEANED_AFTER,
        cleaned_at=None,
    )
    rows = list(due.order_by("ended_at")[:TURN_MAX])
    for row in rows:
        reference, _, tag = row.reference.rpartition(":")
        if digest := _run(registry.find_digest(config, _repository(reference), tag)):
            _run(registry.delete_manifest(config, _repository(reference), digest))
        image_saves.mark_clean(row.pk)
    return len(rows)


def _run(request: Coroutine[Any, Any, str | None]) -> str | None:
    return asyncio.run(request)


def _repository(reference: str) -> str:
    """Return the path in the registry of a reference without tag and digest."""
    return reference.partition("/")[2]
