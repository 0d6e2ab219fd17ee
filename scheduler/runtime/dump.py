"""Keeps the snapshot of the last pass that failed, so that the bug can become a scenario."""

import json
from pathlib import Path
from typing import Final

from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.snapshot_codec import encode_snapshot

FILE_NAME: Final = "failed-snapshot.json"


def save_failed_snapshot(snapshot: Snapshot, folder: Path) -> Path:
    """Write the snapshot in place of an earlier one, and return where."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / FILE_NAME
    unfinished = target.with_suffix(".tmp")
    unfinished.write_text(json.dumps(encode_snapshot(snapshot), indent=1), encoding="utf-8")
    return unfinished.replace(target)
