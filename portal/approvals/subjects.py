"""What is requested, by kind: what the new values are, whose decision they need, and granting them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from portal.approvals.models import ApprovalKind, ApprovalRequest
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, InvalidError
from portal.quotas import limits
from portal.quotas.delegation import grant_quota, needs_platform
from portal.quotas.edits import REASON_MAX
from portal.quotas.models import MemberCeiling, MemberLimit, Quota
from portal.quotas.priorities import PRIORITY_NAMES
from portal.quotas.selectors import quota_visible_to
from portal.reserving.inputs import keep_reservation, kept_reservation, read_reservation
from portal.reserving.requests import ReservationRequest, create_reservation, needs_decision
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.tenancy.selectors import group_visible_to
from portal.workloads.changes import change_workload, needed_to_extend
from portal.workloads.models import Workload
from portal.workloads.selectors import workload_visible_to
from portal.workloads.submission.time_limits import (
    Authority,
    authority_over,
    load_run_time_limits,
)
from scheduler.core.model.states import TERMINAL, WorkloadState

Decider = ApprovalRequest.Decider
_DECIDERS: Final = {
    Authority.GROUP_ADMIN: Decider.GROUP_ADMIN,
    Authority.PLATFORM_ADMIN: Decider.PLATFORM_ADMIN,
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What a request is about, checked and ready to be stored."""

    group: Group
    decider: str
    asked: Mapping[str, Any]
    before: Mapping[str, Any]
    workload: Workload | None = None
    quota: Quota | None = None
    until: datetime | None = None
    """When it is too late to grant it; None is never."""


def read_subject(actor: Actor, given: Mapping[str, Any]) -> Subject:
    """Return what validated input asks for.

    Raises:
        DomainError: there is no such thing, the actor may change it without asking, or may not ask.
    """
    match given["kind"]:
        case ApprovalKind.TIME_LIMIT:
            return _time_limit(actor, given["workload"], given["time_limit_s"])
        case ApprovalKind.MEMBER_LIMIT:
            return _member_limit(actor, given["group"], given["limits"])
        case ApprovalKind.RESERVATION:
            return _reservation(actor, read_reservation(given["reservation"]))
        case _:
            return _quota(actor, given["quota"], given["ceiling"])


def grant(actor: Actor, row: ApprovalRequest) -> None:
    """Put a request into force as the actor, by the service that holds it to every limit."""
    match row.kind:
        case ApprovalKind.TIME_LIMIT if row.workload is not None:
            change_workload(
                actor=actor,
                workload_id=row.workload.pk,
                kind=row.workload.kind,
                changes=row.asked,
            )
        case ApprovalKind.QUOTA if row.quota_id is not None:
            grant_quota(
                actor=actor,
                quota_id=row.quota_id,
                ceiling=row.asked["ceiling"],
                reason=": ".join(filter(None, (row.requester.username, row.comment)))[:REASON_MAX],
            )
        case ApprovalKind.RESERVATION:
            create_reservation(actor=actor, request=kept_reservation(row.asked))
        case _:
            _grant_member_limit(actor, row)


def _time_limit(actor: Actor, workload_id: UUID, time_limit_s: int) -> Subject:
    workload = workload_visible_to(actor, workload_id)
    policies.require(
        actor,
        Action.WORKLOAD_STOP,
        workload.group_id,
        owner_id=workload.owner_id,
        what="workload",
    )
    policies.require(actor, Action.REQUEST_MAKE, workload.group_id)
    state = WorkloadState(workload.state)
    if state in TERMINAL or state is WorkloadState.STOPPING:
        raise ConflictError("not_changeable", state=state.value)
    if workload.time_limit_s is None or time_limit_s <= workload.time_limit_s:
        raise InvalidError("request_not_needed", pointer="/time_limit_s")
    run_times = load_run_time_limits(
        workload.group_id, workload.pool, workload.owner_id, workload.kind
    )
    needed = max(run_times.authority_for(time_limit_s), needed_to_extend(workload, time_limit_s))
    if needed <= authority_over(actor, workload):
        raise InvalidError("request_not_needed", pointer="/time_limit_s")
    return Subject(
        workload.group,
        _DECIDERS[needed],
        {"time_limit_s": time_limit_s},
        {"time_limit_s": workload.time_limit_s},
        workload=workload,
    )


def _member_limit(actor: Actor, group_id: UUID, asked: Mapping[str, Any]) -> Subject:
    """Return a member's request for more of what its own limits allow."""
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.REQUEST_MAKE, group.pk)
    row = MemberLimit.objects.filter(group=group, user=actor.user_id).first() or MemberLimit()
    asked_of_quotas = asked.get("ceilings", {})
    shared = limits.shared_limits_for_system(group.pk, actor.roles.get(group.pk), asked_of_quotas)
    own_ceilings = _own_ceilings(group.pk, actor.user_id)
    counted = {name: limit for name, limit in asked.items() if name != "ceilings"}
    before = {name: getattr(row, name) for name in counted}
    before_of_quotas = {key: own_ceilings.get(key) for key in asked_of_quotas}
    _require_priority_of_role(counted.get("priority_max"), shared["priority_max"])
    _require_raised(before, counted, shared)
    _require_raised(before_of_quotas, asked_of_quotas, shared)
    if before_of_quotas:
        before["ceilings"] = before_of_quotas
    return Subject(group, Decider.GROUP_ADMIN, asked, before)


def _require_priority_of_role(asked: int | None, most: int | None) -> None:
    """Refuse a priority above what the role may give: no limit of one member raises that."""
    if asked is not None and most is not None and asked > most:
        raise InvalidError(
            "priority_of_role", pointer="/limits/priority_max", priority=PRIORITY_NAMES[most]
        )


def _require_raised(
    before: Mapping[str, int | None],
    asked: Mapping[str, int | None],
    shared: Mapping[str, int | None],
) -> None:
    for name, limit in asked.items():
        own, most = before[name], shared.get(name)
        if own is None:
            is_shared = most is not None and (limit is None or limit > most)
            code = "limit_of_group" if is_shared else "request_not_needed"
            raise InvalidError(code, pointer=f"/limits/{name}")
        if limit is not None and limit <= own:
            raise InvalidError("request_asks_no_more", pointer=f"/limits/{name}")


def _own_ceilings(group_id: UUID, user_id: UUID | None) -> dict[str, int]:
    """Return a member's ceilings by quota."""
    rows = MemberCeiling.objects.filter(quota__group=group_id, user=user_id)
    return {str(quota): ceiling for quota, ceiling in rows.values_list("quota", "ceiling")}


def _grant_member_limit(actor: Actor, row: ApprovalRequest) -> None:
    """Set what was asked; the member's other limits stay as they are now."""
    own = MemberLimit.objects.filter(group=row.group_id, user=row.requester_id).first()
    if own is None:
        raise ConflictError("nothing_to_raise")
    wanted = {name: row.asked.get(name, getattr(own, name)) for name in limits.MEMBER_LIMITS}
    kept = _own_ceilings(row.group_id, row.requester_id)
    raised = {**kept, **row.asked.get("ceilings", {})}
    ceilings = {UUID(key): ceiling for key, ceiling in raised.items()}
    if not ceilings and all(limit is None for limit in wanted.values()):
        limits.remove_member_limit(actor=actor, limit_id=own.pk)
        return
    limits.set_member_limit(
        actor=actor,
        group_id=row.group_id,
        user_id=row.requester_id,
        limits=wanted,
        ceilings=ceilings,
    )


def _quota(actor: Actor, quota_id: UUID, ceiling: int) -> Subject:
    """Return a group's request for a higher ceiling, from the group above it."""
    quota = quota_visible_to(actor, quota_id)
    policies.require(actor, Action.REQUEST_DECIDE, quota.group_id, what="quota")
    if quota.ceiling is None:
        raise InvalidError("request_not_needed", pointer="/ceiling")
    if ceiling <= quota.ceiling:
        raise InvalidError("request_asks_no_more", pointer="/ceiling")
    if policies.can(actor, Action.QUOTA_EDIT, None):
        raise InvalidError("request_not_needed", pointer="/ceiling")
    decider = Decider.PLATFORM_ADMIN if needs_platform(quota, ceiling) else Decider.PARENT_ADMIN
    return Subject(
        quota.group,
        decider,
        {"ceiling": ceiling},
        {"ceiling": quota.ceiling},
        quota=quota,
    )


def _reservation(actor: Actor, request: ReservationRequest) -> Subject:
    """Return a group admin's request for a reservation that is beyond what it makes itself."""
    if not needs_decision(actor, request):
        raise InvalidError("request_not_needed", pointer="/reservation")
    return Subject(
        group_visible_to(actor, request.group_id),
        Decider.PLATFORM_ADMIN,
        keep_reservation(request),
        {},
        until=request.starts_at,
    )
