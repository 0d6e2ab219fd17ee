"""Random histories: whatever comes in whatever order, the agent's promises hold."""

from collections import Counter
from itertools import combinations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from pydantic import TypeAdapter

from nodeagent.core.commands import SaveState, SendHeartbeat, StartContainer, StopContainer
from nodeagent.core.events import (
    ContainerChanged,
    ContainerEnded,
    Event,
    LinkDown,
    LinkUp,
    Nudged,
    Replied,
    Ticked,
)
from nodeagent.core.recovery import recover_state
from nodeagent.core.state import (
    AgentState,
    Container,
    ContainerKey,
    DesiredEntry,
    DurableState,
    Finished,
)
from nodeagent.core.step import step
from wire.words import Device, ExitCause, Phase

DEVICES = [
    Device("c1", 32768),
    Device("c2", 4096, slices=8),
    Device("c2", 4096, slot=1, slices=8),
    Device("c2", 8192, slices=4),
]
wanted = st.builds(
    DesiredEntry,
    key=st.builds(ContainerKey, st.sampled_from(["a", "b", "c"]), st.integers(1, 4)),
    devices=st.lists(st.sampled_from(DEVICES), max_size=2).map(tuple),
    spec=st.just("{}"),
)
desired = st.lists(wanted, max_size=3, unique_by=lambda item: item.key.allocation).map(tuple)


class AgentHistory(RuleBasedStateMachine):
    """An agent with a node that really holds what it was told to start."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000_000
        self.state: AgentState = recover_state(None, first_seq=0)[0]
        self.disk: DurableState = self.state.durable
        self.live: dict[ContainerKey, DesiredEntry] = {}
        self.starts: Counter[ContainerKey] = Counter()
        self.owed: set[ContainerKey] = set()
        self.seqs: list[int] = []

    def feed(self, event: Event) -> None:
        self.state, commands = step(self.state, event, self.now)
        for command in commands:
            match command:
                case SaveState():
                    self.disk = command.durable
                case StartContainer():
                    assert self.now < self.state.lease_until
                    assert command.desired.key in self.disk.tombstones
                    self.starts[command.desired.key] += 1
                    self.live[command.desired.key] = command.desired
                case SendHeartbeat():
                    self.seqs.append(command.seq)
                    self.check_told(command)
                case StopContainer():
                    assert command.key in self.live
                case _:
                    pass

    def check_told(self, beat: SendHeartbeat) -> None:
        told = {item.key for item in beat.containers} | {item.key for item in beat.finished}
        assert set(self.live) <= told
        assert self.owed <= told | set(beat.tombstones)
        assert not told & set(beat.tombstones)

    @rule(ms=st.sampled_from([1, 60, 1_000, 5_000, 31_000]))
    def pass_time(self, ms: int) -> None:
        self.now += ms
        self.feed(Ticked())

    @rule(event=st.sampled_from([LinkUp(), LinkDown(), Nudged()]))
    def link(self, event: Event) -> None:
        self.feed(event)

    @rule(wishes=desired, back=st.integers(0, 3), is_acked=st.booleans())
    def reply(self, wishes: tuple[DesiredEntry, ...], back: int, is_acked: bool) -> None:
        seq = self.state.seq - back
        acks = tuple(item.key for item in self.state.finished) if is_acked else ()
        accepted = seq > self.state.applied and seq in {item.seq for item in self.state.sent}
        if accepted:
            self.owed -= set(acks)
        self.feed(Replied(seq, wishes, acks))

    @rule(cause=st.sampled_from(list(ExitCause)), data=st.data())
    def end(self, cause: ExitCause, data: st.DataObject) -> None:
        if self.live:
            key = data.draw(st.sampled_from(sorted(self.live)))
            del self.live[key]
            self.owed.add(key)
            self.feed(ContainerEnded(Finished(key, cause, 1)))

    @rule(data=st.data())
    def run(self, data: st.DataObject) -> None:
        if self.live:
            key = data.draw(st.sampled_from(sorted(self.live)))
            self.feed(ContainerChanged(key, Phase.RUNNING))

    @rule(is_disk_lost=st.booleans())
    def restart(self, is_disk_lost: bool) -> None:
        """Crash and come back, with or without the state file."""
        adopted = tuple(
            Container(key, item.devices, Phase.RUNNING) for key, item in self.live.items()
        )
        self.state = recover_state(
            None if is_disk_lost else self.disk,
            first_seq=max(self.seqs, default=0) + 1,
            lease=self.state.lease,
            live=adopted,
        )[0]
        self.disk = self.state.durable
        if is_disk_lost:
            self.owed.clear()
            self.starts.clear()

    @invariant()
    def no_epoch_starts_twice(self) -> None:
        assert all(count == 1 for count in self.starts.values())

    @invariant()
    def no_device_is_used_twice(self) -> None:
        held = [device for item in self.live.values() for device in item.devices]
        assert not any(one.conflicts_with(other) for one, other in combinations(held, 2))

    @invariant()
    def one_container_per_allocation(self) -> None:
        assert len({key.allocation for key in self.live}) == len(self.live)

    @invariant()
    def all_is_stopping_once_the_lease_is_over(self) -> None:
        if self.now >= self.state.lease_until and self.state.desired is None:
            self.feed(Ticked())
            assert all(item.stop is not None for item in self.state.containers.values())

    @invariant()
    def sequence_only_rises(self) -> None:
        assert self.seqs == sorted(set(self.seqs))

    @invariant()
    def state_survives_being_written_down(self) -> None:
        adapter = TypeAdapter(DurableState)
        assert adapter.validate_json(adapter.dump_json(self.state.durable)) == self.state.durable


AgentHistory.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, derandomize=True
)
TestAgentHistory = AgentHistory.TestCase
