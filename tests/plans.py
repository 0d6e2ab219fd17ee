"""Plans, committed as the scheduler's loop commits them."""

from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from scheduler.runtime.plan_applier import AppliedPlan, begin_starts, commit_rest


def apply_plan(plan: Plan, snapshot: Snapshot) -> AppliedPlan:
    """Commit starts and evictions in plan order, then publish the reasons."""
    applied = begin_starts(plan.starts).finish()
    commit_rest(plan, snapshot, undecided=applied.refused)
    return applied
