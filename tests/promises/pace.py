"""How fast the time of a site may go on the machine that it is on; pure."""

from dataclasses import dataclass
from typing import Final

PATIENCE: Final = 25
"""Looks without a silent node until time goes faster again."""


@dataclass
class Pace:
    """Time goes slower while nodes do not come to report, and faster again when they do."""

    fastest: int
    slowest: int
    speed: int = 0
    _calm: int = 0

    def __post_init__(self) -> None:
        self.speed = self.fastest

    def follow(self, *, is_silent: bool) -> bool:
        """Take in one look; return whether the speed has changed."""
        before = self.speed
        self._calm = 0 if is_silent else self._calm + 1
        if is_silent:
            self.speed = max(self.slowest, self.speed * 3 // 4)
        elif self._calm >= PATIENCE:
            self.speed, self._calm = min(self.fastest, self.speed + 1), 0
        return self.speed != before
