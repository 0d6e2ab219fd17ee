"""Cards for the snapshot, and what live allocations hold of them."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from portal.common.postgresql.column_lists import fill_columns, select_list
from portal.inventory.card_facts import (
    enforced_isolation,
    parse_mig_profiles,
    usable_gpu_memory_mib,
)
from portal.inventory.gpu_models import find_gpu_model, model_name
from portal.inventory.models import Accelerator, Pool
from portal.workloads.snapshot.running import LiveAllocation, fetch_rows
from scheduler.core.model.entities import AcceleratorId, AcceleratorView, NodeId, PoolId
from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.mig import MigProfiles
from scheduler.core.model.states import AcceleratorState

CARDS_KEPT: Final = 1 << 15
"""Cards that this process keeps as the engine takes them, with what they are made of."""


class _CardRow(NamedTuple):
    """The columns of a card."""

    id: AcceleratorId
    node: NodeId
    pool: PoolId
    model: str
    memory_mib: int
    state: str
    slices: int
    position: int
    island: int
    is_simulated: bool
    mode: str
    slice_mib: int
    isolation: str
    mig_profiles: str


_COLUMNS: Final = ["index" if name == "position" else name for name in _CardRow._fields]
"""Of a tuple, `index` is a method."""
_CARDS: Final = fill_columns(
    "SELECT {columns} FROM inventory_accelerator card ORDER BY card.id",
    columns=select_list(Accelerator, _COLUMNS, table="card"),
)
_COUNTS: Final = """
SELECT card.pool_id::text, count(*)
FROM inventory_accelerator card JOIN inventory_node node ON node.id = card.node_id
LEFT JOIN (
    SELECT DISTINCT accelerator_id FROM workloads_allocationdevice WHERE released_at IS NULL
) held ON held.accelerator_id = card.id
WHERE held.accelerator_id IS NOT NULL OR (card.state = 'ok' AND node.state = 'ready')
GROUP BY card.pool_id
"""


class Taken(NamedTuple):
    """What is held of one card: whole or in slices, and in shares."""

    slots: frozenset[int] = frozenset()
    gpu_milli: int = 0
    gpu_memory_mib: int = 0


_FREE: Final = Taken()
NOTHING_TAKEN: Final[Mapping[str, Taken]] = {}


def taken_by(held: Collection[LiveAllocation]) -> Mapping[str, Taken]:
    """Return what these allocations hold, by card."""
    slots: dict[str, set[int]] = defaultdict(set)
    milli: Counter[str] = Counter()
    mib: Counter[str] = Counter()
    for item in held:
        share, gpu_memory_mib = item.request.gpu_milli, item.request.gpu_memory_mib
        for card, slot in item.devices:
            if share:
                milli[card] += share
                mib[card] += gpu_memory_mib
            else:
                slots[card].add(slot)
    return {
        card: Taken(frozenset(slots.get(card, ())), milli[card], mib[card])
        for card in slots.keys() | milli.keys()
    }


def load_cards(taken: Mapping[str, Taken]) -> tuple[AcceleratorView, ...]:
    """Return every card."""
    return tuple([_card(row, taken.get(row[0], _FREE)) for row in fetch_rows(_CARDS, {})])


def count_cards() -> Mapping[PoolId, int]:
    """Return of how many cards each pool is made: healthy ones of ready nodes, and what is held anyway."""
    return {PoolId(pool): count for pool, count in fetch_rows(_COUNTS, {})}


# From one moment to the next few cards change, and a process looks at all of them again and again.
@lru_cache(maxsize=CARDS_KEPT)
def _card(columns: tuple[Any, ...], taken: Taken) -> AcceleratorView:
    row = _CardRow._make(columns)
    known = _model_facts(row.model)
    return AcceleratorView(
        id=row.id,
        node=row.node,
        pool=row.pool,
        model=known.name,
        memory_mib=usable_gpu_memory_mib(row.memory_mib, row.slices, row.slice_mib),
        state=AcceleratorState(row.state),
        slices=row.slices,
        taken_slots=taken.slots,
        index=row.position,
        island=row.island,
        gpu_milli_taken=taken.gpu_milli,
        gpu_memory_taken_mib=taken.gpu_memory_mib,
        isolation=None if row.is_simulated else _isolation(row.isolation),
        is_fractional=row.slices == 1 and row.mode == Pool.Mode.SHARED,
        mig_profiles=_mig_profiles(row.mig_profiles) if row.mode == Pool.Mode.MIG else (),
        features=known.features,
        bandwidth_gbps=known.bandwidth_gbps,
    )


class _ModelFacts(NamedTuple):
    """What is known of a model."""

    name: str
    features: frozenset[str] = frozenset()
    bandwidth_gbps: int = 0


# Thousands of cards have few models and abilities between them: each is worked out once, and is one
# value, by which the engine keeps what it derives.
@lru_cache(maxsize=1024)
def _model_facts(reported: str) -> _ModelFacts:
    known = find_gpu_model(reported)
    if known is None:
        return _ModelFacts(model_name(reported))
    return _ModelFacts(model_name(reported), known.features, known.bandwidth_gbps)


@lru_cache(maxsize=1024)
def _isolation(stored: str) -> frozenset[IsolationLevel] | None:
    return enforced_isolation(json.loads(stored), is_simulated=False)


@lru_cache(maxsize=1024)
def _mig_profiles(stored: str) -> MigProfiles:
    return parse_mig_profiles(json.loads(stored))
