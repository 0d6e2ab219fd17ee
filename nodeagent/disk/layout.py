"""Names of the agent's files below its state directory."""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StateLayout:
    """Paths of one node's files, on a local disk, for one user only."""

    root: Path

    @property
    def containers(self) -> Path:
        """One directory per container."""
        return self.root / "containers"

    @property
    def state(self) -> Path:
        """What must survive the agent."""
        return self.root / "state.json"

    @property
    def shares(self) -> Path:
        """Records of shares of cards, one per container."""
        return self.root / "shares"

    @property
    def mps(self) -> Path:
        """Pipes and shared memory of the daemons of mode `mps`, one folder per card."""
        return self.root / "mps"

    @property
    def compute(self) -> Path:
        """The same for daemons that limit processors beside memory limits."""
        return self.root / "compute"

    @property
    def lease(self) -> Path:
        """Until when work may run."""
        return self.root / "lease.json"

    @property
    def card_health(self) -> Path:
        """Cards that an Xid has put out of service since the host was booted."""
        return self.root / "cards.json"

    @property
    def image_saves(self) -> Path:
        """Which containers are being saved as images, or were."""
        return self.root / "image-saves.json"

    @property
    def identity(self) -> Path:
        """The node's id and key."""
        return self.root / "identity.json"

    @property
    def instance(self) -> Path:
        """What this directory is called, as opposed to a copy of it."""
        return self.root / "instance.json"

    @property
    def agent_lock(self) -> Path:
        """Held while an agent runs: one per node."""
        return self.root / "agent.lock"

    @property
    def watchdog_lock(self) -> Path:
        """Held while the watchdog runs."""
        return self.root / "watchdog.lock"

    @property
    def watchdog_build(self) -> Path:
        """Which code the running watchdog is; absent beside one from before there was this file."""
        return self.root / "watchdog.build"

    @property
    def watchdog_log(self) -> Path:
        """Log of the running watchdog."""
        return self.root / "watchdog.log"


class ProcessLock:
    """A lock that is held until the process that took it ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock; False when another process holds it."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def is_held(self) -> bool:
        """Return whether some process holds the lock."""
        if not self.try_acquire():
            return True
        self.release()
        return False

    def release(self) -> None:
        """Release the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
