"""Reads of images: those of the platform are for everyone, a saved image for its owner and a group."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.tenancy import policies


@dataclass(frozen=True, slots=True)
class ImageSource:
    """What an engine pulls."""

    reference: str
    needs_login: bool
    """Whether it is in the registry of the platform."""


def active_images_for_system() -> QuerySet[Image]:
    """Return the images of the platform that new work may use."""
    return Image.objects.filter(is_active=True, owner=None)


def images_visible_to(actor: Actor) -> QuerySet[Image]:
    """Return the images that new work of the actor may use; to administrators, withdrawn ones too.

    Saved images of others, and of groups that the actor is not in, are for nobody else to use.
    """
    of_platform = Q(owner=None)
    if not policies.can(actor, Action.IMAGE_MANAGE, None):
        of_platform &= Q(is_active=True)
    saved = Q(owner__isnull=False, owner=actor.user_id) | Q(group__in=actor.roles)
    return Image.objects.filter(of_platform | (saved & Q(is_active=True)))


def may_use(actor: Actor, image: Image) -> bool:
    """Return whether new work of the actor may use an active image."""
    if image.owner_id is None or image.owner_id == actor.user_id:
        return True
    return image.group_id in actor.roles


def references_to_prefetch_for_system(count_max: int, length_max: int) -> tuple[str, ...]:
    """Return the references of the platform's images for nodes to pull ahead of use, oldest first."""
    found = active_images_for_system().order_by("created_at").values_list("reference", flat=True)
    return tuple(dict.fromkeys(item for item in found if len(item) <= length_max))[:count_max]


def sources_for_system(image_ids: Collection[UUID]) -> Mapping[UUID, ImageSource]:
    """Return what engines pull for these images by id, withdrawn ones too."""
    if not image_ids:
        return {}
    rows = Image.objects.filter(pk__in=image_ids).values_list("pk", "reference", "owner")
    return {key: ImageSource(reference, owner is not None) for key, reference, owner in rows}
