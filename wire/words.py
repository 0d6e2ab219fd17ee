"""Plain enums and value classes of the protocol: standard library only, for the pure cores as well.

`wire.messages` adds the ranges that are validated in messages.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Isolation(StrEnum):
    """What isolates the tenants of a card, strongest first (docs/admin/gpu-sharing.md)."""

    EXCLUSIVE = "exclusive"
    """One tenant has the whole card."""
    MIG = "mig"
    CGROUP = "cgroup"
    HAMI = "hami"
    MPS = "mps"
    TIMESLICE = "timeslice"
    """Nothing but the agent's monitoring of memory."""


class Phase(StrEnum):
    """How far a container has come."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"


class ExitCause(StrEnum):
    """Why a container ended."""

    EXITED = "exited"
    STOPPED = "stopped"
    OUT_OF_MEMORY = "out_of_memory"
    KILLED = "killed"
    """By a signal that neither the platform nor the kernel's memory limit sent."""
    DISK_FULL = "disk_full"
    """It exceeded its disk quota, or its host's disk was full."""
    GPU_MEMORY_EXCEEDED = "gpu_memory_exceeded"
    """It used more memory of a shared card than its share, in a mode that does not limit it."""
    START_FAILED = "start_failed"
    IMAGE_UNAVAILABLE = "image_unavailable"
    ISOLATION_UNAVAILABLE = "isolation_unavailable"
    """The card cannot enforce the isolation that the pool requires, or the verification failed."""
    DEVICE_LOST = "device_lost"
    NODE_FAULT = "node_fault"
    """The engine, its GPU runtime or the disk of the node; the detail is for its operator."""
    NODE_REBOOTED = "node_rebooted"
    LEASE_ENDED = "lease_ended"
    VANISHED = "vanished"
    TIME_LIMIT = "time_limit"
    """It ran longer than it may, and the portal, which was not heard, could not end it."""


INFRASTRUCTURE_CAUSES: Final = frozenset(
    {
        ExitCause.ISOLATION_UNAVAILABLE,
        ExitCause.DEVICE_LOST,
        ExitCause.NODE_FAULT,
        ExitCause.NODE_REBOOTED,
        ExitCause.LEASE_ENDED,
        ExitCause.VANISHED,
    }
)
"""Ends that the work did not cause: it is queued again, on another node if possible."""


class SilenceTerm(StrEnum):
    """What happens to a container while its node and the portal do not hear each other."""

    KEEP = "keep"
    """It keeps running, for days; the portal holds its place and starts no second copy."""
    REPLACE = "replace"
    """It is stopped when the lease of its node ends, and the portal starts it on another node."""


class GpuReleaseState(StrEnum):
    """Whether a container has its GPUs; a parked notebook has released them."""

    HELD = "held"
    LEAVING = "leaving"
    AWAY = "away"
    """Nothing of it is on them, as verified: they may be given to others."""
    KEPT = "kept"
    """It was ordered to release them, but could not."""
    RETURNING = "returning"


class CheckLevel(StrEnum):
    """How serious the outcome of a check of a host is."""

    OK = "ok"
    WARN = "warn"
    """Work runs, but something is weaker or slower than it could be."""
    FAIL = "fail"
    """The node cannot work, or not safely."""


class PullPhase(StrEnum):
    """How far an ordered pull of an image has come on its node."""

    WAITING = "waiting"
    PULLING = "pulling"
    DONE = "done"
    FAILED = "failed"


class CachePhase(StrEnum):
    """How far the copy of a published version on the disk of a node has come."""

    WAITING = "waiting"
    COPYING = "copying"
    CACHED = "cached"
    FAILED = "failed"


class SavePhase(StrEnum):
    """How far the saving of a container as an image has come."""

    WAITING = "waiting"
    """Another save of this node goes first."""
    COMMITTING = "committing"
    PUSHING = "pushing"
    SAVED = "saved"
    FAILED = "failed"

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self in (SavePhase.SAVED, SavePhase.FAILED)


@dataclass(frozen=True, slots=True)
class Device:
    """One card, one slice of a card, or a share of any size, as granted to one container."""

    uuid: str
    memory_mib: int
    """Guaranteed to the holder; the whole card's if it is not divided."""
    slot: int = 0
    """Number of the slice on its card; for a share, only distinguishes the shares of a card."""
    slices: int = 1
    """Into how many slices the card is divided; 1 is the whole card."""
    gpu_milli: int = 0
    """Above 0: a share of the card, in thousandths."""
    profile: str = ""
    """MIG profile that covers this slot, such as `1g.10gb`; `slices` are memory slices then."""
    ceiling_mib: int | None = None
    """Memory that it may use while others leave it free; None means no more than guaranteed."""
    compute_milli: int = 0
    """Thousandths of the card's multiprocessors, where the mode can limit them; 0 means no limit."""
    isolation: Isolation | None = None
    """The weakest acceptable isolation; None leaves the choice to the node."""

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole card."""
        return self.slices == 1 and not self.gpu_milli

    @property
    def fraction_milli(self) -> int:
        """Its part of the card in thousandths."""
        return self.gpu_milli or 1000 // self.slices

    def conflicts_with(self, other: "Device") -> bool:
        """Return whether both cannot be held at once: same slot, or two ways to divide one card."""
        if self.uuid != other.uuid:
            return False
        is_divided = not self.is_whole and not other.is_whole
        is_same_division = (
            is_divided
            and self.slices == other.slices
            and bool(self.gpu_milli) == bool(other.gpu_milli)
        )
        return not is_same_division or self.slot == other.slot


@dataclass(frozen=True, slots=True)
class Probe:
    """How a container is asked whether it is ready: by an HTTP request, until one is answered with 2xx."""

    path: str
    """Begins with a slash; below the base path where a server of the node's own is asked."""
    port: int | None = None
    """A port inside the container; None is the server that the node starts in an environment."""
    period_ms: int = 1000
    """Between an answer that it is not ready, or none, and the next request. A port is asked once a second at most."""
    deadline_s: int = 600
    """Work that is not ready so long after its start has failed to start."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The times of the protocol as the portal sets them; both sides must use the same."""

    heartbeat_ms: int
    lease_ttl_ms: int
    """From the send time of the heartbeat that is being answered."""
    lease_grace_ms: int
    """How long the portal waits beyond the lease; by then the watchdog must have ended all work."""
