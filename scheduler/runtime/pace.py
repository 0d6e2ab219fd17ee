"""How often the scheduler runs while changes never cease."""

from typing import Final

PAUSE_S_MAX: Final = 0.25
"""Between two runs, however long the first took."""


class Pace:
    """A pause after each run that is as long as the run.

    One change alone is decided at once. In a storm each run decides on all that came meanwhile: half as
    many runs do the same work, and the rest of the machine is left for it.
    """

    def __init__(self) -> None:
        """Let the first run begin at once."""
        self._not_before = 0.0

    def pause_s(self, now: float) -> float:
        """Return how long the next run must wait."""
        return max(self._not_before - now, 0.0)

    def note_run(self, began_at: float, ended_at: float) -> None:
        """Keep the next run away for as long as this one took."""
        self._not_before = ended_at + min(ended_at - began_at, PAUSE_S_MAX)
