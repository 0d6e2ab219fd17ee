"""One agent with an identity on a host, however it ends."""

import os
import subprocess
import sys
from typing import Final

from nodeagent.host.host_lock import HostLock

HOLD: Final = """
import sys
from nodeagent.host.host_lock import HostLock
assert HostLock(sys.argv[1]).try_acquire()
"""


def test_lock_is_held_once_per_identity() -> None:
    node = f"node-{os.getpid()}"
    lock, other = HostLock(node), HostLock(f"{node}-other")
    assert lock.try_acquire()
    assert other.try_acquire()
    assert HostLock(node).is_held()
    assert not HostLock(node).try_acquire()
    lock.release()
    assert not HostLock(node).is_held()
    other.release()


def test_lock_ends_with_its_process() -> None:
    node = f"node-{os.getpid()}-ended"
    subprocess.run([sys.executable, "-c", HOLD, node], check=True)
    lock = HostLock(node)
    assert lock.try_acquire()
    lock.release()
