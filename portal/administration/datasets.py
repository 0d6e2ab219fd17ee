"""Data sets and versions of them removed, checked against the work that uses them."""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.common.uses.files import FileKind, file_reference
from portal.datasets import services as datasets
from portal.datasets.references import pinned
from portal.datasets.selectors import dataset_for_manager
from portal.workloads.uses import users_of_files_for_system


@transaction.atomic
def remove_dataset(*, actor: Actor, dataset_id: UUID) -> None:
    """Remove a data set with all its versions; the files stay.

    Raises:
        ConflictError: notebooks or jobs that have not ended use a version of it.
    """
    dataset = dataset_for_manager(actor, dataset_id)
    numbers = dataset.versions.values_list("number", flat=True)
    _require_unused(dataset.name, list(numbers))
    datasets.remove_dataset(actor=actor, dataset_id=dataset_id)


@transaction.atomic
def remove_version(*, actor: Actor, dataset_id: UUID, number: int) -> None:
    """Forget one version; its files stay, and its number is not given again.

    Raises:
        ConflictError: notebooks or jobs that have not ended use it.
    """
    dataset = dataset_for_manager(actor, dataset_id)
    _require_unused(dataset.name, [number])
    datasets.remove_version(actor=actor, dataset_id=dataset_id, number=number)


def _require_unused(name: str, numbers: Sequence[int]) -> None:
    references = [file_reference(FileKind.DATASET, pinned(name, it)) for it in numbers]
    users_of_files_for_system(references).refuse("dataset_in_use")
