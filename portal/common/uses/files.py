"""What work needs that not every node has, as one list of references; pure.

A reference is `<kind>:<key>`: the home of a user, a volume, the outputs of an earlier job, a data set, or
what builds images.
Workloads store their list in the column `files`, so that the scheduler, and those who remove files, find
who uses what without reading specs.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

FILE_REFERENCE_MAX: Final = 80
"""Characters of a reference."""


class FileKind(StrEnum):
    """What a reference is to."""

    HOME = "home"
    """By the id of its owner: it may not exist before the first start."""
    VOLUME = "volume"
    INPUT = "input"
    """By the id of the job whose outputs they are."""
    DATASET = "dataset"
    """By its name and version, such as `example@3`."""
    BUILDER = "builder"
    """What makes images, on nodes whose runtime has it; its key is `image`."""


def file_reference(kind: FileKind, key: UUID | str) -> str:
    """Return the reference to one volume, home, output folder or data set."""
    return f"{kind.value}:{key}"


def file_references(spec: Mapping[str, Any], owner_id: UUID) -> list[str]:
    """Return everything that work with this spec uses, sorted."""
    builders = [file_reference(FileKind.BUILDER, "image")] if "build" in spec else []
    homes = [file_reference(FileKind.HOME, owner_id)] if spec.get("home") else []
    return sorted(
        {
            *builders,
            *homes,
            *(file_reference(FileKind.VOLUME, item["id"]) for item in spec.get("volumes", ())),
            *(file_reference(FileKind.INPUT, item["job"]) for item in spec.get("inputs", ())),
            *(file_reference(FileKind.DATASET, name) for name in spec.get("datasets", ())),
        }
    )


def keys_of(references: Sequence[str], kind: FileKind) -> list[str]:
    """Return the keys of the references of one kind."""
    prefix = f"{kind.value}:"
    return [item.removeprefix(prefix) for item in references if item.startswith(prefix)]
