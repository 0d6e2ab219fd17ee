"""Saves of running notebooks as images: orders to their nodes, and what these report of them.

An order stands in every reply to its node until its end was reported (docs/adr/0046).
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet, Sum

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError
from portal.common.notifications import wake_nodes
from portal.common.site_config import RegistryConfig, SiteConfig, get_site_config
from portal.execution.capabilities import Capabilities
from portal.execution.desired import ImageSaveOrder
from portal.execution.report import Report, SaveReport
from portal.identity.models import User
from portal.images.models import ImageSave
from portal.images.save_rules import (
    MIB,
    ImageRoom,
    ImageSaveState,
    SaveCircumstances,
    check_report,
    find_blocker,
    to_refusal,
)
from portal.images.saved_images import NewSavedImage, add_saved_image, is_name_taken
from portal.images.selectors import may_share, saved_use_for_system
from portal.tenancy import policies
from portal.tenancy.actors import load_actor
from portal.workloads.models import Allocation, Workload
from portal.workloads.selectors import unfinished_for_system, workload_visible_where
from scheduler.core.model.states import AllocationState, WorkloadState
from wire.images import SAVES_MAX
from wire.words import SavePhase

HELD: Final = frozenset((WorkloadState.PLACING, WorkloadState.STARTING, WorkloadState.RUNNING))
"""States of a build that may make an image: it has a node, and nobody has ended it."""
UNFINISHED: Final = frozenset(state.value for state in ImageSaveState if not state.has_ended)
TAG: Final = "saved"
REPOSITORIES: Final = "berth"
"""The registry's folder; below it each image has a repository of its own, named by its save."""
SILENT_MAX: Final = timedelta(minutes=15)
"""How long a node may report nothing of a save before that counts as failed."""
NO_JOB: Final = UUID(int=0)
TIMED_OUT: Final = "save_timed_out"
"""The code of a save that has ended because nothing was heard of it."""
HEARD_EVERY: Final = timedelta(seconds=30)
"""How often a report without news is written down."""

logger = structlog.get_logger(__name__)


def circumstances_of(workload: Workload, site: SiteConfig) -> SaveCircumstances:
    """Return what decides whether a notebook can be saved (at most five queries)."""
    held = _running_allocation(workload)
    saving = ImageSave.objects.filter(workload=workload, state__in=UNFINISHED)
    return SaveCircumstances(
        has_registry=site.registry is not None,
        state=workload.state,
        is_running=held is not None,
        can=held.node.capabilities if held else Capabilities(),
        is_under_way=saving.exists(),
        room=room_of(workload.owner_id, site),
    )


def room_of(user_id: UUID, site: SiteConfig, *, but: UUID = NO_JOB) -> ImageRoom:
    """Return how many images a person has, is saving, or has a job to build (at most four queries).

    `but` is a job that does not count.
    """
    images, used_bytes = saved_use_for_system(user_id)
    saving = ImageSave.objects.filter(requester=user_id, state__in=UNFINISHED)
    saving = saving.exclude(workload=but)
    pending_bytes = saving.aggregate(total=Sum("size_bytes"))["total"] or 0
    building = builds_of(user_id).exclude(pk=but).exclude(pk__in=saving.values("workload"))
    return ImageRoom(
        images=images + saving.count() + building.count(),
        used_bytes=used_bytes + pending_bytes,
        image_mib_max=site.saved_image_mib_max,
        images_mib_max=site.saved_images_mib_max,
    )


def builds_of(user_id: UUID) -> "QuerySet[Workload]":
    """Return the jobs of a person that build images and have not ended."""
    return unfinished_for_system().filter(owner=user_id, spec__has_key="build")


def is_name_used(owner: User, name: str, *, but: UUID = NO_JOB) -> bool:
    """Return whether an image of a person has a name, or one that is being saved or built gets it."""
    saving = ImageSave.objects.filter(requester=owner, name=name, state__in=UNFINISHED)
    building = builds_of(owner.pk).filter(spec__build__name=name).exclude(pk=but)
    return is_name_taken(owner, name) or saving.exists() or building.exists()


def notebook_of(actor: Actor, workload_id: UUID) -> Workload:
    """Return a notebook that the actor may see."""
    return workload_visible_where(actor, workload_id, lambda terms: terms.is_kept)


def latest_save_of(actor: Actor, workload_id: UUID) -> ImageSave | None:
    """Return the last save of a notebook that the actor may see."""
    rows = ImageSave.objects.filter(workload=notebook_of(actor, workload_id))
    return rows.select_related("image").order_by("-id").first()


@transaction.atomic
def order_save(
    *, actor: Actor, workload_id: UUID, name: str, note: str, is_shared: bool, site: SiteConfig
) -> ImageSave:
    """Order the node of a running notebook to save it as an image of its owner.

    Raises:
        ConflictError: it cannot be saved now, or its owner has an image of this name.
        ExhaustedError: the owner has as many images, or as much in them, as is allowed.
    """
    workload = _savable(actor, workload_id)
    owner = lock_user(workload.owner_id)
    found = circumstances_of(workload, site)
    if blocker := find_blocker(found):
        raise to_refusal(blocker)
    held = _running_allocation(workload)
    if held is None or site.registry is None:
        raise ConflictError("not_running", state=workload.state)
    if is_name_used(owner, name):
        raise ConflictError("image_name_taken", name=name, pointer="/name")
    save = ImageSave(
        workload=workload,
        epoch=held.epoch,
        node=held.node,
        requester=owner,
        name=name,
        note=note,
        is_shared=is_shared,
        base=workload.image,
        bytes_max=found.room.bytes_max,
    )
    save.reference = _reference(site.registry, save)
    try:
        with transaction.atomic():
            save.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("save_under_way") from error
    _audit(actor, "image.save", save)
    wake_nodes([held.node_id])
    return save


@transaction.atomic
def cancel_save(*, actor: Actor, workload_id: UUID) -> ImageSave:
    """Give up the save of a notebook that is under way.

    Raises:
        ConflictError: none is under way.
    """
    workload = _savable(actor, workload_id)
    rows = ImageSave.objects.select_for_update(no_key=True, of=("self",))
    save = rows.filter(workload=workload, state__in=UNFINISHED).first()
    if save is None:
        raise ConflictError("save_not_under_way")
    _end(save, ImageSaveState.CANCELLED)
    _audit(actor, "image.save_cancel", save)
    wake_nodes([save.node_id])
    return save


def unfinished_saves_of(node_id: UUID) -> "list[ImageSave]":
    """Return the saves that a node is to carry out, oldest first, with their work (one query)."""
    rows = ImageSave.objects.filter(node=node_id, state__in=UNFINISHED).order_by("id")
    return list(rows.select_related("workload")[:SAVES_MAX])


def order_of(save: ImageSave) -> ImageSaveOrder:
    """Return what a node is sent of a save."""
    return ImageSaveOrder(
        save=str(save.pk),
        allocation=f"{save.workload_id.hex}.0",
        epoch=save.epoch,
        reference=save.reference,
        bytes_max=save.bytes_max,
    )


def add_build_save(workload: Workload, epoch: int, node_id: UUID, site: SiteConfig) -> ImageSave:
    """Order the node of a build to save it once its steps are done; it ends at once if it cannot."""
    cancel_build_saves(workload.pk, epoch - 1)
    room, asked = room_of(workload.owner_id, site, but=workload.pk), workload.spec["build"]
    save = ImageSave(
        workload=workload,
        epoch=epoch,
        node_id=node_id,
        requester_id=workload.owner_id,
        name=asked["name"],
        note=asked["note"],
        is_shared=asked["is_shared"],
        base_id=workload.image_id,
        bytes_max=room.bytes_max,
    )
    if site.registry is not None:
        save.reference = _reference(site.registry, save)
    else:
        save.cleaned_at = now()
    save.save(force_insert=True)
    if site.registry is None:
        _end(save, ImageSaveState.FAILED, code="build_needs_registry")
    elif not room.bytes_max:
        _end(save, ImageSaveState.FAILED, code="saved_images_full")
    return save


def cancel_build_saves(workload_id: UUID, epoch_max: int) -> None:
    """End the saves of a build that it has begun in an epoch up to this one."""
    rows = ImageSave.objects.select_for_update(no_key=True, of=("self",)).order_by("id")
    for save in rows.filter(workload=workload_id, epoch__lte=epoch_max, state__in=UNFINISHED):
        _end(save, ImageSaveState.CANCELLED)


def is_saving_for_system(node_id: UUID) -> bool:
    """Return whether a node is to save anything."""
    return ImageSave.objects.filter(node=node_id, state__in=UNFINISHED).exists()


def record_reports(node_id: UUID, report: Report) -> None:
    """Take over what a node reports of its saves; a repeated or late report changes nothing."""
    for item in report.saves:
        try:
            save_id = UUID(item.save)
        except ValueError:
            continue
        _record_report(node_id, save_id, item)


@transaction.atomic
def _record_report(node_id: UUID, save_id: UUID, report: SaveReport) -> None:
    rows = ImageSave.objects.filter(pk=save_id, node=node_id)
    seen = rows.first()
    if seen is None:
        return
    if report.phase is SavePhase.SAVED or seen.state not in UNFINISHED:
        # The images of one person are counted, and their names taken, one after the other.
        lock_user(seen.requester_id)
    save = rows.select_for_update(no_key=True, of=("self",)).first()
    if save is None or not (save.state in UNFINISHED or _may_resume(save)):
        return
    state, code = check_report(report, save.bytes_max)
    if state is ImageSaveState.SAVED:
        _complete(save, report)
    elif state is ImageSaveState.FAILED:
        _end(save, state, code=code, detail=report.detail)
    elif _has_news(save, state, report) or now() - save.heard_at > HEARD_EVERY:
        _save_progress(save, state, report)


def fail_silent_saves() -> int:
    """End the saves of which no node has reported anything for too long; return how many."""
    failed = 0
    silent = ImageSave.objects.filter(state__in=UNFINISHED, heard_at__lt=now() - SILENT_MAX)
    for save_id in silent.order_by("id").values_list("pk", flat=True):
        with transaction.atomic():
            row = silent.select_for_update(no_key=True, of=("self",)).filter(pk=save_id).first()
            if row is not None:
                _end(row, ImageSaveState.FAILED, code=TIMED_OUT)
                failed += 1
    return failed


def mark_clean(save_id: UUID) -> None:
    """Record that the registry has nothing of a save that failed."""
    ImageSave.objects.filter(pk=save_id, cleaned_at=None).update(cleaned_at=now())


def lock_user(user_id: UUID) -> User:
    """Return a person, whose images nobody else counts and names until the transaction ends."""
    return User.objects.select_for_update(no_key=True).get(pk=user_id)


def _complete(save: ImageSave, report: SaveReport) -> None:
    """Add the image to the catalogue, unless its name or its space was taken meanwhile."""
    _, used_bytes = saved_use_for_system(save.requester_id)
    if used_bytes + report.size_bytes > get_site_config().saved_images_mib_max * MIB:
        _end(save, ImageSaveState.FAILED, code="saved_images_full")
        return
    workload = Workload.objects.select_related("group").get(pk=save.workload_id)
    is_current = workload.epoch == save.epoch and workload.state in HELD
    if not (workload.terms.is_kept or is_current):
        _end(save, ImageSaveState.CANCELLED)  # a build that was cancelled, or began again
        return
    owner = load_actor(save.requester)
    repository, _, _ = save.reference.rpartition(":")
    new = NewSavedImage(
        owner=save.requester,
        name=save.name,
        note=save.note,
        is_shared=save.is_shared and may_share(owner, workload.group_id),
        reference=f"{repository}@{report.digest}",
        digest=report.digest,
        size_bytes=report.size_bytes,
        workload_id=workload.pk,
        workload_name=workload.name,
        workload_group=workload.group,
        base=save.base,
    )
    try:
        saved = add_saved_image(actor=owner, new=new)
    except ConflictError as error:
        _end(save, ImageSaveState.FAILED, code=error.code)
        return
    save.image, save.size_bytes = saved.image, report.size_bytes
    _end(save, ImageSaveState.SAVED)


def _may_resume(save: ImageSave) -> bool:
    """Return whether a save that has timed out continues, because its node still reports it.

    A node reports what the last reply has ordered: it never got another, so the portal was away.
    """
    if save.code != TIMED_OUT or save.ended_at is None or save.ended_at < now() - SILENT_MAX:
        return False
    others = ImageSave.objects.filter(requester=save.requester_id, state__in=UNFINISHED)
    return not others.filter(Q(workload=save.workload_id) | Q(name=save.name)).exists()


def _has_news(save: ImageSave, state: ImageSaveState, report: SaveReport) -> bool:
    known = save.state, save.done_bytes, save.total_bytes, save.size_bytes
    return known != (state.value, report.done_bytes, report.total_bytes, report.size_bytes)


def _save_progress(save: ImageSave, state: ImageSaveState, report: SaveReport) -> None:
    save.state, save.code, save.ended_at = state.value, "", None
    save.done_bytes, save.total_bytes = report.done_bytes, report.total_bytes
    save.size_bytes, save.heard_at = report.size_bytes, now()
    columns = ["state", "code", "ended_at", "done_bytes", "total_bytes", "size_bytes", "heard_at"]
    save.save(update_fields=columns)


def _end(save: ImageSave, state: ImageSaveState, *, code: str = "", detail: str = "") -> None:
    save.state, save.code, save.detail = state.value, code[:64], detail
    save.heard_at = save.ended_at = now()
    columns = ["state", "code", "detail", "heard_at", "ended_at", "image", "size_bytes"]
    save.save(update_fields=columns)
    logger.info("image_save.ended", id=str(save.pk), state=save.state, code=save.code)


def _savable(actor: Actor, workload_id: UUID) -> Workload:
    """Return a notebook whose files are the actor's to read: only its owner may save it."""
    workload = notebook_of(actor, workload_id)
    policies.require(
        actor, Action.WORKLOAD_OPEN, workload.group_id, owner_id=workload.owner_id, what="workload"
    )
    if actor.user_id != workload.owner_id:
        raise DeniedError("denied", group_id=workload.group_id, action=Action.WORKLOAD_OPEN)
    return workload


def _running_allocation(workload: Workload) -> Allocation | None:
    if workload.state != WorkloadState.RUNNING:
        return None
    rows = workload.allocations.filter(epoch=workload.epoch, rank=0, state=AllocationState.BOUND)
    return rows.select_related("node").first()


def _reference(registry: RegistryConfig, save: ImageSave) -> str:
    return f"{registry.host}/{REPOSITORIES}/{save.pk}:{TAG}"


def _audit(actor: Actor, action: str, save: ImageSave) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type=save.workload.kind,
        object_id=save.workload_id,
        group_id=save.workload.group_id,
        params={"name": save.workload.name, "image": save.name, "is_shared": save.is_shared},
    )
