"""What the rule remembers of a service from one decision to the next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

FIRST_CAUTION: Final = 2_330_000


@dataclass(frozen=True, slots=True)
class ScalingState:
    """Small, bounded and made of whole numbers, so that it fits in a row."""

    needs: tuple[tuple[int, int], ...] = ()
    """(start of a bucket of time, most replicas needed in it), oldest first."""
    caution_micro: int = FIRST_CAUTION
    """How many millionths of a standard deviation of the load are kept free; grows with each late
    answer, shrinks with those in time."""
    judged_until_ms: int = 0
    """Answers up to then are in the caution already."""
    quiet_since_ms: int | None = None
    """Since when nothing has been open; None while something is."""
    raised_at_ms: int = 0
    """When the caution last grew."""

    def record(self) -> dict[str, object]:
        """The state as JSON; `from_record` reads it."""
        return {
            "needs": [list(need) for need in self.needs],
            "caution_micro": self.caution_micro,
            "judged_until_ms": self.judged_until_ms,
            "quiet_since_ms": self.quiet_since_ms,
            "raised_at_ms": self.raised_at_ms,
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
        caution_micro=_whole(record.get("caution_micro"), FIRST_CAUTION),
        judged_until_ms=_whole(record.get("judged_until_ms")),
        quiet_since_ms=quiet if isinstance(quiet, int) else None,
        raised_at_ms=_whole(record.get("raised_at_ms")),
    )


def _whole(value: object, otherwise: int = 0) -> int:
    return value if isinstance(value, int) else otherwise
