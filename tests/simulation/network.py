"""A network that loses, doubles, delays and reorders, and can be cut one way or both."""

from dataclasses import dataclass
from functools import partial

from tests.simulation.loop import Action, Loop


@dataclass(slots=True)
class Weather:
    """How bad the network is at the moment, in percent of messages."""

    lost: int = 0
    doubled: int = 0
    late: int = 0
    """Share of messages that arrive very late, up to a minute."""


@dataclass(slots=True)
class Link:
    """The two directions between one node and the portal."""

    loop: Loop
    weather: Weather
    up_is_cut: bool = False
    down_is_cut: bool = False

    def up(self, deliver: Action) -> None:
        """Carry a message from the node to the portal."""
        self._carry(deliver, is_up=True)

    def down(self, deliver: Action) -> None:
        """Carry a message from the portal to the node."""
        self._carry(deliver, is_up=False)

    def heal(self) -> None:
        """Let everything through again."""
        self.up_is_cut = self.down_is_cut = False

    def _carry(self, deliver: Action, *, is_up: bool) -> None:
        copies = 2 if self.loop.chance(self.weather.doubled) else 1
        for _ in range(copies):
            if self.loop.chance(self.weather.lost):
                continue
            slow = self.loop.chance(self.weather.late)
            delay = self.loop.between(1, 60) if slow else self.loop.between(0.002, 0.4)
            self.loop.after(delay, partial(self._arrive, deliver, is_up=is_up))

    def _arrive(self, deliver: Action, *, is_up: bool) -> None:
        """Hand over a message, unless a cut has swallowed it on its way."""
        is_cut = self.up_is_cut if is_up else self.down_is_cut
        if not is_cut:
            deliver()
