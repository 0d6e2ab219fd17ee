"""What must stay flat: memory, descriptors and threads of every process, connections, tables."""

import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import psutil
import psycopg

from tests.integration.platform import Platform

MIB: Final = 1024 * 1024
GROWTH_PCT, GROWTH_MIB, GROWTH_DESCRIPTORS = 20, 25, 20
"""A part grows when its last quarter is above its second one by this percentage and this much."""
_TABLES: Final = """
SELECT relname, pg_total_relation_size(relid), n_live_tup, n_dead_tup FROM pg_stat_user_tables
"""


@dataclass(frozen=True, slots=True)
class PartSample:
    """One part with its children, at one moment."""

    private_mib: float
    """What it shares with others is left out: PostgreSQL's buffers would count once for each session."""
    descriptors: float
    """Of one of its processes, on average."""
    threads: int


@dataclass
class Sampler:
    """Samples of the whole run."""

    platform: Platform
    parts: dict[str, list[PartSample]] = field(default_factory=lambda: defaultdict(list))
    connections: list[int] = field(default_factory=list)
    tables: list[dict[str, tuple[int, int, int]]] = field(default_factory=list)
    """Bytes, live and dead rows of each table."""

    def take(self) -> None:
        """Take one sample of everything."""
        for name, process in self.platform.processes().items():
            if (sample := _measure(process)) is not None:
                self.parts[name].append(sample)
        try:
            with psycopg.connect(self.platform.stores.database_url) as database:
                [(count,)] = database.execute("SELECT count(*) FROM pg_stat_activity").fetchall()
                self.connections.append(int(count))
                found = database.execute(_TABLES).fetchall()
        except psycopg.Error:  # it was killed a moment ago
            return
        self.tables.append({row[0]: (row[1], row[2], row[3]) for row in found})

    def growing(self) -> list[str]:
        """Return what grows, in words; nothing when all is flat."""
        found = []
        for name, samples in sorted(self.parts.items()):
            early, late = quarters([item.private_mib for item in samples])
            if late > early * (1 + GROWTH_PCT / 100) and late - early > GROWTH_MIB:
                found.append(f"{name}: memory {early:.0f} → {late:.0f} MiB")
            early, late = quarters([item.descriptors for item in samples])
            if late > early * (1 + GROWTH_PCT / 100) and late - early > GROWTH_DESCRIPTORS:
                found.append(f"{name}: descriptors {early:.0f} → {late:.0f}")
        early, late = quarters([float(count) for count in self.connections])
        if late > early + GROWTH_DESCRIPTORS:
            found.append(f"connections to PostgreSQL {early:.0f} → {late:.0f}")
        return found

    def lines(self) -> list[str]:
        """Return a table of the parts, and the largest tables."""
        found = [f"{'part':<14}{'MiB':>14}{'descriptors':>16}{'threads':>12}"]
        for name, samples in sorted(self.parts.items()):
            memory = quarters([item.private_mib for item in samples])
            files = quarters([item.descriptors for item in samples])
            threads = quarters([float(item.threads) for item in samples])
            found.append(
                f"{name:<14}{memory[0]:>6.0f} →{memory[1]:>6.0f}{files[0]:>7.0f} →{files[1]:>7.0f}"
                f"{threads[0]:>5.0f} →{threads[1]:>5.0f}"
            )
        early, late = quarters([float(count) for count in self.connections])
        found.append(f"connections to PostgreSQL: {early:.0f} → {late:.0f}")
        return [*found, *_table_lines(self.tables[-1] if self.tables else {})]


def _table_lines(tables: Mapping[str, tuple[int, int, int]]) -> list[str]:
    largest = sorted(tables.items(), key=lambda item: -item[1][0])[:10]
    return [
        f"table {name:<36}{size / MIB:>8.1f} MiB{live:>9} rows{dead:>8} dead"
        for name, (size, live, dead) in largest
    ]


def _measure(process: psutil.Process) -> PartSample | None:
    """Measure a part with its children, but without those of agents that outlive them."""
    try:
        family = [process, *(child for child in process.children() if not _outlives(child))]
        memory = [item.memory_info() for item in family]
        return PartSample(
            sum(item.rss - item.shared for item in memory) / MIB,
            statistics.mean(item.num_fds() for item in family),
            sum(item.num_threads() for item in family),
        )
    except psutil.Error:
        return None


def _outlives(process: psutil.Process) -> bool:
    """Tell whether it is work or its watchdog: a killed agent's successor finds them as strangers."""
    return any("shim" in word or "watchdog" in word for word in process.cmdline())


def quarters(values: list[float]) -> tuple[float, float]:
    """Return the medians of the second and of the last quarter."""
    if not values:
        return 0.0, 0.0
    quarter = max(1, len(values) // 4)
    return statistics.median(values[quarter : 2 * quarter] or values), statistics.median(
        values[-quarter:]
    )
