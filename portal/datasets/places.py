"""Where versions lie, and on which nodes one may be, by what they report of their `datasets_dir`; pure."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

PUBLISHED: Final = "published"
"""Below the storage: a folder for each version that was published, by its id."""


@dataclass(frozen=True, slots=True)
class VersionFolder:
    """Where the files of a version are."""

    path: str
    is_published: bool = False
    """Below the storage that portal and nodes share; else below the nodes' `datasets_dir`."""


def published_path(version_id: UUID) -> str:
    """Return where a published version lies, below the storage."""
    return f"{PUBLISHED}/{version_id}"


def may_have(folders: Collection[str] | None, path: str) -> bool:
    """Return whether a node may have the folder of a version.

    A node reports its first folders, and as `first/second` those in them, as far as there is room: of a
    first folder without any such entry nothing more is known. None is a node of which nothing is known.
    """
    if folders is None:
        return True
    first, _, rest = path.partition("/")
    if first not in folders:
        return False
    second = rest.partition("/")[0]
    if not second or f"{first}/{second}" in folders:
        return True
    return not any(item.startswith(f"{first}/") for item in folders)
