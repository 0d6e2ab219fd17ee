"""What may be submitted: the names that a submission uses, resolved, and the limits that it meets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from django.db.models.query import RawQuerySet

from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ExhaustedError, InvalidError, NotFoundError
from portal.datasets.selectors import paths_readable_for_system
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.quotas import selectors as quota_selectors
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.tenancy.selectors import groups_visible_to
from portal.workloads.models import Workload
from portal.workloads.submission.dry_run import find_refusals
from scheduler.core.model.entities import Request
from scheduler.core.model.states import TERMINAL, WorkloadState

M = TypeVar("M", bound=Model)

DEFAULT_PURPOSE: Final[Mapping[str, str]] = {
    Workload.Kind.ENVIRONMENT: Pool.Purpose.DEVELOPMENT,
    Workload.Kind.TRAINING: Pool.Purpose.TRAINING,
}
_KEEP_GROUP: Final = "SELECT * FROM tenancy_group WHERE id = %s FOR SHARE"
_KEEP_POOL: Final = "SELECT * FROM inventory_pool WHERE id = %s FOR SHARE"
PRIORITIES: Final[Mapping[str, int]] = {"low": -100, "normal": 0, "high": 100}


@dataclass(frozen=True, slots=True)
class Submission:
    """What a user asks for; group, pool and image by id or by name."""

    kind: str
    name: str
    group: str
    image: str
    request: Request
    gpu_memory_ceiling_mib: int | None = None
    """What a share may grow to; None is as far as the pool allows."""
    pool: str = ""
    """Empty: the pool that serves this kind of work."""
    priority: int = 0
    priority_until: datetime | None = None
    """When the priority falls back to normal; None is never."""
    preemptible: bool = False
    """May be stopped for others and is queued again then; for jobs, the API's default."""
    time_limit_s: int | None = None
    retries_max: int = 0
    restart: Mapping[str, Any] = field(default_factory=dict)
    """When it starts again by itself; see `portal.workloads.retry`."""
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a submission goes, with all names resolved."""

    group: Group
    pool: Pool
    time_limit_s: int


def target_of(
    *,
    actor: Actor,
    kind: str,
    group: str,
    pool: str,
    time_limit_s: int | None,
    is_kept: bool = False,
) -> Target:
    """Resolve and check where work of this kind shall go.

    A group that the actor cannot see does not exist; one that it only sees refuses it. With
    `is_kept`, group and pool stay as they are found until the caller's transaction ends, so that
    what was checked holds for what is stored: nobody cuts the pool anew, or removes it, meanwhile.
    """
    chosen_group = _named(groups_visible_to(actor), group)
    if chosen_group is not None and is_kept:
        chosen_group = _kept(Group.objects.raw(_KEEP_GROUP, [chosen_group.pk]))
    if chosen_group is None:
        raise NotFoundError("group")
    policies.require(actor, Action.WORKLOAD_SUBMIT, chosen_group.pk)
    if chosen_group.children.exists():
        raise InvalidError("group_not_leaf", pointer="/group", group=chosen_group.name)
    chosen_pool = _pool(kind, pool, is_kept=is_kept)
    most = longest_run_s(chosen_group, chosen_pool, actor.user_id)
    limit = time_limit_s or min(chosen_pool.default_time_limit_s, most)
    if limit > most:
        raise InvalidError("time_limit_too_long", pointer="/time_limit_s", max=most)
    return Target(chosen_group, chosen_pool, limit)


def longest_run_s(group: Group, pool: Pool, user_id: UUID | None) -> int:
    """Return how long work of this user may run there now, in seconds."""
    most = pool.time_limit_s_max
    if user_id is None:
        return most
    return quota_selectors.longest_run_s_for_system(group.pk, user_id, most)


def image_for(kind: str, image: str) -> Image:
    """Return an offered image that serves this kind of work."""
    found = _named(Image.objects.filter(is_active=True), image)
    if found is None:
        raise InvalidError("unknown_image", pointer="/image", image=image[:63])
    is_environment = kind == Workload.Kind.ENVIRONMENT
    if not (found.for_environments if is_environment else found.for_training):
        raise InvalidError("image_not_for_kind", pointer="/image", image=found.name, kind=kind)
    return found


def require_readable(group_id: UUID, names: Iterable[str]) -> None:
    """Refuse data sets that the group may not read; they do not exist for it."""
    readable = paths_readable_for_system((group_id, name) for name in names)
    for name in names:
        if (group_id, name) not in readable:
            raise InvalidError("unknown_dataset", pointer="/datasets", dataset=name[:63])


def require_possible(*, kind: str, target: Target, user_id: UUID, request: Request) -> None:
    """Refuse what no node, or no quota, could ever grant, with the numbers."""
    reasons = find_refusals(
        kind=kind,
        group_id=target.group.pk,
        pool_id=target.pool.pk,
        user_id=user_id,
        request=request,
    )
    if reasons:
        raise InvalidError(reasons[0].code.value, **reasons[0].params)


def count_in(*, user_id: UUID, group_id: UUID, is_new_environment: bool) -> None:
    """Hold one user to the counted limits of a group, exactly.

    The lock on the user's row makes the submissions of one user take turns until they commit.
    """
    User.objects.select_for_update(no_key=True).get(pk=user_id)
    limits = quota_selectors.counted_limits_for_system(group_id)
    own = Workload.objects.filter(owner=user_id, group=group_id)
    _require_below("pending", limits.pending_max, own.filter(state=WorkloadState.QUEUED))
    if is_new_environment:
        kept = own.filter(kind=Workload.Kind.ENVIRONMENT).exclude(state__in=TERMINAL)
        _require_below("environments", limits.environments_max, kept)


def _require_below(counter: str, limit: int | None, counted: "QuerySet[Workload]") -> None:
    if limit is not None and (used := counted.count()) >= limit:
        raise ExhaustedError("user_counter", counter=counter, limit=limit, used=used)


def _pool(kind: str, name: str, *, is_kept: bool) -> Pool:
    if name:
        found = _named(Pool.objects.all(), name)
    else:
        serving = Pool.objects.filter(purpose=DEFAULT_PURPOSE[kind])
        found = serving.order_by("-is_open", "name").first()
    if found is not None and is_kept:
        found = _kept(Pool.objects.raw(_KEEP_POOL, [found.pk]))
    if found is None:
        raise InvalidError("unknown_pool", pointer="/pool", pool=name[:63])
    return found


def _named(rows: "QuerySet[M]", reference: str) -> M | None:
    """Return the row with this id or this name."""
    try:
        return rows.filter(pk=UUID(reference)).first()
    except ValueError:
        return rows.filter(name=reference).first()


def _kept(locked: "RawQuerySet[M]") -> M | None:
    """Return a row as it is now, and keep it so; None when it was removed a moment ago.

    Submissions do not wait for each other here, only for an operator's change that has begun.
    """
    return next(iter(locked), None)
