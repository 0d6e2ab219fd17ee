"""Cards that an idle notebook gives up while it lives on, and gets again through the queue.

Held → leaving (its node is told) → away (its node has proven it: only now the cards are free) →
asked (it waits in the queue like any other work, for its own node) → returning → held. The states
are those of `Idleness.Cards`; the allocation keeps node, epoch, processors and memory throughout.
docs/adr/0025.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.ids import new_id
from portal.common.notifications import wake_nodes, wake_scheduler
from portal.quotas.services import Reservations
from portal.workloads import cards_held, idle_facts, lifecycle
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, Idleness, Workload
from portal.workloads.placement import LIVE, Candidate, Ground, Pools
from portal.workloads.spending import Spending
from portal.workloads.transitions import note
from scheduler.core.entities import NodeId, Placement
from scheduler.core.plan import Place
from scheduler.core.states import WorkloadState

Cards = Idleness.Cards
SYSTEM: Final = Actor.system("scheduler")


def may_leave(workload: Workload, row: Idleness) -> bool:
    """Tell whether a notebook has cards that it could give up."""
    has_cards = bool(workload.cards or workload.slices or workload.share_milli)
    return has_cards and row.cards == Cards.HELD and not row.kept_words


def leave(
    workload: Workload, row: Idleness, params: Mapping[str, int | str], *, actor: Actor
) -> None:
    """Ask the node of a locked notebook to take it off its cards."""
    _moved(row, Cards.LEAVING)
    note([workload], cause="idle_cards_leaving", params=params, actor=actor)
    wake_nodes(_held(workload).values_list("node", flat=True))


def follow(
    workload: Workload,
    allocation: Allocation,
    row: Idleness,
    word: str,
    words: str,
    *,
    actor: Actor,
) -> None:
    """Bring a locked notebook to where its node says that its cards are."""
    match row.cards, word:
        case (Cards.LEAVING, "away"):
            cards_held.give_up(workload, allocation)
            row.left_at = now()
            _moved(row, Cards.AWAY)
            note([workload], cause="idle_cards_away", params={"way": words[:40]}, actor=actor)
        case (Cards.LEAVING, "kept"):
            row.kept_words = words[:200]
            _moved(row, Cards.HELD)
            note([workload], cause="idle_cards_kept", params={"detail": words[:200]}, actor=actor)
        case (Cards.RETURNING, "held"):
            waited = now() - (row.left_at or now())
            params: dict[str, int | str] = {
                "away_min": int(waited.total_seconds()) // 60,
                "detail": words[:200],
            }
            row.left_at = None
            _moved(row, Cards.HELD)
            note([workload], cause="idle_cards_back", params=params, actor=actor)
        case _:
            pass


def ask_back(row: Idleness, *, actor: Actor) -> None:
    """Let a locked notebook have its cards again: at once if they are not gone, else by the queue."""
    if row.cards == Cards.LEAVING:
        _moved(row, Cards.HELD)
        note([row.workload], cause="idle_cards_stay", params={}, actor=actor)
        wake_nodes(_held(row.workload).values_list("node", flat=True))
    elif row.cards == Cards.AWAY:
        row.request = new_id()
        _moved(row, Cards.ASKED)
        note([row.workload], cause="idle_cards_asked", params={}, actor=actor)
        wake_scheduler()


@transaction.atomic
def give_back(place: Place) -> None:
    """Give a notebook the cards that the scheduler chose for it, where it is.

    Everything is checked again under locks; `PlacementRefusedError` means that nothing was written.
    """
    found = Idleness.objects.filter(request=place.workload).values_list("pk", flat=True).first()
    if found is None:
        raise PlacementRefusedError("changed_meanwhile", state="")
    workload = lifecycle.lock(found)
    row = Idleness.objects.get(pk=found)
    is_same = row.cards == Cards.ASKED and row.epoch == workload.epoch
    if not is_same or workload.state != WorkloadState.RUNNING or workload.version != place.version:
        raise PlacementRefusedError("changed_meanwhile", state=workload.state)
    columns = Workload.objects.filter(pk=found).values_list(*Candidate._fields).get()
    candidate = Candidate(*columns)._replace(cpu_milli=0, memory_mib=0)
    pools = Pools()
    cost = pools.cost(candidate)
    use = cards_held.use_of(workload, workload.pool_id, cost)
    reservations = Reservations([use])
    reason = reservations.refusal(use) or Spending((candidate,)).refusal(candidate)
    if reason is not None:
        raise PlacementRefusedError(reason.code.value, **reason.params)
    allocation = _held(workload).get()
    placements = _where_it_was(allocation, place.placements)
    (claim,) = Ground(placements, pools).claim(candidate, placements)
    reservations.reserve(use)
    reservations.write()
    cards_held.take(allocation, candidate, claim, cost)
    row.request = None
    _moved(row, Cards.RETURNING)
    note([workload], cause="idle_cards_returning", params={}, actor=SYSTEM)


def _where_it_was(allocation: Allocation, chosen: Sequence[Placement]) -> tuple[Placement, ...]:
    """Return the very cards that it had, where its container knows no others.

    Nobody can hand a living container another card. Only a card on paper, or a process that is in
    no container at all, goes on with whichever is free.
    """
    if not idle_facts.needs_its_own(allocation):
        return tuple(chosen)
    return (Placement(NodeId(str(allocation.node_id)), idle_facts.last_devices(allocation)),)


def _held(workload: Workload) -> QuerySet[Allocation]:
    return workload.allocations.filter(state__in=LIVE, epoch=workload.epoch)


def _moved(row: Idleness, cards: Cards) -> None:
    row.cards, row.moved_at = cards, now()
    row.save(update_fields=["cards", "moved_at", "left_at", "request", "kept_words"])
