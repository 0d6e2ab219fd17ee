"""Volumes put into the trash, checked against the work that mounts them."""

from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.volumes import services as volumes
from portal.volumes.models import Volume
from portal.volumes.selectors import volume_for_manager
from portal.workloads.file_uses import FileKind, file_reference
from portal.workloads.selectors import unfinished_using_for_system


def reference_of(volume: Volume) -> str:
    """Return how work refers to a volume."""
    if volume.owner_id is not None:
        return file_reference(FileKind.HOME, volume.owner_id)
    return file_reference(FileKind.VOLUME, volume.pk)


@transaction.atomic
def trash_volume(*, actor: Actor, volume_id: UUID) -> Volume:
    """Put a volume into the trash, from which it is removed with its files after some days.

    Raises:
        ConflictError: notebooks or jobs that have not ended mount it.
    """
    volume = volume_for_manager(actor, volume_id)
    users = unfinished_using_for_system(reference_of(volume)).order_by("id")
    if (first := users.first()) is not None:
        raise ConflictError("volume_in_use", name=first.name, count=users.count())
    return volumes.trash_volume(actor=actor, volume_id=volume_id)
