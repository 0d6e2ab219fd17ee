"""Work that goes to another owner: at once, or when nothing of its present attempt is left."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Exists, F, OuterRef

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.notifications import invalidate_topics, wake_scheduler
from portal.common.uses.files import FileKind, file_reference
from portal.identity.models import User
from portal.workloads.models import Allocation, JobArray, Workload
from portal.workloads.state import allocations
from portal.workloads.state.transitions import record_note
from scheduler.core.model.states import LIVE_ALLOCATION

HANDED_OVER = "handed_over"


def give_work(work: Sequence[Workload], heir: User, *, held_by: str | None, actor: Actor) -> None:
    """Make locked work that holds nothing another person's; of an array, any of its tasks.

    The next attempt has the home and the secrets of the new owner. `held_by` is a new hold; None leaves
    that which it has.
    """
    before = {row.owner_id for row in work}
    keys = [row.pk for row in work]
    allocations.keep_owner(keys)
    rows = Workload.objects.filter(pk__in=keys)
    for files in {tuple(row.files) for row in work}:
        rows.filter(files=list(files)).update(files=_for_owner(files, heir.pk))
    rows.update(
        owner=heir,
        heir=None,
        owner_left_at=None,
        handed_over_at=now(),
        held_by=F("held_by") if held_by is None else held_by,
        version=F("version") + 1,
    )
    for row in work:
        row.owner_id, row.version = heir.pk, row.version + 1
    record_note(work, actor=actor, cause=HANDED_OVER, params={"to": heir.username})
    invalidate_topics(sorted(f"user:{user}" for user in before))
    wake_scheduler()


def name_heir(work: Sequence[Workload], heir: User, *, held_by: str | None, actor: Actor) -> None:
    """Let locked work go to this person when nothing of its present attempt is left."""
    Workload.objects.filter(pk__in=[row.pk for row in work]).update(
        heir=heir, held_by=F("held_by") if held_by is None else held_by
    )
    record_note(work, actor=actor, cause="heir_named", params={"to": heir.username})


def forget_heir(workload: Workload, *, actor: Actor) -> None:
    """Let locked work stay its owner's after all."""
    Workload.objects.filter(pk=workload.pk).update(heir=None)
    record_note([workload], actor=actor, cause="heir_forgotten", params={})


def find_without_attempt_for_system() -> list[UUID]:
    """Return the work that has an heir and holds nothing any more."""
    holds = Exists(Allocation.objects.filter(workload=OuterRef("pk"), state__in=LIVE_ALLOCATION))
    rows = Workload.objects.filter(~holds, heir__isnull=False)
    return list(rows.order_by("id").values_list("pk", flat=True))


def give_array(array_id: UUID, heir: User) -> None:
    """Make an array this person's, whose tasks are or become so."""
    JobArray.objects.filter(pk=array_id).update(owner=heir)


def _for_owner(files: Sequence[str], owner: UUID) -> list[str]:
    """Return the same references with the home of this owner."""
    home = file_reference(FileKind.HOME, owner)
    return sorted(home if name.startswith(f"{FileKind.HOME.value}:") else name for name in files)
