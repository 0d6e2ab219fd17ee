"""Work of people who may not submit any more does not start, whatever made it ready to."""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from portal.tenancy import submitters
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Workload
from portal.workloads.state.locked_rows import LockedWorkload
from scheduler.core.model.reasons import ReasonCode

_REFUSAL: Final = ReasonCode.OWNER_MAY_NOT_SUBMIT.value


class OwnerCheck:
    """The rights of the owners of a batch, which do not change until its transaction ends."""

    def __init__(self, workloads: Collection[UUID]) -> None:
        """Lock the memberships of the owners; the workloads themselves are locked afterwards."""
        owners = Workload.objects.filter(pk__in=workloads).values_list("owner_id", flat=True)
        submitters.share_memberships(set(owners))
        self._refused: frozenset[submitters.Owner] = frozenset()

    def read(self, workloads: Collection[LockedWorkload]) -> None:
        """Read the rights of the owners, whose own rows are locked by now, too."""
        self._refused = submitters.find_without_right({_owner_of(row) for row in workloads})

    def require(self, workload: LockedWorkload) -> None:
        """Refuse to start work of an owner who may not submit to its group."""
        if _owner_of(workload) in self._refused:
            raise PlacementRefusedError(_REFUSAL)


def _owner_of(workload: LockedWorkload) -> submitters.Owner:
    return str(workload.owner_id), str(workload.group_id)
