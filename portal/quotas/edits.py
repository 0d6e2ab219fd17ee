"""What a change of quotas says: of each row what it was and what it is to be, and how it is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from portal.common.errors import ConflictError, Fault, InvalidError

CHANGES_MAX: Final = 300
"""Quotas in one change; as many ceilings of members besides."""
REASON_MAX: Final = 500
"""Characters of a reason."""
LIMITS: Final = ("guarantee", "deserved", "ceiling", "user_ceiling", "weight")
Limits = Mapping[str, int | str | None]
"""By name, as `LIMITS` lists them."""


@dataclass(frozen=True, slots=True)
class QuotaSubject:
    """What a quota limits."""

    pool_id: UUID | None
    """None is all pools together."""
    resource: str
    model: str = ""
    """Only GPUs of this model; empty is all."""


@dataclass(frozen=True, slots=True)
class QuotaEdit:
    """One row of a change."""

    group_id: UUID
    what: QuotaSubject
    before: Limits | None
    """None: there is no such quota yet."""
    after: Limits | None
    """None: the quota is removed."""

    def reversed(self) -> "QuotaEdit":
        """Return the edit that takes this one back."""
        return QuotaEdit(self.group_id, self.what, self.after, self.before)


@dataclass(frozen=True, slots=True)
class MemberEdit:
    """What one member may hold of a quota, in a change."""

    group_id: UUID
    user_id: UUID
    what: QuotaSubject
    before: int | None
    """None: the member has no ceiling of its own."""
    after: int | None

    def reversed(self) -> "MemberEdit":
        """Return the edit that takes this one back."""
        return MemberEdit(self.group_id, self.user_id, self.what, self.after, self.before)


class QuotaChangeOutdatedError(ConflictError):
    """Some rows are no longer what the change was made from; its faults name them."""

    def __init__(self, code: str, faults: Sequence[Fault]) -> None:
        """Keep which rows."""
        super().__init__(code, rows=len(faults))
        self.faults = tuple(faults)


class QuotaChangeInvalidError(InvalidError):
    """Some rows are not possible; its faults name their cells."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        """Keep which cells."""
        super().__init__("quota_change_invalid", cells=len(faults))
        self.faults = tuple(faults)


def refuse_impossible(faults: Sequence[Fault]) -> None:
    """Refuse a change with faults.

    Raises:
        QuotaChangeInvalidError: there are some.
    """
    if faults:
        raise QuotaChangeInvalidError(faults)
