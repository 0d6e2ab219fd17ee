"""Whether work that has not ended uses something: what must be known before that is removed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Protocol
from uuid import UUID

from portal.common.uses.ports import Port


@dataclass(frozen=True, slots=True)
class WorkUsers:
    """The work that uses something and has not ended."""

    count: int
    first: str
    """The name of the oldest; empty without any."""


class WorkUses(Protocol):
    """What work uses; what it names is `portal.common.uses.files`."""

    def users_of_files_for_system(self, references: Collection[str], /) -> WorkUsers:
        """Return the work that uses one of these files."""

    def users_of_secret_for_system(
        self, name: str, *, user_id: UUID | None, group_id: UUID | None
    ) -> WorkUsers:
        """Return the work that names a secret of this user or of this group."""

    def uses_of_files_for_system(self, references: Collection[str], /) -> Mapping[str, int]:
        """Return how much work uses these files, by reference."""

    def dataset_uses_for_system(self) -> Mapping[str, int]:
        """Return how much work uses each version of a data set, by its name and number."""


work_uses: Final[Port[WorkUses]] = Port()
"""Answered by `portal.workloads`."""
