"""The priority of work that another part of the platform keeps, waiting or running."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.quotas.priorities import PRIORITIES
from portal.workloads.models import Workload
from portal.workloads.state.changes import ChangeNote, write_change
from scheduler.core.model.states import TERMINAL

_ENDED: Final = [state.value for state in TERMINAL]


@transaction.atomic
def keep_priorities(names: Mapping[UUID, str], *, actor: Actor) -> None:
    """Give work these priorities by name, and log each that changes; ended work stays as it is.

    No permission is asked for: a caller gives only priorities that every member may use.
    """
    rows = Workload.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=names)
    for work in rows.exclude(state__in=_ENDED).order_by("pk"):
        name = names[work.pk]
        if work.priority != PRIORITIES[name] or work.priority_until is not None:
            columns = {"priority": PRIORITIES[name], "priority_until": None}
            note = ChangeNote("priority_changed", {"priority": name})
            write_change(work, columns, [note], actor=actor)
