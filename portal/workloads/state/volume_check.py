"""Volumes of the work that a batch of placements starts: each lies in one place, and that is checked.

The first start decides where a volume lies: on the storage that nodes share, or on the one node whose
storage is its own. From then on work that mounts it starts there only.
"""

from collections.abc import Collection, Sequence
from uuid import UUID

from portal.common.site_config import get_site_config
from portal.common.uses.files import FileKind, keys_of
from portal.volumes.models import Volume
from portal.volumes.places import VolumePlace, place_of
from portal.volumes.services import lock_volumes, save_places
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.state.locked_rows import LockedNode, LockedWorkload
from scheduler.core.model.reasons import ReasonCode


class VolumeCheck:
    """The locked volumes of a batch. Without any, nothing is asked."""

    def __init__(self, workloads: Collection[LockedWorkload]) -> None:
        """Lock the homes and volumes that these workloads use; homes are made where there is none."""
        owners = {UUID(key) for row in workloads for key in keys_of(row.files, FileKind.HOME)}
        ids = {UUID(key) for row in workloads for key in keys_of(row.files, FileKind.VOLUME)}
        found = lock_volumes(owners, ids, home_mib=get_site_config().home_mib)
        self._homes = {row.owner_id: row for row in found if row.owner_id is not None}
        self._volumes = {row.pk: row for row in found}
        self._places: dict[UUID, VolumePlace] = {}

    def place(self, workload: LockedWorkload, nodes: Sequence[LockedNode]) -> None:
        """Check that all volumes of one workload lie where it starts; those unused so far will.

        Raises:
            PlacementRefusedError: one of them lies elsewhere.
        """
        wanted = self._used_by(workload)
        if not wanted:
            return
        for volume in wanted:
            known = self._places.get(volume.pk) or place_of(volume)
            if known is not None and not all(known == _place_on(node) for node in nodes):
                raise PlacementRefusedError(ReasonCode.HOME_UNAVAILABLE.value)
        for volume in wanted:
            if place_of(volume) is None:
                # A gang over several such nodes leaves it where its first rank is.
                places = [_place_on(node) for node in nodes]
                self._places.setdefault(volume.pk, max(places, key=lambda place: place.is_local))

    def write(self) -> None:
        """Save where volumes lie that were used for the first time."""
        save_places([(self._volumes[key], place) for key, place in self._places.items()])

    def _used_by(self, workload: LockedWorkload) -> list[Volume]:
        homes = [self._homes.get(UUID(key)) for key in keys_of(workload.files, FileKind.HOME)]
        named = [self._volumes.get(UUID(key)) for key in keys_of(workload.files, FileKind.VOLUME)]
        return [volume for volume in (*homes, *named) if volume is not None]


def _place_on(node: LockedNode) -> VolumePlace:
    """Return where a volume lies that a node mounts."""
    return VolumePlace(None if node.shares_storage else UUID(node.id))
