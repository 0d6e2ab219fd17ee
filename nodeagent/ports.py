"""Ports of the agent: what it needs from outside. Each has a real adapter and a fake."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from nodeagent.core.lease import ContainerFilter, any_container
from nodeagent.core.state import (
    Container,
    ContainerKey,
    DurableState,
    Finished,
    Lease,
    PendingStop,
)
from nodeagent.core.stop_notice import StopNotice
from nodeagent.disk.container_dir import AppEndpoint
from wire.facts import NodeFault
from wire.images import RegistryLogin
from wire.log_marks import LogMark
from wire.messages import ContainerSpec, FromAgent, OpenStream, ToAgent
from wire.secrets import SecretValue
from wire.words import Device, ExitCause, Isolation, Probe, SilenceTerm


class StartError(Exception):
    """The container did not start, and nothing of it is left."""

    def __init__(self, cause: ExitCause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
        self.detail = detail[:200]


class RuntimeUnavailableError(Exception):
    """The runtime did not answer, in time or at all; whether it acted is not known."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder or file of the host inside a container; the source was resolved without links."""

    source: Path
    target: str
    is_read_only: bool = True


@dataclass(frozen=True, slots=True)
class Injection:
    """What the sharing mode of its cards adds to a container."""

    env: Mapping[str, str] = field(default_factory=dict)
    """Overrides everything that an image or a user sets."""
    mounts: tuple[Mount, ...] = ()
    isolation: Isolation | None = None
    """What will be in force between it and other tenants of its cards."""
    devices: tuple[str, ...] | None = None
    """What it sees in place of the cards of its order, such as MIG devices."""
    needs_barrier: bool = False
    """The work waits until `Sharing.enforce` has returned: its limits need a live process."""
    device_files: tuple[Mount, ...] = ()
    """Character devices of the host that it may open; needed for cards of other vendors than NVIDIA."""
    groups: tuple[int, ...] = ()
    """Groups of the host that own these files, where only their members may open them."""


@dataclass(frozen=True, slots=True)
class ContainerOrder:
    """One container to start."""

    key: ContainerKey
    devices: tuple[Device, ...]
    spec: ContainerSpec
    injection: Injection = field(default_factory=Injection)
    silence: SilenceTerm = SilenceTerm.REPLACE
    secrets: tuple[SecretValue, ...] = field(default=(), repr=False)
    """Fetched for this start; a runtime writes them to memory only (`host.secret_files`)."""
    registry_login: RegistryLogin | None = field(default=None, repr=False)

    @property
    def visible_devices(self) -> tuple[str, ...]:
        """UUIDs that the container sees: of its cards, or of what stands in for them."""
        if self.injection.devices is not None:
            return self.injection.devices
        return tuple(dict.fromkeys(item.uuid for item in self.devices))


@dataclass(frozen=True, slots=True)
class ProcessScope:
    """Where the processes of a live container are."""

    pid: int
    """Of its first process, in the host's PID namespace."""
    cgroup: str
    """Path below `/sys/fs/cgroup`; empty when the container has none of its own."""


ApplyLimits = Callable[[ProcessScope], Awaitable[None]]
"""Sets limits on live processes; raises `StartError` when they are not in force."""


async def apply_no_limits(_: ProcessScope) -> None:
    """Set no limits."""


class Sharing(Protocol):
    """Enforces shares of cards: called before, at and after each container that has any."""

    async def prepare(self, order: ContainerOrder) -> Injection:
        """Return what the container needs; raises `StartError` where its isolation is unavailable."""

    async def enforce(self, order: ContainerOrder, scope: ProcessScope) -> None:
        """Set the limits and read them back; raises `StartError` when they are not in force."""

    async def suspend(self, key: ContainerKey) -> None:
        """Remove the limits of a container that parks; raises `StartError` if it cannot resume."""

    async def resume(self, key: ContainerKey, devices: tuple[Device, ...]) -> None:
        """Set the limits of a live container on these devices; raises `StartError`."""

    async def release(self, key: ContainerKey) -> None:
        """Remove the limits, before the container is removed; does nothing for unknown keys."""


class ContainerSupervisor(Protocol):
    """Warns and stops containers for reasons that the core does not decide."""

    def live_keys(self) -> Collection[ContainerKey]:
        """Return every container that exists or is being created."""

    async def warn_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        """Warn the work that it will be stopped for this cause unless it changes something."""

    async def stop_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        """Stop one container; its end reports this cause and detail."""


class ShareMonitor(Protocol):
    """Watches shares of cards while they are in use."""

    async def run(self, supervisor: ContainerSupervisor) -> None:
        """Check repeatedly, and warn or stop containers through the supervisor."""


@dataclass(frozen=True, slots=True)
class RunningContainer:
    """A live container; `endpoint` is where its web application answers, once it does."""

    container: Container
    endpoint: AppEndpoint | None = None
    probe: Probe | None = None
    """How it is asked whether it is ready; None where its order names no probe."""


@dataclass(frozen=True, slots=True)
class ContainerUsage:
    """What one container has used."""

    cpu_ms: int
    """CPU time since its start."""
    memory_mib: int
    rx_bytes: int | None = None
    """Since its start; None where it has no network of its own."""
    tx_bytes: int | None = None
    layer_mib: int | None = None
    """What it wrote outside of its folders, where the runtime knows that."""


@dataclass(frozen=True, slots=True)
class GpuUsage:
    """What the processes of one container use of its cards; None where it cannot be measured."""

    memory_mib: int | None = None
    utilisation_pct: int | None = None
    """Mean over its cards."""


@dataclass(frozen=True, slots=True)
class GpuPresence:
    """What of one container is on some cards, as just measured."""

    pids: frozenset[int]
    is_simulated: bool = False
    """The cards are simulated: no process can be on them, so an empty list proves nothing."""
    is_memory_returned: bool = True
    """They hold no more memory than idle cards, or other containers are on them."""
    memory_mib: int = 0
    """What its processes hold on them, as far as the driver tells."""


class ProgressCallback(Protocol):
    """Receives how far a start has come."""

    def __call__(self, step: str, progress_pct: int | None = None, /) -> None:
        """Take a step's name, and its percentage where there is one."""


class ContainerRuntime(Protocol):
    """Runs containers that outlive the agent. Every call may be repeated without harm."""

    @property
    def name(self) -> Literal["docker", "process"]:
        """Name of this runtime on the wire."""

    @property
    def is_isolated(self) -> bool:
        """Whether containers are isolated from each other and from the host."""

    @property
    def makes_images(self) -> bool:
        """Whether containers can be saved as images, and build them."""

    async def list_containers(self) -> tuple[RunningContainer | Finished, ...]:
        """Return every container of this node that was not removed, alive or ended."""

    async def start(
        self,
        order: ContainerOrder,
        report_progress: ProgressCallback,
        apply_limits: ApplyLimits = apply_no_limits,
    ) -> RunningContainer:
        """Start a container; raises `StartError`, whose detail begins with a code.

        `report_progress` is called before each step, the last one being "starting", and with the
        percentage of a long one; it raises `StartError` once the work may not start any more.
        `apply_limits` is awaited once the processes are alive, if the injection names an isolation;
        what it raises ends the start. Work behind a start barrier runs only after it has returned,
        and never behind a barrier that another agent made: such a container ends by itself.
        """

    async def mark_ready(self, key: ContainerKey) -> None:
        """Record that it has answered its probe, also for the next agent."""

    async def wait_for_end(self, key: ContainerKey) -> Finished:
        """Wait until nothing of the container runs any more, and return its end."""

    async def deliver_notice(self, key: ContainerKey, notice: StopNotice) -> None:
        """Write the stop notice where the work sees it, and send its signal; nothing is stopped."""

    async def read_checkpoints(self, keys: Collection[ContainerKey]) -> Mapping[ContainerKey, int]:
        """Return when the work in these containers last wrote its checkpoint file, UTC in ms."""

    async def stop(self, key: ContainerKey, cause: ExitCause, grace_ms: int) -> None:
        """Send SIGTERM to a container, SIGKILL after the grace. A repeated call never delays it."""

    async def remove(self, key: ContainerKey) -> None:
        """Delete what is left of an ended container, its log included."""

    async def read_log(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        """Return log bytes from `offset` on; empty at the present end."""

    async def read_marks(self, key: ContainerKey, begin: int, end: int) -> Sequence[LogMark]:
        """Return when the lines that begin in these bytes of its log were written, as far as known."""

    async def read_excess(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        """Return the same of the metrics lines that came after the beginning of its log."""

    async def measure_usage(self) -> Mapping[ContainerKey, ContainerUsage]:
        """Return what each live container has used, as far as it is known."""

    def prefetch_images(self, references: tuple[str, ...], login_hosts: tuple[str, ...]) -> None:
        """Pull these images beforehand, and never remove them.

        `login_hosts` are the registries from which any image is pulled with a login of the portal.
        """

    async def maintain(self) -> None:
        """Maintain what is beside the containers, such as images; does not return."""


class Fence(Protocol):
    """Ends containers of this node without the agent; for the watchdog and for shutdown."""

    def stop_all(
        self, cause: ExitCause, grace_ms: int, is_meant: ContainerFilter = any_container
    ) -> int:
        """Send SIGTERM to every live container that is meant, and return how many there were."""

    def kill_all(self, is_meant: ContainerFilter = any_container) -> None:
        """Kill every container that is meant and still alive."""

    def read_stop(self, key: ContainerKey) -> PendingStop | None:
        """Return the stop of a container that is under way, from any cause."""

    def count_live(self) -> int:
        """Return how many containers are alive."""


@dataclass(frozen=True, slots=True)
class InspectionFindings:
    """What one inspection of the host found; empty fields mean nothing."""

    faults: tuple[NodeFault, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of `engine`, `runc`, `toolkit`, `kernel`, ..."""
    disk_mib: int | None = None
    disk_free_mib: int | None = None
    dataset_folders: tuple[str, ...] | None = None
    """The folders of data sets that this node has; None is unknown."""


class Inspection(Protocol):
    """A check of the host that runs with every sample; cheap, or it caches its result."""

    async def inspect(self) -> InspectionFindings:
        """Return what was found; after some seconds the caller keeps the last result instead."""


class LinkListener(Protocol):
    """Receives what happens on a link."""

    def opened(self) -> None:
        """The link is open: messages can be sent from now on."""

    def closed(self) -> None:
        """The link is closed: what was in flight is lost."""

    def received(self, message: ToAgent) -> None:
        """The portal has sent a message."""


class Link(Protocol):
    """The connection to the portal; it reconnects by itself."""

    async def run(self, listener: LinkListener) -> None:
        """Keep the link open, and pass what happens on it to the listener."""

    def send(self, message: FromAgent) -> bool:
        """Send a message, or drop it while the link is closed: everything is repeated anyway.

        Returns whether it is on its way.
        """


class StreamServer(Protocol):
    """Opens streams into containers on the portal's request."""

    async def serve(self, order: OpenStream, is_live: Callable[[ContainerKey], bool]) -> None:
        """Serve one stream to its end; `is_live` tells whether its container may be entered."""


class StateStore(Protocol):
    """Stores what must survive the agent."""

    def load(self) -> DurableState | None:
        """Return what was saved last; None when there is nothing, or nothing readable."""

    def save(self, durable: DurableState) -> None:
        """Save this; returns when it is on the disk."""


class LeaseStore(Protocol):
    """Stores the lease for the watchdog."""

    def write(self, lease: Lease) -> None:
        """Save the lease."""

    def read(self) -> Lease:
        """Return the lease; an unknown one has ended."""


class Clock(Protocol):
    """The two clocks that an agent needs."""

    def now_ms(self) -> int:
        """Return milliseconds since boot; continues while the host is suspended."""

    def wall_ms(self) -> int:
        """Return UTC in milliseconds; for reports only."""
