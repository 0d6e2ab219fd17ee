"""Names by which jobs are found again: they hold all that identifies an attempt."""

import re
from typing import Final
from uuid import UUID

from portal.slurm.values import JobKey

_NAME: Final = re.compile(r"berth-(?P<site>[0-9a-f]{8})-(?P<workload>[0-9a-f]{32})-(?P<epoch>\d+)")
_UNFIT: Final = re.compile("[^a-z0-9_-]+")
NODE_NAME_MAX: Final = 63
"""Characters of the name of a host."""


def job_name(site: str, key: JobKey) -> str:
    """Return the name of a job; `site` are eight hexadecimal digits."""
    return f"berth-{site}-{key.workload.hex}-{key.epoch}"


def parse_job_name(site: str, name: str) -> JobKey | None:
    """Return which attempt a job is; None if it is none of this pool."""
    found = _NAME.fullmatch(name)
    if found is None or found["site"] != site:
        return None
    return JobKey(UUID(found["workload"]), int(found["epoch"]))


def node_name(name: str) -> str:
    """Return the portal's name of a node of Slurm: that of a host, without dots."""
    return _UNFIT.sub("-", name.lower())[:NODE_NAME_MAX]


def card_uuid(site: str, node: str, index: int) -> str:
    """Return the identity of a counted GPU: it names a place, not a device."""
    return f"SLURM-{site}-{node}-{index}"[:64]


def job_folder(work_dir: str, site: str, key: JobKey) -> str:
    """Return the folder of one attempt."""
    return f"{work_dir}/jobs/{job_name(site, key)}"


def log_path(work_dir: str, site: str, key: JobKey, rank: int) -> str:
    """Return the file into which a rank writes."""
    return f"{job_folder(work_dir, site, key)}/{rank}.log"
