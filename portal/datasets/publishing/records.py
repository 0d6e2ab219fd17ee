"""Writes of publications: folders that become versions of data sets, and what became of that."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DomainError, ExhaustedError, NotFoundError
from portal.common.notifications import invalidate_lists, start_task
from portal.datasets.models import (
    UNFINISHED_STATES,
    Dataset,
    DatasetPublication,
    DatasetVersion,
    PublicationState,
)
from portal.datasets.selectors import publications_visible_to
from portal.datasets.services import add_published_version, require_room_for_version
from portal.notices.inbox import notify_people
from portal.tenancy import policies

PUBLISH_TASK: Final = "datasets.publish"
UNFINISHED_MAX: Final = 20
"""Publications of one group, or of the platform, that are not finished."""
ENDED_KEPT: Final = timedelta(days=90)
"""How long one is listed that has become no version, or whose version was removed."""


@dataclass(frozen=True, slots=True)
class PublishedFolder:
    """The folder that is to become a version, and what it is to be called."""

    source: str
    """Of `PublicationSource`."""
    source_id: UUID | None
    """The volume or job; None is a store."""
    path: str
    alias: str = ""
    note: str = ""
    store: str = ""
    """Name of the object store."""


@transaction.atomic
def begin_publication(
    *, actor: Actor, dataset: Dataset, folder: PublishedFolder
) -> DatasetPublication:
    """Let a folder be copied and become the next version. What the actor may read, the caller has checked.

    Raises:
        ConflictError: another one of this data set is not finished.
        ExhaustedError: too many are not finished, or the data set has as many versions as are allowed.
    """
    policies.require(actor, Action.DATASET_MANAGE, dataset.owner_id, what="dataset")
    row = Dataset.objects.select_for_update(no_key=True).filter(pk=dataset.pk).first()
    if row is None:
        raise NotFoundError("dataset")
    require_room_for_version(row)
    unfinished = DatasetPublication.objects.filter(state__in=UNFINISHED_STATES)
    if unfinished.filter(dataset=row).exists():
        raise ConflictError("dataset_is_published", name=row.name)
    if unfinished.filter(dataset__owner=row.owner_id).count() >= UNFINISHED_MAX:
        raise ExhaustedError("too_many_publications", limit=UNFINISHED_MAX)
    publication = DatasetPublication.objects.create(
        dataset=row,
        name=row.name,
        source=folder.source,
        source_id=folder.source_id,
        store=folder.store,
        source_path=folder.path,
        alias=folder.alias,
        note=folder.note,
        made_by_id=actor.user_id,
    )
    _audit(actor, "dataset.publish", publication)
    start_task(PUBLISH_TASK)
    return publication


@transaction.atomic
def cancel_publication(*, actor: Actor, publication_id: UUID) -> None:
    """End one that is not finished; what was copied is removed.

    Raises:
        NotFoundError: there is none that the actor may see.
        ConflictError: it has ended already.
    """
    publication = publications_visible_to(actor).filter(pk=publication_id).first()
    if publication is None:
        raise NotFoundError("dataset_publication")
    if not _end(publication, PublicationState.CANCELLED):
        raise ConflictError("publication_has_ended", name=publication.name)
    _audit(actor, "dataset.publish_cancel", publication)


def next_publication_for_system() -> DatasetPublication | None:
    """Return the one that has waited longest to be worked on, which is then the last in turn."""
    rows = DatasetPublication.objects.filter(state__in=UNFINISHED_STATES)
    publication = rows.select_related("dataset").order_by("touched_at").first()
    if publication is not None:
        publication.touched_at = now()
        publication.save(update_fields=["touched_at"])
    return publication


def record_totals(publication: DatasetPublication, size: int, files: int) -> None:
    """Save how much there is to copy."""
    publication.bytes_total, publication.files_total = size, files
    publication.state = PublicationState.COPYING
    _unfinished(publication).update(bytes_total=size, files_total=files, state=publication.state)
    invalidate_lists("dataset")


def record_progress(publication: DatasetPublication, size: int, files: int, left_out: int) -> bool:
    """Save how far it is; return False if it was ended meanwhile."""
    publication.bytes_done, publication.files_done = size, files
    publication.left_out = left_out
    return bool(
        _unfinished(publication).update(bytes_done=size, files_done=files, left_out=left_out)
    )


@transaction.atomic
def finish_publication(publication: DatasetPublication) -> DatasetVersion | None:
    """Make it a version, at once and once; None if it was ended meanwhile."""
    version = add_published_version(publication)
    publication.number = version.number
    if not _end(publication, PublicationState.DONE):
        transaction.set_rollback(True)
        return None
    _notify(publication, "dataset_published", number=version.number)
    return version


@transaction.atomic
def fail_publication(publication: DatasetPublication, error: DomainError) -> None:
    """End it with what went wrong."""
    publication.failure = {"code": error.code, "params": dict(error.params)}
    if _end(publication, PublicationState.FAILED):
        _audit(Actor.system("publishing"), "dataset.publish_fail", publication)
        _notify(publication, "dataset_publish_failed")


def superfluous_for_system() -> "QuerySet[DatasetPublication]":
    """Return the ended ones whose files nothing needs: no version was made, or it was removed."""
    version = DatasetVersion.objects.filter(pk=OuterRef("pk"))
    ended = DatasetPublication.objects.exclude(state__in=UNFINISHED_STATES)
    return ended.filter(~Exists(version), is_removed=False).order_by("ended_at")


def record_removed(publication: DatasetPublication) -> None:
    """Save that no file of it is there any more."""
    DatasetPublication.objects.filter(pk=publication.pk).update(is_removed=True)


def forget_old_publications() -> None:
    """Delete the rows of those without files that ended long ago."""
    over = Q(is_removed=True, ended_at__lt=now() - ENDED_KEPT)
    DatasetPublication.objects.filter(over).delete()


def _unfinished(publication: DatasetPublication) -> "QuerySet[DatasetPublication]":
    return DatasetPublication.objects.filter(pk=publication.pk, state__in=UNFINISHED_STATES)


def _end(publication: DatasetPublication, state: PublicationState) -> bool:
    publication.state, publication.ended_at = state, now()
    ended = _unfinished(publication).update(
        state=state,
        ended_at=publication.ended_at,
        number=publication.number,
        failure=publication.failure,
    )
    return bool(ended)


def _notify(publication: DatasetPublication, code: str, **numbers: int) -> None:
    """Notify who asked for it; copying may have taken hours."""
    if publication.made_by_id is not None:
        notify_people(
            users=[publication.made_by_id],
            code=code,
            params={"dataset": publication.name, **numbers},
            path="/datasets",
        )


def _place(publication: DatasetPublication) -> dict[str, str]:
    """Return what of the source the audit log names: of a store its name, never its address or keys."""
    if publication.source_id is None:
        return {"store": publication.store}
    return {"source_id": str(publication.source_id)}


def _audit(actor: Actor, action: str, publication: DatasetPublication) -> None:
    dataset = publication.dataset
    audit.record_event(
        actor=actor,
        action=action,
        object_type="dataset",
        object_id=publication.dataset_id or "",
        group_id=dataset.owner_id if dataset else None,
        params={
            "name": publication.name,
            "source": publication.source,
            **_place(publication),
            "path": publication.source_path,
            **({"code": publication.failure["code"]} if publication.failure else {}),
        },
    )
