"""Reads of the catalogue. Everybody signed in sees every active image."""

from collections.abc import Collection, Mapping
from uuid import UUID

from django.db.models import QuerySet

from portal.catalog.models import Image


def active_images() -> QuerySet[Image]:
    """Return the images that new work may use."""
    return Image.objects.filter(is_active=True)


def references(most: int, length_max: int) -> tuple[str, ...]:
    """Return what nodes should have at hand: the active images, the longest known first."""
    found = active_images().order_by("created_at").values_list("reference", flat=True)
    return tuple(dict.fromkeys(item for item in found if len(item) <= length_max))[:most]


def references_of(image_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return what engines call these images, offered or not."""
    if not image_ids:
        return {}
    return dict(Image.objects.filter(pk__in=image_ids).values_list("pk", "reference"))
