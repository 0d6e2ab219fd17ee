"""Drives the core from tests: a clock that is a number, and short words for events."""

from dataclasses import dataclass, field
from typing import Any

from nodeagent.core.commands import (
    Command,
    RemoveContainer,
    SendHeartbeat,
    StartContainer,
    StopContainer,
)
from nodeagent.core.events import ContainerChanged, ContainerEnded, Event, LinkUp, Replied, Ticked
from nodeagent.core.recovery import recover_state
from nodeagent.core.state import AgentState, ContainerKey, DesiredEntry, Finished
from nodeagent.core.step import step
from wire.words import Device, ExitCause, Phase

NOW = 1_000_000


def key(allocation: str = "a.0", epoch: int = 1) -> ContainerKey:
    return ContainerKey(allocation, epoch)


def a_slice(slot: int = 0, *, uuid: str = "card-1", slices: int = 8) -> Device:
    return Device(uuid, 4096, slot=slot, slices=slices)


def a_card(uuid: str = "card-1") -> Device:
    return Device(uuid, 32768)


def a_desired_entry(allocation: str = "a.0", epoch: int = 1, *devices: Device) -> DesiredEntry:
    return DesiredEntry(ContainerKey(allocation, epoch), devices, "{}")


def an_end(of: ContainerKey, cause: ExitCause = ExitCause.EXITED) -> Finished:
    return Finished(of, cause, finished_at=1, exit_code=0)


@dataclass
class CoreHarness:
    """One agent under test; remembers the commands of the last event."""

    state: AgentState = field(default_factory=lambda: recover_state(None, first_seq=0)[0])
    now: int = NOW
    commands: tuple[Command, ...] = ()

    def on(self, event: Event, *, after_ms: int = 0) -> "CoreHarness":
        self.now += after_ms
        self.state, self.commands = step(self.state, event, self.now)
        return self

    def linked(self) -> "CoreHarness":
        return self.on(LinkUp())

    def reply(
        self, *desired: DesiredEntry, acks: tuple[ContainerKey, ...] = (), after_ms: int = 0
    ) -> "CoreHarness":
        """Answer the newest heartbeat."""
        return self.on(Replied(self.state.seq, desired, acks), after_ms=after_ms)

    def beat(self, after_ms: int = 5000) -> "CoreHarness":
        """Let time pass until the next heartbeat leaves."""
        return self.on(Ticked(), after_ms=after_ms)

    def running(self, of: ContainerKey) -> "CoreHarness":
        return self.on(ContainerChanged(of, Phase.RUNNING, started_at=1))

    def ended(self, of: ContainerKey, cause: ExitCause = ExitCause.EXITED) -> "CoreHarness":
        return self.on(ContainerEnded(an_end(of, cause)))

    def _of(self, kind: type[Any]) -> list[Any]:
        return [item for item in self.commands if isinstance(item, kind)]

    @property
    def started(self) -> list[ContainerKey]:
        return [item.desired.key for item in self._of(StartContainer)]

    @property
    def stopped(self) -> list[tuple[ContainerKey, ExitCause]]:
        return [(item.key, item.cause) for item in self._of(StopContainer)]

    @property
    def removed(self) -> list[ContainerKey]:
        return [item.key for item in self._of(RemoveContainer)]

    @property
    def heartbeat(self) -> SendHeartbeat | None:
        found = self._of(SendHeartbeat)
        return found[0] if found else None
