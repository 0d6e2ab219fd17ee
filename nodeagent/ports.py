"""What the agent needs from the outside world; each port has a real adapter and a fake."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from nodeagent.core.state import Container, ContainerKey, DurableState, Finished
from nodeagent.core.timing import Lease
from nodeagent.disk.container_dir import Endpoint
from wire.facts import AcceleratorFacts, NodeFault
from wire.messages import ContainerSpec, FromAgent, OpenStream, ToAgent
from wire.words import Device, ExitCause, Isolation


class StartError(Exception):
    """The container did not come up and nothing of it is left."""

    def __init__(self, cause: ExitCause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
        self.detail = detail[:200]


class RuntimeUnavailableError(Exception):
    """The runtime did not answer, in time or at all; what it did is not known."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder or file of the host inside a container; the source was resolved without links."""

    source: Path
    target: str
    is_read_only: bool = True


@dataclass(frozen=True, slots=True)
class Injection:
    """What a container gets on top of its order, from the sharing mode of its cards."""

    env: Mapping[str, str] = field(default_factory=dict)
    """Wins over everything that an image or a user says."""
    mounts: tuple[Mount, ...] = ()
    isolation: Isolation | None = None
    """What will be in force, in the words of `wire.messages.Isolation`."""
    devices: tuple[str, ...] | None = None
    """What it sees in place of the cards of its order, such as a hardware partition of one."""
    needs_barrier: bool = False
    """The work waits until `Sharing.enforce` has returned: its limits need a living process."""


@dataclass(frozen=True, slots=True)
class ContainerOrder:
    """One container to start."""

    key: ContainerKey
    devices: tuple[Device, ...]
    spec: ContainerSpec
    injection: Injection = field(default_factory=Injection)

    @property
    def visible_devices(self) -> tuple[str, ...]:
        """UUIDs of the cards, or of what stands for them, that the container sees."""
        if self.injection.devices is not None:
            return self.injection.devices
        return tuple(dict.fromkeys(item.uuid for item in self.devices))


@dataclass(frozen=True, slots=True)
class ProcessScope:
    """Where the processes of a container are, once they live."""

    pid: int
    """Of its first process, in the host's numbers."""
    cgroup: str
    """Path below `/sys/fs/cgroup`; empty when the container has none of its own."""


ApplyLimits = Callable[[ProcessScope], Awaitable[None]]
"""Sets limits on living processes; raises `StartError` when they are not in force."""


async def apply_no_limits(_: ProcessScope) -> None:
    """Set no limits."""


class Sharing(Protocol):
    """Makes the shares of cards hold. Asked before, at and after each container that has any."""

    async def prepare(self, order: ContainerOrder) -> Injection:
        """Return what the container needs; raises `StartError` when the demanded isolation is not there."""

    async def enforce(self, order: ContainerOrder, scope: ProcessScope) -> None:
        """Set the limits and read them back; raises `StartError` when they are not in force."""

    async def suspend(self, key: ContainerKey) -> None:
        """Take the limits back while the container lives on without its cards.

        Raises `StartError` where it could not have the same shares again.
        """

    async def resume(self, key: ContainerKey, devices: tuple[Device, ...]) -> None:
        """Set the limits of a living container on these devices; raises `StartError`."""

    async def release(self, key: ContainerKey) -> None:
        """Take the limits back, before the container is removed; unknown keys are nothing to do."""


@dataclass(frozen=True, slots=True)
class StopNotice:
    """What work is told before it is stopped; times are UTC milliseconds."""

    reason: str
    signal: str
    """Sent to it once, such as `SIGUSR1`; empty is none."""
    stop_at: int
    """When it is asked to stop (SIGTERM)."""
    deadline: int
    """When it is ended by force."""

    def content(self) -> dict[str, int | str]:
        """Return what the notice file says; times in whole seconds since 1970, as `date +%s`."""
        times = {"stop_at": self.stop_at // 1000, "deadline": self.deadline // 1000}
        return {"reason": self.reason, **times}


class ContainerSupervisor(Protocol):
    """Whoever runs the containers of a node."""

    def live_keys(self) -> Collection[ContainerKey]:
        """Return every container that exists or is being made."""

    async def warn_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        """Tell the work that it will be stopped for this unless it changes something."""

    async def stop_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        """Stop one container, and let its end say why."""


class ShareMonitor(Protocol):
    """Goes on looking at shares while they are in use."""

    async def run(self, supervisor: ContainerSupervisor) -> None:
        """Look for ever, and act through whoever runs the containers."""


@dataclass(frozen=True, slots=True)
class RunningContainer:
    """A live container; `endpoint` is where its web application answers, once it does."""

    container: Container
    endpoint: Endpoint | None = None


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
    """What the processes of one container use of its cards; None where nobody can tell."""

    memory_mib: int | None = None
    utilisation_pct: int | None = None
    """Mean over its cards."""


@dataclass(frozen=True, slots=True)
class GpuPresence:
    """What of a container is on some cards, as just seen."""

    pids: frozenset[int]
    is_simulated: bool = False
    """There is nothing that a process could be on: what is not seen proves nothing here."""
    is_memory_returned: bool = True
    """They hold no more than cards that nobody uses, as far as nobody else is on them."""


class ProgressCallback(Protocol):
    """Hears how far a start has come."""

    def __call__(self, step: str, progress_pct: int | None = None, /) -> None:
        """Take a step's name, and its percentage where there is one."""


class ContainerRuntime(Protocol):
    """Runs containers that outlive the agent. Every call may be repeated without harm."""

    @property
    def name(self) -> Literal["docker", "process"]:
        """What the portal calls this runtime."""

    @property
    def is_isolated(self) -> bool:
        """Whether containers are kept from each other and from the host."""

    async def list_containers(self) -> tuple[RunningContainer | Finished, ...]:
        """Return every container of this node that was not removed, alive or ended."""

    async def start(
        self,
        order: ContainerOrder,
        report_progress: ProgressCallback,
        apply_limits: ApplyLimits = apply_no_limits,
    ) -> RunningContainer:
        """Bring a container up; raises `StartError`, whose detail begins with a code.

        `note` is told each step before it is taken, the last one being "starting", and how far a
        long one has come; it raises `StartError` once the work may not start any more.

        `confine` is awaited once the processes live, if the fittings name an isolation; the work
        of a gated order does not run before it has returned. What it raises ends the start. A
        gate that this agent did not open is never opened: the container ends by itself.
        """

    async def mark_ready(self, key: ContainerKey) -> None:
        """Remember that the web application has answered, also for the next agent."""

    async def wait_for_end(self, key: ContainerKey) -> Finished:
        """Wait until nothing of the container runs any more, and return its end."""

    async def deliver_notice(self, key: ContainerKey, notice: StopNotice) -> None:
        """Write the notice where the work sees it, and send its signal; nothing is stopped."""

    async def read_checkpoints(self) -> Mapping[ContainerKey, int]:
        """Return when the work in each live container last said that it is saved, UTC in ms."""

    async def stop(self, key: ContainerKey, cause: ExitCause, grace_ms: int) -> None:
        """Ask a container to stop, by force after the grace. A repeated order never delays it."""

    async def remove(self, key: ContainerKey) -> None:
        """Clear away what is left of an ended container, its log included."""

    async def read_log(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        """Return log bytes from `offset` on; empty at the present end."""

    async def measure_usage(self) -> Mapping[ContainerKey, ContainerUsage]:
        """Return what each live container has used, as far as it is known."""

    def prefetch_images(self, references: tuple[str, ...]) -> None:
        """Have these images here beforehand, and never clear them away."""

    async def maintain(self) -> None:
        """Do for ever what is to be done beside the containers."""


class Fence(Protocol):
    """Ends all containers of this node without the agent; for the watchdog and for shutdown."""

    def stop_all(self, cause: ExitCause, grace_ms: int) -> int:
        """Ask every live container to stop, and return how many there were."""

    def kill_all(self) -> None:
        """End by force whatever is still alive."""

    def count_live(self) -> int:
        """Return how many containers are alive."""


@dataclass(frozen=True, slots=True)
class CardProcess:
    """A process that uses a card."""

    pid: int
    """In the host's numbers."""
    memory_mib: int | None
    """None where the driver does not tell."""
    utilisation_pct: int | None = None


@dataclass(frozen=True, slots=True)
class CardReading:
    """One card as its driver sees it at one moment."""

    facts: AcceleratorFacts
    """Its health is what the driver alone can say: ok, bad or gone."""
    processes: tuple[CardProcess, ...] | None = None
    """All that use it, whoever they belong to; None when the driver cannot tell."""
    xids: tuple[int, ...] = ()
    """Reported since the look before, in NVIDIA's numbers."""
    ecc_uncorrected: int = 0
    """Memory errors that were neither corrected nor remapped, since the driver was loaded."""
    has_remap_failed: bool = False
    """Whether a broken row of its memory could not be replaced."""


@dataclass(frozen=True, slots=True)
class CardReadings:
    """One look at all cards of a node."""

    cards: tuple[CardReading, ...] = ()
    """Every card ever seen by this agent; one that is missing now is gone."""
    faults: tuple[NodeFault, ...] = ()
    driver: str = ""
    """Its version; empty when it is not known."""


class GpuDriver(Protocol):
    """Knows the cards of this node. Answers within seconds, whatever the hardware does."""

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Look at every card. The load of its holders, by UUID, is for drivers that simulate."""

    async def wait_for_event(self) -> None:
        """Return when something has happened that is worth a look at once; may wait for ever."""


class OwnerLookup(Protocol):
    """Knows whose a process of this host is."""

    async def find_owners(self, pids: frozenset[int]) -> Mapping[int, ContainerKey]:
        """Return the container of each process that is in one of ours."""


@dataclass(frozen=True, slots=True)
class InspectionFindings:
    """What one inspection of the host found; empty fields say nothing."""

    faults: tuple[NodeFault, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of `engine`, `runc`, `toolkit`, `kernel`, ..."""
    disk_mib: int | None = None
    disk_free_mib: int | None = None


class Inspection(Protocol):
    """Something of the host that is looked at with every sample; cheap, or it keeps its answer."""

    async def inspect(self) -> InspectionFindings:
        """Return what was found; one that takes longer than seconds keeps its last answer."""


class LinkListener(Protocol):
    """Who hears what happens on a link."""

    def opened(self) -> None:
        """Messages can be sent from now on."""

    def closed(self) -> None:
        """Whatever was in flight is lost."""

    def received(self, message: ToAgent) -> None:
        """The portal said something."""


class Link(Protocol):
    """The connection to the portal; it opens itself again for ever."""

    async def run(self, listener: LinkListener) -> None:
        """Keep the link open and tell the listener what comes."""

    def send(self, message: FromAgent) -> None:
        """Send a message, or drop it when the link is closed: everything is repeated anyway."""


class StreamServer(Protocol):
    """Opens ways into containers when the portal asks for one."""

    async def serve(self, order: OpenStream, is_live: Callable[[ContainerKey], bool]) -> None:
        """Serve one stream to its end; `is_live` tells whether its container may be entered."""


class StateStore(Protocol):
    """Keeps what must survive the agent."""

    def load(self) -> DurableState | None:
        """Return what was saved last; None when there is nothing, or nothing readable."""

    def save(self, durable: DurableState) -> None:
        """Keep this from now on; returns when it is on the disk."""


class LeaseStore(Protocol):
    """Where the watchdog reads until when work may run."""

    def write(self, lease: Lease) -> None:
        """Let work run until the end of this lease."""

    def read(self) -> Lease:
        """Return the lease; one that is not known has ended."""


class Clock(Protocol):
    """The two times an agent needs."""

    def now_ms(self) -> int:
        """Return milliseconds since boot; goes on while the host sleeps."""

    def wall_ms(self) -> int:
        """Return UTC in milliseconds; for reports only."""
