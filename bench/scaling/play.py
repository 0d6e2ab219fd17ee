"""One service under one rule: requests arrive, replicas start, answer and leave."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import cycle
from typing import Final

from bench.scaling.traffic import Traffic
from scheduler.scaling.values import LoadSample

SECOND_MS: Final = 1_000
QUIET_MS: Final = 10_000
"""Seconds without anything to see are passed in steps of so long."""
KEPT_SECONDS: Final = 180
"""Samples of load that a rule can look back at."""


@dataclass(slots=True, eq=False)
class Server:
    """One replica."""

    number: int
    started_at: int
    ready_at: int
    open: int = 0
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What a rule is shown each second."""

    now: int
    servers: tuple[Server, ...]
    """Starting and ready, those that leave not among them."""
    load: deque[LoadSample]
    starts_seen: list[int]
    """How long the starts so far took."""
    held: int
    in_flight: int


Rule = Callable[[Scene], int | None]
"""How many replicas there are to be; None keeps what is there."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of it."""

    requests: int
    in_time: int
    replica_ms: int
    """Of all replicas from the order to start until the end."""
    busy_slot_ms: int
    turns: tuple[int, ...]
    """When the number changed its direction."""
    sizes: tuple[tuple[int, int], ...]
    """(moment, replicas from then on)."""
    runs: tuple[tuple[int, int], ...]
    """(order to start, end) of each replica, by start."""

    @property
    def attained(self) -> float:
        """The part of the requests that met the target."""
        return self.in_time / self.requests if self.requests else 1.0

    def most_turns(self, window_ms: int) -> int:
        """The most changes of direction within any window."""
        return max(
            (
                sum(start <= turn < start + window_ms for turn in self.turns[index : index + 50])
                for index, start in enumerate(self.turns)
            ),
            default=0,
        )


@dataclass(frozen=True, slots=True)
class Start:
    """How a play begins, and from when on it counts."""

    cold_starts: tuple[int, ...]
    """Milliseconds that starts take, one after the other, again from the first after the last."""
    replicas: int
    scored_from: int = 0
    refuses: bool = False
    """While there is no ready replica a request is answered with an error instead of being held."""


@dataclass(slots=True)
class _Second:
    """What is counted until the next sample."""

    in_flight: int = 0
    held: int = 0
    arrivals: int = 0
    completed: int = 0
    late: int = 0


@dataclass(slots=True)
class Service:
    """The simulated service; `play` runs it."""

    traffic: Traffic
    cold_starts: Iterator[int]
    scored_from: int = 0
    refuses_at_zero: bool = False
    """While there is no ready replica a request is answered with an error instead of being held."""
    servers: list[Server] = field(default_factory=list)
    queue: deque[tuple[int, int]] = field(default_factory=deque)
    events: list[tuple[int, int, Server, bool]] = field(default_factory=list)
    """(moment, order, server, whether the answer that ends there came late); readiness is order -1."""
    load: deque[LoadSample] = field(default_factory=lambda: deque(maxlen=KEPT_SECONDS))
    starts_seen: list[int] = field(default_factory=list)
    second: _Second = field(default_factory=_Second)
    count: int = 0
    in_flight: int = 0
    in_time: int = 0
    replica_ms: int = 0
    sizes: list[tuple[int, int]] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    runs: list[tuple[int, int]] = field(default_factory=list)
    direction: int = 0

    def scene(self, now: int) -> Scene:
        """What the rule sees."""
        staying = tuple(server for server in self.servers if not server.leaving)
        return Scene(now, staying, self.load, self.starts_seen, len(self.queue), self.in_flight)

    def resize(self, now: int, wanted: int) -> None:
        """Start what is missing; let go what starts, then what has the fewest open requests."""
        staying = [server for server in self.servers if not server.leaving]
        change = wanted - len(staying)
        if not change:
            return
        self.sizes.append((now, wanted))
        direction = 1 if change > 0 else -1
        if self.direction and direction != self.direction:
            self.turns.append(now)
        self.direction = direction
        for _ in range(change):
            self.start(now, next(self.cold_starts))
        staying.sort(key=lambda s: (s.ready_at <= now, s.open, -s.started_at, s.number))
        for server in staying[: max(0, -change)]:
            server.leaving = True
            self._end_if_idle(now, server)

    def start(self, now: int, takes: int) -> None:
        """Order one more replica, which is ready after so long."""
        self.count += 1
        server = Server(self.count, now, now + takes)
        self.servers.append(server)
        heappush(self.events, (server.ready_at, -self.count, server, False))

    def arrive(self, now: int, service: int) -> None:
        """A request comes."""
        self.second.arrivals += 1
        if self.refuses_at_zero and not any(s.ready_at <= now for s in self.servers):
            self.second.completed += 1
            self.second.late += 1
            self.queue.append((now, 0))  # seen as pending by the rule until the next dispatch
            return
        self.queue.append((now, service))
        self.dispatch(now)

    def dispatch(self, now: int) -> None:
        """Forward what is held, first come first served, to the replica with the fewest open."""
        while self.queue:
            free = [
                s
                for s in self.servers
                if not s.leaving and s.ready_at <= now and s.open < self.traffic.slots
            ]
            if not free:
                break
            server = min(free, key=lambda s: (s.open, s.number))
            arrived, service = self.queue.popleft()
            if service:
                self._forward(now, server, arrived, service)
        self.second.held = max(self.second.held, len(self.queue))

    def _forward(self, now: int, server: Server, arrived: int, service: int) -> None:
        late = now - arrived > self.traffic.slack_ms
        self.in_time += not late and arrived >= self.scored_from
        server.open += 1
        self.in_flight += 1
        self.count += 1
        heappush(self.events, (now + service, self.count, server, late))
        self.second.in_flight = max(self.second.in_flight, self.in_flight)

    def next_event(self) -> None:
        """A replica becomes ready or answers."""
        now, order, server, late = heappop(self.events)
        if order < 0:
            if server.leaving:
                return
            self.starts_seen.append(server.ready_at - server.started_at)
        else:
            server.open -= 1
            self.in_flight -= 1
            self.second.completed += 1
            self.second.late += late
            self._end_if_idle(now, server)
        self.dispatch(now)

    def _end_if_idle(self, now: int, server: Server) -> None:
        if server.leaving and not server.open:
            self.end(now, server)
            self.servers.remove(server)

    def end(self, now: int, server: Server) -> None:
        """Count what a replica cost."""
        self.replica_ms += max(0, now - max(server.started_at, self.scored_from))
        self.runs.append((server.started_at, now))

    def sample(self, now: int) -> None:
        """End a second."""
        seen = self.second
        self.load.append(
            LoadSample(
                at_ms=now,
                span_ms=SECOND_MS,
                in_flight=seen.in_flight,
                held=seen.held,
                arrivals=seen.arrivals,
                completed=seen.completed,
                late=seen.late,
            )
        )
        self.second = _Second(in_flight=self.in_flight, held=len(self.queue))


def play(traffic: Traffic, rule: Rule, start: Start) -> Played:
    """Run the whole trace; the first replicas are ready when it begins."""
    service = Service(traffic, cycle(start.cold_starts), start.scored_from, start.refuses)
    for _ in range(start.replicas):
        service.start(0, 0)
    service.sizes.append((0, start.replicas))
    end = (traffic.arrivals[-1] if traffic.arrivals else 0) + SECOND_MS
    coming = deque(zip(traffic.arrivals, traffic.services, strict=True))
    now = ended = SECOND_MS
    while now <= end or service.in_flight or service.queue:
        ended = now
        _pass(service, coming, now)
        service.sample(now)
        wanted = rule(service.scene(now))
        if wanted is not None:
            service.resize(now, wanted)
        quiet = not service.in_flight and not service.queue
        if quiet and (not coming or coming[0][0] > now + QUIET_MS):
            now += QUIET_MS - now % QUIET_MS
        else:
            now += SECOND_MS
    for server in service.servers:
        service.end(ended, server)
    return Played(
        sum(at >= start.scored_from for at in traffic.arrivals),
        service.in_time,
        service.replica_ms,
        sum(traffic.services),
        tuple(turn for turn in service.turns if turn >= start.scored_from),
        tuple(service.sizes),
        tuple(sorted(service.runs)),
    )


def _pass(service: Service, coming: deque[tuple[int, int]], until: int) -> None:
    """Let everything happen that does up to a moment; requests come before what ends with them."""
    while True:
        event_at = service.events[0][0] if service.events else until + 1
        if coming and coming[0][0] <= min(event_at, until):
            service.arrive(*coming.popleft())
        elif event_at <= until:
            service.next_event()
        else:
            return
