"""What a node says about itself and its cards, written down when it is new."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

import structlog

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.serializers import INTEGER_MAX
from portal.inventory.cuts import cut_of, uncut
from portal.inventory.models import Accelerator, Node, Pool
from scheduler.core.states import AcceleratorState
from wire.facts import AcceleratorFacts, AcceleratorHealth, NodeFacts

logger = structlog.get_logger(__name__)

S: TypeAlias = AcceleratorState
H: TypeAlias = AcceleratorHealth


CARD_STATES: Final[Mapping[H, Mapping[S, S]]] = {
    H.OK: {S.DIRTY: S.OK, S.SUSPECT: S.OK, S.GONE: S.OK},
    H.DIRTY: {S.OK: S.DIRTY, S.SUSPECT: S.SUSPECT, S.GONE: S.OK},
    H.BAD: {S.OK: S.SUSPECT, S.DIRTY: S.SUSPECT, S.GONE: S.OK},
    H.GONE: {S.OK: S.GONE, S.DIRTY: S.GONE, S.SUSPECT: S.GONE, S.BAD: S.GONE},
}
"""Next state of a card by what its driver says; absent means that it stays as it is.

A card that was called bad by an operator leaves that state by an operator's word only, which is an
order to judge it anew (`portal.workloads.node_life.retest`).
"""


TOLD: Final = (
    "index",
    "island",
    "driver",
    "isolation",
    "mig",
    "mig_profiles",
    "utilisation_pct",
    "memory_used_mib",
    "power_mw",
    "energy_mj",
    "temperature_c",
    "retests_done",
)
"""Columns of a card that are what its node says, whatever they were."""
DECIDED: Final = ("state", "fault", "memory_mib", "slice_mib")
"""Columns of a card that follow from what its node says."""
NOT_CUT: Final = "mig_off"
"""Fault of a card that is not switched to MIG, in a pool that is cut in hardware."""
SMALLER: Final = "memory_shrank"
"""Fault of a card that is now too small for the way its pool cuts it."""


def node_columns(facts: NodeFacts) -> dict[str, Any]:
    """Return the columns of a node that its own word decides."""
    columns: dict[str, Any] = {"switch": facts.switch[:63]} if facts.switch else {}
    return columns | {
        "address": facts.address,
        "runtime": facts.runtime,
        "is_isolated": facts.isolated,
        "agent_version": facts.agent_version[:64],
        "faults": [fault.model_dump() for fault in facts.faults],
        "cpu_milli": min(facts.cpu_milli, INTEGER_MAX),
        "memory_mib": min(facts.memory_mib, INTEGER_MAX),
        "versions": facts.versions,
        "disk_mib": _bounded(facts.disk_mib),
        "disk_free_mib": _bounded(facts.disk_free_mib),
    }


_CARDS: Final = "SELECT * FROM inventory_accelerator WHERE node_id = %s ORDER BY id"


def record_cards(node: Node, reported: Iterable[AcceleratorFacts]) -> dict[str, int]:
    """Bring the cards of a node up to date: new ones join, absent ones are gone, none is deleted.

    Return the cards that an operator wants judged anew and that have not been, with the order's number.
    A card that another node has is refused: a UUID is one piece of hardware.
    """
    known = {card.uuid: card for card in Accelerator.objects.raw(_CARDS, [node.pk])}
    reports = {facts.uuid: facts for facts in reported}
    fresh = [facts for uuid, facts in reports.items() if uuid not in known]
    if fresh:
        _add(node, fresh)
    done = {uuid: card.retests_done for uuid, card in known.items()}
    changed = [card for uuid, card in known.items() if _take(node, card, reports.get(uuid))]
    Accelerator.objects.bulk_update(changed, [*TOLD, *DECIDED, "sampled_at"])
    for card in changed:
        if card.retests_done > done[card.uuid]:
            _record_retest(node, card)
    return {
        card.uuid: card.retests_asked
        for card in known.values()
        if card.retests_asked > card.retests_done
    }


def _record_retest(node: Node, card: Accelerator) -> None:
    audit.record(
        actor=Actor.system(f"node:{node.name}"),
        action="card.retested",
        object_type="accelerator",
        object_id=card.pk,
        params={"node": node.name, "uuid": card.uuid, "state": card.state, "fault": card.fault},
    )


def _add(node: Node, fresh: list[AcceleratorFacts]) -> None:
    elsewhere = set(
        Accelerator.objects.filter(uuid__in=[facts.uuid for facts in fresh]).values_list(
            "uuid", flat=True
        )
    )
    for uuid in sorted(elsewhere):
        logger.error("accelerator.claimed_twice", node=node.name, uuid=uuid)
    # Two nodes may claim a new card at the same time: the first one has it.
    Accelerator.objects.bulk_create(
        [_new_card(node, facts) for facts in fresh if facts.uuid not in elsewhere],
        ignore_conflicts=True,
    )


def _new_card(node: Node, facts: AcceleratorFacts) -> Accelerator:
    """Cut a new card as its pool says; one too small for that joins as bad, uncut."""
    pool = node.pool
    memory = min(facts.memory_mib, INTEGER_MAX)
    cut = cut_of(pool, memory)
    fault = _unlike(pool, facts) if cut else SMALLER
    shape = cut or uncut(memory)
    return Accelerator(
        uuid=facts.uuid,
        node=node,
        pool=pool,
        vendor=facts.vendor[:64],
        model=facts.model[:100],
        memory_mib=memory,
        mode=shape.mode,
        slices=shape.slices,
        slice_mib=shape.slice_mib,
        state=(
            CARD_STATES[H.BAD if fault else facts.health].get(S.OK, S.OK) if cut else S.BAD
        ).value,
        fault=fault or facts.fault[:64],
        is_simulated=facts.simulated,
        sampled_at=now(),
        **_told(facts),
    )


def _take(node: Node, card: Accelerator, facts: AcceleratorFacts | None) -> bool:
    """Change a card to what was reported; tell whether that is anything new."""
    before = _values(card)
    if facts is None:
        told, health, card.fault = _SILENT, AcceleratorHealth.GONE, "gpu_missing"
    else:
        fault = SMALLER
        if _is_cut(card, node.pool) and _resize(card, facts):
            fault = _unlike(node.pool, facts)
        fits = not fault
        is_retested = facts.retested > card.retests_done
        if fits and is_retested and facts.health is H.OK and card.state == S.BAD:
            card.state = S.OK.value
        told, health = _told(facts), facts.health if fits else AcceleratorHealth.BAD
        card.fault = fault or facts.fault[:64]
    current = AcceleratorState(card.state)
    card.state = CARD_STATES[health].get(current, current).value
    for name, value in told.items():
        setattr(card, name, value)
    if card.utilisation_pct is not None:
        card.sampled_at = now()
    return before != _values(card)


def _values(card: Accelerator) -> tuple[object, ...]:
    return tuple(getattr(card, name) for name in (*TOLD, *DECIDED))


_SILENT: Final[Mapping[str, Any]] = {
    "utilisation_pct": None,
    "memory_used_mib": None,
    "power_mw": None,
    "temperature_c": None,
}
"""What is not known of a card that is not there; the rest stays as it was."""


def _told(facts: AcceleratorFacts) -> dict[str, Any]:
    """Return the columns in `TOLD`."""
    return {
        "index": facts.index,
        "island": facts.island,
        "driver": facts.driver[:64],
        "isolation": [item.value for item in facts.isolation],
        "mig": [item.model_dump() for item in facts.mig],
        "mig_profiles": [item.model_dump(mode="json") for item in facts.profiles],
        "utilisation_pct": facts.utilisation_pct,
        "memory_used_mib": _bounded(facts.memory_used_mib),
        "power_mw": _bounded(facts.power_mw),
        "energy_mj": facts.energy_mj,
        "temperature_c": facts.temperature_c,
        "retests_done": min(facts.retested, INTEGER_MAX),
    }


def _unlike(pool: Pool, facts: AcceleratorFacts) -> str:
    """Return the fault of a card that its pool cannot cut in hardware; empty if there is none."""
    ends = [start + item.size for item in facts.profiles for start in item.starts]
    if pool.mode == Pool.Mode.MIG and max(ends, default=0) != pool.slices_per_card:
        return NOT_CUT
    return ""


def _is_cut(card: Accelerator, pool: Pool) -> bool:
    """Tell whether a card is cut as its pool wants it; one that is too small for that is not."""
    return (card.mode, card.slices) == (pool.mode, pool.slices_per_card)


def _resize(card: Accelerator, facts: AcceleratorFacts) -> bool:
    """Take over a changed size, as after a reboot with other settings; tell whether the cut fits.

    A whole card is as large as it is; the slices of a shared one are promised to people.
    """
    memory = min(facts.memory_mib, INTEGER_MAX)
    if card.slices == 1:
        card.memory_mib, card.slice_mib = memory, max(0, memory - card.reserve_mib)
        return memory >= card.reserve_mib
    if memory < card.slices * card.slice_mib + card.reserve_mib:
        return False
    card.memory_mib = memory
    return True


def _bounded(amount: int | None) -> int | None:
    return None if amount is None else min(amount, INTEGER_MAX)
