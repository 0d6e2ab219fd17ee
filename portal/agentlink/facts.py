"""Updates of nodes and their cards from the facts that the agent reports."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, TypeAlias

import structlog

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.model_rows import ModelRows
from portal.common.rest.serializers import INTEGER_MAX
from portal.inventory.card_facts import MISSING, REMOVED
from portal.inventory.cuts import cut_card, leave_uncut
from portal.inventory.models import Accelerator, Node, Pool
from scheduler.core.model.states import AcceleratorState, NodeState
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
"""Next state of a card by its reported health; absent means unchanged.

A bad card leaves that state only after an operator has ordered a retest
(`portal.workloads.operations.nodes.retest_card`) and the agent has found it healthy.
"""


REPORTED: Final = (
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
"""Columns of a card that the node reports."""
DERIVED: Final = ("state", "fault", "memory_mib", "slice_mib")
"""Columns of a card that are derived from the report."""
MIG_OFF: Final = "mig_off"
"""Fault of a card without MIG enabled, in a MIG pool."""
TOO_SMALL: Final = "memory_shrank"
"""Fault of a card that has less memory than the slices of its pool need."""


def to_node_columns(facts: NodeFacts) -> dict[str, Any]:
    """Return the columns of a node that it reports."""
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
        "dataset_folders": None if facts.dataset_folders is None else list(facts.dataset_folders),
        "machine_id": facts.machine_id[:64],
        "saves_images": facts.saves_images,
        "builds_images": facts.builds_images,
    }


def record_agent_change(node: Node, version: str) -> None:
    """Write to the log that another version of the agent speaks for a node; its first one is no change."""
    if node.agent_version in ("", version):
        return
    audit.record_event(
        actor=Actor.system(f"node:{node.name}"),
        action="node.change_agent",
        object_type="node",
        object_id=node.pk,
        params={"name": node.name, "before": node.agent_version, "after": version},
    )


_CARDS: Final = ModelRows(Accelerator, "card")
_CARDS_OF_NODE: Final = _CARDS.fill(
    "SELECT {card} FROM inventory_accelerator card WHERE node_id = %s ORDER BY id"
)


UNKNOWN_WORK: Final = "unknown_work"
"""Fault of a card that is held by work which a restored database does not know."""


def update_cards(
    node: Node,
    reported: Iterable[AcceleratorFacts],
    *,
    held_by_unknown: Collection[str] = (),
) -> dict[str, int]:
    """Update the cards of a node: new ones are added, absent ones are marked gone, none is deleted.

    Cards that unknown work holds take no other work.

    A card that belongs to another node is left out: a UUID is one piece of hardware. Returns the
    number of the pending retest order by card UUID.
    """
    known = {card.uuid: card for card in _CARDS.fetch(_CARDS_OF_NODE, [node.pk])}
    reports = {
        facts.uuid: _mark_held(facts) if facts.uuid in held_by_unknown else facts
        for facts in reported
    }
    fresh = [facts for uuid, facts in reports.items() if uuid not in known]
    if fresh:
        _add_cards(node, fresh)
    done = {uuid: card.retests_done for uuid, card in known.items()}
    changed = [card for uuid, card in known.items() if _apply_report(node, card, reports.get(uuid))]
    if changed:
        Accelerator.objects.bulk_update(changed, [*REPORTED, *DERIVED, "sampled_at"])
    for card in changed:
        if card.retests_done > done[card.uuid]:
            _record_retest(node, card)
    return {card.uuid: card.retests_asked for card in known.values() if card.is_retest_due}


def _mark_held(facts: AcceleratorFacts) -> AcceleratorFacts:
    if facts.health is not H.OK:
        return facts
    return facts.model_copy(update={"health": H.DIRTY, "fault": UNKNOWN_WORK})


def _record_retest(node: Node, card: Accelerator) -> None:
    audit.record_event(
        actor=Actor.system(f"node:{node.name}"),
        action="card.retested",
        object_type="accelerator",
        object_id=card.pk,
        params={"node": node.name, "uuid": card.uuid, "state": card.state, "fault": card.fault},
    )


def _add_cards(node: Node, fresh: list[AcceleratorFacts]) -> None:
    elsewhere = set(
        Accelerator.objects.filter(uuid__in=[facts.uuid for facts in fresh]).values_list(
            "uuid", flat=True
        )
    )
    for uuid in sorted(elsewhere):
        logger.error("accelerator.claimed_twice", node=node.name, uuid=uuid)
    # Two nodes may report a new card at the same time: the first one gets it.
    Accelerator.objects.bulk_create(
        [_new_card(node, facts) for facts in fresh if facts.uuid not in elsewhere],
        ignore_conflicts=True,
    )


def _new_card(node: Node, facts: AcceleratorFacts) -> Accelerator:
    """Return a new card, cut as its pool requires; one too small for that is bad and uncut."""
    pool = node.pool
    memory = min(facts.memory_mib, INTEGER_MAX)
    cut = cut_card(pool, memory)
    fault = _mig_fault(pool, facts) if cut else TOO_SMALL
    shape = cut or leave_uncut(memory)
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
        **_reported_columns(facts),
    )


def _apply_report(node: Node, card: Accelerator, facts: AcceleratorFacts | None) -> bool:
    """Change a card to what was reported; return whether anything is new."""
    before = _values(card)
    if facts is None:
        columns, health, card.fault = _UNREPORTED, AcceleratorHealth.GONE, _absence(node, card)
    else:
        fault = TOO_SMALL
        if _is_cut(card, node.pool) and _resize(card, facts):
            fault = _mig_fault(node.pool, facts)
        fits = not fault
        is_retested = facts.retested > card.retests_done
        if fits and is_retested and facts.health is H.OK and card.state == S.BAD:
            card.state = S.OK.value
        columns, health = _reported_columns(facts), facts.health if fits else AcceleratorHealth.BAD
        card.fault = fault or facts.fault[:64]
    current = AcceleratorState(card.state)
    card.state = CARD_STATES[health].get(current, current).value
    for name, value in columns.items():
        setattr(card, name, value)
    if card.utilisation_pct is not None:
        card.sampled_at = now()
    return before != _values(card)


def _absence(node: Node, card: Accelerator) -> str:
    """Return the fault of a card that its node does not list: only an empty node was opened on purpose."""
    if node.state == NodeState.DRAINED:
        return REMOVED
    return (card.fault if card.state == S.GONE else "") or MISSING


def _values(card: Accelerator) -> tuple[object, ...]:
    return tuple(getattr(card, name) for name in (*REPORTED, *DERIVED))


_UNREPORTED: Final[Mapping[str, Any]] = {
    "utilisation_pct": None,
    "memory_used_mib": None,
    "power_mw": None,
    "temperature_c": None,
}
"""Columns that are unknown while a card is gone; the others keep their last value."""


def _reported_columns(facts: AcceleratorFacts) -> dict[str, Any]:
    """Return the columns in `REPORTED`."""
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


def _mig_fault(pool: Pool, facts: AcceleratorFacts) -> str:
    """Return the fault of a card that does not fit its MIG pool; empty if there is none."""
    ends = [start + item.size for item in facts.profiles for start in item.starts]
    if pool.mode == Pool.Mode.MIG and max(ends, default=0) != pool.slices_per_card:
        return MIG_OFF
    return ""


def _is_cut(card: Accelerator, pool: Pool) -> bool:
    """Return whether a card is cut as its pool requires; one that is too small for that is not."""
    return (card.mode, card.slices) == (pool.mode, pool.slices_per_card)


def _resize(card: Accelerator, facts: AcceleratorFacts) -> bool:
    """Apply a changed memory size, as after a reboot; return whether the card still fits its cut.

    A whole card takes any size; the slices of a shared one keep theirs, because work holds them.
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
