"""GPU memory in quotas; the rules of it are in `tests/scheduler/fairness/gpu_memory.py`."""

from dataclasses import replace

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PoolId, Request, RunningWorkload
from scheduler.core.model.mig import MigProfileSpec
from scheduler.core.quotas.demand import DemandTable
from tests.scheduler.counting import recounted
from tests.scheduler.scenario import snapshot_of

PROFILE = MigProfileSpec(name="1g.10gb", memory_mib=9984, compute=1, size=1, starts=(0, 1))


def test_a_mig_instance_counts_with_its_own_memory() -> None:
    snapshot = snapshot_of(
        {
            "pools": ["training: 8 slices of 9984 MiB"],
            "nodes": ["n1: 1 cards, 81920 MiB"],
            "quotas": ["lab: 16384 MiB"],
            "running": ["a: 1 slices on n1", "b: 1 slices on n1"],
        }
    )
    (card,), (one, other) = snapshot.accelerators, snapshot.running
    request = Request(slices=1, mig_profile=PROFILE.name)
    snapshot = replace(
        snapshot,
        accelerators=(replace(card, mig_profiles=(PROFILE,)),),
        running=(replace(one, request=request), replace(other, request=request)),
    )

    demand = DemandTable(snapshot)

    assert [_memory(demand, work) for work in snapshot.running] == [9984, 9984]
    assert demand.per_replica(request, PoolId("training")).gpu_memory == 9984
    (row,) = Ledger(recounted(snapshot)).quotas.rows()
    assert row.used == 2 * 9984


def _memory(demand: DemandTable, work: RunningWorkload) -> int:
    return demand.total(work).gpu_memory
