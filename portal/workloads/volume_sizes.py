"""Sizes of volumes, known soon after what changes them; running work is notified of full ones."""

from pathlib import Path
from typing import Final

from portal.common.postgresql.locks import alone
from portal.volumes.services import measure_volumes
from portal.workloads.full_volumes import full_volumes_for_system, used_since_measured_for_system
from portal.workloads.state.volume_notes import note_filled

_ONE_AT_A_TIME: Final = 0x4D454153
"""An advisory lock: the letters MEAS."""


def follow_sizes(storage_dir: Path) -> int:
    """Measure what is due, and what work has used that ended since; return how many were measured."""
    with alone(_ONE_AT_A_TIME) as is_alone:
        if not is_alone:
            return 0
        before = {row.pk for row in full_volumes_for_system().values()}
        measured = measure_volumes(storage_dir, used=used_since_measured_for_system())
        filled = {row.pk for row in full_volumes_for_system().values()} - before
        if filled:
            note_filled(filled)
        return measured
