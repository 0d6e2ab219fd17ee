"""What is to be created, stopped and released, by the replies to the nodes of a pool: pure decisions.

The name of a pod is its attempt, so creating it twice finds it again. None is created before every earlier
attempt of its work has ended, and an attempt is created with all its ranks.
"""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID

from portal.execution.backends import KUBERNETES
from portal.execution.desired import DesiredState
from portal.execution.report import AttemptKey
from portal.foreign.attempts import (
    CANNOT,
    JobKey,
    RefuseAttempt,
    WantedAttempt,
    first_lacking,
    gather_graces,
    gather_wanted,
    parse_attempt,
)
from portal.kubernetes.judging import PULLS, find_end
from portal.kubernetes.values import (
    ClusterPod,
    CreatePods,
    KubeView,
    Order,
    ReleasePod,
    StopPod,
    Why,
)
from wire.versions import STOP_GRACE_S

CREATIONS_MAX: Final = 200
"""Pods that one round creates; the others come with the next."""
IMAGE_WAIT_S: Final = 600
"""How long the kubelet may try to pull an image before the work ends for it."""
GRACE_MIN_S: Final = 1
"""Never 0: that would delete a pod without asking its kubelet."""


def plan(replies: Mapping[str, DesiredState], view: KubeView) -> tuple[Order, ...]:
    """Return what is to be done, by the replies to the nodes of a pool that were answered."""
    wanted = gather_wanted(replies)
    return (
        *_releases(replies, view),
        *_stops(replies, wanted, view),
        *_creations(wanted, view),
    )


def _creations(wanted: Mapping[JobKey, WantedAttempt], view: KubeView) -> Iterator[Order]:
    there: dict[JobKey, set[int]] = {}
    epochs: dict[UUID, int] = {}
    live: dict[UUID, set[int]] = {}
    for pod in view.pods:
        work, epoch = pod.key.workload, pod.key.epoch
        there.setdefault(pod.key, set()).add(pod.rank)
        epochs[work] = max(epoch, epochs.get(work, 0))
        if find_end(pod, view) is None:
            live.setdefault(work, set()).add(epoch)
    created = 0
    for key, found in wanted.items():
        missing = tuple(rank for rank in found.ranks if rank not in there.get(key, ()))
        is_old = key.epoch < epochs.get(key.workload, 0)
        has_other = bool(live.get(key.workload, set()) - {key.epoch})
        if not missing or is_old or has_other or not found.is_whole:
            continue
        created += len(missing)
        if created > CREATIONS_MAX and created > len(missing):
            return
        yield _create(key, found, missing)


def _create(
    key: JobKey, found: WantedAttempt, missing: tuple[int, ...]
) -> CreatePods | RefuseAttempt:
    ranks, nodes = tuple(found.ranks.values()), tuple(found.nodes.values())
    if lacking := first_lacking(KUBERNETES, ranks):
        return RefuseAttempt(key, nodes, f"{CANNOT}{lacking}")
    return CreatePods(key, ranks, nodes, missing)


def _stops(
    replies: Mapping[str, DesiredState], wanted: Mapping[JobKey, WantedAttempt], view: KubeView
) -> Iterator[Order]:
    graces = gather_graces(replies)
    goes_on = {parse_attempt(key) for reply in replies.values() for key in reply.unknown}
    for pod in view.pods:
        is_named = pod.key in wanted and pod.rank in wanted[pod.key].ranks
        if find_end(pod, view) is not None or pod.node not in replies:
            continue
        if is_named:
            yield from _give_up(pod, view.at)
        elif (pod.key, pod.rank) not in goes_on:
            grace = graces.get(pod.attempt)
            seconds = max(GRACE_MIN_S, STOP_GRACE_S if grace is None else grace.seconds)
            if pod.grace_s is None or seconds < pod.grace_s:
                yield StopPod(pod.name, seconds, Why.STOP)


def _give_up(pod: ClusterPod, at: int) -> Iterator[Order]:
    """Yield the end of what waits for an image that cannot be had."""
    waits = pod.container is not None and pod.container.reason in PULLS
    if waits and not pod.is_deleted and at - pod.created_at >= IMAGE_WAIT_S:
        yield StopPod(pod.name, GRACE_MIN_S, Why.IMAGE)


def _releases(replies: Mapping[str, DesiredState], view: KubeView) -> Iterator[ReleasePod]:
    """Yield the release of each pod whose end was acknowledged."""
    acks: set[AttemptKey] = {key for reply in replies.values() for key in reply.acks}
    for pod in view.pods:
        if pod.attempt in acks and find_end(pod, view) is not None:
            yield ReleasePod(pod)
