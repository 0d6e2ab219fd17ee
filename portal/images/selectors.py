"""Reads of saved images: each is for its owner and the group that it is shared with."""

from uuid import UUID

from django.db.models import Q, QuerySet, Sum

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError
from portal.images.models import SavedImage
from portal.tenancy import policies


def saved_images_visible_to(actor: Actor) -> QuerySet[SavedImage]:
    """Return the saved images of the actor and its groups; to administrators, those of everyone."""
    rows = SavedImage.objects.filter(removed_at=None).select_related(
        "image__owner", "image__group", "workload_group", "base"
    )
    if policies.has_role_for(actor, Action.IMAGE_MANAGE):
        return rows
    mine = Q(image__owner=actor.user_id)
    return rows.filter(mine | Q(image__group__in=actor.roles))


def may_manage(actor: Actor, saved: SavedImage) -> bool:
    """Return whether the actor may rename, share and remove a saved image: its owner may.

    So may those who administrate the group that it is shared with, and the platform's.
    """
    image = saved.image
    if image.owner_id == actor.user_id:
        return actor.has_scope(Action.IMAGE_SAVE)
    return policies.can(actor, Action.IMAGE_MANAGE, None) or (
        image.group_id is not None and policies.can(actor, Action.IMAGE_SAVE, image.group_id)
    )


def may_share(actor: Actor, group_id: UUID) -> bool:
    """Return whether the actor works in a group, and may give it images."""
    return policies.has_role_for(actor, Action.WORKLOAD_OPEN, group_id, owner_id=actor.user_id)


def saved_image_for_manager(actor: Actor, image_id: UUID) -> SavedImage:
    """Return a saved image that the actor may change and remove.

    Raises:
        NotFoundError: there is none, or the actor may not see it.
        DeniedError: the actor may only use it.
    """
    saved = saved_images_visible_to(actor).filter(pk=image_id).first()
    if saved is None:
        raise NotFoundError("saved_image")
    if not may_manage(actor, saved):
        raise DeniedError("denied", group_id=saved.image.group_id, action=Action.IMAGE_SAVE)
    return saved


def saved_use_for_system(user_id: UUID) -> tuple[int, int]:
    """Return how many images a person has saved, and their bytes in all."""
    rows = SavedImage.objects.filter(image__owner=user_id, removed_at=None)
    return rows.count(), rows.aggregate(total=Sum("size_bytes"))["total"] or 0
