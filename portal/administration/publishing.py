"""Folders of volumes and outputs of jobs published as versions of data sets: the request of a person.

Who publishes may read the source, and change the data set: as an admin of its group or of the platform.
"""

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.common.errors import ConflictError, InvalidError
from portal.datasets.models import Dataset, DatasetPublication, PublicationSource
from portal.datasets.publications import PublishedFolder, begin_publication
from portal.datasets.selectors import dataset_to_publish
from portal.datasets.services import add_empty_dataset
from portal.volumes.file_access import open_to_read
from portal.volumes.files import volume_folder
from portal.volumes.tree.listing import EntryKind, describe
from portal.volumes.tree.paths import Parts, parse_path
from portal.workloads.models import Workload
from portal.workloads.output_folders import outputs_folder
from portal.workloads.selectors import workload_visible_to
from scheduler.core.model.states import TERMINAL


@dataclass(frozen=True, slots=True)
class TargetDataset:
    """The data set that gets the version; made if there is none of this name."""

    name: str
    group_id: UUID | None = None
    """Whose it becomes when it is made."""
    description: str = ""


def publish(
    *, actor: Actor, target: TargetDataset, folder: PublishedFolder, storage_dir: Path
) -> DatasetPublication:
    """Let a folder become the next version of a data set; a worker copies it.

    Raises:
        NotFoundError: the actor may not see the source, or there is no such folder.
        DeniedError: the actor may not read the source, or not change the data set.
        ConflictError: the job has not ended, the volume lies on one node, or the data set is being
            published already.
    """
    _require_source(actor, folder, storage_dir)
    with transaction.atomic():
        dataset = dataset_to_publish(actor, target.name) or _make(actor, target)
        return begin_publication(actor=actor, dataset=dataset, folder=folder)


def source_folder(publication: DatasetPublication, storage_dir: Path) -> tuple[Path, Parts]:
    """Return the folder beneath which the source is, and its path there."""
    is_volume = publication.source == PublicationSource.VOLUME
    place = volume_folder if is_volume else outputs_folder
    return place(storage_dir, publication.source_id), parse_path(publication.source_path)


def _require_source(actor: Actor, folder: PublishedFolder, storage_dir: Path) -> None:
    if folder.source == PublicationSource.VOLUME:
        top = open_to_read(actor, folder.source_id, storage_dir).top
    else:
        job = workload_visible_to(actor, folder.source_id, Workload.Kind.TRAINING)
        if job.state not in TERMINAL:
            raise ConflictError("job_has_not_ended", name=job.name)
        top = outputs_folder(storage_dir, job.pk)
    if describe(top, parse_path(folder.path)).kind is not EntryKind.FOLDER:
        raise InvalidError("publish_only_folders", pointer="/path")


def _make(actor: Actor, target: TargetDataset) -> Dataset:
    if target.group_id is None:
        raise InvalidError("dataset_needs_group", pointer="/group", name=target.name)
    return add_empty_dataset(
        actor=actor,
        name=target.name,
        description=target.description,
        owner_id=target.group_id,
    )
