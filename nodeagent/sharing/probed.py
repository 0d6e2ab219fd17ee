"""The cards of a node with what they can enforce: a driver around the driver."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from nodeagent.ports import CardsRead, GpuDriver
from nodeagent.sharing.probe import HostAbilities, enforceable


class ProbedDriver:
    """The `GpuDriver` port; adds `isolation` to the facts of each card."""

    def __init__(self, driver: GpuDriver, look: Callable[[], HostAbilities]) -> None:
        """Take the driver, and how to look at the host: cheap, and asked with every reading."""
        self._driver = driver
        self._look = look

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardsRead:
        """Read the cards, and say of each what it enforces as it is cut now."""
        found = await self._driver.read(busy_pct, used_mib)
        host = self._look()
        cards = [
            replace(
                look,
                facts=look.facts.model_copy(update={"isolation": enforceable(host, look.facts)}),
            )
            for look in found.cards
        ]
        return replace(found, cards=tuple(cards))

    async def news(self) -> None:
        """Wait for the driver's own news."""
        await self._driver.news()
