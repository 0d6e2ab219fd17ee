"""Folders, outputs of jobs and objects published as versions of data sets: the request of a person.

Who publishes may read the source, and change the data set: as an admin of its group or of the platform.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.common.errors import InvalidError
from portal.common.site_config import ObjectStore, SiteConfig
from portal.common.uses.ports import Port
from portal.datasets.models import Dataset, DatasetPublication, PublicationSource
from portal.datasets.publishing.object_stores import find_store, require_store_for
from portal.datasets.publishing.records import PublishedFolder, begin_publication
from portal.datasets.selectors import dataset_to_publish
from portal.datasets.services import add_empty_dataset
from portal.volumes.file_access import open_to_read
from portal.volumes.tree.listing import EntryKind, describe
from portal.volumes.tree.paths import parse_new_path, parse_path

job_outputs: Final[Port[Callable[[Actor, UUID, Path], Path]]] = Port()
"""Where a job of the actor has left its files, below the storage; refused while it has not ended."""


@dataclass(frozen=True, slots=True)
class TargetDataset:
    """The data set that gets the version; made if there is none of this name."""

    name: str
    group_id: UUID | None = None
    """Whose it becomes when it is made."""
    description: str = ""


def publish(
    *, actor: Actor, target: TargetDataset, folder: PublishedFolder, site: SiteConfig
) -> DatasetPublication:
    """Let files become the next version of a data set; a worker copies them.

    Raises:
        NotFoundError: the actor may not see the source, or there is no such folder or store.
        InvalidError: the store is not for the data sets of that group.
        DeniedError: the actor may not read the source, or not change the data set.
        ConflictError: the job has not ended, the volume lies on one node, or the data set is being
            published already.
    """
    store = _require_source(actor, folder, site)
    with transaction.atomic():
        dataset = dataset_to_publish(actor, target.name) or _make(actor, target)
        if store is not None:
            require_store_for(actor, store, dataset.owner_id)
        return begin_publication(actor=actor, dataset=dataset, folder=folder)


def _require_source(actor: Actor, folder: PublishedFolder, site: SiteConfig) -> ObjectStore | None:
    """Refuse what the actor may not read; return the store, if it is one."""
    if folder.source_id is None:
        store = find_store(actor, folder.store, site)
        if folder.path:
            parse_new_path(folder.path)
        return store
    if folder.source == PublicationSource.VOLUME:
        top = open_to_read(actor, folder.source_id, site.storage_dir).top
    else:
        top = job_outputs.get()(actor, folder.source_id, site.storage_dir)
    if describe(top, parse_path(folder.path)).kind is not EntryKind.FOLDER:
        raise InvalidError("publish_only_folders", pointer="/path")
    return None


def _make(actor: Actor, target: TargetDataset) -> Dataset:
    if target.group_id is None:
        raise InvalidError("dataset_needs_group", pointer="/group", name=target.name)
    return add_empty_dataset(
        actor=actor,
        name=target.name,
        description=target.description,
        owner_id=target.group_id,
    )
