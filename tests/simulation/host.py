"""One GPU server: its disk, its container engine, its watchdog and the real agent core."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from nodeagent.core.commands import (
    Command,
    RemoveContainer,
    SaveLease,
    SaveState,
    SendHeartbeat,
    StartContainer,
    StopContainer,
    WarnContainer,
)
from nodeagent.core.events import (
    Event,
    FactsChanged,
    LinkDown,
    LinkUp,
    Replied,
    ReplyRefused,
    Ticked,
)
from nodeagent.core.recovery import NO_LEASE, recover_state
from nodeagent.core.state import (
    AgentState,
    Container,
    ContainerKey,
    DesiredEntry,
    DurableState,
    SentHeartbeat,
)
from nodeagent.core.step import next_wake, step
from nodeagent.core.timing import Timing
from scheduler.core.model.entities import NodeId
from tests.simulation.bugs import Bugs
from tests.simulation.engine import Behaviour, Engine
from tests.simulation.loop import SECOND, Loop
from tests.simulation.network import Link
from tests.simulation.translation import Sender, heartbeat_of, reply_of
from tests.simulation.watchdog import Disk, SimulatedWatchdog
from wire.facts import AcceleratorFacts, AcceleratorHealth
from wire.messages import (
    Desired,
    Heartbeat,
)
from wire.words import ExitCause

NEVER = 10**9
"""A time-to-live that no run reaches: the planted bug without a fence."""


@dataclass(slots=True)
class Host:
    """A server that may crash in every part on its own."""

    id: NodeId
    loop: Loop
    link: Link
    bugs: Bugs
    cards: list[AcceleratorFacts]
    deliver: Callable[[NodeId, Heartbeat, Callable[[Desired | int], None]], None]
    behaviour_of: Callable[[str], Behaviour]
    trace: Callable[[str, str], None]
    machine_id: str
    disk: Disk = field(default_factory=Disk)
    folder: str = "first"
    """The state directory of the agent; a copy of it is another one."""
    others: list["Host"] = field(default_factory=list)
    """Agents of the same machine and identity, in copied folders."""
    boots: int = 0
    booted_at: int = 0
    state: AgentState | None = None
    """None while the agent does not run."""
    life: int = 0
    """Counts the starts of the agent: work of an earlier one is void."""
    is_frozen: bool = False
    is_on: bool = False
    has_watchdog: bool = True
    ambush: Callable[["Host"], None] | None = None
    """A fault that lies in wait for the moment between a start and the first word of it."""
    later: list[Callable[[], None]] = field(default_factory=list)
    """What a frozen agent would have done, in order."""
    connection: int = 0
    """Counts the connections that the portal has closed."""
    opened: int = 0
    """The connection that the agent has opened last."""
    is_unlinked: bool = False
    """The portal is away for so long that no link is tried in the simulation."""
    forsaken: set[ContainerKey] = field(default_factory=set)
    """Containers that were given up while they ran: an operator or a fence command was wrong."""
    engine: Engine = field(init=False)

    def __post_init__(self) -> None:
        self.engine = Engine(self.loop, self.tell, self._uptime)

    # --- Power and processes -------------------------------------------------------------------

    def boot(self) -> None:
        """Switch on: the lease file of an earlier boot means nothing."""
        self.boots += 1
        self.booted_at = self.loop.now - 60 * SECOND
        self.disk.lease = NO_LEASE
        self.is_on = True
        self.watch(self.boots)
        self.start_agent()

    def power_off(self) -> None:
        """Lose the agent, the watchdog and every container at once."""
        for one in (self, *self.others):
            one.switch_off()

    def switch_off(self) -> None:
        """Lose what belongs to this folder."""
        self.kill_agent()
        self.is_on = False
        self.engine.power_off()

    def start_agent(self) -> None:
        """Start the agent: it adopts what lives and reports what ended meanwhile."""
        if not self.is_on or self.state is not None or self._is_locked():
            return
        if not self.bugs.no_host_lock:
            for other in self.others:
                other.engine.power_off()
        self.life += 1
        self.engine.drop_unstarted()
        blank = self.bugs.forgets
        state, commands = recover_state(
            None if blank else self.disk.durable,
            first_seq=self.loop.now + 1,
            lease=self.disk.lease,
            live=() if blank else self._list_live(),
            ended=() if blank else self.engine.list_ended(),
            timing=Timing(lease_ttl_ms=NEVER) if self.bugs.no_self_fence else None,
        )
        self.state = state
        self.trace(self.id, f"agent starts at seq {state.seq}")
        self._execute(commands)
        self._tell_facts()
        self.link_up()

    def _is_locked(self) -> bool:
        """Tell whether an agent of another folder holds the lock of the machine."""
        others = [other for other in self.others if other.state is not None]
        return bool(others) and not self.bugs.no_host_lock

    def _list_live(self) -> tuple[Container, ...]:
        live = self.engine.list_live()
        return tuple(replace(item, stop=None) for item in live) if self.bugs.forgets_stops else live

    def link_up(self) -> None:
        """Open the link, unless the portal is away for long."""
        if self.is_unlinked or self.state is None:
            return
        if self.bugs.forgets_silent_ends:
            self.state = replace(self.state, finished=())
        self.opened = self.connection
        self.tell(LinkUp())

    def lose_connection(self) -> None:
        """Lose the connection with all that is on its way to the portal, and open another one."""
        self.connection += 1
        self.flap()

    def lose_portal(self) -> None:
        """Lose the link to a portal that stays away for long."""
        self.is_unlinked = True
        self.tell(LinkDown())

    def find_portal(self) -> None:
        """Try the link again: the portal may be back."""
        self.is_unlinked = False
        self.link_up()

    def kill_agent(self) -> None:
        """Lose the agent with all that is only in its memory."""
        self.state = None
        self.is_frozen = False
        self.later.clear()
        self.life += 1

    def freeze(self) -> None:
        """Stop the agent where it is; its containers and its watchdog go on."""
        self.is_frozen = self.state is not None

    def thaw(self) -> None:
        """Let a frozen agent go on; it does not know how long it slept."""
        self.is_frozen = False
        waiting, self.later = self.later, []
        for action in waiting:
            action()

    def flap(self) -> None:
        """Lose the link and open another one."""
        self.tell(LinkDown())
        self._as_agent(self.loop.between(0.1, 8), self.link_up)

    def change_card(self, index: int, health: AcceleratorHealth) -> None:
        """Let a card break or come back."""
        self.cards[index] = self.cards[index].model_copy(update={"health": health})
        self._tell_facts()

    def _tell_facts(self) -> None:
        gone = (card for card in self.cards if card.health is AcceleratorHealth.GONE)
        self.tell(FactsChanged({card.uuid: "gpu_lost" for card in gone}))

    def owes(self) -> list[str]:
        """Return what is left on the host or still to be told; nothing once all is quiet."""
        state = self.state
        if state is None:
            return ["no agent"]
        left = [f"{key.allocation}@{key.epoch} exists" for key in self.engine.boxes]
        left += [f"{key.allocation}@{key.epoch} is known" for key in state.containers]
        left += [f"{end.key.allocation}@{end.key.epoch} has ended" for end in state.finished]
        if not self.bugs.no_tombstones:
            left += [f"{key.allocation}@{key.epoch} is buried" for key in state.tombstones]
        return left

    # --- The agent -----------------------------------------------------------------------------

    def tell(self, event: Event) -> None:
        """Hand an event to the agent, if it runs."""
        if self.state is None:
            return
        if self.is_frozen:
            self.later.append(partial(self.tell, event))
            return
        state = self._tampered(self.state, event)
        self.state, commands = step(state, event, self._uptime())
        if self.bugs.forgets_ends and any(isinstance(c, SendHeartbeat) for c in commands):
            self.state = replace(self.state, finished=())
        self._execute(commands)
        self._sleep()

    def _tampered(self, state: AgentState, event: Event) -> AgentState:
        if self.bugs.applies_stale_replies and isinstance(event, Replied):
            fresh = SentHeartbeat(event.seq, self._uptime())
            return replace(state, applied=event.seq - 1, sent=(fresh, *state.sent))
        return state

    @property
    def boot_id(self) -> str:
        """Return the id of the present boot."""
        return f"{self.machine_id}-{self.boots}"

    def _uptime(self) -> int:
        return self.loop.now - self.booted_at

    def _sleep(self) -> None:
        """Arrange for the next `Ticked`; an outdated one only finds nothing to do."""
        wake = next_wake(self.state) if self.state is not None else None
        if wake is not None:
            pause = max(wake - self._uptime(), 1)
            self._as_agent(pause, self._tick)

    def _tick(self) -> None:
        wake = next_wake(self.state) if self.state is not None else None
        if wake is not None and wake <= self._uptime():
            self.tell(Ticked())

    def _as_agent(self, delay_ms: int, action: Callable[[], None]) -> None:
        """Do something later in the life of this agent, not of its successor."""
        life = self.life

        def run() -> None:
            if self.life != life:
                return
            if self.is_frozen:
                self.later.append(action)
            else:
                action()

        self.loop.after(delay_ms, run)

    def _execute(self, commands: tuple[Command, ...]) -> None:
        """Run commands in order; what starts or leaves waits for what is being saved."""
        saving_ms = 0
        for command in commands:
            match command:
                case SaveState():
                    saving_ms = self.loop.between(0.5, 3) if self.disk.is_slow else 5
                    self._as_agent(saving_ms, partial(self._save, command.durable))
                case StartContainer():
                    self._as_agent(saving_ms, partial(self._create, command.desired))
                case _:
                    self._do_at_once(command)

    def _do_at_once(self, command: Command) -> None:
        match command:
            case SaveLease():
                self.disk.lease = command.lease
            case StopContainer():
                if command.cause is ExitCause.STOPPED:
                    self.engine.ordered_stops.add(command.key)
                self.engine.stop(command.key, command.cause, command.grace_ms)
            case WarnContainer():
                minds_orders = not self.bugs.tells_over_orders
                self.engine.announce(command.key, command.stop, minds_orders=minds_orders)
            case RemoveContainer():
                self.engine.remove(command.key)
            case SendHeartbeat():
                self._send(command)
            case _:
                pass  # notebooks keep their cards

    def _save(self, durable: DurableState) -> None:
        self.disk.durable = durable

    def _create(self, wanted: DesiredEntry) -> None:
        self.trace(self.id, f"creates {wanted.key.allocation}@{wanted.key.epoch}")
        if self.ambush is not None:
            self.ambush(self)
        life = self.life
        behaviour = self.behaviour_of(wanted.key.allocation)

        def created() -> None:
            if self.life == life:
                self._as_agent(0, lambda: self._start(wanted.key))

        self.engine.create(wanted, behaviour, created)

    def _start(self, key: ContainerKey) -> None:
        """Start what was created, unless the lease ended or a stop came meanwhile."""
        state = self.state
        if state is None or key not in state.containers:
            return
        if self.bugs.starts_past_lease or self._uptime() < state.lease_until:
            self.engine.start(key)
        else:
            self.engine.stop(key, ExitCause.LEASE_ENDED, 0)

    # --- The link ------------------------------------------------------------------------------

    def _send(self, beat: SendHeartbeat) -> None:
        sender = Sender(self.boot_id, self.machine_id, self.folder)
        message = heartbeat_of(beat, self.id, sender, self.cards, self.bugs)
        life, boots, opened = self.life, self.boots, self.opened

        def answer(reply: Desired | int) -> None:
            if self.life != life:
                return
            if isinstance(reply, int):
                self.tell(ReplyRefused(reply))
            else:
                self.tell(reply_of(reply, self.bugs))

        def arrive() -> None:
            """Deliver it, unless the connection has ended, alone or with the boot that opened it."""
            if self.is_on and self.boots == boots and self.connection == opened:
                self.deliver(self.id, message, lambda reply: self.link.down(lambda: answer(reply)))

        self.link.up(arrive)

    # --- The watchdog --------------------------------------------------------------------------

    def watch(self, boot: int) -> None:
        """Run the real watchdog, whatever the agent does; the agent cannot prevent it.

        While it is dead as well, the shims of the containers look at the lease themselves.
        """
        if not self.is_on or self.boots != boot:
            return
        watchdog = SimulatedWatchdog(self.disk, self.engine, self.bugs, self._uptime)
        if self.has_watchdog:
            watchdog.check()
        else:
            watchdog.look_as_shims()
        self.loop.after(watchdog.pause_ms(), lambda: self.watch(boot))
