"""A sharing port in memory, held to the same contract as the real one; and whoever is told of shares."""

from collections.abc import Collection
from dataclasses import dataclass, field

from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerOrder, Injection, ProcessScope, StartError
from nodeagent.sharing.grants import grants_by_card
from nodeagent.sharing.isolation_levels import levels_at_least
from wire.words import Device, ExitCause, Isolation


@dataclass
class FakeSharing:
    """Enforces one mode on every card, and remembers for whom."""

    mode: Isolation = Isolation.CGROUP
    is_gated: bool = True
    is_broken: bool = False
    """Limits are set and do not hold."""
    fitted: set[ContainerKey] = field(default_factory=set)
    left: set[ContainerKey] = field(default_factory=set)
    enforced: dict[ContainerKey, ProcessScope] = field(default_factory=dict)

    async def prepare(self, order: ContainerOrder) -> Injection:
        parts = grants_by_card(order.devices)
        if not parts:
            return Injection()
        shared = [item for item in parts if not item.is_whole]
        if any(self.mode not in levels_at_least(item.required) for item in shared):
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, f"there is only {self.mode}")
        self.fitted.add(order.key)
        if not shared:
            return Injection(isolation=Isolation.EXCLUSIVE)
        return Injection(isolation=self.mode, needs_barrier=self.is_gated)

    async def enforce(self, order: ContainerOrder, scope: ProcessScope) -> None:
        if self.is_broken or order.key not in self.fitted:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "the limits do not hold")
        self.enforced[order.key] = scope

    async def suspend(self, key: ContainerKey) -> None:
        self.left.add(key)

    async def resume(self, key: ContainerKey, devices: tuple[Device, ...]) -> None:
        if self.is_broken:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "the limits do not hold")
        self.left.discard(key)

    async def release(self, key: ContainerKey) -> None:
        self.fitted.discard(key)
        self.enforced.pop(key, None)


@dataclass
class RecordingSupervisor:
    """Whoever is warned and stopped."""

    keys: set[ContainerKey]
    warned: list[tuple[ContainerKey, ExitCause, str]] = field(default_factory=list)
    condemned: list[tuple[ContainerKey, ExitCause, str]] = field(default_factory=list)

    def live_keys(self) -> Collection[ContainerKey]:
        return self.keys

    async def warn_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        self.warned.append((key, cause, detail))

    async def stop_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        self.condemned.append((key, cause, detail))
        self.keys.discard(key)
