"""Tags of work: words by which lists find it. They decide nothing. People and alarm rules set them."""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ExhaustedError
from portal.tenancy import policies
from portal.workloads import selectors
from portal.workloads.models import Workload
from portal.workloads.state.transitions import invalidate_workloads

TAGS_MAX: Final = 8
"""Tags of one piece of work."""
TAG_PATTERN: Final = r"^\w[\w.-]{0,31}$"
"""What a tag may be: letters, digits, `_`, `.` and `-`."""


@transaction.atomic
def add_tag(*, actor: Actor, workload_id: UUID, tag: str) -> None:
    """Give work one more tag; one that it has already changes nothing.

    Raises:
        ExhaustedError: it has too many.
    """
    workload = _lock(actor, workload_id)
    if tag not in workload.tags:
        _write(actor, workload, [*workload.tags, tag])


@transaction.atomic
def set_tags(*, actor: Actor, workload_id: UUID, tags: Collection[str]) -> Workload:
    """Replace the tags of work.

    Raises:
        DeniedError: only those who may stop it may tag it.
    """
    workload = _lock(actor, workload_id)
    wanted = list(dict.fromkeys(tags))
    if wanted != workload.tags:
        _write(actor, workload, wanted)
    return workload


def _lock(actor: Actor, workload_id: UUID) -> Workload:
    found = selectors.workload_visible_to(actor, workload_id)
    policies.require(
        actor, Action.WORKLOAD_STOP, found.group_id, owner_id=found.owner_id, what="workload"
    )
    return Workload.objects.select_for_update(no_key=True).get(pk=workload_id)


def _write(actor: Actor, workload: Workload, tags: list[str]) -> None:
    if len(tags) > TAGS_MAX:
        raise ExhaustedError("tags_too_many", max=TAGS_MAX)
    before, workload.tags = workload.tags, tags
    workload.save(update_fields=["tags"])
    audit.record_event(
        actor=actor,
        action="workload.tag",
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name, "tags": {"before": before, "after": tags}},
    )
    invalidate_workloads([workload])
