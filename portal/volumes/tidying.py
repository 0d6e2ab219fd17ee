"""What nobody misses in volumes: trash after its days, unfinished uploads, what was removed permanently."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog

from portal.common.clock import now
from portal.common.errors import DomainError
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from portal.volumes.tree.batches import tidy_batches
from portal.volumes.tree.trash import remove_expired
from portal.volumes.tree.uploads import UNFINISHED_KEPT, tidy_uploads

TIDY_WITHIN_S: Final = 60.0
"""How long one run takes at most; the next one begins elsewhere."""
BATCH_SIZE: Final = 500

logger = structlog.get_logger(__name__)


def tidy_volumes(storage_dir: Path, *, within_s: float = TIDY_WITHIN_S) -> int:
    """Tidy the volumes that the portal reaches, until time is over; return how many were."""
    deadline = time.monotonic() + within_s
    done = 0
    for top in _tops(storage_dir):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        with suppress(DomainError):
            _tidy(top, left)
        done += 1
    return done


def _tops(storage_dir: Path) -> Iterator[Path]:
    """Yield the folders of volumes in use, in another order each time."""
    rows = Volume.objects.filter(state=Volume.State.ACTIVE, location=Volume.Location.SHARED)
    for volume_id in rows.order_by("?").values_list("pk", flat=True).iterator(BATCH_SIZE):
        top = volume_folder(storage_dir, volume_id)
        if top.is_dir():
            yield top


def _tidy(top: Path, within_s: float) -> None:
    moment = now()
    uploads = tidy_uploads(top, moment.timestamp())
    uploads += tidy_batches(top, (moment - UNFINISHED_KEPT).timestamp())
    trashed = remove_expired(top, moment, within_s=within_s)
    if uploads or trashed:
        logger.info("volumes.tidied", folder=top.name, uploads=uploads, trashed=trashed)
