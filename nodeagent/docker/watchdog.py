"""`python -m nodeagent.docker.watchdog STATE_DIR NODE NODE_ID [HOST]`: the watchdog of a Docker node."""

import sys
from pathlib import Path

from nodeagent.disk.layout import StateLayout
from nodeagent.disk.lease_file import LeaseFile
from nodeagent.docker.fence import DockerFence
from nodeagent.host.clock import SystemClock, read_boot_id
from nodeagent.watchdog import Watchdog, run_until_alone


def main() -> None:
    """Watch the containers that carry one node's labels."""
    layout = StateLayout(Path(sys.argv[1]))
    node, node_id, host = sys.argv[2], sys.argv[3], "".join(sys.argv[4:5])
    leases = LeaseFile(layout.lease, read_boot_id())
    fence = DockerFence(layout.containers, host, node, node_id)
    run_until_alone(Watchdog(fence, leases, SystemClock()), layout, node_id)


if __name__ == "__main__":
    main()
