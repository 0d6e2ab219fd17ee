"""Jobs that would write to a full volume are refused, on a picture of the volumes that may be a second old."""

from collections.abc import Collection, Mapping
from time import monotonic
from typing import Any, Final
from uuid import UUID

from portal.common.errors import ConflictError
from portal.common.ids import new_id
from portal.common.site_config import get_site_config
from portal.common.uses.files import file_references
from portal.common.work_kinds import KINDS, FullVolume
from portal.volumes.models import Volume
from portal.workloads.full_volumes import FileUser, full_volumes_for_system, reason_of, writers_of


def require_room(kind: str, user_id: UUID, group_id: UUID, spec: Mapping[str, Any]) -> None:
    """Refuse a job that would write to a full volume.

    A refusal rests on the volumes as they are now. A job whose volumes had room up to `site_view_age_s` ago
    is accepted: it waits, as it would if they filled a moment later.
    """
    files = file_references(spec, user_id)
    if KINDS[kind].full_volume is not FullVolume.WAITS or _recent.have_room(files):
        return
    user = FileUser(new_id(), user_id, group_id, files)
    if volumes := writers_of(_recent.read(), [user]).get(user.workload):
        reason = reason_of(volumes)
        raise ConflictError(reason.code.value, **reason.params)


class _RecentlyFull:
    """Which volumes were full; all submissions of a second share the answer."""

    def __init__(self) -> None:
        self._seen: tuple[float, frozenset[str]] | None = None

    def have_room(self, files: Collection[str]) -> bool:
        """Return whether none of these was full when it was last asked, not too long ago."""
        if not files or self._seen is None:
            return not files
        read_at, full = self._seen
        is_recent = monotonic() - read_at < get_site_config().site_view_age_s
        return is_recent and full.isdisjoint(files)

    def read(self) -> Mapping[str, Volume]:
        """Return the volumes that are full now, by the references of work."""
        found = full_volumes_for_system()
        self._seen = (monotonic(), frozenset(found))
        return found


_recent: Final = _RecentlyFull()
