"""Reads of the catalogue. Everybody signed in sees every active image."""

from collections.abc import Collection, Mapping
from uuid import UUID

from django.db.models import QuerySet

from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.tenancy import policies


def active_images() -> QuerySet[Image]:
    """Return the images that new work may use."""
    return Image.objects.filter(is_active=True)


def images_for(actor: Actor) -> QuerySet[Image]:
    """Return what new work may use; to those who manage images, all of them."""
    is_manager = policies.can(actor, Action.IMAGE_MANAGE, None)
    return Image.objects.all() if is_manager else active_images()


def references(most: int, length_max: int) -> tuple[str, ...]:
    """Return what nodes should have at hand: the active images, the longest known first."""
    found = active_images().order_by("created_at").values_list("reference", flat=True)
    return tuple(dict.fromkeys(item for item in found if len(item) <= length_max))[:most]


def references_of(image_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return what engines call these images, offered or not."""
    if not image_ids:
        return {}
    return dict(Image.objects.filter(pk__in=image_ids).values_list("pk", "reference"))
