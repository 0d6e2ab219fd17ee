"""Work that was told of a deadline is not killed before it, whoever stops it and whoever dies meanwhile."""

from dataclasses import dataclass, field, replace

from hypothesis import given
from hypothesis import strategies as st

from nodeagent.core.commands import SaveLease, StopContainer, WarnContainer
from nodeagent.core.events import ContainerChanged, Event, LinkUp, Replied, Ticked
from nodeagent.core.overtime import (
    AGENT_FIRST_MS,
    OvertimeKill,
    OvertimeStop,
    decide_overtime,
)
from nodeagent.core.recovery import recover_state
from nodeagent.core.state import (
    AgentState,
    Container,
    DesiredEntry,
    GracePeriod,
    Lease,
    PendingStop,
    RunLimit,
)
from nodeagent.core.step import step
from nodeagent.core.timing import Deadline
from tests.nodeagent.core.harness import key
from wire.words import ExitCause, Phase, SilenceTerm

TICK_MS = 1_000
LAST_MS = 1_800_000
KEY = key("a.0", 1)


@dataclass
class Node:
    """A container that obeys no signal, its agent and its watchdog; what is on the disk outlives both."""

    limit: RunLimit
    eviction: GracePeriod | None
    evicted_at: int
    now: int = 0
    agent: AgentState | None = None
    lease: Lease = field(default_factory=lambda: Lease(0))
    announced: PendingStop | None = None
    kill_at: int | None = None
    told: int = 0
    killed_at: int | None = None

    @property
    def pending(self) -> PendingStop | None:
        if self.kill_at is not None:
            return PendingStop(ExitCause.STOPPED, 0, kill_at=self.kill_at)
        return self.announced

    def start_agent(self) -> None:
        running = Container(
            KEY, (), Phase.RUNNING, silence=SilenceTerm.KEEP, stop=self.pending, started_at=1
        )
        self.agent, _ = recover_state(None, first_seq=self.now, lease=self.lease, live=(running,))

    def feed(self, event: Event) -> None:
        if self.agent is None or self.killed_at is not None:
            return
        self.agent, commands = step(self.agent, event, self.now)
        for command in commands:
            match command:
                case SaveLease():
                    self.lease = command.lease
                case WarnContainer(stop=stop) if stop.notice and stop.warned_at is not None:
                    self.announced, self.told = stop, stop.warned_at + stop.notice.total_ms
                case StopContainer(grace_ms=grace_ms):
                    self.order_stop(grace_ms)
                case _:
                    pass

    def order_stop(self, grace_ms: int) -> None:
        kill_at = self.now + grace_ms
        self.kill_at = kill_at if self.kill_at is None else min(kill_at, self.kill_at)

    def hear_portal(self) -> None:
        """Let the agent send a heartbeat and hear that the work goes on, or that it is over."""
        self.feed(LinkUp())
        if self.agent is None:
            return
        is_evicted = self.eviction is not None and self.now >= self.evicted_at
        is_over = self.now >= self.limit.remaining_ms
        graces = {}
        if is_evicted and self.eviction is not None:
            graces = {KEY: self.eviction}
        elif is_over:
            limit = self.limit
            graces = {KEY: GracePeriod(limit.grace_ms, limit.notice_ms, limit.signal, "time_limit")}
        left = replace(self.limit, remaining_ms=max(0, self.limit.remaining_ms - self.now))
        wanted = DesiredEntry(KEY, (), "{}", silence=SilenceTerm.KEEP, limit=left)
        desired = () if is_evicted or is_over else (wanted,)
        self.feed(Replied(self.agent.seq, desired, grace_periods=graces))

    def watch(self) -> None:
        """Look as the watchdog does."""
        deadline = self.lease.deadlines.get(KEY)
        if deadline is None or self.now < deadline.at + AGENT_FIRST_MS:
            return
        match decide_overtime(deadline, self.pending, self.now):
            case OvertimeStop(grace_ms=grace_ms):
                self.order_stop(grace_ms)
            case OvertimeKill():
                self.killed_at = self.now
            case None:
                pass

    def live_on(self) -> None:
        """Carry out the order to stop, as shims and engines do without any of them."""
        if self.killed_at is None and self.kill_at is not None and self.now >= self.kill_at:
            self.killed_at = self.now


SECONDS = st.integers(0, 600)


@st.composite
def graces(draw: st.DrawFn) -> tuple[int, int, str]:
    """Draw a grace as the portal divides it: work with SIGTERM gets that at once."""
    total = draw(SECONDS) * 1000
    signal = draw(st.sampled_from(["SIGTERM", "SIGUSR1", ""]))
    return (
        total,
        0 if signal == "SIGTERM" else total * 2 // 3,
        "" if signal == "SIGTERM" else signal,
    )


spans = st.lists(st.tuples(st.integers(0, 1_200), st.integers(1, 900)), max_size=4)
"""Seconds at which something goes away, and for how long."""


def is_away(found: list[tuple[int, int]], now: int) -> bool:
    return any(begin * 1000 <= now < (begin + length) * 1000 for begin, length in found)


@given(
    limit_s=st.integers(10, 600),
    limit_grace=graces(),
    eviction=st.none() | graces(),
    evicted_s=st.integers(1, 700),
    agent_away=spans,
    portal_away=spans,
    watchdog_away=spans,
)
def test_nobody_kills_before_the_deadline_that_was_told(
    limit_s: int,
    limit_grace: tuple[int, int, str],
    eviction: tuple[int, int, str] | None,
    evicted_s: int,
    agent_away: list[tuple[int, int]],
    portal_away: list[tuple[int, int]],
    watchdog_away: list[tuple[int, int]],
) -> None:
    node = Node(
        RunLimit(limit_s * 1000, *limit_grace),
        GracePeriod(*eviction, reason="preempted") if eviction else None,
        evicted_s * 1000,
    )
    node.start_agent()
    node.feed(ContainerChanged(KEY, Phase.RUNNING, started_at=1))
    for now in range(0, 3 * LAST_MS, TICK_MS):
        node.now = now
        if is_away(agent_away, now):
            node.agent = None
        elif node.agent is None:
            node.start_agent()
        if not is_away(portal_away, now):
            node.hear_portal()
        node.feed(Ticked())
        if not is_away(watchdog_away, now):
            node.watch()
        node.live_on()
        if node.killed_at is not None:
            break
    assert node.killed_at is not None, "it outlived its limit"
    assert node.killed_at >= node.told


def test_watchdog_gives_the_grace_that_the_limit_carries() -> None:
    deadline = Deadline(at=100_000, grace_ms=300_000, notice_ms=200_000)
    due = 300_000 + AGENT_FIRST_MS
    assert decide_overtime(deadline, None, due - 1) is None
    assert decide_overtime(deadline, None, due) == OvertimeStop(ExitCause.TIME_LIMIT, 100_000)


def test_watchdog_goes_on_with_what_a_dead_agent_has_announced() -> None:
    deadline = Deadline(at=100_000, grace_ms=10_000)
    notice = GracePeriod(600_000, 400_000, reason="preempted")
    announced = PendingStop(ExitCause.STOPPED, 200_000, notice=notice, warned_at=90_000)
    due = 490_000 + AGENT_FIRST_MS
    assert decide_overtime(deadline, announced, due - 1) is None
    assert decide_overtime(deadline, announced, due) == OvertimeStop(ExitCause.STOPPED, 200_000)


def test_watchdog_kills_what_outlives_an_order() -> None:
    deadline = Deadline(at=0, grace_ms=0)
    ordered = PendingStop(ExitCause.STOPPED, 0, kill_at=690_000)
    late = 690_000 + AGENT_FIRST_MS
    assert decide_overtime(deadline, ordered, late - 1) is None
    assert decide_overtime(deadline, ordered, late) == OvertimeKill()
