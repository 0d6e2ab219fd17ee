"""A ledger that lives through many events decides like one that is made anew for each."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.core.cycle import decide
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.clusters import queues, snapshots
from tests.scheduler.counting import after, without

ROUNDS = 3
SECOND = 1000


@settings(max_examples=30)
@given(snapshots(), st.data())
def test_a_long_lived_ledger_plans_like_a_fresh_one(site: Snapshot, data: st.DataObject) -> None:
    ledger = Ledger(site)
    for turn in range(ROUNDS):
        now, published = Millis(site.taken_at + SECOND), ledger.published

        plan = decide(ledger, now)

        site = replace(site, taken_at=now, published=published)
        assert plan == decide(Ledger(site, ledger.learned_demand), now)
        site = after(site, plan)
        for workload in site.running:
            event = data.draw(st.sampled_from(["ends", "begins", "runs on"]))
            if event == "begins":
                begun = replace(workload, started_at=now)
                ledger.update(begun)
                others = tuple(item for item in site.running if item.id != workload.id)
                site = replace(site, running=(*others, begun))
            if event == "ends":
                assert ledger.release(workload.id).placements == workload.placements
                site = without(site, workload.id)
        for waiting in site.pending:
            if data.draw(st.sampled_from([False, False, True])):
                ledger.withdraw(waiting.id)
                rest = tuple(item for item in site.pending if item.id != waiting.id)
                site = replace(site, pending=rest)
        arrived = data.draw(queues(f"round{turn}"))
        for newcomer in arrived:
            ledger.enqueue(newcomer)
        site = replace(site, pending=(*site.pending, *arrived))


@given(snapshots())
def test_undo_brings_back_what_ended(snapshot: Snapshot) -> None:
    ledger = Ledger(snapshot)
    waiting = {item.id: item for item in snapshot.pending}
    decide(ledger, snapshot.taken_at)
    running, pending = dict(ledger.running), dict(ledger.pending)
    free = {pool: dict(rooms) for pool, rooms in ledger.free.items()}
    mark = ledger.mark()

    for workload in tuple(ledger.running):
        ended = ledger.release(workload)
        ledger.enqueue(waiting.get(workload) or _again(ended.id, snapshot))
    ledger.undo(mark)

    assert (ledger.running, ledger.pending, ledger.free) == (running, pending, free)


def _again(workload: str, snapshot: Snapshot) -> PendingWorkload:
    """Return some waiting work of this name."""
    run = next(item for item in snapshot.running if item.id == workload)
    return PendingWorkload(
        id=run.id,
        pool=run.pool,
        group=run.group,
        user=run.user,
        priority=run.priority,
        submitted_at=run.submitted_at,
        request=run.request,
        version=run.version,
        time_limit_s=3600,
        traits=run.traits,
    )
