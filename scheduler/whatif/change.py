"""A changed site: the rules, quotas and servers of a what-if policy file, or of a portal study.

It changes only what it names:

    [pools.training]                 # any knob of `scheduler.core.model.policy.PoolPolicy`
    backfill_depth = 2

    [[quotas]]                       # group and pool by name; no pool is all pools together
    group = "vision"
    pool = "training"
    resource = "gpu"
    deserved = 16000

    [[nodes]]                        # servers that are bought: like one that is there
    like = "gpu-4"
    count = 2
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from scheduler.core.model.entities import AcceleratorId, NodeId, PoolId, PoolView, QuotaView
from scheduler.core.model.policy import OverQuotaWeight, PoolPolicy
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.whatif.form import TableError, read_table

NODES_MAX: Final = 1000
"""Servers that one change may add."""


@dataclass(frozen=True, slots=True)
class QuotaForm:
    """A changed row of a quota; what is not given stays."""

    group: str
    resource: str
    pool: str = ""
    ceiling: int | None = None
    unlimited: bool = False
    """Removes the ceiling."""
    guarantee: int | None = None
    deserved: int | None = None
    weight: str = ""

    def __post_init__(self) -> None:
        """Refuse two answers to one question."""
        if self.unlimited and self.ceiling is not None:
            raise ValueError("a quota has a ceiling or is unlimited")


@dataclass(frozen=True, slots=True)
class NodesForm:
    """Servers to add."""

    like: str
    count: int = 1

    def __post_init__(self) -> None:
        """Keep their number finite."""
        if not 1 <= self.count <= NODES_MAX:
            raise ValueError(f"count must be from 1 to {NODES_MAX}")


@dataclass(frozen=True, slots=True)
class SiteChange:
    """Everything that is changed. Pools, groups and nodes are given by name, inside the rules too."""

    policies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By pool, the changed fields of `PoolPolicy`, with values as in that class."""
    quotas: tuple[QuotaForm, ...] = ()
    nodes: tuple[NodesForm, ...] = ()


def read_change(form: Mapping[str, Any]) -> SiteChange:
    """Read a policy file.

    Raises:
        ValueError: a key is unknown or its value invalid; the message names it.
    """
    if unknown := set(form) - {"pools", "quotas", "nodes"}:
        raise TableError(f"{', '.join(sorted(unknown))} is not known")
    policies = {
        name: (table, read_table(PoolPolicy, table, f"pools.{name}"))
        for name, table in form.get("pools", {}).items()
    }
    return SiteChange(
        {
            name: {knob: getattr(policy, knob) for knob in table}
            for name, (table, policy) in policies.items()
        },
        tuple(
            read_table(QuotaForm, table, f"quotas[{number}]")
            for number, table in enumerate(form.get("quotas", ()))
        ),
        tuple(
            read_table(NodesForm, table, f"nodes[{number}]")
            for number, table in enumerate(form.get("nodes", ()))
        ),
    )


def apply_change(site: Snapshot, change: SiteChange) -> Snapshot:
    """Return the site under the change, `site` itself under an empty one.

    Raises:
        ValueError: it names what is not there, or makes no sense here.
    """
    ids = {pool.name: pool.id for pool in site.pools}
    if missing := set(change.policies) - set(ids):
        raise TableError(f"there is no pool {', '.join(sorted(missing))}")
    return replace(
        _with_nodes(site, change.nodes),
        pools=tuple(
            _with_policy(pool, change.policies.get(pool.name, {}), ids) for pool in site.pools
        ),
        quotas=_with_quotas(site, change.quotas),
    )


def _with_policy(pool: PoolView, knobs: Mapping[str, Any], ids: Mapping[str, PoolId]) -> PoolView:
    said = dict(knobs)
    if "fall_back" in said:
        said["fall_back"] = tuple(_ids(said["fall_back"], ids, pool))
    if "lending" in said:
        named = said["lending"]
        said["lending"] = replace(named, to_pools=frozenset(_ids(named.to_pools, ids, pool)))
    return replace(pool, policy=replace(pool.policy, **said))


def _ids(names: Iterable[str], ids: Mapping[str, PoolId], pool: PoolView) -> list[PoolId]:
    """Return the pools that are named in the rules of one."""
    if unknown := sorted(set(names) - set(ids)):
        raise TableError(f"pools.{pool.name}: there is no pool {unknown[0]}")
    return [ids[name] for name in names]


def _with_nodes(site: Snapshot, bought: Iterable[NodesForm]) -> Snapshot:
    nodes, cards = list(site.nodes), list(site.accelerators)
    for form in bought:
        like = next((node for node in site.nodes if node.name == form.like), None)
        if like is None:
            raise TableError(f"there is no node {form.like}")
        for number in range(len(nodes), len(nodes) + form.count):
            own = NodeId(f"{like.id}+{number}")
            nodes.append(replace(like, id=own, name=f"{like.name}+{number}"))
            cards += [
                replace(card, id=AcceleratorId(f"{card.id}+{number}"), node=own)
                for card in site.accelerators
                if card.node == like.id
            ]
    return replace(site, nodes=tuple(nodes), accelerators=tuple(cards))


def _with_quotas(site: Snapshot, rows: Iterable[QuotaForm]) -> tuple[QuotaView, ...]:
    groups = {group.name: group.id for group in site.groups}
    pools = {pool.name: pool.id for pool in site.pools}
    quotas = {(row.group, row.pool, row.resource): row for row in site.quotas}
    for row in rows:
        if row.group not in groups or (row.pool and row.pool not in pools):
            raise TableError(f"there is no group {row.group!r} or no pool {row.pool!r}")
        key = (groups[row.group], pools.get(row.pool), Resource(row.resource))
        quotas[key] = _with_row(quotas.get(key) or QuotaView(*key, ceiling=None), row)
    return tuple(
        quotas[key] for key in sorted(quotas, key=lambda key: (key[0], key[1] or "", key[2]))
    )


def _with_row(before: QuotaView, row: QuotaForm) -> QuotaView:
    ceiling = before.ceiling if row.ceiling is None else row.ceiling
    after = replace(
        before,
        ceiling=None if row.unlimited else ceiling,
        guarantee=before.guarantee if row.guarantee is None else row.guarantee,
        deserved=before.deserved if row.deserved is None else row.deserved,
        weight=OverQuotaWeight(row.weight) if row.weight else before.weight,
    )
    if not 0 <= after.guarantee <= after.deserved:
        raise TableError(f"quota of {row.group}: the guarantee is above what is deserved")
    if after.ceiling is not None and after.deserved > after.ceiling:
        raise TableError(f"quota of {row.group}: what is deserved is above the ceiling")
    return after
