"""Writes of the platform's images; every change is in the audit log."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.audit.versions import IMAGE, require_version
from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, NotFoundError
from portal.tenancy import policies


@transaction.atomic
def add_image(*, actor: Actor, image: Image) -> Image:
    """Add an image to the allow-list."""
    policies.require(actor, Action.IMAGE_MANAGE, None)
    try:
        with transaction.atomic():
            image.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("image_name_taken", name=image.name, pointer="/name") from error
    _audit(actor, "image.create", image)
    return image


@transaction.atomic
def change_image(
    *, actor: Actor, image_id: UUID, changes: Mapping[str, Any], version: int | None = None
) -> Image:
    """Change an image of the platform; running work keeps what it was started from.

    Images are never deleted, because past work refers to them.

    Raises:
        ConflictError: `version`, which the caller read, is not the present one.
    """
    policies.require(actor, Action.IMAGE_MANAGE, None)
    image = Image.objects.select_for_update().filter(pk=image_id, owner=None).first()
    if image is None:
        raise NotFoundError("image")
    require_version(IMAGE, image.pk, version)
    for name, value in changes.items():
        setattr(image, name, value)
    image.save(update_fields=sorted(changes))
    _audit(actor, "image.change", image)
    return image


def _audit(actor: Actor, action: str, image: Image) -> None:
    params = {"name": image.name, "reference": image.reference, "is_active": image.is_active}
    audit.record_event(
        actor=actor, action=action, object_type="image", object_id=image.pk, params=params
    )
