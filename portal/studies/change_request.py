"""A question as it is asked, by ids, and as the simulator reads it, by names. Checked on the way."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from portal.common.errors import InvalidError
from portal.inventory import policy as rules
from portal.inventory.models import Node, Pool
from portal.inventory.policy_sense import require_valid_policy
from portal.quotas.models import Quota
from portal.tenancy.models import Group
from scheduler.core.model.states import NodeState


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """What would be otherwise. Rows carry the ids of what they change."""

    pools: Sequence[Mapping[str, Any]] = ()
    """`{"pool": id, "policy": {rule: value}}`; rules that are not named stay."""
    quotas: Sequence[Mapping[str, Any]] = ()
    """`{"group": id, "pool": id or None, "resource": word, limit: value}`; the same."""
    nodes: Sequence[Mapping[str, Any]] = ()
    """`{"like": id, "count": n}`: servers to buy."""
    _seen: dict[str, set[object]] = field(default_factory=dict)

    def resolve_names(self) -> dict[str, Any]:
        """Return the change as it is stored; raise InvalidError at what is unknown or contradicts itself."""
        return {
            "pools": self._pools(),
            "quotas": [self._quota(row, place) for place, row in enumerate(self.quotas)],
            "nodes": [self._node(row, place) for place, row in enumerate(self.nodes)],
        }

    def _pools(self) -> dict[str, Any]:
        known = {pool.pk: pool for pool in Pool.objects.all()}
        found: dict[str, Any] = {}
        for place, row in enumerate(self.pools):
            where = f"/pools/{place}"
            pool = known.get(row["pool"])
            if pool is None:
                raise InvalidError("unknown_pool", pointer=f"{where}/pool", pool=str(row["pool"]))
            self._once("pools", pool.pk, f"{where}/pool")
            others = {other.name for other in known.values() if other != pool}
            _require_rules(pool, row["policy"], others, f"{where}/policy")
            found[pool.name] = dict(row["policy"])
        return found

    def _quota(self, row: Mapping[str, Any], place: int) -> dict[str, Any]:
        where = f"/quotas/{place}"
        group = Group.objects.filter(pk=row["group"]).first()
        if group is None:
            raise InvalidError("unknown_group", pointer=f"{where}/group")
        pool = _pool_named(row.get("pool"), f"{where}/pool")
        self._once("quotas", (group.pk, row.get("pool"), row["resource"]), where)
        limits = {name: row[name] for name in ("guarantee", "deserved", "weight") if name in row}
        if "ceiling" in row:
            limits |= {"unlimited": True} if row["ceiling"] is None else {"ceiling": row["ceiling"]}
        _require_order(group.pk, row, where)
        return {"group": group.name, "pool": pool, "resource": row["resource"], **limits}

    def _node(self, row: Mapping[str, Any], place: int) -> dict[str, Any]:
        node = Node.objects.exclude(state=NodeState.RETIRED.value).filter(pk=row["like"]).first()
        if node is None:
            raise InvalidError("unknown_node", pointer=f"/nodes/{place}/like")
        return {"like": node.name, "count": row["count"]}

    def _once(self, kind: str, key: object, pointer: str) -> None:
        seen = self._seen.setdefault(kind, set())
        if key in seen:
            raise InvalidError("said_twice", pointer=pointer)
        seen.add(key)


def _pool_named(pool_id: UUID | None, pointer: str) -> str:
    """Return the pool's name, nothing for all pools together."""
    if pool_id is None:
        return ""
    pool = Pool.objects.filter(pk=pool_id).first()
    if pool is None:
        raise InvalidError("unknown_pool", pointer=pointer, pool=str(pool_id))
    return pool.name


def _require_rules(
    pool: Pool, given: Mapping[str, Any], others: Collection[str], where: str
) -> None:
    """Refuse rules that would be refused if they were set, at their place in this question."""
    try:
        require_valid_policy({**rules.with_defaults(pool.policy), **given}, others)
    except InvalidError as error:
        params = {**error.params, "pointer": f"{where}{error.params.get('pointer', '')}"}
        raise InvalidError(error.code, **params) from error


def _require_order(group_id: UUID, row: Mapping[str, Any], where: str) -> None:
    """Refuse limits that do not keep guarantee <= deserved <= ceiling with what stays as it is."""
    own = {"group_id": group_id, "pool_id": row.get("pool"), "resource": row["resource"]}
    before = Quota.objects.filter(**own).first() or Quota(**own)
    guarantee, deserved, ceiling = (
        row.get(name, getattr(before, name)) for name in ("guarantee", "deserved", "ceiling")
    )
    if deserved < guarantee:
        raise InvalidError("quota_order", pointer=f"{where}/deserved", min=guarantee)
    if ceiling is not None and ceiling < deserved:
        raise InvalidError("quota_order", pointer=f"{where}/ceiling", min=deserved)
