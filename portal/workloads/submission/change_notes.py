"""The words of the event log for a change after submission."""

from collections.abc import Iterator, Mapping
from typing import Any

from portal.catalog.models import Image
from portal.inventory.models import Pool
from portal.quotas.priorities import PRIORITY_NAMES
from portal.workloads.models import Workload
from portal.workloads.request_columns import REQUEST_COLUMNS
from portal.workloads.state.changes import ChangeNote

_SIZE = (*REQUEST_COLUMNS, "gpu_memory_ceiling_mib")


def describe_change(before: Mapping[str, Any], after: Workload) -> tuple[ChangeNote, ...]:
    """Return one note for each subject that differs between the old columns and the work now."""
    return tuple(_notes(before, after))


def _notes(before: Mapping[str, Any], after: Workload) -> Iterator[ChangeNote]:
    if after.name != before["name"]:
        yield ChangeNote("renamed", {"before": before["name"], "after": after.name})
    if (after.priority, after.priority_until) != (before["priority"], before["priority_until"]):
        name = PRIORITY_NAMES.get(after.priority, "normal")
        yield ChangeNote("priority_changed", {"priority": name})
    if after.time_limit_s is not None and after.time_limit_s != before["time_limit_s"]:
        params = {
            "before_min": before["time_limit_s"] // 60,
            "after_min": after.time_limit_s // 60,
        }
        yield ChangeNote("time_limit_changed", params)
    if after.pool_id != before["pool_id"]:
        pool = Pool.objects.get(pk=after.pool_id)
        yield ChangeNote("pool_changed", {"pool": pool.name})
    if any(getattr(after, name) != before[name] for name in _SIZE):
        yield ChangeNote("size_changed", {})
    if after.image_id != before["image_id"]:
        image = Image.objects.get(pk=after.image_id)
        yield ChangeNote("image_changed", {"image": image.name})
    if after.preemptible != before["preemptible"]:
        yield ChangeNote("made_preemptible" if after.preemptible else "made_uninterrupted", {})
