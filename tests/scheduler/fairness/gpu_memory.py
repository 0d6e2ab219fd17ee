"""GPU memory in quotas: what is counted is what the devices have, and no more than a ceiling is held."""

from dataclasses import replace

from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    AcceleratorView,
    GroupId,
    PoolId,
    QuotaView,
)
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.core.actions.worlds import GROUPS, worlds
from tests.scheduler.counting import after, recounted

SIZES_MIB = (16384, 32768, 81920)


@st.composite
def mixed_cards(draw: st.DrawFn) -> Snapshot:
    """A site whose cards are of several sizes and models, with ceilings of memory and of models."""
    snapshot = draw(worlds())
    cards = tuple(_of_some_size(draw, card) for card in snapshot.accelerators)
    rows = tuple(
        QuotaView(group, pool, Resource.GPU_MEMORY, ceiling=draw(st.integers(0, 4)) * 32768)
        for group in GROUPS
        for pool in (None, PoolId("training"))
        if draw(st.booleans())
    )
    models = tuple(
        QuotaView(group, None, Resource.GPU, ceiling=draw(st.integers(0, 2)) * 1000, model="M81920")
        for group in GROUPS
        if draw(st.booleans())
    )
    quotas = (*snapshot.quotas, *rows, *models)
    return recounted(replace(snapshot, accelerators=cards, quotas=quotas))


def _of_some_size(draw: st.DrawFn, card: AcceleratorView) -> AcceleratorView:
    size = draw(st.sampled_from(SIZES_MIB))
    return replace(card, memory_mib=size, model=f"M{size}")


def no_more_is_held_than_the_ceilings_allow(snapshot: Snapshot) -> None:
    then = after(snapshot, run_cycle(snapshot, snapshot.taken_at))

    for before, row in zip(snapshot.quotas, then.quotas, strict=True):
        assert row.ceiling is None or row.used <= max(before.used, row.ceiling)


def the_ledger_counts_device_by_device(snapshot: Snapshot) -> None:
    """After the starts of a decision, the book has what recounting the devices has."""
    ledger = Ledger(snapshot)
    plan = run_cycle(snapshot, snapshot.taken_at)
    for start in plan.starts:
        ledger.allocate(ledger.pending[start.workload], start.placements)

    counted = {_key(row): row.used for row in ledger.quotas.rows()}
    assert counted == {_key(row): row.used for row in after(snapshot, plan).quotas}


def memory_refuses_only_where_no_card_is_small_enough(snapshot: Snapshot) -> None:
    """Work for one card that waits for memory alone would break a ceiling on the smallest free card."""
    plan = run_cycle(snapshot, snapshot.taken_at)
    then = after(snapshot, plan)
    waiting = {work.id: work for work in then.pending}
    free = {
        card.memory_mib
        for card in then.accelerators
        if card.pool == "training" and not card.taken_slots
    }
    for hold in plan.holds:
        work = waiting[hold.workload]
        codes = {(reason.code, reason.params.get("resource")) for reason in hold.reasons}
        if codes != {(ReasonCode.QUOTA_CEILING, "gpu_memory")} or work.request.gpus != 1:
            continue
        least = min(free, default=0) * work.request.replicas
        rows = [row for row in then.quotas if _limits_memory(row, work.group)]
        assert not free or any(row.used + least > (row.ceiling or 0) for row in rows)


def _limits_memory(row: QuotaView, group: GroupId) -> bool:
    return row.group == group and row.resource is Resource.GPU_MEMORY


def _key(row: QuotaView) -> tuple[GroupId, PoolId | None, Resource, str]:
    return row.group, row.pool, row.resource, row.model
