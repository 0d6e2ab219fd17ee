"""The agent's other ports in memory: clock, link, disk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nodeagent.core.state import ContainerKey, DurableState, Lease
from nodeagent.core.timing import Deadline
from nodeagent.ports import LinkListener
from tests.fakes.portal import FakePortal
from wire.codec import decode_to_agent, encode
from wire.messages import FromAgent, OpenStream, ToAgent


@dataclass
class FakeClock:
    """A clock that moves when it is told to."""

    now: int = 1_000_000

    def now_ms(self) -> int:
        return self.now

    def wall_ms(self) -> int:
        return 1_700_000_000_000 + self.now


@dataclass
class MemoryLink:
    """A link straight into a `FakePortal`'s head; cut by `is_cut`."""

    portal: FakePortal
    is_cut: bool = False
    listener: LinkListener | None = None
    sent: list[FromAgent] = field(default_factory=list)

    async def run(self, listener: LinkListener) -> None:
        self.listener = listener
        listener.opened()
        await self.portal.forever.wait()

    def send(self, message: FromAgent) -> bool:
        self.sent.append(message)
        if self.is_cut or self.listener is None or not self.portal.is_answering:
            return False
        if (answer := self.portal.answer(encode(message))) is not None:
            self.listener.received(decode_to_agent(answer))
        return True


@dataclass
class MemoryStates:
    """A disk that can be full."""

    durable: DurableState | None = None
    is_full: bool = False

    def load(self) -> DurableState | None:
        return self.durable

    def save(self, durable: DurableState) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")
        self.durable = durable


@dataclass
class MemoryLease:
    """The lease's end in memory."""

    until: int = 0
    grace_ms: int = Lease(0).grace_ms

    deadlines: Mapping[ContainerKey, Deadline] = field(default_factory=dict)

    def write(self, lease: Lease) -> None:
        self.until, self.grace_ms, self.deadlines = lease.until, lease.grace_ms, lease.deadlines

    def read(self) -> Lease:
        return Lease(self.until, self.grace_ms, self.deadlines)


@dataclass
class NoStreams:
    """Opens nothing, and remembers what it was asked for."""

    asked: list[OpenStream] = field(default_factory=list)

    async def serve(self, order: OpenStream, is_live: Callable[[ContainerKey], bool]) -> None:
        self.asked.append(order)


@dataclass
class FakeLinkListener:
    """Records the events of a link."""

    opens: int = 0
    closes: int = 0
    messages: list[ToAgent] = field(default_factory=list)

    def opened(self) -> None:
        self.opens += 1

    def closed(self) -> None:
        self.closes += 1

    def received(self, message: ToAgent) -> None:
        self.messages.append(message)
