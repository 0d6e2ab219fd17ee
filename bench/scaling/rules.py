"""The rules that are compared: ours, and those of others re-implemented with their defaults."""

from collections import deque
from dataclasses import dataclass, field

from bench.scaling.play import Scene
from bench.scaling.traffic import Traffic
from scheduler.scaling.learning import learned_starts
from scheduler.scaling.rule import decide
from scheduler.scaling.state import ScalingState
from scheduler.scaling.values import (
    DemandInterval,
    InputAges,
    LearnedCapacity,
    LoadSample,
    Quality,
    ReplicaBounds,
    ReplicaSeen,
    ScalingInput,
    ServiceTarget,
    Warmth,
)


@dataclass(slots=True)
class Berth:
    """Ours: the product's own rule, capacity and cold starts learned as it goes."""

    traffic: Traffic
    bounds: ReplicaBounds
    forecast: dict[int, DemandInterval] | None = None
    state: ScalingState = field(default_factory=ScalingState)
    served: int = 0
    busy_ms: int = 0

    def __call__(self, scene: Scene) -> int | None:
        """Decide for one second."""
        newest = scene.load[-1]
        self.served += newest.completed
        self.busy_ms += scene.in_flight * newest.span_ms
        service = max(1, self.busy_ms // self.served) if self.served else 1000
        hour = scene.now // 3_600_000
        given = ScalingInput(
            now_ms=scene.now,
            target=ServiceTarget(
                Quality.LATENCY, latency_ms=self.traffic.slack_ms, first_token=True
            ),
            bounds=self.bounds,
            replicas=tuple(
                ReplicaSeen(
                    str(server.number),
                    Warmth.READY if server.ready_at <= scene.now else Warmth.STARTING,
                    server.open,
                    server.started_at,
                )
                for server in scene.servers
            ),
            load=tuple(scene.load),
            capacity=LearnedCapacity(self.traffic.slots, service, seen=self.served),
            cold_starts=learned_starts((), scene.starts_seen),
            ages=InputAges(load_ms=0, replicas_ms=0),
            forecast=self.forecast.get(hour) if self.forecast else None,
            state=self.state,
        )
        decision = decide(given)
        self.state = decision.state
        return decision.replicas


def _mean_open(load: deque[LoadSample], now: int, window_ms: int) -> float:
    """Requests open or held, averaged over a window; what was not sampled was quiet."""
    total = 0
    for sample in reversed(load):
        if sample.at_ms <= now - window_ms:
            break
        total += sample.open
    return total * 1000 / window_ms


@dataclass(slots=True)
class Knative:
    """KPA: 70 % of the container's concurrency over 60 s; panic at twice the ready over 6 s."""

    traffic: Traffic
    bounds: ReplicaBounds
    panic_since: int | None = None
    panic_most: int = 0
    quiet_since: int | None = None

    def __call__(self, scene: Scene) -> int | None:
        """Decide every two seconds, as its default tick."""
        if scene.now % 2000 and scene.servers:
            return None
        ready = max(1, sum(server.ready_at <= scene.now for server in scene.servers))
        target = max(0.7 * self.traffic.slots, 0.01)
        stable = _ceil(_mean_open(scene.load, scene.now, 60_000) / target)
        panic = _ceil(_mean_open(scene.load, scene.now, 6_000) / target)
        stable, panic = (min(max(want, ready // 2), 1000 * ready) for want in (stable, panic))
        if panic / ready >= 2.0:
            self.panic_most = panic if self.panic_since is None else max(panic, self.panic_most)
            self.panic_since = scene.now
        elif self.panic_since is not None and scene.now - self.panic_since > 60_000:
            self.panic_since = None
        want = stable
        if self.panic_since is not None:
            self.panic_most = max(self.panic_most, stable)
            want = max(self.panic_most, len(scene.servers))
        return self._to_zero(scene, want)

    def _to_zero(self, scene: Scene, want: int) -> int:
        busy = any(sample.open for sample in list(scene.load)[-60:])
        if busy:
            self.quiet_since = None
        elif self.quiet_since is None:
            self.quiet_since = scene.now
        graced = self.quiet_since is not None and scene.now - self.quiet_since >= 30_000
        if not graced and scene.servers:
            want = max(want, 1)
        elif graced:
            want = 0
        if scene.held:
            want = max(want, 1)
        return min(max(want, self.bounds.minimum), self.bounds.maximum)


@dataclass(slots=True)
class RayServe:
    """Ray Serve: 2 ongoing requests a replica over 30 s, up after 30 s, down after 600 s."""

    traffic: Traffic
    bounds: ReplicaBounds
    ongoing: float = 2.0
    more_since: int | None = None
    fewer_since: int | None = None

    def __call__(self, scene: Scene) -> int | None:
        """Decide by how long the wish has stood."""
        size = len(scene.servers)
        if not size and scene.held:
            return max(1, self.bounds.minimum)
        want = _ceil(_mean_open(scene.load, scene.now, 30_000) / self.ongoing)
        want = min(max(want, self.bounds.minimum), self.bounds.maximum)
        if want > size:
            self.fewer_since = None
            self.more_since = scene.now if self.more_since is None else self.more_since
            if scene.now - self.more_since >= 30_000:
                self.more_since = None
                return want
        elif want < size:
            self.more_since = None
            self.fewer_since = scene.now if self.fewer_since is None else self.fewer_since
            if scene.now - self.fewer_since >= 600_000:
                self.fewer_since = None
                return want
        else:
            self.more_since = self.fewer_since = None
        return None


@dataclass(slots=True)
class HuggingFace:
    """HF Endpoints: 80 % busy over a minute adds, every minute; fewer every 2 min after 300 s; zero after
    an hour; requests at zero are refused.
    """

    traffic: Traffic
    bounds: ReplicaBounds
    wishes: deque[tuple[int, int]] = field(default_factory=deque)
    last_request: int = 0

    def __call__(self, scene: Scene) -> int | None:
        """Decide every minute upwards, every second minute downwards."""
        size = len(scene.servers)
        if scene.held or scene.in_flight:
            self.last_request = scene.now
        if not size and scene.held:
            return max(1, self.bounds.minimum)
        if scene.now % 60_000 or not size:
            return None
        slots = size * self.traffic.slots
        busy = min(1.0, _mean_open(scene.load, scene.now, 60_000) / slots)
        want = max(1, _ceil(size * busy / 0.8))
        if not self.bounds.minimum and scene.now - self.last_request >= 3_600_000:
            want = 0
        self.wishes.append((scene.now, want))
        while self.wishes[0][0] <= scene.now - 300_000:
            self.wishes.popleft()
        if want < size:
            if scene.now % 120_000:
                return None
            want = min(size, max(wish for _, wish in self.wishes)) if want else 0
        return min(max(want, self.bounds.minimum), self.bounds.maximum)


@dataclass(frozen=True, slots=True)
class Static:
    """As many as ever, whatever comes."""

    replicas: int

    def __call__(self, _scene: Scene) -> int | None:
        """Keep the number."""
        return self.replicas


def _ceil(value: float) -> int:
    return -int(-value // 1)
