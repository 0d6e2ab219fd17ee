"""A requested change, checked and translated from ids to the names that the simulator reads."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from portal.common.errors import InvalidError
from portal.inventory.models import Node, Pool
from portal.inventory.policy import require_valid_policy, with_defaults
from portal.quotas.models import Quota
from portal.tenancy.models import Group
from portal.tenancy.selectors import paths_for_system
from scheduler.core.model.states import NodeState


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """What a study changes. Each row has the id of what it changes."""

    pools: Sequence[Mapping[str, Any]] = ()
    """`{"pool": id, "policy": {field: value}}`; other fields of the policy do not change."""
    quotas: Sequence[Mapping[str, Any]] = ()
    """`{"group": id, "pool": id or None, "resource": name, limit: value}`; other limits do not change."""
    nodes: Sequence[Mapping[str, Any]] = ()
    """`{"like": id, "count": n}`: additional servers, each like an existing node."""
    _seen: dict[str, set[object]] = field(default_factory=dict)

    def resolve_names(self) -> dict[str, Any]:
        """Return the change as it is stored.

        Raises:
            InvalidError: it names what does not exist, or contradicts itself.
        """
        return {
            "pools": self._pools(),
            "quotas": [self._quota(row, position) for position, row in enumerate(self.quotas)],
            "nodes": [self._node(row, position) for position, row in enumerate(self.nodes)],
        }

    def require_within(self, group_id: UUID) -> None:
        """Refuse a change that is not of this group, or one below it, alone; servers may be added.

        Raises:
            InvalidError: it changes the rules of a pool, or limits of another group.
        """
        if self.pools:
            raise InvalidError("study_of_group_rules", pointer="/pools/0")
        paths = paths_for_system([row["group"] for row in self.quotas])
        for position, row in enumerate(self.quotas):
            if group_id not in paths.get(row["group"], ()):
                raise InvalidError("study_of_group_limits", pointer=f"/quotas/{position}/group")

    def _pools(self) -> dict[str, Any]:
        known = {pool.pk: pool for pool in Pool.objects.all()}
        found: dict[str, Any] = {}
        for position, row in enumerate(self.pools):
            pointer = f"/pools/{position}"
            pool = known.get(row["pool"])
            if pool is None:
                raise InvalidError("unknown_pool", pointer=f"{pointer}/pool", pool=str(row["pool"]))
            self._require_once("pools", pool.pk, f"{pointer}/pool")
            others = {other.name for other in known.values() if other != pool}
            _require_policy(pool, row["policy"], others, f"{pointer}/policy")
            found[pool.name] = dict(row["policy"])
        return found

    def _quota(self, row: Mapping[str, Any], position: int) -> dict[str, Any]:
        pointer = f"/quotas/{position}"
        group = Group.objects.filter(pk=row["group"]).first()
        if group is None:
            raise InvalidError("unknown_group", pointer=f"{pointer}/group")
        pool = _name_pool(row.get("pool"), f"{pointer}/pool")
        self._require_once("quotas", (group.pk, row.get("pool"), row["resource"]), pointer)
        limits = {name: row[name] for name in ("guarantee", "deserved", "weight") if name in row}
        if "ceiling" in row:
            limits |= {"unlimited": True} if row["ceiling"] is None else {"ceiling": row["ceiling"]}
        _require_order(group.pk, row, pointer)
        return {"group": group.name, "pool": pool, "resource": row["resource"], **limits}

    def _node(self, row: Mapping[str, Any], position: int) -> dict[str, Any]:
        node = Node.objects.exclude(state=NodeState.RETIRED.value).filter(pk=row["like"]).first()
        if node is None:
            raise InvalidError("unknown_node", pointer=f"/nodes/{position}/like")
        return {"like": node.name, "count": row["count"]}

    def _require_once(self, kind: str, key: object, pointer: str) -> None:
        seen = self._seen.setdefault(kind, set())
        if key in seen:
            raise InvalidError("said_twice", pointer=pointer)
        seen.add(key)


def _name_pool(pool_id: UUID | None, pointer: str) -> str:
    """Return the pool's name; empty for all pools together."""
    if pool_id is None:
        return ""
    pool = Pool.objects.filter(pk=pool_id).first()
    if pool is None:
        raise InvalidError("unknown_pool", pointer=pointer, pool=str(pool_id))
    return pool.name


def _require_policy(
    pool: Pool, given: Mapping[str, Any], others: Collection[str], pointer: str
) -> None:
    """Refuse a policy that could not be set, with the pointer of its position in this request."""
    try:
        require_valid_policy({**with_defaults(pool.policy), **given}, others)
    except InvalidError as error:
        params = {**error.params, "pointer": f"{pointer}{error.params.get('pointer', '')}"}
        raise InvalidError(error.code, **params) from error


def _require_order(group_id: UUID, row: Mapping[str, Any], pointer: str) -> None:
    """Require guarantee <= deserved <= ceiling, with the existing limits where none is given."""
    own = {"group_id": group_id, "pool_id": row.get("pool"), "resource": row["resource"]}
    before = Quota.objects.filter(**own).first() or Quota(**own)
    guarantee, deserved, ceiling = (
        row.get(name, getattr(before, name)) for name in ("guarantee", "deserved", "ceiling")
    )
    if deserved < guarantee:
        raise InvalidError("quota_order", pointer=f"{pointer}/deserved", min=guarantee)
    if ceiling is not None and ceiling < deserved:
        raise InvalidError("quota_order", pointer=f"{pointer}/ceiling", min=deserved)
