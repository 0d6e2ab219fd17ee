"""What is adopted after a restore, and what stands against it: the pure decisions."""

import pytest

from portal.workloads.state.forgotten import (
    Adoption,
    ContainerOrigin,
    ForgottenAttempt,
    KnownWorkload,
    decide_adoption,
    find_origin,
)
from scheduler.core.model.states import WorkloadState as W


@pytest.mark.parametrize(
    ("epoch", "known", "expected"),
    [
        (1, None, ContainerOrigin.UNKNOWN),
        (2, 1, ContainerOrigin.FORGOTTEN),
        (1, 0, ContainerOrigin.FORGOTTEN),
        (1, 1, ContainerOrigin.SUPERSEDED),
        (1, 4, ContainerOrigin.SUPERSEDED),
    ],
)
def test_origin(epoch: int, known: int | None, expected: ContainerOrigin) -> None:
    assert find_origin(epoch, known) is expected


def an_attempt(
    epoch: int = 3, ranks: tuple[int, ...] = (0, 1), *, has_devices: bool = True
) -> ForgottenAttempt:
    return ForgottenAttempt(epoch, frozenset(ranks), has_devices)


@pytest.mark.parametrize(
    ("work", "attempt", "latest", "expected"),
    [
        (KnownWorkload(W.QUEUED, 1, 2, 0), an_attempt(), 3, Adoption.POSSIBLE),
        (KnownWorkload(W.SUSPENDED, 1, 2, 0), an_attempt(), 3, Adoption.POSSIBLE),
        (KnownWorkload(W.FAILED, 1, 2, 0), an_attempt(), 3, Adoption.WORKLOAD_IS_OVER),
        (KnownWorkload(W.RUNNING, 1, 2, 2), an_attempt(), 3, Adoption.EARLIER_ATTEMPT_HELD),
        (KnownWorkload(W.QUEUED, 1, 2, 1), an_attempt(), 3, Adoption.EARLIER_ATTEMPT_HELD),
        (KnownWorkload(W.STOPPING, 1, 2, 0), an_attempt(), 3, Adoption.EARLIER_ATTEMPT_HELD),
        (KnownWorkload(W.QUEUED, 1, 2, 0), an_attempt(), 4, Adoption.LATER_ATTEMPT_RUNS),
        (KnownWorkload(W.QUEUED, 1000, 2, 0), an_attempt(), 3, Adoption.LATER_ATTEMPT_RUNS),
        (KnownWorkload(W.QUEUED, 1, 2, 0), an_attempt(3, (1,)), 3, Adoption.RANKS_MISSING),
        (
            KnownWorkload(W.QUEUED, 1, 2, 0),
            an_attempt(has_devices=False),
            3,
            Adoption.DEVICES_UNKNOWN,
        ),
    ],
)
def test_adoption(
    work: KnownWorkload, attempt: ForgottenAttempt, latest: int, expected: Adoption
) -> None:
    assert decide_adoption(work, attempt, latest_epoch=latest) is expected
