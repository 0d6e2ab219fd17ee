"""What the rule remembers of a service from one decision to the next."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScalingState:
    """Small, bounded and made of whole numbers, so that it fits in a row."""

    needs: tuple[tuple[int, int], ...] = ()
    """(start of a bucket of time, most replicas needed in it), oldest first."""
    quiet_since_ms: int | None = None
    """Since when nothing has been open; None while something is."""
    panic_until_ms: int = 0
    """Until then nothing is scaled in, because a step was seen."""
    grew_at_ms: int = 0
    """When replicas were last added."""
    shrank_at_ms: int = 0
    """When replicas were last taken away."""

    def record(self) -> dict[str, object]:
        """The state as JSON; `from_record` reads it."""
        return {
            "needs": [list(need) for need in self.needs],
            "quiet_since_ms": self.quiet_since_ms,
            "panic_until_ms": self.panic_until_ms,
            "grew_at_ms": self.grew_at_ms,
            "shrank_at_ms": self.shrank_at_ms,
        }


def from_record(record: Mapping[str, object]) -> ScalingState:
    """The state of what `record` wrote; what is missing or of another shape is forgotten.

    A forgotten state costs one window of waiting, never a replica that is needed.
    """
    needs = record.get("needs")
    quiet = record.get("quiet_since_ms")
    return ScalingState(
        needs=tuple(
            (need[0], need[1])
            for need in (needs if isinstance(needs, list) else [])
            if isinstance(need, list) and len(need) == 2 and all(isinstance(n, int) for n in need)
        ),
        quiet_since_ms=quiet if isinstance(quiet, int) else None,
        panic_until_ms=_whole(record.get("panic_until_ms")),
        grew_at_ms=_whole(record.get("grew_at_ms")),
        shrank_at_ms=_whole(record.get("shrank_at_ms")),
    )


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
