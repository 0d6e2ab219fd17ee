"""Writes of images that people saved from notebooks; every change is in the audit log."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.identity.models import User
from portal.images.models import SavedImage
from portal.images.selectors import may_share, saved_image_for_manager
from portal.tenancy.models import Group
from portal.workloads.selectors import unfinished_for_system


@dataclass(frozen=True, slots=True)
class NewSavedImage:
    """An image that a node has pushed to the registry."""

    owner: User
    name: str
    note: str
    is_shared: bool
    reference: str
    """With its digest."""
    digest: str
    size_bytes: int
    workload_id: UUID
    workload_name: str
    workload_group: Group
    base: Image


def full_name(owner: User, name: str) -> str:
    """Return the name by which work asks for a saved image."""
    return f"{owner.username}/{name}"


def is_name_taken(owner: User, name: str) -> bool:
    """Return whether a person has saved an image of this name."""
    return Image.objects.filter(name=full_name(owner, name)).exists()


@transaction.atomic
def add_saved_image(*, actor: Actor, new: NewSavedImage) -> SavedImage:
    """Add a saved image to the catalogue; work uses it by its digest.

    Raises:
        ConflictError: its owner has one of this name.
    """
    image = Image(
        name=full_name(new.owner, new.name),
        title_en=full_name(new.owner, new.name),
        title_zh=full_name(new.owner, new.name),
        description_en=new.note,
        description_zh=new.note,
        reference=new.reference,
        for_environments=True,
        for_training=True,
        owner=new.owner,
        group=new.workload_group if new.is_shared else None,
    )
    _save(image, new.name, is_new=True)
    saved = SavedImage.objects.create(
        image=image,
        workload_id=new.workload_id,
        workload_name=new.workload_name,
        workload_group=new.workload_group,
        base=new.base,
        digest=new.digest,
        size_bytes=new.size_bytes,
    )
    _audit(actor, "saved_image.create", saved)
    return saved


@transaction.atomic
def change_saved_image(
    *,
    actor: Actor,
    image_id: UUID,
    name: str | None = None,
    note: str | None = None,
    is_shared: bool | None = None,
    is_pinned: bool | None = None,
) -> SavedImage:
    """Change the name, the note, whether the group may use it and it stays; None stays as it is.

    Raises:
        ConflictError: its owner has another one of this name.
        DeniedError: it is to be shared by someone else than its owner, or with a former group.
    """
    saved = _locked(saved_image_for_manager(actor, image_id))
    image = saved.image
    if name is not None and image.owner is not None:
        image.name = full_name(image.owner, name)
        image.title_en = image.title_zh = image.name
    if note is not None:
        image.description_en = image.description_zh = note
    if is_shared and image.group_id is None:
        _require_sharer(actor, saved)
    if is_shared is not None:
        image.group = saved.workload_group if is_shared else None
    _save(image, image.name)
    if is_pinned is not None:
        saved.is_pinned = is_pinned
        saved.save(update_fields=["is_pinned"])
    _audit(actor, "saved_image.change", saved)
    return saved


@transaction.atomic
def remove_saved_image(*, actor: Actor, image_id: UUID) -> None:
    """Take a saved image out of use; the registry deletes it some minutes later (`mark_deleted`).

    Raises:
        ConflictError: notebooks or jobs that have not ended use it.
    """
    saved = saved_image_for_manager(actor, image_id)
    if count := unfinished_for_system().filter(image=image_id).count():
        raise ConflictError("image_in_use", count=count)
    _locked(saved)
    _audit(actor, "saved_image.remove", saved)
    _take_away(saved)


def lock_saved_image(image_id: UUID) -> SavedImage | None:
    """Return a saved image that is not removed, its row locked, inside a transaction."""
    rows = Image.objects.select_for_update(no_key=True, of=("self",))
    if rows.filter(pk=image_id, is_active=True).first() is None:
        return None
    return SavedImage.objects.select_related("image__owner").get(pk=image_id)


def lock_present(image_ids: Collection[UUID]) -> list[SavedImage]:
    """Return those of these images that are not removed, their rows locked, inside a transaction."""
    rows = Image.objects.select_for_update(no_key=True, of=("self",)).order_by("id")
    present = [image.pk for image in rows.filter(pk__in=image_ids, is_active=True)]
    return list(SavedImage.objects.select_related("image").filter(pk__in=present).order_by("pk"))


def note_expiry_noticed(image_ids: Collection[UUID]) -> None:
    """Record that the owners of locked images were notified that they are about to go."""
    SavedImage.objects.filter(pk__in=image_ids).update(expiry_noticed_at=now())


def expire_saved_image(*, actor: Actor, saved: SavedImage, last_used: datetime) -> None:
    """Take a locked image out of use because of the retention, as `remove_saved_image` does."""
    _audit(actor, "saved_image.expire", saved, last_used=last_used.isoformat(timespec="seconds"))
    _take_away(saved)


def _take_away(saved: SavedImage) -> None:
    saved.removed_at = now()
    saved.save(update_fields=["removed_at"])
    saved.image.is_active, saved.image.name = False, str(saved.image.pk)
    saved.image.save(update_fields=["is_active", "name"])


def mark_deleted(image_id: UUID) -> None:
    """Record that the registry has deleted the manifest of a removed image."""
    SavedImage.objects.filter(pk=image_id).exclude(removed_at=None).update(deleted_at=now())


def _locked(saved: SavedImage) -> SavedImage:
    """Return a saved image that is not removed, with the lock of its row in the catalogue."""
    image = Image.objects.select_for_update(no_key=True).filter(pk=saved.pk, is_active=True).first()
    if image is None:
        raise NotFoundError("saved_image")
    return saved


def _require_sharer(actor: Actor, saved: SavedImage) -> None:
    """Refuse to give a group what its owner keeps private, or did not save as one of its members."""
    group_id = saved.workload_group_id
    if saved.image.owner_id != actor.user_id or not may_share(actor, group_id):
        raise DeniedError("denied", group_id=group_id, action=Action.IMAGE_SAVE)


def _save(image: Image, name: str, *, is_new: bool = False) -> None:
    try:
        with transaction.atomic():
            image.save(force_insert=is_new)
    except IntegrityError as error:
        raise ConflictError("image_name_taken", name=name, pointer="/name") from error


def _audit(actor: Actor, action: str, saved: SavedImage, **more: str) -> None:
    image = saved.image
    audit.record_event(
        actor=actor,
        action=action,
        object_type="image",
        object_id=image.pk,
        group_id=image.group_id,
        params={
            "name": image.name,
            "owner": image.owner.username if image.owner else "",
            "digest": saved.digest,
            "is_shared": image.group_id is not None,
            "is_pinned": saved.is_pinned,
            **more,
        },
    )
