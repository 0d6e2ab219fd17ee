"""Names by which pods are found again: they hold all that identifies an attempt of a rank."""

import re
from typing import Final
from uuid import UUID

from portal.foreign.attempts import JobKey

OURS: Final = {"app.kubernetes.io/managed-by": "berth"}
"""Label of every pod, by which `RANKS_SERVICE` finds them."""
SITE_LABEL: Final = "berth/site"
WORKLOAD_LABEL: Final = "berth/workload"
REPLY: Final = "berth/reply"
"""Annotation: `seq` of the reply by which the pod was created."""
WHY: Final = "berth/stopped"
"""Annotation: why the portal has deleted the pod."""
FINALIZER: Final = "berth/end-reported"
"""Keeps a pod until the portal has processed its end."""
CONTAINER: Final = "main"
RANKS_SERVICE: Final = "berth"
"""The service without an address through which pods resolve each other's names."""
_NAME: Final = re.compile(
    r"berth-(?P<site>[0-9a-f]{8})-(?P<workload>[0-9a-f]{32})-(?P<epoch>\d+)-(?P<rank>\d+)"
)


def pod_name(site: str, key: JobKey, rank: int) -> str:
    """Return the name of a pod, of 63 characters at most; `site` are eight hexadecimal digits."""
    return f"berth-{site}-{key.workload.hex}-{key.epoch}-{rank}"


def parse_pod_name(site: str, name: str) -> tuple[JobKey, int] | None:
    """Return which rank of which attempt a pod is; None if it is none of this pool."""
    found = _NAME.fullmatch(name)
    if found is None or found["site"] != site:
        return None
    return JobKey(UUID(found["workload"]), int(found["epoch"])), int(found["rank"])


def host_name(namespace: str, site: str, key: JobKey, rank: int) -> str:
    """Return the name by which other pods reach a rank."""
    return f"{pod_name(site, key, rank)}.{RANKS_SERVICE}.{namespace}.svc"
