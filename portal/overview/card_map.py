"""Every GPU of the cluster as columns, for a map of thousands: what changes seldom, and what always does.

Both answers list the same cards in the same order and carry a mark of that order, so that values
without ids can be put on the cards of the other answer.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.postgresql.arrays import format_array
from portal.common.postgresql.column_lists import fill_columns
from portal.fleet.capacity import count_waiting_for_system
from portal.inventory.card_facts import IN_PLACE
from portal.inventory.gpu_models import model_name
from portal.inventory.selectors import nodes_visible_to, pools_visible_to
from portal.overview.held_gpus import idle_facts_for_system
from portal.tenancy import policies

CARDS_SHOWN_MAX: Final = 20_000
"""GPUs in one answer of the map; the total says how many there are."""
HEARD_WITHIN: Final = timedelta(minutes=1)
"""What a node has reported longer ago is not shown as a value of now."""

_PRESENT: Final = f"""
FROM inventory_accelerator card JOIN inventory_node node ON node.id = card.node_id
WHERE node.state <> 'retired' AND {IN_PLACE}
"""
_CARDS: Final = f"""
SELECT card.id::text, card.node_id::text, card.index, card.model, card.state, card.fault, card.slices,
    card.memory_mib, count(*) OVER ()
{_PRESENT} ORDER BY card.id LIMIT {CARDS_SHOWN_MAX}
"""
# The states name the index of live allocations; OFFSET 0: without it, PostgreSQL reads all work of the
# past to join what runs.
_HOLDERS: Final = """
SELECT part.accelerator_id::text, part.slot, part.counted_milli, held.id::text, work.id::text,
    work.name, work.kind, work.owner_id::text, work.group_id::text, work.pool_id <> card.pool_id
FROM workloads_allocationdevice part
JOIN workloads_allocation held
    ON held.id = part.allocation_id AND held.state IN ('reserved', 'bound', 'lost')
JOIN inventory_accelerator card ON card.id = part.accelerator_id
CROSS JOIN LATERAL (
    SELECT found.id, found.name, found.kind, found.owner_id, found.group_id, found.pool_id
    FROM workloads_workload found WHERE found.id = held.workload_id OFFSET 0
) work
WHERE part.released_at IS NULL ORDER BY part.accelerator_id, part.slot
"""
_PEOPLE: Final = (
    "SELECT id::text, username, display_name FROM identity_user WHERE id = ANY(%s::uuid[])"
)
_GROUPS: Final = (
    "SELECT id::text, name, title_en, title_zh FROM tenancy_group WHERE id = ANY(%s::uuid[])"
)
_COLUMNS_OF: Final = {
    _PEOPLE: ("username", "display_name"),
    _GROUPS: ("name", "title_en", "title_zh"),
}
_VALUES: Final = fill_columns(
    """
SELECT md5(coalesce(string_agg(id::text, '' ORDER BY id), '')), array_agg(use ORDER BY id),
    array_agg(memory ORDER BY id), array_agg(power ORDER BY id), array_agg(heat ORDER BY id)
FROM (
    SELECT card.id, CASE WHEN heard.recent THEN card.utilisation_pct END AS use,
        CASE WHEN heard.recent THEN card.memory_used_mib END AS memory,
        CASE WHEN heard.recent THEN round(card.power_mw / 1000.0)::integer END AS power,
        CASE WHEN heard.recent THEN card.temperature_c END AS heat
    {present}
    ORDER BY card.id LIMIT {most}
) shown
""",
    present=_PRESENT.replace(
        "WHERE", "CROSS JOIN LATERAL (SELECT node.last_seen_at >= %s) heard (recent) WHERE"
    ),
    most=str(CARDS_SHOWN_MAX),
)


@dataclass(frozen=True, slots=True)
class MapPool:
    """A pool of the map, with how much work waits for it."""

    id: UUID
    name: str
    title_en: str
    title_zh: str
    waiting: int


@dataclass(frozen=True, slots=True)
class CardMap:
    """All cards with their places and holders; columns of equal length, other rows by their index."""

    order: str
    """Changes when cards come or go."""
    cards_total: int
    pools: Sequence[MapPool]
    nodes: Sequence[Mapping[str, Any]]
    """With the place of their pool."""
    models: Sequence[str]
    cards: Mapping[str, Sequence[Any]]
    people: Sequence[Mapping[str, Any]]
    groups: Sequence[Mapping[str, Any]]
    holders: Mapping[str, Sequence[Any]]
    """Work on GPUs of one node, as far as the reader may see it; names are None else."""
    parts: Mapping[str, Sequence[Any]]
    """Occupied parts of cards: card, slot, thousandths of the GPU, holder, and whether it is lent."""


@dataclass(frozen=True, slots=True)
class CardValues:
    """What the cards measure now, in the order of the map; None is not measured."""

    order: str
    utilisation_pct: Sequence[int | None]
    memory_used_mib: Sequence[int | None]
    power_w: Sequence[int | None]
    temperature_c: Sequence[int | None]


class _Index(dict[Any, int]):
    """Places of keys in the order in which they were asked for first."""

    def __missing__(self, key: Any) -> int:
        self[key] = place = len(self)
        return place


def card_map_visible_to(actor: Actor) -> CardMap:
    """Return every card, with the work on it as far as the actor may see it."""
    # Cards of nodes that came after the nodes were read are left out until the next answer.
    seen = nodes_visible_to(actor).select_related(None).order_by("name")
    nodes = list(seen.values("id", "name", "state", "hold", "pool"))
    pools = _pools(actor)
    place_of_pool = {pool.id: place for place, pool in enumerate(pools)}
    place_of_node = {str(node["id"]): place for place, node in enumerate(nodes)}
    rows = [row for row in _fetch(_CARDS) if row[1] in place_of_node]
    ids = [row[0] for row in rows]
    models = _Index()
    columns = list(zip(*(row[1:8] for row in rows), strict=True)) or [()] * 7
    present = set(ids)
    parts = [row for row in _fetch(_HOLDERS) if row[0] in present]
    of_work = {row[3]: row for row in parts}
    holders = _holders(actor, of_work)
    return CardMap(
        order=_order(ids),
        cards_total=rows[0][8] if rows else 0,
        pools=pools,
        nodes=[node | {"pool": place_of_pool[node["pool"]]} for node in nodes],
        cards={
            "id": ids,
            "node": [place_of_node[key] for key in columns[0]],
            "index": columns[1],
            "model": [models[model_name(name)] for name in columns[2]],
            "state": columns[3],
            "fault": columns[4],
            "slices": columns[5],
            "memory_mib": columns[6],
        },
        models=list(models),
        people=_in_order(_PEOPLE, holders.people),
        groups=_in_order(_GROUPS, holders.groups),
        holders=holders.columns,
        parts=_parts(parts, ids, of_work),
    )


def _pools(actor: Actor) -> list[MapPool]:
    rows = pools_visible_to(actor).order_by("purpose", "name")
    waiting = count_waiting_for_system()
    return [
        MapPool(*row, waiting.get(row[0], 0))
        for row in rows.values_list("id", "name", "title_en", "title_zh")
    ]


def card_values_visible_to(actor: Actor) -> CardValues:
    """Return what every card measures now; who may see nodes sees it (one query)."""
    if not nodes_visible_to(actor).exists():
        return CardValues(_order(()), (), (), (), ())
    [(order, *columns)] = _fetch(_VALUES, [now() - HEARD_WITHIN])
    return CardValues(order, *(column or () for column in columns))


@dataclass(frozen=True, slots=True)
class _Holders:
    """The work on the cards as columns, with the people and groups that they refer to."""

    people: _Index
    groups: _Index
    columns: dict[str, list[Any]]


def _holders(actor: Actor, rows: Mapping[str, Sequence[Any]]) -> _Holders:
    """Return the holders as far as the actor may see them, by allocation in the order of the rows."""
    groups = policies.visible_group_ids(actor)
    visible = None if groups is None else {str(group) for group in groups}
    since, own = idle_facts_for_system().since, str(actor.user_id)
    people, teams = _Index(), _Index()
    # A row without what only its own tenant may see.
    shown = [
        row if visible is None or row[7] == own or row[8] in visible else None
        for row in rows.values()
    ]
    columns = {
        "mine": [row[7] == own for row in rows.values()],
        "kind": [row[6] for row in rows.values()],
        "workload": [row and row[4] for row in shown],
        "name": [row and row[5] for row in shown],
        "owner": [-1 if row is None else people[row[7]] for row in shown],
        "group": [-1 if row is None else teams[row[8]] for row in shown],
        "idle_since": [row and since.get(row[3]) for row in shown],
    }
    return _Holders(people, teams, columns)


def _parts(
    rows: Sequence[Sequence[Any]], ids: Sequence[str], holders: Iterable[str]
) -> dict[str, list[Any]]:
    card = {key: place for place, key in enumerate(ids)}
    holder = {key: place for place, key in enumerate(holders)}
    return {
        "card": [card[row[0]] for row in rows],
        "slot": [row[1] for row in rows],
        "gpu_milli": [row[2] for row in rows],
        "holder": [holder[row[3]] for row in rows],
        "is_lent": [row[9] for row in rows],
    }


def _in_order(statement: str, keys: _Index) -> list[Mapping[str, Any]]:
    """Return what a statement finds of each key, in the order of their places."""
    names = ("id", *_COLUMNS_OF[statement])
    found = {
        row[0]: dict(zip(names, row, strict=True))
        for row in _fetch(statement, [format_array(keys)])
    }
    return [found[key] for key in keys]


def _order(ids: Iterable[str]) -> str:
    return hashlib.md5("".join(ids).encode(), usedforsecurity=False).hexdigest()


def _fetch(statement: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params or None)
        return list(cursor.fetchall())
