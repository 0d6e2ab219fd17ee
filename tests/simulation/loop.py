"""Virtual time: a heap of events and the one source of randomness."""

import heapq
import random
from collections.abc import Callable

Action = Callable[[], object]

SECOND = 1000
"""The simulation counts in milliseconds."""


class Loop:
    """Runs actions in the order of their virtual time; equal times in the order of scheduling."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.now = 0
        self.steps = 0
        self._heap: list[tuple[int, int, Action]] = []
        self._count = 0

    def after(self, delay_ms: int, action: Action) -> None:
        """Run an action after a delay."""
        self._count += 1
        heapq.heappush(self._heap, (self.now + max(delay_ms, 0), self._count, action))

    def every(self, period_ms: int, action: Action) -> None:
        """Run an action now and again after every period, for ever."""

        def tick() -> None:
            action()
            self.after(period_ms, tick)

        self.after(self.rng.randrange(period_ms), tick)

    def run_until(self, end_ms: int, after_step: Action) -> None:
        """Run everything that is due up to a moment, looking at the world after each step."""
        while self._heap and self._heap[0][0] <= end_ms:
            self.now, _, action = heapq.heappop(self._heap)
            action()
            self.steps += 1
            after_step()
        self.now = end_ms

    def between(self, low_s: float, high_s: float) -> int:
        """Draw a duration in milliseconds from an interval in seconds."""
        return self.rng.randint(int(low_s * SECOND), int(high_s * SECOND))

    def chance(self, percent: int) -> bool:
        """Draw a yes with the given probability."""
        return self.rng.randrange(100) < percent
