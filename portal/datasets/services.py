"""Writes of data sets and their versions; every change is in the audit log."""

from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, ExhaustedError, InvalidError, NotFoundError
from portal.common.uses.files import FileKind, file_reference
from portal.common.uses.work import work_uses
from portal.datasets.models import Dataset, DatasetPublication, DatasetVersion
from portal.datasets.places import published_path
from portal.datasets.references import pinned
from portal.datasets.selectors import dataset_for_manager
from portal.tenancy import policies
from portal.tenancy.models import Group

VERSIONS_MAX: Final = 200
"""Versions of one data set, retired ones included."""
DATASETS_PER_GROUP_MAX: Final = 100
"""Data sets that belong to one group."""


@transaction.atomic
def add_dataset(
    *, actor: Actor, columns: Mapping[str, Any], path: str, group_ids: list[UUID]
) -> Dataset:
    """Name a data set, whose first version is a folder of the nodes; the name must be unique."""
    policies.require(actor, Action.DATASET_MANAGE, None)
    dataset = Dataset(**columns)
    try:
        with transaction.atomic():
            dataset.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("dataset_name_taken", name=dataset.name) from error
    dataset.groups.set(_groups(group_ids))
    _audit(actor, "dataset.create", dataset)
    add_version(actor=actor, dataset_id=dataset.pk, columns={"path": path})
    return dataset


@transaction.atomic
def change_dataset(
    *, actor: Actor, dataset_id: UUID, columns: Mapping[str, Any], group_ids: list[UUID] | None
) -> Dataset:
    """Change description or readers; running work keeps its mounts.

    Who reads it besides its own group, only the platform's admins decide.
    """
    dataset = _locked(dataset_for_manager(actor, dataset_id))
    if group_ids is not None or "is_for_everybody" in columns:
        policies.require(actor, Action.DATASET_MANAGE, None)
    for name, value in columns.items():
        setattr(dataset, name, value)
    dataset.save(update_fields=list(columns))
    if group_ids is not None:
        dataset.groups.set(_groups(group_ids))
    _audit(actor, "dataset.change", dataset)
    return dataset


@transaction.atomic
def remove_dataset(*, actor: Actor, dataset_id: UUID) -> None:
    """Remove a data set with all its versions; the files stay.

    Raises:
        ConflictError: notebooks or jobs that have not ended use a version of it.
    """
    dataset = dataset_for_manager(actor, dataset_id)
    _require_unused(dataset, dataset.versions.values_list("number", flat=True))
    dataset = _locked(dataset)
    _audit(actor, "dataset.delete", dataset)
    dataset.delete()


@transaction.atomic
def add_version(*, actor: Actor, dataset_id: UUID, columns: Mapping[str, Any]) -> DatasetVersion:
    """Make another folder of the nodes the newest version of a data set.

    Raises:
        ConflictError: a version has that folder already.
        ExhaustedError: it has as many versions as are allowed.
    """
    policies.require(actor, Action.DATASET_MANAGE, None)
    dataset = _locked(dataset_for_manager(actor, dataset_id))
    same = dataset.versions.filter(path=columns["path"]).first()
    if same is not None:
        raise ConflictError("dataset_path_taken", number=same.number, pointer="/path")
    return _add_version(actor, dataset, {"made_by_id": actor.user_id, **columns})


@transaction.atomic
def add_published_version(publication: DatasetPublication) -> DatasetVersion:
    """Make what was published the newest version of its data set; a second call finds the first one's.

    Raises:
        NotFoundError: the data set was removed.
        ExhaustedError: it has as many versions as are allowed.
    """
    actor = Actor.system("publishing")
    dataset = _locked(dataset_for_manager(actor, publication.dataset_id or publication.pk))
    made = dataset.versions.filter(pk=publication.pk).first()
    if made is not None:
        return made
    columns = {
        "id": publication.pk,
        "place": DatasetVersion.Place.STORAGE,
        "path": published_path(publication.pk),
        "alias": publication.alias,
        "note": publication.note,
        "size_bytes": publication.bytes_done,
        "file_count": publication.files_done,
        "measured_at": now(),
        "made_by_id": publication.made_by_id,
    }
    return _add_version(actor, dataset, columns)


@transaction.atomic
def add_empty_dataset(*, actor: Actor, name: str, description: str, owner_id: UUID) -> Dataset:
    """Name a data set of a group, to which its admins publish versions.

    Raises:
        ConflictError: the name is taken.
        ExhaustedError: the group has as many as are allowed.
    """
    policies.require(actor, Action.DATASET_MANAGE, owner_id)
    if Dataset.objects.filter(owner=owner_id).count() >= DATASETS_PER_GROUP_MAX:
        raise ExhaustedError("too_many_datasets", limit=DATASETS_PER_GROUP_MAX)
    dataset = Dataset(name=name, description=description, owner_id=owner_id)
    try:
        with transaction.atomic():
            dataset.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("dataset_name_taken", name=name, pointer="/dataset") from error
    _audit(actor, "dataset.create", dataset)
    return dataset


@transaction.atomic
def change_version(
    *, actor: Actor, dataset_id: UUID, number: int, columns: Mapping[str, Any]
) -> DatasetVersion:
    """Change note, alias or state; an alias that another version has moves here."""
    version = _version(actor, dataset_id, number)
    if alias := columns.get("alias"):
        _free_alias(version.dataset, alias)
    for name, value in columns.items():
        setattr(version, name, value)
    version.save(update_fields=list(columns))
    _audit_version(actor, "dataset.version_change", version)
    return version


@transaction.atomic
def remove_version(*, actor: Actor, dataset_id: UUID, number: int) -> None:
    """Forget one version; its files stay, and its number is not given again.

    Raises:
        ConflictError: notebooks or jobs that have not ended use it.
    """
    _require_unused(dataset_for_manager(actor, dataset_id), [number])
    version = _version(actor, dataset_id, number)
    _audit_version(actor, "dataset.version_delete", version)
    version.delete()


def record_size(version_id: UUID, size: tuple[int, int] | None) -> None:
    """Save size and number of a version's files; None if they could not be counted."""
    rows = DatasetVersion.objects.filter(pk=version_id)
    if size is None:
        rows.update(measured_at=now())
        return
    known = rows.exclude(size_bytes=None).filter(changed_at=None)
    known.exclude(size_bytes=size[0], file_count=size[1]).update(changed_at=now())
    rows.update(size_bytes=size[0], file_count=size[1], measured_at=now())


def require_room_for_version(dataset: Dataset) -> None:
    """Refuse one version more than a data set may have."""
    if dataset.versions.count() >= VERSIONS_MAX:
        raise ExhaustedError("too_many_dataset_versions", limit=VERSIONS_MAX)


def _require_unused(dataset: Dataset, numbers: Iterable[int]) -> None:
    references = [file_reference(FileKind.DATASET, pinned(dataset.name, it)) for it in numbers]
    users = work_uses.get().users_of_files_for_system(references)
    if users.count:
        raise ConflictError("dataset_in_use", name=users.first, count=users.count)


def _add_version(actor: Actor, dataset: Dataset, columns: Mapping[str, Any]) -> DatasetVersion:
    """Add the next version of a data set whose row is locked."""
    require_room_for_version(dataset)
    dataset.last_number += 1
    dataset.save(update_fields=["last_number"])
    _free_alias(dataset, columns.get("alias", ""))
    version = DatasetVersion.objects.create(dataset=dataset, number=dataset.last_number, **columns)
    _audit_version(actor, "dataset.version_add", version)
    return version


def _version(actor: Actor, dataset_id: UUID, number: int) -> DatasetVersion:
    dataset = _locked(dataset_for_manager(actor, dataset_id))
    version = dataset.versions.filter(number=number).first()
    if version is None:
        raise NotFoundError("dataset_version")
    version.dataset = dataset
    return version


def _locked(dataset: Dataset) -> Dataset:
    found = Dataset.objects.select_for_update(no_key=True).filter(pk=dataset.pk).first()
    if found is None:
        raise NotFoundError("dataset")
    return found


def _free_alias(dataset: Dataset, alias: str) -> None:
    if alias:
        DatasetVersion.objects.filter(dataset=dataset, alias=alias).update(alias="")


def _groups(group_ids: list[UUID]) -> list[Group]:
    found = list(Group.objects.filter(pk__in=group_ids))
    if len(found) != len(set(group_ids)):
        raise InvalidError("unknown_group", pointer="/groups")
    return found


def _audit(actor: Actor, action: str, dataset: Dataset) -> None:
    groups = sorted(dataset.groups.values_list("name", flat=True))
    audit.record_event(
        actor=actor,
        action=action,
        object_type="dataset",
        object_id=dataset.pk,
        group_id=dataset.owner_id,
        params={
            "name": dataset.name,
            "is_for_everybody": dataset.is_for_everybody,
            "groups": groups,
        },
    )


def _audit_version(actor: Actor, action: str, version: DatasetVersion) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="dataset",
        object_id=version.dataset_id,
        group_id=version.dataset.owner_id,
        params={
            "name": version.dataset.name,
            "number": version.number,
            "path": version.path,
            "alias": version.alias,
            "state": version.state,
        },
    )
