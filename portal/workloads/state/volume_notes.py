"""Events of work that writes to full volumes: when it starts all the same, and when one fills meanwhile."""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from portal.common.actor import Actor
from portal.common.work_kinds import FullVolume
from portal.volumes.models import Volume
from portal.workloads.full_volumes import (
    full_volumes_for_system,
    size_params,
    user_of,
    writers_of,
)
from portal.workloads.models import Workload
from portal.workloads.state.transitions import record_note
from scheduler.core.model.states import WorkloadState

CAUSE: Final = "volume_over_quota"
KEEPER: Final = Actor.system("volumes")


def note_if_full(workload: Workload) -> None:
    """Log which full volume a notebook will find: it starts nevertheless."""
    if workload.terms.full_volume is FullVolume.NOTED:
        _note(full_volumes_for_system().values(), [workload])


def note_filled(volume_ids: Collection[UUID]) -> None:
    """Log that volumes have become full, for the running work that writes to them."""
    full = {name: row for name, row in full_volumes_for_system().items() if row.pk in volume_ids}
    running = Workload.objects.filter(state=WorkloadState.RUNNING, files__overlap=list(full))
    _note(full.values(), list(running.order_by("id")))


def _note(volumes: Collection[Volume], workloads: Collection[Workload]) -> None:
    full = {row.reference: row for row in volumes}
    found = writers_of(full, map(user_of, workloads))
    for workload in workloads:
        if written := found.get(workload.pk):
            params = size_params(written[0])
            record_note([workload], actor=KEEPER, cause=CAUSE, params=params)
