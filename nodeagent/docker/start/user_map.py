"""Which host user a container's user is; pure.

With `userns-remap` the engine shifts every id: root of a container has no rights on the host, and
the folders that the work writes to must belong to the shifted user.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_OPTION = "name=userns"


@dataclass(frozen=True, slots=True)
class UserMap:
    """How far the engine shifts ids; 0 where it does not."""

    uid: int = 0
    gid: int = 0

    @property
    def is_remapped(self) -> bool:
        """Whether root of a container is another user on the host."""
        return self.uid > 0

    def host_owner(self, user_id: int) -> tuple[int, int]:
        """Return user and group on the host for a user of the container."""
        return self.uid + user_id, self.gid + user_id


def parse_user_map(info: Mapping[str, Any]) -> UserMap:
    """Parse the shift from the engine's own description (`/info`).

    A remapping engine keeps its data in `<root>/<uid>.<gid>`, and reports that folder.
    """
    if not any(_OPTION in option for option in info.get("SecurityOptions") or ()):
        return UserMap()
    last = str(info.get("DockerRootDir", "")).rstrip("/").rpartition("/")[2]
    uid, _, gid = last.partition(".")
    if not (uid.isdecimal() and gid.isdecimal()):
        raise ValueError(f"userns-remap without ids in the engine's folder: {last!r}")
    return UserMap(int(uid), int(gid))
