"""Reads of images. Every signed-in user sees every active image."""

from collections.abc import Collection, Mapping
from uuid import UUID

from django.db.models import QuerySet

from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.tenancy import policies


def active_images_for_system() -> QuerySet[Image]:
    """Return the images that new work may use."""
    return Image.objects.filter(is_active=True)


def images_visible_to(actor: Actor) -> QuerySet[Image]:
    """Return the images that new work may use; to administrators, withdrawn ones too."""
    is_manager = policies.can(actor, Action.IMAGE_MANAGE, None)
    return Image.objects.all() if is_manager else active_images_for_system()


def references_to_prefetch_for_system(count_max: int, length_max: int) -> tuple[str, ...]:
    """Return the references of active images for nodes to pull ahead of use, oldest first."""
    found = active_images_for_system().order_by("created_at").values_list("reference", flat=True)
    return tuple(dict.fromkeys(item for item in found if len(item) <= length_max))[:count_max]


def references_for_system(image_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return the references of these images by id, withdrawn ones too."""
    if not image_ids:
        return {}
    return dict(Image.objects.filter(pk__in=image_ids).values_list("pk", "reference"))
