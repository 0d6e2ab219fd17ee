"""Jobs that leave traces: who ran, and from when to when."""

from collections import defaultdict
from pathlib import Path
from typing import Final

BEATS: Final = """#!/bin/sh
id=$(cat /proc/sys/kernel/random/uuid)
while :; do
  echo "$id $(date +%s%N)" >> "$BERTH_OUTPUT_DIR/beats"
  sleep 0.2
done
"""
"""Writes an id of this attempt and the time, five times a second, until it is ended."""

ONCE: Final = """#!/bin/sh
echo "$$" >> "$BERTH_OUTPUT_DIR/starts"
sleep 0.5
"""
"""Notes its start, works for a moment and ends well."""


ENDS_LINES: Final = 40
ENDS: Final = f"""#!/bin/sh
for i in $(seq {ENDS_LINES}); do echo "line $i"; sleep 0.5; done
exit 3
"""
"""Ends after some seconds, with an exit code of its own and a log that must be whole."""


def starts(outputs: Path) -> int:
    """Return how often a job was started."""
    file = outputs / "starts"
    return len(file.read_text().splitlines()) if file.exists() else 0


def lives(outputs: Path) -> list[tuple[int, int, str]]:
    """Return first and last sign of life of every attempt of a job with its id, in their order."""
    seen: dict[str, list[int]] = defaultdict(list)
    file = outputs / "beats"
    for line in file.read_text().splitlines() if file.exists() else []:
        attempt, _, at = line.partition(" ")
        seen[attempt].append(int(at))
    return sorted((min(times), max(times), attempt) for attempt, times in seen.items())


def beats(outputs: Path) -> int:
    """Return how many signs of life there are."""
    file = outputs / "beats"
    return len(file.read_text().splitlines()) if file.exists() else 0
