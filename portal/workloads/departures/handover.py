"""Hand over work of people who may not submit any more to another member of its group.

The new owner agrees first: its next attempt has that person's home and secrets, and runs a program that
somebody else wrote. What runs continues as it is, and nobody else gets into it: it has the home and the
secrets of who started it. When nothing of that attempt is left it is the new owner's.
"""

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.catalog.selectors import may_use
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, DeniedError, InvalidError
from portal.identity.models import User
from portal.notices.inbox import notify_people
from portal.tenancy import policies
from portal.tenancy.actors import load_actor
from portal.tenancy.submitters import find_without_right
from portal.volumes.mounts import VolumeWish, granted_volumes_for_system
from portal.workloads import selectors
from portal.workloads.holds import releasable_holds
from portal.workloads.models import Allocation, Workload
from portal.workloads.state import lifecycle, owners, queued_work
from portal.workloads.system_actors import LEAVERS_ACTOR
from scheduler.core.model.states import LIVE_ALLOCATION, TERMINAL


@transaction.atomic
def hand_over(*, actor: Actor, workload_id: UUID, to: str) -> Workload:
    """Make work of somebody who left that of a member, by the exact user name; of an array, all its tasks.

    Raises:
        DeniedError: the actor does not manage the members of the group, or may not release its hold.
        ConflictError: its owner may still submit, it has ended, or is a session of an app.
        InvalidError: the member may not submit to the group, or not use what the work uses.
    """
    seen = selectors.workload_visible_to(actor, workload_id)
    policies.require(actor, Action.MEMBER_MANAGE, seen.group_id, what="workload")
    if not seen.terms.is_handed_over:
        raise ConflictError("session_not_handed_over")
    work = _lock_unfinished(seen)
    if _may_submit(seen.owner_id, seen.group_id):
        raise ConflictError("owner_still_submits")
    heir = _find_heir(seen, to)
    _require_usable(seen, heir)
    _require_releasable(actor, work)
    held_by = None if heir.pk == actor.user_id else Workload.HeldBy.NEW_OWNER
    live = _with_attempts(work)
    at_once = [row for row in work if row.pk not in live]
    later = [row for row in work if row.pk in live]
    if seen.array_id is not None:
        owners.give_array(seen.array_id, heir)
    if at_once:
        owners.give_work(at_once, heir, held_by=held_by, actor=actor)
    if later:
        owners.name_heir(later, heir, held_by=held_by, actor=actor)
    _announce(actor, seen, heir)
    return seen


@transaction.atomic
def complete_handover(workload_id: UUID) -> None:
    """Give work to its heir when nothing of its attempt is left, unless its owner has come back."""
    workload = lifecycle.lock_workload(workload_id)
    if workload.heir is None or _with_attempts([workload]):
        return
    if _may_submit(workload.owner_id, workload.group_id) or not _may_submit(
        workload.heir.pk, workload.group_id
    ):
        owners.forget_heir(workload, actor=LEAVERS_ACTOR)
        return
    owners.give_work([workload], workload.heir, held_by=None, actor=LEAVERS_ACTOR)


def _lock_unfinished(seen: Workload) -> Sequence[Workload]:
    keys = [seen.pk]
    if seen.array_id is not None:
        keys = queued_work.lock_tasks(seen.array_id)
    else:
        lifecycle.lock_workload(seen.pk)
    ended = [state.value for state in TERMINAL]
    rows = Workload.objects.filter(pk__in=keys, owner=seen.owner_id).exclude(state__in=ended)
    work = list(rows.defer("spec").order_by("id"))
    if not work:
        raise ConflictError("already_ended", state=seen.state)
    return work


def _may_submit(user: UUID, group: UUID) -> bool:
    return not find_without_right({(str(user), str(group))})


def _find_heir(work: Workload, name: str) -> User:
    heir = User.objects.filter(username=name, is_active=True).first()
    if heir is None:
        raise InvalidError("unknown_person", pointer="/to", name=name)
    if not _may_submit(heir.pk, work.group_id):
        raise InvalidError("heir_may_not_submit", pointer="/to", name=name)
    return heir


def _require_usable(work: Workload, heir: User) -> None:
    """Refuse a new owner who may not use the image or a volume that the work names.

    Which secrets somebody has is nobody else's business: a start without one fails and says so.
    """
    if not may_use(load_actor(heir), work.image):
        raise InvalidError("unknown_image", pointer="/to", image=work.image.name)
    volumes = {UUID(item["id"]): item["name"] for item in work.spec.get("volumes", ())}
    wish = VolumeWish(work.pk, heir.pk, work.group_id, tuple(volumes))
    granted = granted_volumes_for_system([wish]).get(work.pk, ())
    for key in sorted(volumes.keys() - {item.volume.pk for item in granted}):
        raise InvalidError("unknown_volume", pointer="/to", volume=volumes[key])


def _require_releasable(actor: Actor, work: Sequence[Workload]) -> None:
    """Refuse to take the place of a hold that the actor may not release."""
    for row in work:
        if row.held_by and row.held_by not in releasable_holds(actor, row):
            raise DeniedError("held_by_other", group_id=row.group_id, by=row.held_by)


def _with_attempts(work: Sequence[Workload]) -> Collection[UUID]:
    """Return which of this work holds something."""
    live = Allocation.objects.filter(workload__in=work, state__in=LIVE_ALLOCATION)
    return set(live.values_list("workload", flat=True))


def _announce(actor: Actor, work: Workload, heir: User) -> None:
    audit.record_event(
        actor=actor,
        action="workload.hand_over",
        object_type=work.kind,
        object_id=work.pk,
        group_id=work.group_id,
        params={"name": work.name, "from": work.owner.username, "to": heir.username},
    )
    if heir.pk == actor.user_id:
        return
    notify_people(
        users=[heir.pk],
        code="work_handed_over",
        path=f"/{work.terms.page}/{work.pk}",
        params={
            "id": str(work.pk),
            "owner": work.owner.display_name or work.owner.username,
            "work": work.name,
        },
    )
