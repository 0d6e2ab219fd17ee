"""Work of people who may not submit any more: heads of its group are notified of it, and the site's rule ends it.

Nothing of it starts (`portal.workloads.state.owner_check`). What runs continues to its time limit, or is
stopped after as many hours as the site says. Every step reads what is so now: a run may be late or doubled.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.common.clock import now
from portal.common.errors import DomainError
from portal.common.notifications import invalidate_topics
from portal.common.translations import Titled
from portal.identity.models import User
from portal.inventory.policy import read_policy
from portal.notices.inbox import notify_people
from portal.site.selectors import settings_for_system
from portal.tenancy.models import Group
from portal.tenancy.selectors import nearest_admins_for_system, platform_admins_for_system
from portal.tenancy.submitters import Owner, find_without_right
from portal.workloads.models import Workload
from portal.workloads.selectors import unfinished_for_system
from portal.workloads.state import lifecycle
from portal.workloads.system_actors import LEAVERS_ACTOR
from scheduler.core.model.states import PLACED, WorkloadState

OWNER_LEFT: Final = "owner_left"
"""Cause with which the rule of the site ends work."""
_OWNERS: Final = """
SELECT DISTINCT owner_id::text, group_id::text FROM workloads_workload
WHERE state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
"""

logger = structlog.get_logger(__name__)


def follow_leavers() -> None:
    """Mark work by whether its owner may still submit, tell heads what is new, and stop what is due."""
    with connection.cursor() as cursor:
        cursor.execute(_OWNERS)
        owners = frozenset(cursor.fetchall())
    left = find_without_right(owners)
    for owner in sorted(left):
        _mark(owner)
    _unmark(left)
    _stop_due()


@dataclass(frozen=True, slots=True)
class _LeftWork:
    """How much work somebody has left in a group."""

    running: int
    waiting: int
    notebooks: int
    """Suspended ones, with their files."""


@transaction.atomic
def _mark(owner: Owner) -> None:
    """Mark the work of somebody who left a group; heads are notified once of all of it."""
    rows = _work_of(owner)
    is_known = rows.filter(owner_left_at__isnull=False).exists()
    fresh = _lock(rows.filter(owner_left_at=None))
    if not fresh:
        return
    Workload.objects.filter(pk__in=fresh).update(owner_left_at=now())
    invalidate_topics([f"user:{owner[0]}", f"group:{owner[1]}"])
    if is_known:
        return
    states = Counter(rows.values_list("state", flat=True))
    found = _LeftWork(
        running=sum(states[state] for state in (*PLACED, WorkloadState.STOPPING)),
        waiting=states[WorkloadState.QUEUED],
        notebooks=states[WorkloadState.SUSPENDED],
    )
    person, group = User.objects.get(pk=owner[0]), Group.objects.get(pk=owner[1])
    _tell(person, group, found)
    _record(person, group, found)


def _tell(person: User, group: Group, found: _LeftWork) -> None:
    """Notify the heads of the group, or those of the nearest above."""
    after_h = settings_for_system().leavers_stop_after_h
    admins = nearest_admins_for_system([group.pk])[group.pk] or platform_admins_for_system()
    notify_people(
        users=[admin for admin in admins if admin != person.pk],
        code="member_left_stops" if after_h else "member_left",
        path="/jobs?left=true",
        params={
            "person": person.display_name or person.username,
            "group": Titled(title_en=group.title_en, title_zh=group.title_zh),
            "within": after_h * 3600,
            **asdict(found),
        },
    )


def _record(person: User, group: Group, found: _LeftWork) -> None:
    audit.record_event(
        actor=LEAVERS_ACTOR,
        action="workload.owner_left",
        object_type="user",
        object_id=person.pk,
        group_id=group.pk,
        params={
            "username": person.username,
            "running": found.running,
            "waiting": found.waiting,
            "notebooks": found.notebooks,
        },
    )


def _unmark(left: Collection[Owner]) -> None:
    """Take the mark from work whose owner has the right again."""
    marked = unfinished_for_system().filter(owner_left_at__isnull=False)
    owners = set(marked.values_list("owner_id", "group_id").distinct())
    for user, group in sorted(owners):
        owner = str(user), str(group)
        if owner in left:
            continue
        with transaction.atomic():
            keys = _lock(_work_of(owner).filter(owner_left_at__isnull=False))
            Workload.objects.filter(pk__in=keys).update(owner_left_at=None)
            invalidate_topics([f"user:{user}", f"group:{group}"])


def _work_of(owner: Owner) -> "QuerySet[Workload]":
    return unfinished_for_system().filter(owner=UUID(owner[0]), group=UUID(owner[1]))


def _lock(rows: "QuerySet[Workload]") -> list[UUID]:
    locked = rows.order_by("id").select_for_update(no_key=True)
    return list(locked.values_list("pk", flat=True))


def _stop_due() -> None:
    """Stop what runs longer after its owner left than the site lets it."""
    after_h = settings_for_system().leavers_stop_after_h
    if not after_h:
        return
    for key in _due(after_h):
        try:
            _stop(key, after_h)
        except (DomainError, DatabaseError):
            logger.exception("leavers.failed", workload=str(key))


def _due(after_h: int) -> Iterable[UUID]:
    rows = Workload.objects.filter(state__in=PLACED, owner_left_at__lte=_left_by(after_h))
    return rows.order_by("id").values_list("pk", flat=True)


def _left_by(after_h: int) -> datetime:
    return now() - timedelta(hours=after_h)


@transaction.atomic
def _stop(workload_id: UUID, after_h: int) -> None:
    """Suspend a notebook, end a session, and queue a job again, where it waits for a new owner."""
    workload = lifecycle.lock_workload(workload_id)
    if workload.state not in PLACED or workload.owner_left_at is None:
        return
    if workload.owner_left_at > _left_by(after_h):
        return
    grace_s = read_policy(workload.pool.name, workload.pool.policy).grace_s
    terms = workload.terms
    if terms.is_handed_over and not terms.is_kept:
        lifecycle.requeue_workload(workload, cause=OWNER_LEFT, actor=LEAVERS_ACTOR, grace_s=grace_s)
        return
    lifecycle.request_stop(
        workload,
        outcome=terms.after_stop,
        cause=OWNER_LEFT,
        actor=LEAVERS_ACTOR,
    )
