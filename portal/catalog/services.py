"""Writes of the catalogue."""

from django.db import transaction

from portal.audit import services as audit
from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.tenancy import policies


@transaction.atomic
def add_image(*, actor: Actor, image: Image) -> Image:
    """Allow one more image."""
    policies.require(actor, Action.IMAGE_MANAGE, None)
    image.save(force_insert=True)
    audit.record(
        actor=actor,
        action="image.create",
        object_type="image",
        object_id=image.pk,
        params={"name": image.name, "reference": image.reference},
    )
    return image
