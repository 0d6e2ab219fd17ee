"""Reads of workloads for an actor, in a fixed number of queries for any page."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    F,
    Func,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
)

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.common.work_kinds import WorkTerms
from portal.tenancy import policies
from portal.workloads.models import (
    Allocation,
    AllocationDevice,
    JobArray,
    Workload,
    WorkloadEvent,
)
from scheduler.core.model.states import LIVE_ALLOCATION

_PARTIES: Final = ("owner", "heir", "group", "pool", "image", "app")
# Written out: of states that are bound, a plan for all values does not know that they are those of
# the indexes of unfinished work, and reads everything that has ended.
_HAS_ENDED: Final = Q(
    Func(
        F("state"),
        template="%(expressions)s IN ('succeeded', 'failed', 'cancelled', 'expired')",
        output_field=BooleanField(),
    )
)


def unfinished_for_system() -> "QuerySet[Workload]":
    """Return the work that has not ended."""
    return Workload.objects.filter(~_HAS_ENDED)


_PLAIN_FILTERS: Final[Mapping[str, str]] = {
    "kind": "kind",
    "group": "group",
    "pool": "pool",
    "array": "array",
    "owner_name": "owner__username",
    "search": "name__icontains",
    "since": "submitted_at__gte",
    "until": "submitted_at__lt",
    "ended_since": "finished_at__gte",
}
"""Filters of lists that compare one column."""


def workloads_visible_to(actor: Actor, filters: Mapping[str, Any]) -> "QuerySet[Workload]":
    """Return the work that the actor may see, narrowed by filters, ready for `present_summaries`."""
    plain = {_PLAIN_FILTERS[name]: filters[name] for name in filters if name in _PLAIN_FILTERS}
    rows = _visible(actor).filter(**plain)
    in_state = _in_state(filters)
    if filters.get("collapsed"):
        tasks = Workload.objects.filter(in_state, array__isnull=False, array=OuterRef("array"))
        rows = rows.filter(Q(in_state, array=None) | Q(Exists(tasks), heads_array=True))
    else:
        rows = rows.filter(in_state)
    if "owner" in filters:
        rows = rows.filter(owner=filters["owner"] or actor.user_id)
    if "owner_left" in filters:
        rows = rows.filter(owner_left_at__isnull=not filters["owner_left"])
    if "tag" in filters:
        rows = rows.filter(~Q(tags=[]), tags__contains=[filters["tag"]])
    if "gpu_model" in filters:
        rows = rows.filter(_on_model(filters["gpu_model"]))
    return rows.select_related(*_PARTIES).defer("spec").prefetch_related(_live_with_nodes())


def _on_model(model: str) -> Q:
    """Match work that asks for a model of GPU, or has had one in any attempt."""
    held = Allocation.objects.filter(workload=OuterRef("pk"), gpu_milli_by_model__has_key=model)
    return Q(gpu_models__contains=[model]) | Q(Exists(held))


def _in_state(filters: Mapping[str, Any]) -> Q:
    wanted = Q(state=filters["state"]) if "state" in filters else Q()
    if "active" in filters:
        wanted &= ~_HAS_ENDED if filters["active"] else _HAS_ENDED
    return wanted


def array_visible_to(actor: Actor, array_id: UUID) -> JobArray:
    """Return one job array.

    Raises:
        NotFoundError: there is none, or it is another tenant's.
    """
    array = JobArray.objects.filter(pk=array_id).select_related("owner", "group").first()
    if array is None or array.tasks.filter(heads_array=True).exclude(removed_at=None).exists():
        raise NotFoundError("job_array")
    policies.require(
        actor, Action.WORKLOAD_VIEW, array.group_id, owner_id=array.owner_id, what="job_array"
    )
    return array


def task_states_for_system(array_ids: Collection[UUID]) -> Mapping[UUID, Mapping[str, int]]:
    """Return how many tasks of each array are in each state, in one query."""
    found: dict[UUID, dict[str, int]] = {key: {} for key in array_ids}
    tasks = Workload.objects.filter(array__in=found).values_list("array", "state")
    for array, state, count in tasks.annotate(count=Count("pk")).order_by("array", "state"):
        found[array][state] = count
    return found


def workload_visible_to(actor: Actor, workload_id: UUID, kind: str | None = None) -> Workload:
    """Return one workload.

    Raises:
        NotFoundError: there is none, it is another tenant's, or of another kind.
    """
    rows = Workload.objects.filter(pk=workload_id, removed_at=None).select_related(*_PARTIES)
    workload = (rows.filter(kind=kind) if kind else rows).first()
    if workload is None:
        raise NotFoundError("workload")
    policies.require(
        actor,
        Action.WORKLOAD_VIEW,
        workload.group_id,
        owner_id=workload.owner_id,
        what="workload",
    )
    return workload


def workload_visible_where(
    actor: Actor, workload_id: UUID, holds: Callable[[WorkTerms], bool]
) -> Workload:
    """Return one workload of a kind whose row fulfils a condition.

    Raises:
        NotFoundError: there is none, it is another tenant's, or of another kind.
    """
    workload = workload_visible_to(actor, workload_id)
    if not holds(workload.terms):
        raise NotFoundError("workload")
    return workload


def allocations_for_system(workload: Workload) -> list[Allocation]:
    """Return the allocations of a workload's present attempt with nodes and devices."""
    devices = AllocationDevice.objects.select_related("accelerator__pool")
    return list(
        workload.allocations.filter(epoch=workload.epoch)
        .select_related("node")
        .prefetch_related(Prefetch("devices", devices.order_by("accelerator__index", "slot")))
        .order_by("rank")
    )


def names_for_system(workloads: Collection[UUID]) -> Mapping[UUID, str]:
    """Return the names of these workloads."""
    return dict(Workload.objects.filter(pk__in=workloads).values_list("pk", "name"))


def has_held_for_system(devices: Collection[tuple[UUID, int]], since: datetime) -> bool:
    """Return whether any work holds one of these devices, or was given one since then."""
    rows = AllocationDevice.objects.filter(accelerator__in={card for card, _ in devices})
    recent = rows.filter(Q(released_at=None) | Q(allocation__created_at__gte=since))
    held = recent.values_list("accelerator", "slot", "gpu_milli")
    return any((card, 0 if milli else slot) in devices for card, slot, milli in held)


def transitions_for_system(workload: Workload) -> "QuerySet[WorkloadEvent]":
    """Return the changes of its state, in order, without notes."""
    return workload.events.exclude(from_state=F("to_state")).order_by("id")


def events_visible_to(actor: Actor, workload_id: UUID) -> "QuerySet[WorkloadEvent]":
    """Return all events of a visible workload."""
    return WorkloadEvent.objects.filter(workload=workload_visible_to(actor, workload_id))


def _visible(actor: Actor) -> "QuerySet[Workload]":
    visible = policies.visible_group_ids(actor)
    rows = Workload.objects.filter(removed_at=None)
    return rows if visible is None else rows.filter(group__in=visible)


def _live_with_nodes() -> "Prefetch[str, QuerySet[Allocation], str]":
    live = (
        Allocation.objects.filter(state__in=LIVE_ALLOCATION).select_related("node").order_by("rank")
    )
    return Prefetch("allocations", live, to_attr="live")
