"""What an agent says of itself when it opens its link, before any message."""

from dataclasses import dataclass
from typing import Final

OPENING_HEADER: Final = "X-Berth-Agent"


@dataclass(frozen=True, slots=True)
class LinkOpening:
    """Which of the agents that may have a node's key this one is."""

    boot_id: str
    instance: str
    """As in a heartbeat."""
    was_answered: bool
    """Whether it was ever given a desired state since it was started."""

    def to_header(self) -> str:
        """Return the value of the header."""
        return f"{self.boot_id} {self.instance} {int(self.was_answered)}"

    @classmethod
    def from_header(cls, text: str) -> "LinkOpening | None":
        """Return what a header says; None from agents that send none, and for any other text."""
        words = text.split(" ")
        if len(words) != 3 or not all(words):
            return None
        return cls(words[0], words[1], words[2] == "1")
