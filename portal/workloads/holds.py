"""Who may release a hold: the same strength or a stronger one (Slurm: JobHeldUser, JobHeldAdmin).

One is stronger than all: work that was handed over starts only when its new owner wants it to, because
it has that person's home and secrets.
"""

from typing import Final

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.tenancy import policies
from portal.workloads.models import Workload

HOLD_STRENGTHS: Final = tuple(Workload.HeldBy)
"""From the weakest."""


def strongest_hold(actor: Actor, work: Workload) -> Workload.HeldBy:
    """Return the strongest hold that the actor may set on this work, or release."""
    if policies.has_role_for(actor, Action.WORKLOAD_STOP):
        return Workload.HeldBy.OPERATOR
    if policies.has_role_for(actor, Action.WORKLOAD_STOP, work.group_id):
        return Workload.HeldBy.GROUP_ADMIN
    return Workload.HeldBy.USER


def releasable_holds(actor: Actor, work: Workload) -> tuple[Workload.HeldBy, ...]:
    """Return the holds that the actor may release on this work."""
    weaker = HOLD_STRENGTHS[: HOLD_STRENGTHS.index(strongest_hold(actor, work)) + 1]
    is_own = work.owner_id == actor.user_id
    return (*weaker, Workload.HeldBy.NEW_OWNER) if is_own else weaker
