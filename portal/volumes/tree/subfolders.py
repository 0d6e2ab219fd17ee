"""The folders in a folder by their names: what a tree of them shows, opened along a path in one step."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from portal.common.errors import DomainError
from portal.volumes.tree.folders import opened_folder
from portal.volumes.tree.listing import read_names
from portal.volumes.tree.paths import Parts, refused_clearly, to_text

SUBFOLDERS_MAX: Final = 1000
"""Folders of one folder that a tree names; more are found in the list of the folder."""


@dataclass(frozen=True, slots=True)
class Subfolders:
    """The folders in one folder."""

    path: str
    names: list[str]
    is_cut: bool = False
    """Whether there are more."""


def list_subfolders(top: Path, parts: Parts) -> Subfolders:
    """Return the folders in a folder; raises `NotFoundError` if it is none."""
    path = to_text("/".join(parts))
    with refused_clearly(path), opened_folder(top, parts) as folder:
        found = read_names(folder, is_at_top=not parts)
    names = [each.name for each in found.found if each.is_folder]
    names.sort(key=lambda name: (name.casefold(), name))
    is_cut = found.is_cut or len(names) > SUBFOLDERS_MAX
    return Subfolders(path, [to_text(name) for name in names[:SUBFOLDERS_MAX]], is_cut)


def list_along(top: Path, parts: Parts) -> list[Subfolders]:
    """Return the folders in each folder from the top to this one, or to the last that can be opened."""
    found = [list_subfolders(top, ())]
    for depth in range(1, len(parts) + 1):
        try:
            found.append(list_subfolders(top, parts[:depth]))
        except DomainError:
            break  # the list of the folder says why
    return found
