"""How long GPUs were held and how busy they were, minute by minute of a run."""

from collections import Counter
from dataclasses import dataclass, field

from scheduler.core.model.entities import AcceleratorId, RunningWorkload, WorkloadId
from scheduler.whatif.people import NOTEBOOK
from scheduler.whatif.scenario import Busy


@dataclass(frozen=True, slots=True)
class Stretch:
    """The cards from one moment to the next."""

    from_ms: int
    to_ms: int
    by_notebooks: int
    """Cards of which a notebook holds a part."""
    by_training: int
    """Cards of tasks, and of replicas of services."""
    waiting: int
    busy: float
    """Cards that compute, as if each were fully busy."""

    @property
    def held(self) -> int:
        """Cards that are held."""
        return self.by_notebooks + self.by_training


@dataclass(slots=True)
class OccupancyMeter:
    """Measures how many cards are held and busy; each noted state lasts until the next one."""

    busy: Busy
    start_ms: int
    restart_ms: int
    services: frozenset[WorkloadId] = frozenset()
    """Work that is a replica of a service."""
    service_pct: float = 0.0
    """How busy a card is that a replica holds."""
    stretches: list[Stretch] = field(default_factory=list)
    _since: int | None = None
    _running: tuple[RunningWorkload, ...] = ()
    _waiting: int = 0
    _starts: Counter[WorkloadId] = field(default_factory=Counter)
    _computes_from: dict[WorkloadId, int] = field(default_factory=dict)

    def note(self, now: int, running: tuple[RunningWorkload, ...], waiting: int) -> None:
        """Note what runs and waits from now on."""
        self.close(now)
        for work in running:
            if work.id not in self._computes_from and work.traits != NOTEBOOK:
                set_up = self.restart_ms if self._starts[work.id] else self.start_ms
                self._computes_from[work.id] = now + set_up
                self._starts[work.id] += 1
        gone = self._computes_from.keys() - {work.id for work in running}
        for name in gone:
            del self._computes_from[name]
        self._running, self._waiting = running, waiting

    def close(self, now: int) -> None:
        """End the present stretch."""
        since, self._since = self._since, now
        if since is None or now == since:
            return
        notebooks: Counter[AcceleratorId] = Counter()
        training, busy = 0, 0.0
        for work in self._running:
            cards = {card for placement in work.placements for card, _ in placement.devices}
            if work.traits != NOTEBOOK:
                training += len(cards)
                computes = now - min(max(self._computes_from[work.id], since), now)
                busy += len(cards) * computes / (now - since) * self._computing_pct(work) / 100
            else:
                notebooks.update(cards)
        pct = self.busy.notebook_pct
        busy += sum(min(people * pct, 100) / 100 for people in notebooks.values())
        self.stretches.append(Stretch(since, now, len(notebooks), training, self._waiting, busy))

    def _computing_pct(self, work: RunningWorkload) -> float:
        return self.service_pct if work.id in self.services else self.busy.training_pct

    def totals(self, from_ms: int, to_ms: int) -> tuple[float, float]:
        """Return the card-milliseconds that were held and that were busy, between two moments."""
        held = busy = 0.0
        for stretch in self.stretches:
            length = min(stretch.to_ms, to_ms) - max(stretch.from_ms, from_ms)
            if length > 0:
                held += stretch.held * length
                busy += stretch.busy * length
        return held, busy
