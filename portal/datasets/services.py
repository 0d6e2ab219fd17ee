"""Writes of data sets; every change is in the audit log."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, InvalidError
from portal.datasets.models import Dataset
from portal.datasets.selectors import dataset_for_manager
from portal.tenancy import policies
from portal.tenancy.models import Group


@transaction.atomic
def add_dataset(*, actor: Actor, columns: Mapping[str, Any], group_ids: list[UUID]) -> Dataset:
    """Give a folder of the nodes a name, which must be unique."""
    policies.require(actor, Action.DATASET_MANAGE, None)
    dataset = Dataset(**columns)
    try:
        with transaction.atomic():
            dataset.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("dataset_name_taken", name=dataset.name) from error
    dataset.groups.set(_groups(group_ids))
    _audit(actor, "dataset.create", dataset)
    return dataset


@transaction.atomic
def change_dataset(
    *, actor: Actor, dataset_id: UUID, columns: Mapping[str, Any], group_ids: list[UUID] | None
) -> Dataset:
    """Change path, description or readers; running work keeps its mounts."""
    dataset = dataset_for_manager(actor, dataset_id)
    for name, value in columns.items():
        setattr(dataset, name, value)
    dataset.save(update_fields=list(columns))
    if group_ids is not None:
        dataset.groups.set(_groups(group_ids))
    _audit(actor, "dataset.change", dataset)
    return dataset


@transaction.atomic
def remove_dataset(*, actor: Actor, dataset_id: UUID) -> None:
    """Delete the name; the files and the mounts of running work stay."""
    dataset = dataset_for_manager(actor, dataset_id)
    _audit(actor, "dataset.delete", dataset)
    dataset.delete()


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
        params={
            "name": dataset.name,
            "path": dataset.path,
            "is_for_everybody": dataset.is_for_everybody,
            "groups": groups,
        },
    )
