"""A sharing port in memory, held to the same contract as the real one."""

from dataclasses import dataclass, field

from nodeagent.core.state import Cause, Device, Key
from nodeagent.ports import Confines, Fittings, Order, StartError
from nodeagent.sharing.grants import grants
from nodeagent.sharing.isolation_levels import at_least
from wire.facts import Isolation


@dataclass
class FakeSharing:
    """Enforces one mode on every card, and remembers for whom."""

    mode: Isolation = Isolation.CGROUP
    is_gated: bool = True
    is_broken: bool = False
    """Limits are set and do not hold."""
    fitted: set[Key] = field(default_factory=set)
    left: set[Key] = field(default_factory=set)
    enforced: dict[Key, Confines] = field(default_factory=dict)

    async def fit(self, order: Order) -> Fittings:
        parts = grants(order.devices)
        if not parts:
            return Fittings()
        shared = [item for item in parts if not item.is_whole]
        if any(self.mode not in at_least(item.demanded) for item in shared):
            raise StartError(Cause.ISOLATION_UNAVAILABLE, f"there is only {self.mode}")
        self.fitted.add(order.key)
        if not shared:
            return Fittings(isolation=Isolation.EXCLUSIVE.value)
        return Fittings(isolation=self.mode.value, is_gated=self.is_gated)

    async def enforce(self, order: Order, confines: Confines) -> None:
        if self.is_broken or order.key not in self.fitted:
            raise StartError(Cause.ISOLATION_UNAVAILABLE, "the limits do not hold")
        self.enforced[order.key] = confines

    async def leave(self, key: Key) -> None:
        self.left.add(key)

    async def take(self, key: Key, devices: tuple[Device, ...]) -> None:
        if self.is_broken:
            raise StartError(Cause.ISOLATION_UNAVAILABLE, "the limits do not hold")
        self.left.discard(key)

    async def release(self, key: Key) -> None:
        self.fitted.discard(key)
        self.enforced.pop(key, None)
