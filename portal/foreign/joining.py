"""A pool becomes a part of a cluster, once checks of the cluster have found nothing against it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from portal.common.errors import ConflictError
from portal.foreign.errors import RoundFailedError
from portal.inventory.models import Node, Pool
from scheduler.core.model.states import NodeState

Look = Callable[[], tuple[bool, str]]


@dataclass(frozen=True, slots=True)
class JoinFinding:
    """One thing that was looked at, and what was found."""

    what: str
    is_good: bool
    found: str


def examine(looks: Mapping[str, Look]) -> Iterator[JoinFinding]:
    """Look at each thing of a cluster; what does not answer is a finding too."""
    for what, look in looks.items():
        try:
            is_good, found = look()
        except RoundFailedError as error:
            is_good, found = False, str(error)
        yield JoinFinding(what, is_good, found)


def claim_pool(pool: Pool, backend: str) -> Pool:
    """Let a cluster run the work of a pool from now on, within the caller's transaction; return the pool.

    Raises:
        ConflictError: the pool shares its cards, or has nodes of its own.
    """
    pool = Pool.objects.select_for_update(no_key=True).get(pk=pool.pk)
    if pool.mode != Pool.Mode.EXCLUSIVE:
        raise ConflictError("cluster_pool_is_shared", pool=pool.name)
    own = Node.objects.filter(pool=pool).exclude(state=NodeState.RETIRED).exclude(runtime=backend)
    if own.exists():
        raise ConflictError("cluster_pool_has_nodes", pool=pool.name)
    Pool.objects.filter(pk=pool.pk).update(backend=backend)
    pool.backend = backend
    return pool
