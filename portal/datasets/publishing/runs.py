"""Copies what is published, in turns of some seconds: a killed worker loses the file that it was at.

A copy grows in `published/<id>.part`, which nothing refers to. When it is whole, on disk and the same as its
source, it is renamed, and the version is added in one transaction. Each step can be repeated.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog

from portal.common.errors import DomainError, NotFoundError
from portal.common.notifications import start_task
from portal.common.postgresql.locks import alone
from portal.common.site_config import SiteConfig
from portal.datasets.models import DatasetPublication
from portal.datasets.places import PUBLISHED
from portal.datasets.publishing import records
from portal.datasets.publishing.sources import copier_of
from portal.datasets.selectors import published_mib_for_system
from portal.volumes.tree.changes import ensure_top
from portal.volumes.tree.copied_files import CopiedAmount, Copier, CopyStoppedError
from portal.volumes.tree.folders import exists, opened_folder, rename_to_new
from portal.volumes.tree.paths import StorageFullError, refused_clearly
from portal.volumes.tree.removal import discard, remove_discarded

TURN_S: Final = 30.0
"""Seconds that one publication is copied before another one has its turn."""
REPORTED_EVERY_S: Final = 1.0
"""How often a copy saves how far it is."""
REMOVE_WITHIN_S: Final = 30.0
"""How long one run removes files that nothing needs; the next one continues."""
_MIB: Final = 1024 * 1024
_ONE_AT_A_TIME: Final = 0x5055424C
"""An advisory lock: the letters PUBL."""

logger = structlog.get_logger(__name__)


def run_publications(site: SiteConfig, *, turn_s: float = TURN_S) -> bool:
    """Give the publication that has waited longest a turn; return whether there was one.

    Another worker that does the same is not disturbed.
    """
    with alone(_ONE_AT_A_TIME) as is_alone:
        publication = records.next_publication_for_system() if is_alone else None
        if publication is None:
            return False
        try:
            _run(publication, site, turn_s)
        except CopyStoppedError:
            logger.info("publication.stopped", id=str(publication.pk))
        except DomainError as error:
            records.fail_publication(publication, error)
        except OSError as error:
            logger.warning("publication.failed", id=str(publication.pk), error=str(error))
            records.fail_publication(publication, DomainError("copy_failed"))
    start_task(records.PUBLISH_TASK)
    return True


def tidy_publications(storage_dir: Path, *, within_s: float = REMOVE_WITHIN_S) -> int:
    """Remove the files of what failed, was cancelled, or whose version was removed; return how many."""
    deadline, removed, top = time.monotonic() + within_s, 0, storage_dir / PUBLISHED
    if not top.is_dir():
        return 0
    for row in records.superfluous_for_system():
        if time.monotonic() >= deadline:
            break
        with refused_clearly(""), opened_folder(top) as folder:
            for name in (str(row.pk), f"{row.pk}.part"):
                with suppress(FileNotFoundError):
                    discard(top, folder, name)
        records.record_removed(row)
        removed += 1
    remove_discarded(top, within_s=max(deadline - time.monotonic(), 1.0))
    records.forget_old_publications()
    return removed


def _run(publication: DatasetPublication, site: SiteConfig, turn_s: float) -> None:
    if publication.dataset is None:
        raise NotFoundError("dataset")
    top, name = site.storage_dir / PUBLISHED, str(publication.pk)
    ensure_top(top)
    if not (top / name).is_dir():
        copier = copier_of(publication, site, top / f"{name}.part")
        if publication.bytes_total is None:
            size = copier.measure()
            _require_quota(publication, size.size, site.group_datasets_mib_max)
            records.record_totals(publication, size.size, size.files)
        if not _copy(publication, copier, turn_s):
            return
        copier.require_same()
        _put_in_place(top, name)
    records.finish_publication(publication)


def _copy(publication: DatasetPublication, copier: Copier, turn_s: float) -> bool:
    """Copy for some seconds; return whether all is there."""
    told = time.monotonic()

    def report(done: CopiedAmount) -> bool:
        nonlocal told
        if time.monotonic() - told < REPORTED_EVERY_S:
            return True
        told = time.monotonic()
        return records.record_progress(publication, done.size, done.files, done.left_out)

    done = copier.copy(report, within_s=turn_s)
    if done is None:
        return False
    if not records.record_progress(publication, done.size, done.files, done.left_out):
        raise CopyStoppedError
    return True


def _put_in_place(top: Path, name: str) -> None:
    with refused_clearly(""), opened_folder(top) as folder:
        if not exists(folder, name):
            rename_to_new(folder, f"{name}.part", folder, name)
        os.fsync(folder)


def _require_quota(publication: DatasetPublication, size: int, most: int) -> None:
    """Refuse what a group has no room for; what the platform publishes is not limited."""
    owner = publication.dataset and publication.dataset.owner
    if owner is None or not most:
        return
    used = published_mib_for_system(owner.pk)
    if used + size // _MIB > most:
        raise StorageFullError(
            "group_datasets_full", name=owner.name, used_mib=used, limit_mib=most
        )
