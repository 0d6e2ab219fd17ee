"""Jobs that leave traces: who ran, and from when to when."""

from collections import defaultdict
from pathlib import Path
from typing import Final

BEATS: Final = """#!/bin/sh
while :; do
  echo "$$ $(date +%s%N)" >> "$BERTH_OUTPUT_DIR/beats"
  sleep 0.2
done
"""
"""Writes its process id and the time, five times a second, until it is ended."""

ONCE: Final = """#!/bin/sh
echo "$$" >> "$BERTH_OUTPUT_DIR/starts"
sleep 0.5
"""
"""Notes its start, works for a moment and ends well."""


def starts(outputs: Path) -> int:
    """Return how often a job was started."""
    file = outputs / "starts"
    return len(file.read_text().splitlines()) if file.exists() else 0


def lives(outputs: Path) -> list[tuple[int, int, str]]:
    """Return first and last sign of life of every process of a job, in order of birth."""
    seen: dict[str, list[int]] = defaultdict(list)
    file = outputs / "beats"
    for line in file.read_text().splitlines() if file.exists() else []:
        pid, _, at = line.partition(" ")
        seen[pid].append(int(at))
    return sorted((min(times), max(times), pid) for pid, times in seen.items())


def beats(outputs: Path) -> int:
    """Return how many signs of life there are."""
    file = outputs / "beats"
    return len(file.read_text().splitlines()) if file.exists() else 0
