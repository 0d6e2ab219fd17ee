"""Making, deciding, withdrawing and expiring requests; each in one transaction."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from portal.approvals import selectors
from portal.approvals.models import ApprovalKind, ApprovalRequest
from portal.approvals.subjects import grant, read_subject
from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError, ExhaustedError, NotFoundError
from portal.common.notifications import REQUESTS_TOPIC, invalidate_topics
from portal.identity.models import User
from portal.notices.inbox import notify_people, settle_notices
from portal.quotas.limits import describe_ceilings
from scheduler.core.model.states import TERMINAL

PENDING_MAX: Final = 20
"""Requests of one user that wait for a decision."""
REQUEST_LIFE: Final = timedelta(days=7)
"""How long a request waits for a decision before it expires."""
EXPIRY_ACTOR: Final = Actor.system("approvals")

State = ApprovalRequest.State


@transaction.atomic
def make_request(*, actor: Actor, given: Mapping[str, Any], comment: str) -> ApprovalRequest:
    """Ask for more than the actor may set; `given` is validated input.

    Raises:
        ConflictError: the same is requested already.
        ExhaustedError: too many requests of this user wait.
    """
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.REQUEST_MAKE.value)
    subject = read_subject(actor, given)
    User.objects.select_for_update(no_key=True).get(pk=actor.user_id)
    waiting = ApprovalRequest.objects.filter(requester=actor.user_id, state=State.PENDING)
    if (used := waiting.count()) >= PENDING_MAX:
        raise ExhaustedError("requests_waiting", limit=PENDING_MAX, used=used)
    same = waiting.filter(
        kind=given["kind"], group=subject.group, workload=subject.workload, quota=subject.quota
    )
    if same.exists():
        raise ConflictError("request_exists")
    row = ApprovalRequest(
        kind=given["kind"],
        decider=subject.decider,
        requester_id=actor.user_id,
        group=subject.group,
        workload=subject.workload,
        quota=subject.quota,
        asked=dict(subject.asked),
        before=dict(subject.before),
        comment=comment,
        expires_at=min(filter(None, (now() + REQUEST_LIFE, subject.until))),
    )
    row.save(force_insert=True)
    _record(actor, "request.make", row)
    _notify(row, "request_waits", selectors.deciders_for_system([row])[row.pk])
    return row


@transaction.atomic
def approve_request(*, actor: Actor, request_id: UUID, comment: str) -> ApprovalRequest:
    """Grant a request: what it asks for is in force when this returns.

    Everything is checked again now. Where that refuses, the request keeps waiting.
    """
    row = _lock_pending(actor, request_id)
    _require_decider(actor, row)
    grant(actor, row)
    return _decide(actor, row, State.APPROVED, "request.approve", comment)


@transaction.atomic
def decline_request(*, actor: Actor, request_id: UUID, comment: str) -> ApprovalRequest:
    """Refuse a request; the comment is shown to the requester."""
    row = _lock_pending(actor, request_id)
    _require_decider(actor, row)
    return _decide(actor, row, State.DECLINED, "request.decline", comment)


@transaction.atomic
def withdraw_request(*, actor: Actor, request_id: UUID) -> ApprovalRequest:
    """Take back one's own request."""
    row = _lock_pending(actor, request_id)
    if row.requester_id != actor.user_id:
        raise DeniedError("denied", group_id=row.group_id, action=Action.REQUEST_MAKE.value)
    return _decide(actor, row, State.WITHDRAWN, "request.withdraw", "")


@transaction.atomic
def expire_requests() -> int:
    """Expire requests that nobody decided in time, or whose work has ended; return how many."""
    is_over = Q(expires_at__lte=now()) | Q(workload__state__in=list(TERMINAL))
    rows = ApprovalRequest.objects.select_for_update(of=("self",)).filter(
        is_over, state=State.PENDING
    )
    found = list(rows.order_by("id"))
    for row in found:
        _decide(EXPIRY_ACTOR, row, State.EXPIRED, "request.expire", "")
    return len(found)


@transaction.atomic
def remove_requests(*, actor: Actor, group_id: UUID) -> None:
    """Remove the requests of a group that is being removed; those that wait expire before.

    The audit log keeps who asked for what, and what was decided. The caller locks the group afterwards.
    """
    rows = list(
        ApprovalRequest.objects.select_for_update(of=("self",))
        .filter(group=group_id)
        .order_by("id")
    )
    for row in rows:
        if row.state == State.PENDING:
            _decide(actor, row, State.EXPIRED, "request.expire", "")
    ApprovalRequest.objects.filter(pk__in=[row.pk for row in rows]).delete()


def lock_requests_about(quotas: Collection[UUID]) -> None:
    """Lock the requests about quotas that this transaction will remove: they go with them."""
    rows = ApprovalRequest.objects.select_for_update(of=("self",)).filter(quota__in=quotas)
    list(rows.order_by("pk").values_list("pk"))


def _lock_pending(actor: Actor, request_id: UUID) -> ApprovalRequest:
    """Return a visible request, locked.

    Raises:
        ConflictError: it was decided, withdrawn or has expired.
    """
    seen = selectors.request_visible_to(actor, request_id)
    row = ApprovalRequest.objects.select_for_update(of=("self",)).filter(pk=seen.pk).first()
    if row is None:
        raise NotFoundError("approval")
    if row.state != State.PENDING:
        raise ConflictError("request_decided", decision=row.state)
    if row.expires_at <= now():
        raise ConflictError("request_decided", decision=State.EXPIRED.value)
    return row


def _require_decider(actor: Actor, row: ApprovalRequest) -> None:
    if selectors.is_decider(actor, row):
        return
    code = "own_request" if row.requester_id == actor.user_id else "denied"
    raise DeniedError(code, group_id=row.group_id, action=Action.REQUEST_DECIDE.value)


def _decide(
    actor: Actor, row: ApprovalRequest, state: str, action: str, comment: str
) -> ApprovalRequest:
    row.state, row.decided_at = state, now()
    row.decided_by_id, row.decision_comment = actor.user_id, comment
    row.save(update_fields=["state", "decided_at", "decided_by", "decision_comment"])
    _record(actor, action, row)
    deciders = {*selectors.deciders_for_system([row])[row.pk], *filter(None, [actor.user_id])}
    settle_notices(codes=["request_waits"], about={"request": str(row.pk)}, user_ids=deciders)
    if actor.user_id != row.requester_id:
        _notify(row, f"request_{row.state}", [row.requester_id])
    return row


def _notify(row: ApprovalRequest, code: str, users: Collection[UUID]) -> None:
    """Notify people of a request; the page has its numbers."""
    notify_people(
        users=users,
        code=code,
        path="/requests",
        params={
            "request": str(row.pk),
            "requester": row.requester.display_name or row.requester.username,
            "group": row.group.name,
            "request_kind": row.kind,
            "comment": row.decision_comment or row.comment or "–",
        },
    )


def _record(actor: Actor, action: str, row: ApprovalRequest) -> None:
    params: dict[str, Any] = {"kind": row.kind}
    if row.kind == ApprovalKind.RESERVATION:
        params |= {name: row.asked[name] for name in ("name", "pool", "gpus", "slices")}
    else:
        params |= {"before": _said(row.before), "after": _said(row.asked)}
    if row.workload is not None:
        params["workload"] = row.workload.name
    if row.quota is not None:
        pool = row.quota.pool
        params |= {"resource": row.quota.resource, "pool": pool.name if pool else ""}
    audit.record_event(
        actor=actor,
        action=action,
        object_type="request",
        object_id=row.pk,
        group_id=row.group_id,
        params=params,
    )
    invalidate_topics([REQUESTS_TOPIC, f"user:{row.requester_id}"])


def _said(limits: Mapping[str, Any]) -> dict[str, Any]:
    """Return limits with the quotas of ceilings as people know them."""
    if not (ceilings := limits.get("ceilings")):
        return dict(limits)
    return {**limits, "ceilings": describe_ceilings(ceilings)}
