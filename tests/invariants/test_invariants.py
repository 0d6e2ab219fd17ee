"""Each check is silent on a sound cluster and names exactly what is broken in another one."""

from dataclasses import replace
from typing import Any

import pytest

from scheduler.core.invariants.checks import CHECKS, find_violations
from scheduler.core.invariants.facts import (
    AllocationFact,
    CardFact,
    ContainerFact,
    DeviceFact,
    EventFact,
    Facts,
    MeterFact,
    NodeFact,
    WorkloadFact,
)
from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    NodeId,
    PoolId,
    QuotaView,
    UserId,
    WorkloadId,
)
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.states import AllocationState, WorkloadState

W = WorkloadState
ROOT, TEAM, POOL, ADA = GroupId("root"), GroupId("team"), PoolId("pool"), UserId("ada")
N1, N2, C1, C2 = NodeId("n1"), NodeId("n2"), AcceleratorId("c1"), AcceleratorId("c2")
JOB = WorkloadId("job")
AMOUNT = Resources(gpu=1000, cpu=4000, memory=8192)


def an_allocation(rank: int, **changed: Any) -> AllocationFact:
    device = DeviceFact((C1, C2)[rank], 0, 1)
    fact = AllocationFact(JOB, rank, 1, (N1, N2)[rank], AllocationState.BOUND, AMOUNT, (device,))
    return replace(fact, **changed)


def a_container(rank: int, **changed: Any) -> ContainerFact:
    fact = ContainerFact((N1, N2)[rank], JOB, rank, 1, (DeviceFact((C1, C2)[rank], 0, 1),))
    return replace(fact, **changed)


WORKLOAD = WorkloadFact(JOB, TEAM, ADA, POOL, W.RUNNING, epoch=1, replicas=2)
QUOTA = QuotaView(TEAM, None, Resource.GPU, ceiling=2000, used=2000, user_ceiling=2000)
WALK = (
    EventFact(JOB, None, W.QUEUED, 0),
    EventFact(JOB, W.QUEUED, W.PLACING, 1),
    EventFact(JOB, W.PLACING, W.STARTING, 1),
    EventFact(JOB, W.STARTING, W.RUNNING, 1),
)
EVICTED = EventFact(JOB, W.RUNNING, W.QUEUED, 1, EvictionCause.RECLAIMED)
CARD = CardFact(C1, N1, POOL, slices=1, slice_mib=32_768, reserve_mib=0, memory_mib=32_768)
SOUND = Facts(
    workloads=(WORKLOAD,),
    allocations=(an_allocation(0), an_allocation(1)),
    containers=(a_container(0), a_container(1)),
    cards=(CARD, replace(CARD, id=C2, node=N2)),
    nodes=(NodeFact(N1, 8000, 16_384), NodeFact(N2, 8000, 16_384)),
    quotas=(QUOTA,),
    ancestry=((TEAM, (ROOT, TEAM)),),
    events=WALK,
    accepted=(JOB,),
)


def test_sound_cluster_breaks_nothing() -> None:
    assert find_violations(SOUND) == ()


def test_every_check_has_a_case_here() -> None:
    told = {case[0] for case in BROKEN}

    assert told == {check.__name__.removeprefix("check_") for check in CHECKS}


def test_borrowers_that_may_be_stopped_and_evicted_work_are_sound() -> None:
    lent = replace(CARD, id=C2, node=N2, pool=PoolId("lender"))
    work = replace(WORKLOAD, preemptible=True, state=W.QUEUED)

    changed = replace(SOUND, workloads=(work,), cards=(CARD, lent), events=(*WALK, EVICTED))

    assert find_violations(changed) == ()


LEFT_BEHIND = an_allocation(0, epoch=0, amount=Resources(), devices=())
BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("cards", {"cards": (replace(CARD, slices=2, slice_mib=1), replace(CARD, id=C2, node=N2))}),
    (
        "cards",
        {
            "allocations": (
                an_allocation(0),
                an_allocation(1, node=N1, devices=(DeviceFact(C1, 0, 1),)),
            )
        },
    ),
    ("card_memory", {"cards": (replace(CARD, reserve_mib=1), replace(CARD, id=C2, node=N2))}),
    *(
        ("shares", {"allocations": (an_allocation(0, devices=held), an_allocation(1))})
        for held in (
            (DeviceFact(C1, 0, 1, 600, 1), DeviceFact(C1, 1, 1, 401, 1)),
            (DeviceFact(C1, 0, 1, 1, 32_768), DeviceFact(C1, 1, 1, 1, 1)),
            (DeviceFact(C1, 0, 1), DeviceFact(C1, 1, 1, 1, 1)),
        )
    ),
    (
        "device_use",
        {"containers": (a_container(0), a_container(1, devices=(DeviceFact(C1, 0, 1),)))},
    ),
    ("node_capacity", {"nodes": (NodeFact(N1, 3999, 16_384), NodeFact(N2, 8000, 16_384))}),
    ("quota_ceilings", {"quotas": (replace(QUOTA, ceiling=1999),)}),
    ("user_ceilings", {"quotas": (replace(QUOTA, group=ROOT, user_ceiling=1999),)}),
    ("quota_counters", {"quotas": (replace(QUOTA, used=1000),)}),
    ("accepted_work", {"accepted": (JOB, WorkloadId("lost"))}),
    (
        "single_container",
        {"containers": (a_container(0), a_container(1), a_container(0, node=N2, epoch=0))},
    ),
    (
        "single_container",
        {
            "allocations": (*SOUND.allocations, replace(LEFT_BEHIND, node=N2)),
            "containers": (*SOUND.containers, a_container(0, node=N2, epoch=0, devices=())),
        },
    ),
    ("freed_capacity", {"containers": (a_container(0), a_container(1, epoch=2))}),
    ("gangs", {"allocations": (an_allocation(0),)}),
    (
        "gangs",
        {
            "allocations": (an_allocation(0),),
            "containers": (a_container(0),),
            "quotas": (replace(QUOTA, used=1000),),
        },
    ),
    ("borrowers", {"cards": (CARD, replace(CARD, id=C2, node=N2, pool=PoolId("lender")))}),
    ("evictions", {"events": (*WALK, EVICTED)}),
    (
        "evictions",
        {"workloads": (replace(WORKLOAD, state=W.QUEUED),), "events": (*WALK, EVICTED)},
    ),
    (
        "evictions",
        {
            "workloads": (replace(WORKLOAD, preemptible=True),),
            "events": (*WALK, replace(EVICTED, target=W.FAILED)),
        },
    ),
    ("epochs", {"events": (*WALK, EVICTED, EventFact(JOB, W.QUEUED, W.PLACING, 1))}),
    ("epochs", {"events": (*WALK, replace(EVICTED, epoch=2))}),
    ("epochs", {"events": (*WALK[:2], *(replace(event, epoch=0) for event in WALK[2:]))}),
    ("epochs", {"allocations": (an_allocation(0), an_allocation(1, epoch=2))}),
    ("transitions", {"events": (*WALK[:2], EventFact(JOB, W.PLACING, W.RUNNING, 1))}),
    ("transitions", {"events": (WALK[0], *WALK[2:])}),
    ("transitions", {"events": WALK[:3]}),
    ("meter", {"meter": (MeterFact(TEAM, ADA, POOL, 1),)}),
    (
        "meter",
        {"allocations": (an_allocation(0, metered=9000, metered_pieces=8), an_allocation(1))},
    ),
    ("owners", {"workloads": (replace(WORKLOAD, state=W.SUCCEEDED),)}),
    (
        "owners",
        {
            "allocations": (
                an_allocation(0, state=AllocationState.RELEASED),
                an_allocation(1, state=AllocationState.RELEASED),
            )
        },
    ),
    (
        "owners",
        {
            "allocations": tuple(
                an_allocation(rank, state=AllocationState.RELEASED) for rank in range(2)
            ),
            "containers": (),
            "quotas": (replace(QUOTA, used=0),),
        },
    ),
]


@pytest.mark.parametrize(("name", "changed"), BROKEN, ids=[case[0] for case in BROKEN])
def test_broken_promise_is_named(name: str, changed: dict[str, Any]) -> None:
    found = {violation.invariant for violation in find_violations(replace(SOUND, **changed))}

    assert name in found


def test_each_check_sees_something_that_no_other_sees() -> None:
    """So none can be left out without a red test."""
    seen = [
        {found.invariant for found in find_violations(replace(SOUND, **how))} for _, how in BROKEN
    ]

    alone = {name for names in seen if len(names) == 1 for name in names}

    assert alone == {check.__name__.removeprefix("check_") for check in CHECKS}
