"""How long work may run: alone, with the consent of a group admin, with that of the platform."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.inventory.models import Pool
from portal.quotas import selectors as quotas
from portal.tenancy import policies
from portal.workloads.models import SchedulerPass, Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.submission.rule_checks import rules_of_place
from scheduler.core.extension import DelayedReservation, find_delayed_reservations
from scheduler.core.model.entities import WorkloadId


class Authority(IntEnum):
    """Whose decision a change needs; each may decide what those before it may."""

    OWNER = 0
    """Of the work: within the policy."""
    GROUP_ADMIN = 1
    """Of the group, another one than the owner: somewhat beyond the policy."""
    PLATFORM_ADMIN = 2
    """Anything, also at the cost of other groups."""


@dataclass(frozen=True, slots=True)
class RunTimeLimits:
    """How long work of one user in one group and pool may run, by who decides."""

    owner_s: int
    group_admin_s: int

    def authority_for(self, time_limit_s: int) -> Authority:
        """Return whose decision such a time limit needs, if it delays nothing."""
        if time_limit_s <= self.owner_s:
            return Authority.OWNER
        return (
            Authority.GROUP_ADMIN
            if time_limit_s <= self.group_admin_s
            else Authority.PLATFORM_ADMIN
        )


def load_run_time_limits(group_id: UUID, pool: Pool, owner_id: UUID, kind: str) -> RunTimeLimits:
    """Return how long such work of this owner may run in this pool now.

    The rules for submissions bind owners; beyond them others consent, as beyond limits.
    """
    most_s = pool.time_limit_s_max
    own_s = rules_of_place(kind, group_id, pool.pk).longest_run_s(most_s)
    return RunTimeLimits(
        quotas.longest_run_s_for_system(group_id, owner_id, own_s),
        quotas.longest_extended_run_s_for_system(group_id, most_s),
    )


def authority_over(actor: Actor, workload: Workload) -> Authority:
    """Return what the actor may decide about the time of this work; nobody consents to their own."""
    if actor.kind == "system" or policies.can(actor, Action.QUOTA_EDIT, None):
        return Authority.PLATFORM_ADMIN
    decides = policies.can(actor, Action.REQUEST_DECIDE, workload.group_id)
    is_own = workload.owner_id == actor.user_id
    return Authority.GROUP_ADMIN if decides and not is_own else Authority.OWNER


Promises = Mapping[str, int]
"""The promised start, in milliseconds, of each waiting workload that has one."""


def promises_for_system(*, is_locked: bool = False) -> Promises:
    """Return the promises that the last pass published; locked, none is published until the commit."""
    rows = SchedulerPass.objects.filter(pk=1)
    rows = rows.select_for_update(no_key=True) if is_locked else rows
    row = rows.first()
    found = row.reservations if row is not None else []
    return {item["workload"]: item["starts_at"] for item in found}


def has_new_promise(known: Promises) -> bool:
    """Return whether a start was promised, or promised for earlier, since `known`; none is after this."""
    return any(
        workload not in known or starts_at < known[workload]
        for workload, starts_at in promises_for_system(is_locked=True).items()
    )


def find_delays(
    workload: Workload, time_limit_s: int, promises: Promises
) -> tuple[DelayedReservation, ...]:
    """Return the promised starts of other users that a longer limit of running work would delay.

    Without a promise published by the last pass nothing is loaded.
    """
    if workload.time_limit_s is None or not promises:
        return ()
    more_s = time_limit_s - workload.time_limit_s
    if more_s <= 0:
        return ()
    owner = str(workload.owner_id)
    found = find_delayed_reservations(load_snapshot(), WorkloadId(str(workload.pk)), more_s)
    return tuple(delay for delay in found if delay.user != owner)


def authority_to_delay(delays: Collection[DelayedReservation], group_id: UUID) -> Authority:
    """Return whose decision it is to delay these starts: the group's own, or the platform's."""
    if not delays:
        return Authority.OWNER
    is_internal = all(delay.group == str(group_id) for delay in delays)
    return Authority.GROUP_ADMIN if is_internal else Authority.PLATFORM_ADMIN
