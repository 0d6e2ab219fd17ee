"""Health of the platform, for probes, and facts about its nodes, for the sign-in page."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DatabaseError
from psycopg_pool import PoolTimeout
from redis.exceptions import RedisError

from portal.common.clock import now
from portal.common.redis_client import get_redis_client
from portal.inventory.models import Accelerator, Node
from portal.workloads.models import SchedulerPass
from scheduler.core.model.states import AcceleratorState, NodeState

PASS_AGE_MAX = timedelta(seconds=60)
"""Passes are far more frequent; if the last is older than this, no work is being placed."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """State of each part; only the database is needed to answer requests."""

    database: bool
    redis: bool
    scheduler_age_s: int | None
    silent_nodes: int

    @property
    def is_ready(self) -> bool:
        """Return whether requests can be answered."""
        return self.database

    @property
    def is_healthy(self) -> bool:
        """Return whether every part works."""
        is_scheduling = (
            self.scheduler_age_s is not None
            and self.scheduler_age_s <= PASS_AGE_MAX.total_seconds()
        )
        return self.database and self.redis and is_scheduling and not self.silent_nodes


@dataclass(frozen=True, slots=True)
class FleetSummary:
    """How the nodes run work, which the pages always show."""

    is_simulated: bool
    is_isolated: bool
    runtimes: tuple[str, ...]


def check_readiness() -> Readiness:
    """Return the state of every part."""
    redis = _redis_answers()
    try:
        age, silent = _scheduler_age_s(), _silent_nodes()
    except (DatabaseError, PoolTimeout):
        return Readiness(database=False, redis=redis, scheduler_age_s=None, silent_nodes=0)
    return Readiness(database=True, redis=redis, scheduler_age_s=age, silent_nodes=silent)


def summarise_fleet_for_system() -> FleetSummary:
    """Return how the nodes in service run work."""
    joined = Node.objects.exclude(state=NodeState.RETIRED).exclude(runtime="")
    rows = set(joined.values_list("runtime", "is_isolated"))
    present = Accelerator.objects.exclude(state=AcceleratorState.GONE)
    return FleetSummary(
        is_simulated=present.filter(is_simulated=True).exists(),
        is_isolated=bool(rows) and all(is_isolated for _, is_isolated in rows),
        runtimes=tuple(sorted({runtime for runtime, _ in rows})),
    )


def _scheduler_age_s() -> int | None:
    last: datetime | None = SchedulerPass.objects.values_list("at", flat=True).first()
    return None if last is None else max(0, int((now() - last).total_seconds()))


def _silent_nodes() -> int:
    return Node.objects.filter(state__in=[NodeState.UNREADY, NodeState.LOST]).count()


def _redis_answers() -> bool:
    try:
        return bool(get_redis_client().ping())
    except RedisError:
        return False
