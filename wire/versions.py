"""Protocol versions. A server supports this version and the two before it.

1 first version
2 the reply carries the times of the lease, keys are renewed, nodes report faults, streams are
opened
3 an agent that starts work fetches its secrets
4 containers mount volumes of the storage, and outputs of earlier jobs
5 jobs may be Ray and Dask clusters
6 data sets may lie on the storage that nodes share with the portal
"""

from typing import Final

PROTOCOL_VERSION: Final = 6
SUPPORTED_VERSIONS: Final = frozenset(range(max(1, PROTOCOL_VERSION - 2), PROTOCOL_VERSION + 1))

CLUSTERS_SINCE: Final = 5
"""An older agent would not understand any of its work if some is a Ray or Dask cluster."""

PUBLISHED_SINCE: Final = 6
"""An older agent would look for a published data set in its own folder of data sets."""

HEARTBEAT_S: Final = 5
"""Seconds between heartbeats without changes; a change or a nudge sends one at once."""
LEASE_TTL_S: Final = 30
"""Seconds that work may run after the send time of the last answered heartbeat."""
LEASE_GRACE_S: Final = 15
"""Seconds that the server waits beyond the lease before it starts the work on another node."""
STOP_GRACE_S: Final = 20
"""Seconds between SIGTERM and SIGKILL of a container."""
