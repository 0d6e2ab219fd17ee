"""Counts the files of versions of data sets, where the portal has them; and finds those that somebody changed."""

import time
from datetime import timedelta
from pathlib import Path
from typing import Final

from django.db.models import F, Q

from portal.common.clock import now
from portal.common.errors import DomainError
from portal.datasets import services as datasets
from portal.datasets.models import DatasetVersion
from portal.volumes.tree.listing import measure
from portal.volumes.tree.paths import parse_path

MEASURED_EVERY: Final = timedelta(days=1)
"""How old the known size of a version of a data set may become."""
LOOKED_FOR_EVERY: Final = timedelta(hours=1)
"""How often a version is looked for whose size is not known."""
VERSION_S: Final = 20.0
"""Seconds that one version is counted for; one with too many files to count has no known size."""
VERSIONS_S: Final = 60.0
"""Seconds that one turn counts for; the next one continues."""


def measure_datasets(datasets_dir: Path | None, storage_dir: Path) -> int:
    """Count versions, those first that were counted longest ago; return how many were looked at."""
    until, looked_at, at = time.monotonic() + VERSIONS_S, 0, now()
    due = DatasetVersion.objects.filter(
        Q(measured_at=None)
        | Q(measured_at__lt=at - MEASURED_EVERY)
        | Q(size_bytes=None, measured_at__lt=at - LOOKED_FOR_EVERY)
    ).order_by(F("measured_at").asc(nulls_first=True))
    for version in due:
        if time.monotonic() >= until:
            break
        is_published = version.place == DatasetVersion.Place.STORAGE
        top = storage_dir if is_published else datasets_dir
        datasets.record_size(version.pk, _count(top, version.path) if top else None)
        looked_at += 1
    return looked_at


def _count(datasets_dir: Path, path: str) -> tuple[int, int] | None:
    """Return bytes and number of files; None where they are not here, or too many."""
    try:
        size = measure(datasets_dir, parse_path(path), within_s=VERSION_S)
    except (DomainError, OSError):
        return None
    return (size.size, size.files) if size.is_whole else None
