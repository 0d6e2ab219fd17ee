"""`python -m nodeagent.process.watchdog STATE_DIR`: the watchdog of a node with process containers."""

import sys
from pathlib import Path

from nodeagent.disk.layout import StateLayout
from nodeagent.disk.lease_file import LeaseFile
from nodeagent.host.clock import SystemClock, read_boot_id
from nodeagent.process.fence import ProcessFence
from nodeagent.watchdog import Watchdog, run_until_alone


def main() -> None:
    """Supervise the containers below one state directory."""
    layout = StateLayout(Path(sys.argv[1]))
    leases = LeaseFile(layout.lease, read_boot_id())
    watch = Watchdog(ProcessFence(layout.containers), leases, SystemClock())
    run_until_alone(watch, layout)


if __name__ == "__main__":
    main()
