"""Dry runs and advice as the API shows them; other tenants' work in them is redacted."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from portal.common.actor import Actor
from portal.common.rest.projection import Extended, project
from portal.inventory.gpu_models import model_name
from portal.inventory.models import Accelerator, Node, Pool
from portal.workloads.models import Workload
from portal.workloads.responses.redaction import Viewer
from portal.workloads.responses.shapes import AdviceAnswer
from portal.workloads.responses.wait_shapes import DryRunAnswer
from portal.workloads.responses.waiting import (
    present_limits,
    present_result_start,
    present_ways_out,
)
from portal.workloads.start_accuracy import spreads_for_system
from portal.workloads.submission.dry_run import DryRun
from scheduler.core.advice import Advice, AdvisedRequest
from scheduler.core.model.entities import PendingWorkload, Placement
from scheduler.core.reservation.start_accuracy import Spreads


def present_dry_run(answer: DryRun, actor: Actor) -> dict[str, Any]:
    """Present the answer to a dry run."""
    result = answer.result
    viewer = Viewer.for_actor(actor)
    evicted = {UUID(item.workload): item.cause for item in result.evictions}
    rows = Workload.objects.select_related("owner", "group").defer("spec").in_bulk(list(evicted))
    spreads = _spreads_of(answer.waiting, answer.advice)
    own = spreads.get(UUID(answer.waiting.pool)) if answer.waiting else None
    source = {
        "verdict": result.outcome,
        "position": result.position,
        "reasons": [reason.as_json() for reason in result.reasons],
        "expected_start": present_result_start(result, own),
        "stops": [
            {"work": viewer.view(rows[key]), "cause": cause}
            for key, cause in evicted.items()
            if key in rows
        ],
        "limits": present_limits(result.limits, viewer),
        "ways_out": present_ways_out(answer.ways, viewer, of=answer.waiting),
        "advice": _with_pools(answer.advice, spreads),
        "placement": _present_places(result.placements),
    }
    return project(DryRunAnswer, source)


def present_advice(advice: Advice | None) -> dict[str, Any]:
    """Present the advice on a submitted workload, or that there is none."""
    return project(AdviceAnswer, {"advice": _with_pools(advice, _spreads_of(None, advice))})


def _present_places(placements: Sequence[Placement]) -> list[dict[str, Any]]:
    """Return what each rank would get; everyone may see nodes and their cards."""
    nodes = Node.objects.in_bulk([UUID(place.node) for place in placements])
    cards = Accelerator.objects.in_bulk(
        [UUID(card) for place in placements for card, _ in place.devices]
    )
    places = []
    for place in placements:
        slots: dict[UUID, list[int]] = defaultdict(list)
        for card, slot in place.devices:
            slots[UUID(card)].append(slot)
        shown = [
            {
                "id": key,
                "index": cards[key].index,
                "model": model_name(cards[key].model),
                "slots": sorted(slots[key]),
            }
            for key in sorted(slots.keys() & cards.keys(), key=lambda key: cards[key].index)
        ]
        if node := nodes.get(UUID(place.node)):
            places.append({"node": node.name, "cards": shown})
    return places


@dataclass(frozen=True, slots=True)
class _InPool:
    """Fields of a smaller request that are not its own."""

    advised: AdvisedRequest
    pool: Pool
    spreads: Spreads | None

    @property
    def slices(self) -> int:
        """Return the slices to request; under MIG they follow from the profile."""
        requested = self.advised.request.request
        return 0 if requested.mig_profile else requested.slices

    @property
    def expected_start(self) -> Any:
        return present_result_start(self.advised.verdict, self.spreads)


def _with_pools(advice: Advice | None, spreads: Mapping[UUID, Spreads]) -> dict[str, Any] | None:
    """Return advice with the pools that it names, except removed ones."""
    if advice is None:
        return None
    pools = Pool.objects.in_bulk([UUID(item.request.pool) for item in advice.enough])
    enough = [
        Extended(item, _InPool(item, pools[key], spreads.get(key)))
        for item in advice.enough
        if (key := UUID(item.request.pool)) in pools
    ]
    return {"need": advice.need, "requested": advice.asked, "enough": enough}


def _spreads_of(waiting: PendingWorkload | None, advice: Advice | None) -> Mapping[UUID, Spreads]:
    """Return what is known of the pools of a dry run and of what is advised instead."""
    pools = {item.request.pool for item in advice.enough} if advice else set()
    if waiting:
        pools.add(waiting.pool)
    return spreads_for_system([UUID(pool) for pool in pools]) if pools else {}
