"""Whatever the cluster: held work never starts, and no array runs more tasks than it allows."""

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import ArrayId, ArrayView
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.clusters import snapshots
from tests.scheduler.counting import after

ARRAYS = (ArrayId("sweep"), ArrayId("grid"), None)
HOLDS = (
    (),
    (),
    (Reason(ReasonCode.HELD_BY_USER),),
    (Reason(ReasonCode.WAITING_FOR_BEGIN_TIME, {"begins_at": 1 << 50}),),
    (Reason(ReasonCode.DEPENDENCY_NOT_SUCCEEDED, {"jobs": 1}),),
)


@st.composite
def controlled(draw: st.DrawFn) -> Snapshot:
    """Draw a cluster in which work belongs to arrays, is held, begins later or depends on other work."""
    snapshot = draw(snapshots())
    in_arrays = tuple(
        replace(work, array=draw(st.sampled_from(ARRAYS)), held=draw(st.sampled_from(HOLDS)))
        for work in snapshot.pending
    )
    running = tuple(replace(work, array=draw(st.sampled_from(ARRAYS))) for work in snapshot.running)
    limits = tuple(
        ArrayView(array, draw(st.integers(1, 4)))
        for array in ARRAYS
        if array is not None and draw(st.booleans())
    )
    return replace(snapshot, pending=in_arrays, running=running, arrays=limits)


@settings(max_examples=100)
@given(controlled())
def test_no_plan_starts_what_is_held_or_too_many_tasks(snapshot: Snapshot) -> None:
    plan = run_cycle(snapshot, snapshot.taken_at)

    started = {start.workload for start in plan.starts}
    assert not [work.id for work in snapshot.pending if work.held and work.id in started]
    before, then = running_tasks(snapshot), running_tasks(after(snapshot, plan))
    for array in snapshot.arrays:
        assert then[array.id] <= max(array.running_max, before[array.id])
    held = {hold.workload: hold for hold in plan.holds}
    for work in snapshot.pending:
        if work.held:
            codes = {reason.code for reason in work.held}
            assert codes <= {reason.code for reason in held[work.id].reasons}


def running_tasks(snapshot: Snapshot) -> Counter[ArrayId | None]:
    return Counter(work.array for work in snapshot.running)
