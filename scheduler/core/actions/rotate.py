"""Work that takes turns: who has had his turn makes way for who comes before him.

Where a pool's `turn_s` is set, running preemptible work is ranked as if it waited (`ordering/hints`)
and gives way to waiting work of its own group and priority that ranks before it. The order is total
and nobody's rank gets better by running, so two of them never take the same place from each other
again and again; and every turn lasts at least `turn_s`.
"""

from scheduler.core.clearing import Candidate
from scheduler.core.entities import Millis, PendingWorkload
from scheduler.core.ledger import Ledger
from scheduler.core.ordering.hints import hint_of, hint_of_running
from scheduler.core.plan import EvictionCause
from scheduler.core.victims import Holders, may_stop


def had_its_turn(
    workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
) -> tuple[Candidate, ...]:
    """Return the work that ranks behind the workload and has had its turn, the last of all first."""
    policy = ledger.pools[workload.pool].policy
    if policy.turn_s == 0:
        return ()
    rank = hint_of(workload, policy), workload.id
    behind = [
        (theirs, work.id, work)
        for work in holders
        if work.group == workload.group
        and work.pool == workload.pool
        and work.priority == workload.priority
        and may_stop(work, ledger, now, policy.turn_s)
        and ((theirs := hint_of_running(work, policy, now)), work.id) > rank
    ]
    behind.sort(key=lambda row: row[:2], reverse=True)
    return tuple(
        Candidate(work, EvictionCause.PREEMPTED, place) for place, (_, _, work) in enumerate(behind)
    )
