"""Which of the versions of one data set is meant; pure."""

from collections.abc import Iterable

from portal.datasets.models import DatasetVersion, VersionState
from portal.datasets.references import DatasetReference


def newest_version(versions: Iterable[DatasetVersion]) -> DatasetVersion | None:
    """Return the newest version that new work may use, of those of one data set, newest first."""
    return next((row for row in versions if row.state == VersionState.READY), None)


def find_version(
    versions: Iterable[DatasetVersion], reference: DatasetReference
) -> DatasetVersion | None:
    """Return the version that a reference names, of those of its data set, newest first."""
    if not reference.version:
        return newest_version(versions)
    if reference.number is not None:
        return next((row for row in versions if row.number == reference.number), None)
    return next((row for row in versions if row.alias == reference.version), None)
