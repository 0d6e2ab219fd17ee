"""How work names a data set: `name`, `name@3`, `name@alias` or `name@latest`; pure."""

from dataclasses import dataclass
from typing import Final

DATASET_NAME: Final = r"^[a-z0-9][a-z0-9._-]{0,62}$"
ALIAS: Final = r"^[a-z][a-z0-9._-]{0,31}$"
"""Names that a version may have besides its number, except `LATEST`."""
LATEST: Final = "latest"
"""Stands for the newest version in use, as a name alone does."""
DATASET_REFERENCE_MAX: Final = 63 + 1 + 32
"""Characters of what a submission names: a name, `@`, and an alias."""


@dataclass(frozen=True, slots=True)
class DatasetReference:
    """A data set, and which version of it."""

    name: str
    version: str = ""
    """A number or an alias; empty for the newest in use."""

    @property
    def number(self) -> int | None:
        """The number, if it names one."""
        is_number = self.version.isascii() and self.version.isdecimal()
        return int(self.version) if is_number else None


def parse_reference(text: str) -> DatasetReference:
    """Return what a text names; one that is no reference names a data set that does not exist."""
    name, _, version = text.partition("@")
    return DatasetReference(name, "" if version == LATEST else version)


def pinned(name: str, number: int) -> str:
    """Return the permanent reference to one version."""
    return f"{name}@{number}"
