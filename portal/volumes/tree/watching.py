"""What a folder shows, as one value: to know whether a page of it is still true."""

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from portal.volumes.tree.folders import opened_folder
from portal.volumes.tree.listing import FOLDER_ENTRIES_MAX
from portal.volumes.tree.paths import Parts, is_reserved

_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class FolderLook:
    """What a folder had at one moment; looks that show the same entries have the same digest."""

    digest: bytes
    changed_at_s: float
    """When an entry, or which entries there are, changed last."""


def glance_at_folder(top: Path, parts: Parts) -> int | None:
    """Return a mark that is another one whenever an entry has come, gone or got another name.

    None if there is no such folder. Costs the same whatever the folder holds.
    """
    with suppress(OSError), opened_folder(top, parts) as folder:
        facts = os.fstat(folder)
        return hash((facts.st_ino, facts.st_mtime_ns))
    return None


def look_at_folder(top: Path, parts: Parts) -> FolderLook | None:
    """Read what a list of the folder shows of each entry; None if there is no such folder."""
    with suppress(OSError), opened_folder(top, parts) as folder:
        newest = os.fstat(folder).st_ctime_ns
        lines: list[str] = []
        with os.scandir(folder) as entries:
            for entry in islice(entries, FOLDER_ENTRIES_MAX):
                if not parts and is_reserved((entry.name,)):
                    continue
                with suppress(FileNotFoundError):
                    facts = entry.stat(follow_symlinks=False)
                    newest = max(newest, facts.st_ctime_ns)
                    lines.append(
                        f"{entry.name}\0{facts.st_mode}\0{facts.st_size}\0{facts.st_mtime_ns}"
                    )
        shown = os.fsencode("\n".join(sorted(lines)))
        digest = hashlib.blake2b(shown, digest_size=16).digest()
        return FolderLook(digest, newest / _NS_PER_S)
    return None
